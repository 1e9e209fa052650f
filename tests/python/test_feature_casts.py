"""Features convert values to their dtype: numbers as numpy does, enums to codes, and decimals."""

import decimal
import io
import pickle

import fastavro
import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from foreign_features import FLOAT32, INT32, INT64, FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from session_seed import SEED


def converted(batch, feature, name="x"):
    return af.TensorAdapter.from_features(batch.schema, {name: feature}).convert(batch)[name]


def refused(batch, feature, name="x"):
    with pytest.raises(af.RepresentationError) as caught:
        af.TensorAdapter.from_features(batch.schema, {name: feature})
    return str(caught.value)


def unfit(batch, feature, name="x"):
    with pytest.raises(af.ConversionError) as caught:
        converted(batch, feature, name)
    return str(caught.value)


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
NUMBERS = ["bool", *INTEGERS, *FLOATS]


def sample(name, rng):
    """Values of a type, with its smallest and its largest."""
    if name == "bool":
        return rng.integers(0, 2, 50).astype(bool)
    if name in INTEGERS:
        limits = np.iinfo(name)
        any_bits = rng.integers(0, 256, 50 * limits.bits // 8, dtype=np.uint8).view(name)
        return np.concatenate([any_bits, np.array([limits.min, limits.max, 0, 1], name)])
    narrow = rng.normal(0, 1000, 50)
    limits = np.finfo(name)
    return np.concatenate([narrow, [limits.max, limits.min, limits.tiny, 0.0, -0.0]]).astype(name)


@pytest.mark.parametrize("source", NUMBERS)
@pytest.mark.parametrize("target", [*INTEGERS, *FLOATS])
def test_exact_conversions_are_those_of_numpy_and_lossy_ones_must_be_asked_for(source, target):
    rng = np.random.default_rng(SEED + sum(map(ord, source + target)))
    values = sample(source, rng)
    batch = pa.record_batch({"x": pa.array(values)})
    # For float16, numpy has no safe cast from bool and 8 bits only; for the others, safe means exact, except
    # from 64 bits.
    is_exact = np.can_cast(source, target, "safe") and not (
        source in ("int64", "uint64") and target in FLOATS
    )
    if not is_exact:
        expected = f"values that {target} holds exactly, found {source} (`lossy` converts them)"
        message = refused(batch, features.Dense([], target))
        assert message == f'key "x": expected {expected}'
        return
    found = converted(batch, features.Dense([], target)).values
    assert found.dtype == target
    np.testing.assert_array_equal(found, values.astype(target))


@pytest.mark.parametrize("source", NUMBERS)
@pytest.mark.parametrize("target", [*INTEGERS, *FLOATS])
def test_lossy_conversions_are_those_of_numpy_for_values_in_range(source, target):
    values = sample(source, np.random.default_rng(SEED)).astype(object)
    limits = np.finfo(target) if target in FLOATS else np.iinfo(target)
    in_range = [value for value in values if float(limits.min) <= float(value) <= float(limits.max)]
    if target in INTEGERS:
        in_range = [value for value in in_range if limits.min <= int(value) <= limits.max]
    given = np.array(in_range, source)
    batch = pa.record_batch({"x": pa.array(given)})
    found = converted(batch, features.Dense([], target, lossy=True)).values
    assert found.dtype == target
    np.testing.assert_array_equal(found, given.astype(target))


def test_nulls_slices_and_defaults():
    whole = pa.record_batch(
        {
            "x": pa.array([1000, 1, None, -3, 2000], pa.int64()),
            "l": pa.array([[1e300], [0.1, 2.5], None, [], [1e300]], pa.list_(pa.float64())),
        }
    )
    batch = whole.slice(1, 3)
    assert converted(batch, features.Dense([], "int8", 9, lossy=True)).values.tolist() == [1, 9, -3]
    padded = converted(batch, features.Dense([2], "float32", 0.5, key="l", lossy=True))
    assert padded.values.tolist() == [[np.float32(0.1), 2.5], [0.5, 0.5], [0.5, 0.5]]
    ragged = converted(batch, features.Ragged("int32", key="l", lossy=True))
    assert ragged.to_list() == [[0, 2], [], []]
    sparse = converted(batch, features.VarLen("float16", key="l", lossy=True))
    assert sparse.values.dtype == np.float16
    assert sparse.values.tolist() == [np.float16(0.1), 2.5]
    empty = converted(whole.slice(0, 0), features.FixedLenSequence([], "float32", 0, key="l", lossy=True))
    assert (empty.values.shape, empty.values.dtype) == ((0, 0), np.float32)


def test_a_value_out_of_range_names_the_key_and_the_row():
    batch = pa.record_batch(
        {"i": pa.array([1, None, 300], pa.int32()), "f": pa.array([0.5, float("nan"), float("inf")])}
    )
    whole = {
        "i": ("int8", "row 2: expected a value in the range of int8, found 300"),
        "f": ("int64", "row 1: expected a value in the range of int64, found NaN"),
    }
    for key, (dtype, message) in whole.items():
        found = unfit(batch, features.Dense([], dtype, 0, key=key, lossy=True))
        assert found == f'tensor "x", key "{key}", {message}'
    # Infinite values stay infinite in a float.
    floats = converted(batch, features.Dense([], "float16", key="f", lossy=True)).values
    np.testing.assert_array_equal(floats, np.array([0.5, np.nan, np.inf], np.float16))


def test_the_values_of_sparse_features_are_converted_and_their_indices_are_not():
    batch = pa.record_batch({"i": [[2, 0], [1]], "v": [[1.5, 2.5], [3.5]]})
    tensor = converted(batch, features.Sparse("@i[*]", "@v[*]", 3, "float32", lossy=True))
    assert tensor.values.dtype == np.float32
    assert (tensor.indices.tolist(), tensor.values.tolist()) == ([[0, 0], [0, 2], [1, 1]], [2.5, 1.5, 3.5])
    message = refused(batch, features.Sparse("@v[*]", "@i[*]", 3, "float32", lossy=True))
    assert message == 'tensor "x", key "@v[*]": expected integers as indices, found Float64'


def test_times_and_byte_strings_are_not_converted():
    batch = pa.record_batch(
        {"t": pa.array([1], pa.timestamp("ms")), "s": pa.array(["1"]), "x": pa.array([1])}
    )
    for key, dtype, found in [
        ("t", "float64", "Timestamp(ms), which is int64"),
        ("s", "int64", "Utf8, which is bytes"),
        ("x", "bytes", "Int64, which is int64"),
        ("x", "bool", "Int64, which is int64"),
    ]:
        message = refused(batch, features.Dense([], dtype, key=key, lossy=True), key)
        assert message == f'key "{key}": expected values of {dtype}, found {found}'


DECIMALS = ["0.10", "-123456789012345678901234.56", "99999999999999999999999999999999.99", "16777217.00"]


@pytest.mark.parametrize("make", [pa.decimal128, pa.decimal256])
def test_decimals_become_the_nearest_floats(make):
    values = [decimal.Decimal(text) for text in DECIMALS]
    batch = pa.record_batch({"x": pa.array([*values, None], make(38, 2))})
    for dtype, one in [("float64", float), ("float32", np.float32)]:
        found = converted(batch, features.Dense([], dtype, 0, lossy=True)).values
        assert found.dtype == dtype
        assert found.tolist() == [*(float(one(text)) for text in DECIMALS), 0.0]
    assert refused(batch, features.Dense([])).endswith(
        " (dtype float32 or float64, and `lossy`, convert them)"
    )


ENUM = {"type": "enum", "name": "Color", "symbols": ["red", "green", "blue"]}
ENUMS = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "one", "type": ["null", ENUM]},
        {"name": "many", "type": {"type": "array", "items": "Color"}},
        {"name": "by_name", "type": {"type": "map", "values": "Color"}},
        {"name": "either", "type": ["null", "string", "Color"]},
    ],
}
ROWS = [
    {"one": "blue", "many": ["green", "red"], "by_name": {"k": "green"}, "either": ("Color", "blue")},
    {"one": None, "many": [], "by_name": {}, "either": "red"},
    {"one": "red", "many": ["blue"], "by_name": {"k": "red"}, "either": None},
]


