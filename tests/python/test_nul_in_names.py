"""Names with NUL, which the C data interface cannot express, raise errors that name the column."""

import base64
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed import features

NEEDS = "without the character NUL, which Arrow's C data interface needs, found"
COLUMN = rf'a\0b: expected a name {NEEDS} "a\0b"'
NESTED = rf's.y\0z: expected a name {NEEDS} "y\0z"'
ZONE = rf't: expected a time zone {NEEDS} "Europe\0Paris"'


def parquet(table, replaced, by, *, arrow_schema=False):
    """A file whose footer has `by` instead of `replaced`, which is as long."""
    target = io.BytesIO()
    pq.write_table(table, target, store_schema=arrow_schema)
    data = target.getvalue()
    if not arrow_schema:
        return data.replace(replaced, by)
    schema = pq.read_metadata(io.BytesIO(data)).metadata[b"ARROW:schema"]
    return data.replace(schema, base64.b64encode(base64.b64decode(schema).replace(replaced, by)))


def avro(schema, record=b"\x02"):
    metadata = {"avro.schema": json.dumps(schema).encode(), "avro.codec": b"null", "no\0te": b"x\0y"}
    header = b"".join(length(key.encode()) + length(value) for key, value in metadata.items())
    return b"Obj\1" + number(len(metadata)) + header + b"\0" + b"s" * 16 + b"\2" + length(record) + b"s" * 16


def number(value):
    """A number that is not negative, as a varint of Avro."""
    value *= 2
    digits = b""
    while value > 127:
        digits += bytes([value & 127 | 128])
        value >>= 7
    return digits + bytes([value])


def length(data):
    return number(len(data)) + data


def ipc(data_type, replaced, by):
    """A stream without rows, whose column `x` has the type and `by` instead of `replaced`."""
    target = io.BytesIO()
    pa.ipc.new_stream(target, pa.schema([("x", data_type)])).close()
    assert target.getvalue().count(replaced) == 1
    return target.getvalue().replace(replaced, by)


RUNS = pa.run_end_encoded(pa.int32(), pa.int8())
NAMED = pa.struct([pa.field("yXz", pa.int32())])
IPC_TYPES = {
    "struct": NAMED,
    "list": pa.list_(pa.field("yXz", pa.int32())),
    "list view": pa.list_view(pa.field("yXz", pa.int32())),
    "large list of structs": pa.large_list(pa.field("", NAMED)),
    "list of fixed size": pa.list_(pa.field("yXz", pa.int32()), 2),
    "map key": pa.map_(pa.field("yXz", pa.string(), nullable=False), pa.int32()),
    "map value": pa.map_(pa.string(), pa.field("yXz", pa.int32())),
    "dense union": pa.dense_union([pa.field("yXz", pa.int32())]),
    "sparse union": pa.sparse_union([pa.field("yXz", pa.int32())]),
    "runs": pa.run_end_encoded(pa.int32(), NAMED),
    "dictionary": pa.dictionary(pa.int32(), NAMED),
}


RECORD = {"type": "record", "name": "r", "fields": [{"name": "a_b", "type": "int", "arrowfeed.name": "a\0b"}]}
CSV = b"a\0b,c\n1,2\n"
JSON = b'{"a\\u0000b": 1, "c": 2}\n'
NESTED_JSON = b'{"s": {"y\\u0000z": 1}}\n'
TABLE = pa.table({"aXb": [1], "c": [2]})
PARQUET = parquet(TABLE, b"aXb", b"a\0b")
NESTED_PARQUET = parquet(pa.table({"s": [{"yXz": 1}]}), b"yXz", b"y\0z")
ZONED = pa.table({"t": pa.array([1], pa.timestamp("us", "Europe/Paris"))})
ZONED_PARQUET = parquet(ZONED, b"Europe/Paris", b"Europe\0Paris", arrow_schema=True)
# An Example with a feature named "a", NUL, "b" that has the number 1.
MESSAGE = bytes.fromhex("0a0e0a0c0a0361006212051a030a0101")
SPECS = af.TensorAdapter.from_features(
    pa.schema({"c": pa.int64()}), {"a\0b": features.Dense([], key="c")}
).specs


