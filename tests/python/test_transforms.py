"""Transforms: ids, buckets, limits, other types, and crosses of columns, against numpy and plain Python."""

import gzip
import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed._features import config
from arrowfeed.representations import Dense, Ragged, Sparse, VarLenRagged, VarLenSparse
from arrowfeed.tfxio._columns import source_columns
from session_seed import SEED, chance


def converted(values, transform, default=None):
    """The tensor of a column, as a representation and as a feature."""
    batch = pa.record_batch({"x": values})
    dense = Dense("x", transform=transform, default=default)
    of_representation = af.TensorAdapter(batch.schema, {"t": dense}).convert(batch)["t"].numpy()
    dense = features.Dense([], key="x", transform=transform, default=default)
    of_feature = af.TensorAdapter.from_features(batch.schema, {"t": dense}).convert(batch)["t"].numpy()
    np.testing.assert_array_equal(of_representation, of_feature)
    assert of_representation.dtype == of_feature.dtype
    return of_representation


# TensorFlow 2.21.
FAST = [1936946117179621455, 3694432073954588131, 2640714258260161385, 1769834696496558107]
STRONG = [443797209252341627, 546566331822570742, 1250540936487842205, 1015233985318741638]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()]
)
def test_hashes_are_those_of_tensorflow(kind):
    texts = pa.array(["", "a", "abc", "hello world"], kind)
    assert converted(texts, features.hashed(2**62)).tolist() == FAST
    assert converted(texts, features.hashed(2**62, key=(1, 2))).tolist() == STRONG
    enum = pa.DictionaryArray.from_arrays(pa.array([3, 1, 1], pa.int8()), texts.cast(pa.string()))
    assert converted(enum, features.hashed(2**62)).tolist() == [FAST[3], FAST[1], FAST[1]]


def test_integers_have_the_hash_of_their_decimal_text():
    for kind in (pa.int8(), pa.int64(), pa.uint32()):
        numbers = [0, 7, 120] + ([-1, -128] if pa.types.is_signed_integer(kind) else [])
        for transform in (features.hashed(1000), features.hashed(99, seed=5), features.hashed(9, key=(3, 4))):
            texts = converted(pa.array([str(number) for number in numbers]), transform)
            np.testing.assert_array_equal(converted(pa.array(numbers, kind), transform), texts)


def test_seeds_and_keys_give_other_buckets():
    texts = pa.array([str(i) for i in range(1000)])
    made = [features.hashed(1 << 40), *(features.hashed(1 << 40, seed=seed) for seed in (0, 1, 2**64 - 1))]
    made += [features.hashed(1 << 40, key=key) for key in ((0, 0), (0, 1), (1, 0))]
    ids = [converted(texts, transform) for transform in made]
    for i, one in enumerate(ids):
        assert len(set(one.tolist())) > 995
        assert all((one == other).mean() < 0.01 for other in ids[:i])


def test_missing_values_have_the_default_of_the_results():
    numbers = pa.array([3.0, None, 12.0])
    assert converted(numbers, features.bucketized([0, 10]), -1).tolist() == [1, -1, 2]
    assert converted(pa.array(["a", None]), features.hashed(1), 7).tolist() == [0, 7]
    batch = pa.record_batch({"x": numbers})
    dense = Dense("x", transform=features.bucketized([0, 10]))
    with pytest.raises(
        af.ConversionError, match='tensor "t", column "x", row 1: expected 1 value, found null'
    ):
        af.TensorAdapter(batch.schema, {"t": dense}).convert(batch)


def numbers(rng, kind):
    if kind.startswith("f"):
        return np.concatenate([rng.normal(0, 10, 50), [np.nan, np.inf, -np.inf, 0, 5]]).astype(kind)
    return rng.integers(0 if kind.startswith("u") else -20, 20, 50).astype(kind)