def enums():
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(ENUMS), ROWS)
    return out.getvalue()


def test_enums_become_the_codes_of_their_symbols():
    wanted = {
        "one": features.Dense([], "int32", -1),
        "many": features.Ragged("int64"),
        "value": features.Dense([], "uint8", 255, key="by_name['k']"),
        "branch": features.VarLen("int8", key="either:Color"),
        "text": features.Dense([], "bytes", b"?", key="one"),
    }
    reader = af.read_avro(enums())
    adapter = af.TensorAdapter.from_features(reader.schema, wanted)
    assert [spec.dtype for spec in adapter.specs.values()] == ["int32", "int64", "uint8", "int8", object]
    tensors = adapter.convert(reader)
    assert tensors["one"].values.tolist() == [2, -1, 0]
    assert tensors["many"].to_list() == [[1, 0], [], [2]]
    assert tensors["value"].values.tolist() == [1, 255, 0]
    assert tensors["branch"].values.tolist() == [2]
    assert tensors["text"].values.tolist() == [b"blue", b"?", b"red"]
    assert adapter.explain().splitlines()[1] == (
        "  values: shared, as the keys of an enum; copied where values of a row are missing and filled, or"
        " the dictionary of a batch is not the list of symbols"
    )


def test_codes_of_a_dataset_are_those_of_its_schema(tmp_path):
    path = tmp_path / "colors.avro"
    path.write_bytes(enums())
    dataset = af.AvroDataset(str(path), features={"one": features.Dense([], "int64", -1)})
    for again in (dataset, pickle.loads(pickle.dumps(dataset))):
        [tensors] = again.tensors(batch_size=10)
        assert tensors["one"].values.tolist() == [2, -1, 0]


