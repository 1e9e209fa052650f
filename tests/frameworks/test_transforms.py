"""Transforms are those of TensorFlow and Keras, on random values."""

import os

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
from tfio_rows import INT, in_graph, parse, schema

import arrowfeed as af
from arrowfeed import features

CASES = int(os.environ.get("ARROWFEED_CASES", "30"))
SEED = int(os.environ.get("ARROWFEED_SEED", "7"))


def rng(case, name):
    return np.random.default_rng([SEED, case, *name.encode()])


def converted(columns, transform):
    batch = pa.record_batch(columns)
    dense = features.Dense([], key="x", transform=transform)
    return af.TensorAdapter.from_features(batch.schema, {"x": dense}).convert(batch)["x"].numpy()


def texts(random, count=20, letters=3):
    """Strings, many of them equal, and some longer than a block of the hash."""
    sizes = random.choice([0, 1, 2, 5, 9, 17, 33, 60, 64, 65, 128, 192, 193, 300], count)
    return ["".join(random.choice(list("abé\0x")[:letters], size)) for size in sizes]


def integers(random, count=20):
    small, large = random.integers(-9, 9, count), random.integers(-(2**63), 2**63 - 1, count)
    return np.where(random.random(count) < 0.7, small, large)


@pytest.mark.parametrize("case", range(CASES))
def test_hashes(case):
    random = rng(case, "hash")
    strings, numbers = texts(random, letters=5), integers(random)
    buckets = int(random.choice([1, 2, 10, 1000, 2**40, 2**62]))
    key = [int(part) for part in random.integers(0, 2**63 - 1, 2)]
    for values, as_text in ((strings, strings), (numbers, tf.as_string(numbers))):
        fast = tf.strings.to_hash_bucket_fast(as_text, buckets).numpy()
        np.testing.assert_array_equal(converted({"x": values}, features.hashed(buckets)), fast)
        strong = tf.strings.to_hash_bucket_strong(as_text, buckets, key).numpy()
        np.testing.assert_array_equal(converted({"x": values}, features.hashed(buckets, key=key)), strong)
        seeded = tf.sparse.cross_hashed([tf.expand_dims(as_text, 1)], buckets, key[0]).values.numpy()
        np.testing.assert_array_equal(converted({"x": values}, features.hashed(buckets, seed=key[0])), seeded)
    if key[0] < 2**62:
        layer = tf.keras.layers.Hashing(min(buckets, 2**31), salt=key)
        hashed = features.hashed(min(buckets, 2**31), key=key)
        np.testing.assert_array_equal(converted({"x": strings}, hashed), layer(tf.constant(strings)).numpy())


@pytest.mark.parametrize("case", range(CASES))
def test_string_lookup(case, tmp_path):
    random = rng(case, "strings")
    values = texts(random)
    tokens = list(dict.fromkeys(texts(random, 8)))
    oov = int(random.choice([1, 2, 5]))
    mask = None if random.random() < 0.5 else "mask"
    layer = tf.keras.layers.StringLookup(vocabulary=tokens, num_oov_indices=oov, mask_token=mask)
    values += [mask or "", *tokens]
    expected = layer(tf.constant(values)).numpy()
    (tmp_path / "tokens.txt").write_text("".join(f"{token}\n" for token in tokens))
    for source in (tokens, tmp_path / "tokens.txt"):
        transform = features.vocabulary(source, oov=oov, mask=mask)
        np.testing.assert_array_equal(converted({"x": values}, transform), expected)


@pytest.mark.parametrize("case", range(CASES))
def test_integer_lookup(case):
    random = rng(case, "integers")
    values = integers(random)
    # At the start of a vocabulary, Keras takes -1 for the token of other values.
    tokens = [token for token in dict.fromkeys(integers(random, 8).tolist()) if token != -1]
    oov = int(random.choice([1, 2, 5]))
    mask = None if random.random() < 0.5 else 77
    layer = tf.keras.layers.IntegerLookup(vocabulary=tokens, num_oov_indices=oov, mask_token=mask)
    values = np.concatenate([values, tokens, [77]])
    expected = layer(tf.constant(values)).numpy()
    transform = features.vocabulary(tokens, oov=oov, mask=mask)
    np.testing.assert_array_equal(converted({"x": values}, transform), expected)


@pytest.mark.parametrize("case", range(CASES))
def test_discretization(case):
    random = rng(case, "boundaries")
    boundaries = np.unique(random.integers(-40, 40, int(random.choice([1, 5, 40])))) / 4
    layer = tf.keras.layers.Discretization(bin_boundaries=boundaries.tolist())
    for values in (
        np.concatenate([random.normal(0, 5, 30), boundaries, [np.nan, np.inf, -np.inf]]).astype("float32"),
        random.integers(-12, 12, 30),
    ):
        expected = layer(tf.constant(values)).numpy()
        np.testing.assert_array_equal(converted({"x": values}, features.bucketized(boundaries)), expected)


@pytest.mark.parametrize("case", range(CASES))
def test_crosses(case):
    random = rng(case, "cross")
    columns = [
        texts(random) if random.random() < 0.5 else integers(random) for _ in range(random.integers(2, 5))
    ]
    buckets = int(random.choice([1, 10, 1000, 2**40]))
    names = ["x", *(f"other{i}" for i in range(1, len(columns)))]
    found = converted(dict(zip(names, columns, strict=True)), features.crossed(names[1:], buckets))
    tensors = [tf.constant(column) for column in columns]
    layer = tf.keras.layers.HashedCrossing(min(buckets, 2**31))
    if buckets < 2**31:
        np.testing.assert_array_equal(found, layer(tensors).numpy())
    crossed = tf.sparse.cross_hashed([tf.expand_dims(tensor, 1) for tensor in tensors], buckets)
    np.testing.assert_array_equal(found, crossed.values.numpy())


def test_the_op_that_parses_records_transforms_their_values():
    rows = [{"x": "a", "y": 3}, {"x": "b", "y": 40}, {"x": "", "y": -1}]
    wanted = {
        "x": features.Dense([], transform=features.vocabulary(["b", "a"])),
        "hash": features.Dense([], key="x", transform=features.hashed(100)),
        "y": features.Dense([], "float32", lossy=True, transform=features.bucketized([0, 10])),
    }
    form = schema(x="string", y=INT)
    for tensors in (in_graph(form, rows, wanted), parse(form, rows, wanted)):
        assert tensors["x"].numpy().tolist() == [2, 1, 0]
        expected = tf.strings.to_hash_bucket_fast(["a", "b", ""], 100).numpy().tolist()
        assert tensors["hash"].numpy().tolist() == expected
        assert tensors["y"].numpy().tolist() == [1.0, 2.0, 0.0]
        assert tensors["y"].dtype == tf.float32


def test_normalization():
    random = rng(0, "normal")
    values = random.normal(3, 5, 1000).astype("float32")
    layer = tf.keras.layers.Normalization(axis=None, mean=3.5, variance=2.25)
    np.testing.assert_allclose(
        converted({"x": values}, features.normalised(3.5, 1.5)), layer(values).numpy(), rtol=1e-5, atol=1e-6
    )