KINDS = ["int8", "int16", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_numpy(kind):
    rng = np.random.default_rng(SEED)
    for count in (1, 3, 32, 33, 100):
        values = numbers(rng, kind)
        bounds = np.unique(rng.integers(-20, 20, count)) + 0.5
        buckets = converted(values, features.bucketized(bounds))
        assert buckets.dtype == np.int64
        np.testing.assert_array_equal(buckets, np.digitize(values.astype("float64"), bounds))
        low, high = sorted(rng.integers(0, 20, 2).tolist())
        clipped = converted(values, features.clipped(low, high))
        np.testing.assert_array_equal(clipped, np.clip(values, low, high))
        assert clipped.dtype == values.dtype
        np.testing.assert_array_equal(converted(values, features.clipped(low)), np.maximum(values, low))
        np.testing.assert_array_equal(
            converted(values, features.clipped(high=high)), np.minimum(values, high)
        )
        mean, std = rng.normal(), rng.uniform(0.5, 2)
        results = converted(values, features.normalised(mean, std))
        expected = (values.astype("float64") - mean) / std
        np.testing.assert_array_equal(results, expected.astype("float64" if kind == "float64" else "float32"))
        both = converted(
            values, [features.clipped(0, 9), features.normalised(mean, std), features.cast("float64")]
        )
        expected = (np.clip(values, 0, 9).astype("float64") - mean) / std
        np.testing.assert_allclose(both, expected, 1e-6)
        # A feature rounds the quotients to its float32.
        x = features.Dense([], "float32", transform=features.normalised(mean, std))
        batch = pa.record_batch({"x": values})
        rounded = af.TensorAdapter.from_features(batch.schema, {"x": x}).convert(batch)["x"].values
        np.testing.assert_array_equal(rounded, results.astype("float32"))


def plain_index(value, tokens, oov, mask):
    start = 0 if mask is None else 1
    if mask is not None and value == mask:
        return 0
    if value in tokens:
        return start + oov + tokens.index(value)
    if isinstance(value, int):
        return start + value % oov
    return start + converted(pa.array([value]), features.hashed(oov)).tolist()[0]


@pytest.mark.parametrize("case", range(10))
def test_indices_are_those_of_plain_python(case):
    random = chance("vocabulary", case)
    make = random.choice(
        [lambda: random.randrange(-30, 30), lambda: random.choice("abcd") * random.randrange(5)]
    )
    values = [make() for _ in range(100)]
    tokens = list(dict.fromkeys(make() for _ in range(8)))
    oov, mask = random.choice([1, 2, 7]), random.choice([None, make()])
    mask = None if mask in tokens else mask
    transform = features.vocabulary(tokens, oov=oov, mask=mask)
    expected = [plain_index(value, tokens, oov, mask) for value in values]
    assert converted(pa.array(values), transform).tolist() == expected


def test_values_that_are_not_in_the_vocabulary():
    texts = pa.array(["a", "x", "b"])
    assert converted(texts, features.vocabulary(["b", "a"])).tolist() == [2, 0, 1]
    assert converted(texts, features.vocabulary(["b", "a"], oov=0, default=-1)).tolist() == [1, -1, 0]
    batch = pa.record_batch({"x": texts})
    dense = features.Dense([], key="x", transform=features.vocabulary(["b", "a"], oov=0))
    adapter = af.TensorAdapter.from_features(batch.schema, {"t": dense})
    message = 'tensor "t", key "x", row 1: expected a value of the vocabulary .*, found "x"'
    with pytest.raises(af.ConversionError, match=message):
        adapter.convert(batch)


def test_vocabularies_of_files_and_columns(tmp_path):
    tokens = ["de", "", "nl é", "tr"]
    text = "".join(f"{token}\n" for token in tokens)
    (tmp_path / "plain.txt").write_bytes(text.encode())
    (tmp_path / "windows.txt").write_bytes(text.replace("\n", "\r\n").encode())
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "ids.txt").write_text("30\n-4\n7")
    expected = features.vocabulary(tokens)
    sources = [tmp_path / "plain.txt", str(tmp_path / "windows.txt"), tmp_path / "packed.txt.gz"]
    sources += [tuple(tokens), iter(tokens), [token.encode() for token in tokens], np.array(tokens)]
    sources += [
        pa.array(tokens),
        pa.chunked_array([tokens[:1], tokens[1:]]),
        pa.array(tokens).dictionary_encode(),
    ]
    sources += [next(iter(af.read_arrow_ipc(arrow_file(tmp_path, tokens)))).column("x")]
    for source in sources:
        assert features.vocabulary(source) == expected, source
    integers = features.vocabulary([30, -4, 7])
    assert features.vocabulary(tmp_path / "ids.txt", integers=True) == integers
    assert features.vocabulary(np.array([30, -4, 7], "int8")) == integers
    assert features.vocabulary(tmp_path / "ids.txt") == features.vocabulary(["30", "-4", "7"]) != integers


def arrow_file(tmp_path, tokens):
    table = pa.table({"x": tokens})
    with pa.ipc.new_file(tmp_path / "tokens.arrow", table.schema) as writer:
        writer.write_table(table)
    return tmp_path / "tokens.arrow"