def test_another_dictionary_never_gives_its_keys():
    colors = pa.array(["blue", "red", "green", None]).dictionary_encode()
    message = refused(pa.record_batch({"x": colors}), features.Dense([], "int32", 0))
    assert message == (
        'key "x": expected the symbols of an enum in the field\'s metadata avro.enum.symbols, found'
        " Dictionary(Int32, Utf8) without them"
    )
    symbols = {"avro.enum.symbols": '["red", "green", "blue"]'}
    schema = pa.schema([pa.field("x", colors.type, metadata=symbols)])
    batch = pa.record_batch([colors], schema=schema)
    assert converted(batch, features.Dense([], "int32", -1)).values.tolist() == [2, 0, 1, -1]
    other = pa.record_batch([pa.array(["red", "pink"]).dictionary_encode()], schema=schema)
    message = unfit(other, features.Dense([], "int32"))
    assert (
        message
        == 'key "x", row 1: expected a symbol of the enum, one of ["red", "green", "blue"], found "pink"'
    )


LISTS = pa.record_batch(
    {
        "x": pa.array([[1, 2, 3, 4], [5], None], pa.list_(pa.int32())),
        "y": pa.array([[[1, 2, 3], [4]], [[5]], []], pa.list_(pa.list_(pa.int32()))),
    }
)


def test_long_lists_are_truncated_on_request():
    assert unfit(
        LISTS, features.Dense([2], default=0)
    ) == 'key "x[*]", row 0: expected 2 values, found 4'.replace("key", 'tensor "x", key')
    cut = features.Dense([2], default=0, truncate=True)
    assert converted(LISTS, cut).values.tolist() == [[1, 2], [5, 0], [0, 0]]
    square = features.Dense([1, 2], default=0, key="y", truncate=True)
    assert converted(LISTS, square).values.tolist() == [[[1, 2]], [[5, 0]], [[0, 0]]]
    flat = features.Dense([1, 3], default=0, key="x", truncate=True)
    assert converted(LISTS, flat).values.tolist() == [[[1, 2, 3]], [[5, 0, 0]], [[0, 0, 0]]]
    sequence = features.FixedLenSequence([None, 1], default=0, key="y", truncate=True)
    assert converted(LISTS, sequence).values.tolist() == [[[1], [4]], [[5], [0]], [[0], [0]]]
    varlen = features.VarLen(shape=[1], truncate=True)
    assert converted(LISTS.slice(0, 2), varlen).values.tolist() == [1, 5]
    assert unfit(LISTS, varlen) == 'tensor "x", key "x[*]", row 2: expected 1 value, found 0'


def test_values_that_are_cut_off_are_not_converted():
    batch = pa.record_batch({"x": [[1, 300], [2, None]]})
    assert converted(batch, features.Dense([1], "int8", lossy=True, truncate=True)).values.tolist() == [
        [1],
        [2],
    ]
    varlen = features.VarLen("int8", shape=[1], lossy=True, truncate=True)
    assert converted(batch, varlen).values.tolist() == [1, 2]


def test_an_integer_is_a_default_of_a_float_column():
    batch = pa.record_batch({"x": pa.array([1.5, None], pa.float32()), "l": [[0.5], []]})
    assert converted(batch, features.Dense([], default=0)).values.tolist() == [1.5, 0.0]
    assert converted(batch, features.FixedLenSequence([], default=3, key="l")).values.tolist() == [
        [0.5],
        [3.0],
    ]
    row = features.Dense([2], default=[1, 2], key="l")
    assert converted(batch, row).values.tolist() == [[0.5, 2.0], [1.0, 2.0]]
    assert features.Dense([], default=0) != features.Dense([], default=0.0)
    message = refused(batch, features.Dense([], default=16_777_217))
    assert (
        message == 'key "x": expected a default value that float32 holds exactly, found the integer 16777217'
    )


def test_features_of_other_libraries_are_not_converted():
    batch = pa.record_batch({"x": pa.array([1, None], pa.int32()), "l": pa.array([[1.5]] * 2)})
    for given in (
        FixedLenFeature([], INT64, 0),
        VarLenFeature(INT64),
    ):
        assert refused(batch, given) == 'key "x": expected values of int64, found Int32, which is int32'
    assert refused(batch, FixedLenSequenceFeature([], INT32, allow_missing=True), "l") == (
        'tensor "l", key "l[*]": expected values of int32, found Float64, which is float64'
    )
    ours = features.Dense([], "int64", 0, lossy=None)
    assert refused(batch, ours) == 'key "x": expected values of int64, found Int32, which is int32'


def test_a_float_default_of_tensorflow_is_rounded():
    batch = pa.record_batch({"x": pa.array([None], pa.float32())})
    given = FixedLenFeature([], FLOAT32, 16_777_217)
    assert converted(batch, given).values.tolist() == [16_777_216.0]


def test_an_adapter_keeps_its_conversions_in_pickles():
    batch = pa.record_batch({"x": [1.9, 2.1]})
    adapter = af.TensorAdapter.from_features(batch.schema, {"x": features.Dense([], "int32", lossy=True)})
    again = pickle.loads(pickle.dumps(adapter))
    assert again.convert(batch)["x"].values.tolist() == [1, 2]
    assert again.explain() == "x: dense int32 [?]\n  values: copied, converted from float64"
