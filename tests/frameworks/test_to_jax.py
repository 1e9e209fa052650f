"""`AvroDataset.to_jax` returns each row once, and resumes after any batch."""

import json

import jax
import numpy as np
import pytest
from feature_files import FEATURES, ROWS, cut, dataset, flat

import arrowfeed as af
from arrowfeed.jax import to_jax


def ids(batches):
    return [batch["id"].tolist() for batch in batches]


def test_batches_of_to_jax_are_those_of_tensors(tmp_path):
    source = dataset(tmp_path)
    expected = source.tensors(batch_size=64)
    for batch, tensors in zip(source.to_jax(batch_size=64), expected, strict=True):
        wanted = to_jax(tensors)
        assert list(batch) == list(FEATURES)
        assert isinstance(batch["x"], jax.Array)
        for name in ("id", "x", "flag", "long"):
            np.testing.assert_array_equal(batch[name], wanted[name])
        assert batch["hot"].todense().tolist() == wanted["hot"].todense().tolist()
        assert batch["name"].values.tolist() == tensors["name"].values.tolist()


def test_the_length_of_to_jax_is_the_number_of_all_batches(tmp_path):
    batches = dataset(tmp_path).to_jax(batch_size=64, epochs=2)
    assert len(batches) == len(list(batches)) == len(batches) == 32
    assert repr(batches) == f"<arrowfeed.JaxIterator of tensors {', '.join(FEATURES)}>"


def test_the_figures_are_those_of_the_batches(tmp_path):
    source = dataset(tmp_path)
    batches = source.to_jax(batch_size=64)
    assert len(list(batches)) == 16
    figures = batches.stats().to_dict()
    assert (figures["rows"], figures["batches"]) == (ROWS, 16)
    assert source.stats().to_dict() == figures


@pytest.mark.parametrize("shuffle", [{}, {"shuffle_buffer_size": 300, "seed": 7}])
def test_each_epoch_has_each_row_once(tmp_path, shuffle):
    given = flat(ids(dataset(tmp_path).to_jax(batch_size=64, epochs=2, **shuffle)))
    first, second = given[:ROWS], given[ROWS:]
    assert sorted(first) == sorted(second) == [*range(ROWS)]
    assert (first == second) == (not shuffle)


@pytest.mark.parametrize("shuffle", [{}, {"shuffle_buffer_size": 300}])
@pytest.mark.parametrize("given", [0, 1, 9, 16, 20, 32])
def test_a_state_of_to_jax_resumes_after_the_yielded_batch(tmp_path, shuffle, given):
    source = dataset(tmp_path)
    options = {"batch_size": 64, "epochs": 2, **shuffle}
    with source.to_jax(**options) as batches:
        for _ in range(given):
            next(batches)
        state = json.dumps(batches.state_dict())
        rest = ids(batches)
    resumed = source.to_jax(**options)
    resumed.load_state_dict(json.loads(state))
    assert ids(resumed) == rest
    assert len(rest) == 32 - given
    assert resumed.report()["rows"] == 2 * ROWS


def test_batches_of_one_size_are_compiled_for_once(tmp_path):
    traced = []

    @jax.jit
    def total(x):
        traced.append(x.shape)
        return x.sum()

    for batch in dataset(tmp_path).to_jax(batch_size=64, drop_remainder=True):
        total(batch["x"])
    assert traced == [(64, 4)]


def test_a_damaged_file_is_the_error_of_to_jax(tmp_path):
    path, text = cut(tmp_path)
    batches = af.AvroDataset(path, features=FEATURES).to_jax(batch_size=10)
    with pytest.raises(af.TruncatedError) as caught:
        list(batches)
    assert str(caught.value) == text


def test_after_close_batches_are_an_error(tmp_path):
    batches = dataset(tmp_path).to_jax(batch_size=10)
    next(batches)
    batches.close()
    with pytest.raises(ValueError, match=r"^expected an open iterator, found it closed$"):
        next(batches)


def test_options_of_to_jax_are_checked_at_once(tmp_path):
    with pytest.raises(TypeError) as caught:
        dataset(tmp_path).to_jax(size=3)
    assert str(caught.value) == "to_jax() got an unexpected keyword argument 'size'"


def test_labels_and_weights_of_to_jax_are_apart(tmp_path):
    source = dataset(tmp_path).project(["id", "x", "flag"])
    rows = source.to_jax(batch_size=64, label="flag", weight="x", device=jax.devices()[0])
    for (features, label, weight), batch in zip(rows, source.to_jax(batch_size=64), strict=True):
        assert list(features) == ["id"]
        assert (features["id"] == batch["id"]).all()
        assert (label == batch["flag"]).all()
        assert (weight == batch["x"]).all()
    with pytest.raises(ValueError, match="^weight: expected a label too, found only the weight 'x'$"):
        source.to_jax(batch_size=64, weight="x")