def test_files_that_are_no_vocabulary(tmp_path):
    def message(content, **options):
        (tmp_path / "tokens.txt").write_bytes(content)
        with pytest.raises(af.RepresentationError) as caught:
            features.vocabulary(tmp_path / "tokens.txt", **options)
        return str(caught.value)

    assert message(b"") == "expected at least one token, found none"
    assert message(b"a\nb\na\n") == 'expected different tokens, found "a" as tokens 0 and 2'
    assert message(b"a\n\xff") == "expected lines in UTF-8, found another byte on line 2"
    assert (
        message(b"1\nx", integers=True) == 'expected an integer of 64 bits on each line, found "x" on line 2'
    )
    with pytest.raises(FileNotFoundError):
        features.vocabulary(tmp_path / "none.txt")


ALL = {
    "hashed": (features.hashed(1000), "hashed(1000)"),
    "seed": (features.hashed(7, seed=2**64 - 1), "hashed(7, seed=18446744073709551615)"),
    "key": (features.hashed(7, key=(1, 2)), "hashed(7, key=(1, 2))"),
    "vocabulary": (
        features.vocabulary(["a", b"\xff", 'é"'], oov=2, mask=""),
        r'vocabulary(["a", b"\xff", "é\""], oov=2, mask="")',
    ),
    "integers": (features.vocabulary([3, -1], oov=0, default=-1), "vocabulary([3, -1], oov=0, default=-1)"),
    "bucketized": (features.bucketized((0, np.float32(1.5))), "bucketized([0.0, 1.5])"),
    "clipped": (features.clipped(high=1), "clipped(None, 1.0)"),
    "normalised": (features.normalised(0.5, 2), "normalised(0.5, 2.0)"),
    "cast": (features.cast(np.float32, lossy=True), "cast('float32', lossy=True)"),
    "crossed": (features.crossed("device", 10), 'crossed(["device"], 10)'),
    "crossed with a seed": (features.crossed(["a", "b"], 10, seed=3), 'crossed(["a", "b"], 10, seed=3)'),
}


@pytest.mark.parametrize("name", ALL)
def test_a_transform_is_a_value(name):
    transform, shown = ALL[name]
    assert repr(transform) == shown
    same = eval(shown, vars(features).copy())
    assert same == transform
    assert hash(same) == hash(transform)
    assert pickle.loads(pickle.dumps(transform)) == transform
    assert features.Transform.from_proto(transform.to_proto()) == transform
    others = [other for key, (other, _) in ALL.items() if key != name]
    assert transform not in others
    feature = features.VarLen(key="x", transform=transform)
    assert repr(feature) == f"VarLen(key='x', transform=({shown},))"
    assert feature.transform == (transform,)
    assert pickle.loads(pickle.dumps(feature)) == feature
    assert config.of_json(config.to_json({"t": feature})) == {"t": feature}
    representation = VarLenRagged("x", transform=[transform, features.clipped(0, 1)])
    assert repr(representation) == f"VarLenRagged('x', transform=({shown}, clipped(0.0, 1.0)))"
    assert representation.transform == (transform, features.clipped(0, 1))
    assert pickle.loads(pickle.dumps(representation)) == representation
    assert af.Representation.from_proto(representation.to_proto()) == representation
    assert representation != VarLenRagged("x", transform=features.clipped(0, 1))


def test_a_long_vocabulary_is_shown_by_its_number_of_tokens_and_a_fingerprint():
    many = [features.vocabulary(range(9)), features.vocabulary(range(1, 10))]
    assert repr(many[0]) == "vocabulary(<9 tokens, fingerprint 743dc85c7718058f>)"
    assert many[0] != many[1]
    assert features.VarLen(transform=many[0]) != features.VarLen(transform=many[1])
    assert features.VarLen(transform=many[0]) == features.VarLen(transform=features.vocabulary(range(9)))