@pytest.fixture(scope="module")
def tfrecord(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "a.tfrecord"
    af.write_tfrecord(pa.table({"record": [MESSAGE]}), path, format="raw")
    return path


CASES = {
    "csv": (lambda _: af.read_csv(CSV), COLUMN),
    "csv dataset": (lambda _: af.CsvDataset(CSV), COLUMN),
    "json lines": (lambda _: af.read_json_lines(JSON), COLUMN),
    "json lines nested": (lambda _: af.read_json_lines(NESTED_JSON), NESTED),
    "json lines dataset": (lambda _: af.JsonLinesDataset(JSON), COLUMN),
    "parquet": (lambda _: af.read_parquet(PARQUET), COLUMN),
    "parquet nested": (lambda _: af.read_parquet(NESTED_PARQUET), NESTED),
    "parquet time zone": (lambda _: af.read_parquet(ZONED_PARQUET), ZONE),
    "parquet dataset": (lambda _: af.ParquetDataset(PARQUET), COLUMN),
    "avro": (lambda _: af.read_avro(avro(RECORD)), COLUMN),
    "avro dataset": (lambda _: af.AvroDataset(avro(RECORD)), COLUMN),
    "avro messages": (lambda _: af.AvroRecordDecoder(RECORD), COLUMN),
    "avro schema": (lambda _: af.AvroSchema(RECORD).arrow.to_pyarrow(), COLUMN),
    "tfrecord": (af.read_tfrecord, COLUMN),
    "examples": (lambda _: af.ExampleRecordDecoder().decode([MESSAGE]), COLUMN),
    "raw records": (lambda tfrecord: af.RawRecordDataset(tfrecord, column="a\0b"), COLUMN),
    "tensors": (lambda _: af.TensorsToRecordBatch(SPECS), COLUMN),
    "ipc run ends": (
        lambda _: af.read_arrow_ipc(ipc(RUNS, b"run_ends", b"run\0ends")),
        rf'x.run\0ends: expected a name {NEEDS} "run\0ends"',
    ),
    "ipc dataset": (
        lambda _: af.ArrowDataset(ipc(RUNS, b"run_ends", b"run\0ends")),
        rf'x.run\0ends: expected a name {NEEDS} "run\0ends"',
    ),
    "ipc time zone": (
        lambda _: af.read_arrow_ipc(
            ipc(pa.timestamp("us", "Europe/Paris"), b"Europe/Paris", b"Europe\0Paris")
        ),
        rf'x: expected a time zone {NEEDS} "Europe\0Paris"',
    ),
    "mixed": (lambda _: af.MixedDataset([af.CsvDataset(CSV)]), COLUMN),
}


@pytest.mark.parametrize("case", CASES)
def test_a_name_with_nul_is_an_error_of_the_call(case, tfrecord):
    call, expected = CASES[case]
    with pytest.raises(af.SchemaError) as caught:
        call(tfrecord)
    assert str(caught.value) == expected
    assert caught.value.field.replace("\0", r"\0") == expected.split(": ")[0]


@pytest.mark.parametrize("case", IPC_TYPES)
def test_a_nested_name_with_nul_is_an_error_of_the_call(case):
    data = ipc(IPC_TYPES[case], b"yXz", b"y\0z")
    for call in (af.read_arrow_ipc, af.ArrowDataset):
        with pytest.raises(af.SchemaError) as caught:
            call(data)
        assert str(caught.value).endswith(rf'y\0z: expected a name {NEEDS} "y\0z"')


def test_other_columns_are_read():
    for reader in [
        af.read_csv(CSV, columns=["c"]),
        af.read_json_lines(JSON, columns=["c"]),
        af.read_parquet(PARQUET, columns=["c"]),
    ]:
        assert pa.table(reader).to_pydict() == {"c": [2]}
    dataset = af.CsvDataset(CSV, features={"c": features.Dense([])})
    assert [tensors["c"].values.tolist() for tensors in dataset.tensors(batch_size=1)] == [[2]]


def test_nul_in_other_texts_is_passed_on():
    symbols = {"type": "enum", "name": "e", "symbols": ["A", "B"], "doc": "x\0y", "other": "x\0y"}
    fields = [
        {"name": "a", "type": symbols, "doc": "x\0y", "aliases": ["b\0c"]},
        {"name": "s", "type": "string"},
    ]
    data = avro({"type": "record", "name": "r", "doc": "x\0y", "fields": fields}, b"\x02" + length(b"x\0y"))
    assert pa.table(af.read_avro(data)).to_pydict() == {"a": ["B"], "s": ["x\0y"]}
    schema = pa.schema([pa.field("a", pa.string(), metadata={"no\0te": "x\0y"})])
    table = pa.table({"a": ["x\0y"]}, schema=schema)
    target = io.BytesIO()
    pq.write_table(table, target)
    found = pa.table(af.read_parquet(target.getvalue()))
    assert found.to_pydict() == {"a": ["x\0y"]}
    assert found.schema.field("a").metadata == schema.field("a").metadata