@pytest.mark.parametrize(
    "kind",
    [
        lambda transform: Dense("x", transform=transform),
        lambda transform: VarLenSparse("x", transform=transform),
        lambda transform: Sparse(["i"], "x", [None], transform=transform),
        lambda transform: Ragged("x", transform=transform),
        lambda transform: VarLenRagged("x", transform=transform),
        lambda transform: features.Dense([], transform=transform),
        lambda transform: features.FixedLenSequence([], transform=transform),
        lambda transform: features.VarLen(transform=transform),
        lambda transform: features.Sparse("i", "v", 5, transform=transform),
        lambda transform: features.Ragged(transform=transform),
    ],
)
def test_every_definition_takes_one_or_several(kind):
    one, two = features.clipped(0, 1), features.cast("float64", lossy=True)
    assert kind(one).transform == kind([one]).transform == (one,)
    assert kind(iter([one, two])).transform == (one, two)
    assert kind(None) == kind(())
    assert kind(None).transform == ()
    with pytest.raises(
        TypeError, match="transform: expected a Transform of arrowfeed.features, or a list of them"
    ):
        kind([one, "hashed"])
    with pytest.raises(
        TypeError, match="transform: expected a Transform of arrowfeed.features, or a list of them"
    ):
        kind("hashed")


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: features.hashed(0), ValueError, "buckets: expected an integer of 1 or more, found int 0"),
        (lambda: features.hashed("9"), TypeError, "buckets: expected an integer of 1 or more, found str '9'"),
        (
            lambda: features.hashed(2**63),
            af.RepresentationError,
            "expected at least 1 bucket, and less than 2^63",
        ),
        (
            lambda: features.hashed(9, seed=-1),
            ValueError,
            "seed: expected an integer of 0 or more, found int -1",
        ),
        (
            lambda: features.hashed(9, key=(1,)),
            ValueError,
            "key: expected two integers of 64 bits, found tuple",
        ),
        (
            lambda: features.hashed(9, seed=1, key=(1, 2)),
            ValueError,
            "seed: expected None with a key, found int 1",
        ),
        (
            lambda: features.vocabulary(["a", 1]),
            TypeError,
            "tokens: expected tokens of one type, found int 1",
        ),
        (
            lambda: features.vocabulary([1.5]),
            TypeError,
            "tokens: expected a str, bytes or an integer of 64 bits",
        ),
        (lambda: features.vocabulary(5), TypeError, "tokens: expected a file"),
        (
            lambda: features.vocabulary(["a"], default=0),
            af.RepresentationError,
            "expected `oov` 0 with a default",
        ),
        (
            lambda: features.vocabulary(["a"], mask="a"),
            af.RepresentationError,
            "a mask that is not one of the tokens",
        ),
        (
            lambda: features.vocabulary(["a"], mask=1),
            af.RepresentationError,
            "a mask that is one of the strings",
        ),
        (
            lambda: features.bucketized([2, 1]),
            af.RepresentationError,
            "boundaries in ascending order, found 2.0",
        ),
        (lambda: features.bucketized(["a"]), TypeError, "boundaries: expected a number, found str 'a'"),
        (lambda: features.clipped(2, 1), af.RepresentationError, "expected low, which is at most high"),
        (features.clipped, af.RepresentationError, "expected at least one of low and high"),
        (lambda: features.normalised(0, 0), af.RepresentationError, "expected a finite std above 0, found 0"),
        (lambda: features.cast("bytes"), af.RepresentationError, "expected a type of numbers"),
        (lambda: features.cast("decimal"), ValueError, "dtype: expected a type of numbers"),
        (
            lambda: features.crossed([], 9),
            af.RepresentationError,
            "expected at least one other column or key",
        ),
        (lambda: features.Transform.from_proto(b"\x00"), af.RepresentationError, "the bytes of a Transform"),
    ],
)
def test_invalid_arguments(make, kind, message):
    with pytest.raises(kind) as caught:
        make()
    assert message in str(caught.value)


def test_the_types_of_columns_are_checked_before_any_data():
    schema = pa.schema({"x": pa.float32(), "s": pa.string()})
    dense = features.Dense([], key="x", transform=features.hashed(9))
    with pytest.raises(af.RepresentationError) as caught:
        af.TensorAdapter.from_features(schema, {"t": dense})
    message = 'tensor "t", key "x": expected strings, bytes or integers for hashed(9), found Float32'
    assert str(caught.value) == message
    with pytest.raises(af.RepresentationError) as caught:
        af.TensorAdapter(schema, {"t": Dense("s", transform=features.clipped(0, 1))})
    assert str(caught.value) == 'tensor "t", column "s": expected numbers for clipped(0.0, 1.0), found Utf8'


def test_a_cross_reads_all_its_columns():
    batch = pa.record_batch(
        {"a": ["x", "y", None], "b": [1, 2, 3], "c": [[1], [2], []], "d": [["p"], ["q"], []]}
    )
    cross = features.Dense([], default=-1, transform=features.crossed("b", 1000))
    lists = VarLenRagged("c", transform=features.crossed("d", 1000))
    adapter = af.TensorAdapter.from_features(batch.schema, {"a": cross})
    expected = converted_cross([("x", 1), ("y", 2)])
    assert adapter.convert(batch)["a"].numpy().tolist() == [*expected, -1]
    ragged = af.TensorAdapter(batch.schema, {"t": lists}).convert(batch)["t"]
    assert ragged.to_list() == [[one] for one in converted_cross([(1, "p"), (2, "q")])] + [[]]
    assert pickle.loads(pickle.dumps(adapter)).specs["a"].dtype == np.int64


def test_the_source_columns_of_tfxio_are_those_of_crosses_too():
    cross = features.crossed(["b", "c.d"], 10)
    assert cross.keys == ("b", "c.d")
    assert features.hashed(10).keys == ()
    assert source_columns(Dense("a", transform=cross)) == [("a",), ("b",), ("c", "d")]
    sparse = Sparse(["i"], "v", [None], transform=features.crossed("w", 10))
    assert source_columns(sparse) == [("i",), ("v",), ("w",)]


def converted_cross(pairs):
    batch = pa.record_batch({"a": [first for first, _ in pairs], "b": [second for _, second in pairs]})
    dense = Dense("a", transform=features.crossed("b", 1000))
    return af.TensorAdapter(batch.schema, {"t": dense}).convert(batch)["t"].numpy().tolist()


def test_the_report_and_the_specs_have_the_results():
    schema = pa.schema({"x": pa.string()})
    transform = [features.hashed(100), features.cast("float32", lossy=True)]
    adapter = af.TensorAdapter(schema, {"t": VarLenSparse("x", transform=transform)})
    assert str(adapter.explain()) == (
        "t: sparse float32 [?, ?]\n"
        "  values: computed, by hashed(100), then cast('float32', lossy=True) of Utf8\n"
        "  indices: computed, from the lengths of the lists"
    )
    assert adapter.specs["t"].dtype == np.float32


def test_tensors_become_columns_of_the_results():
    batch = pa.record_batch({"x": [["a", "b"], ["c"]]})
    adapter = af.TensorAdapter(batch.schema, {"t": VarLenSparse("x", transform=features.hashed(100))})
    tensors = adapter.convert(batch)
    back = af.TensorsToRecordBatch(adapter.specs)
    columns = back.convert(tensors)
    again = af.TensorAdapter(columns.schema, back.representations).convert(columns)
    assert back.representations == {"t": VarLenSparse("t")}
    np.testing.assert_array_equal(again["t"].values, tensors["t"].values)


def test_padded_and_packed_rows_have_the_results():
    batch = pa.record_batch({"x": [["a", "b"], [], ["?"]]})
    tags = features.vocabulary(["a", "b"])
    wanted = {
        "padded": features.Ragged(key="x", pad_to=3, pad_value=-1, transform=tags),
        "packed": features.Ragged(key="x", pad_to=4, pack="values", transform=tags),
    }
    tensors = af.TensorAdapter.from_features(batch.schema, wanted).convert(batch)
    assert tensors["padded"].numpy().tolist() == [[1, 2, -1], [-1, -1, -1], [0, -1, -1]]
    assert tensors["packed"].numpy().tolist() == [[1, 2, 0, 0]]
    padded = VarLenRagged("x", pad_to="longest", transform=tags)
    assert repr(padded) == "VarLenRagged('x', pad_to='longest', transform=(vocabulary([\"a\", \"b\"]),))"
    adapter = af.TensorAdapter(batch.schema, {"t": pickle.loads(pickle.dumps(padded))})
    assert adapter.convert(batch)["t"].numpy().tolist() == [[1, 2], [0, 0], [0, 0]]


def test_datasets_take_transforms(tmp_path):
    rows = [
        {"country": country, "price": price} for country, price in [("nl", 1.0), ("tr", 9.0), ("de", 4.0)]
    ]
    af.write_avro(pa.Table.from_pylist(rows), tmp_path / "x.avro")
    made = {
        "country": features.Dense([], transform=features.vocabulary(["nl", "tr"])),
        "price": features.Dense([], "float32", lossy=True, transform=features.clipped(0, 5)),
    }
    dataset = af.AvroDataset(tmp_path / "x.avro", features=made)
    for one in (dataset, pickle.loads(pickle.dumps(dataset))):
        [batch] = list(one.tensors(batch_size=8))
        assert batch["country"].numpy().tolist() == [1, 2, 0]
        assert batch["price"].numpy().tolist() == [1.0, 5.0, 4.0]
