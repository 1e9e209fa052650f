"""arrowfeed and fastavro read the rows that `write_avro` wrote."""

import datetime as dt
import decimal
import types

import fastavro
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import users, write

CODECS = ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"]


def fastavro_rows(path):
    with path.open("rb") as file:
        return list(fastavro.reader(file))


def test_a_large_batch_arrives_in_pieces_and_is_complete(tmp_path):
    path = tmp_path / "out.avro"
    ids = pa.array(range(600_001), pa.int64())
    lists = pa.ListArray.from_arrays(pa.array(range(600_002), pa.int32()), ids)
    batch = pa.record_batch({"id": ids, "list": lists}).slice(1)
    assert af.write_avro(batch, path, codec="null") == 600_000
    found = pa.table(af.read_avro(path)).combine_chunks()
    assert found["id"].to_numpy().tolist() == list(range(1, 600_001))
    assert found["list"].combine_chunks().flatten().to_numpy().tolist() == list(range(1, 600_001))


def test_an_invalid_value_late_in_a_batch_is_an_error(tmp_path):
    """The first rows are checked before any write, the others during the write."""
    path = tmp_path / "out.avro"
    text = pa.array(["a"] * 600_000)
    data = bytearray(text.buffers()[2])
    data[-1] = 0xFF
    wrong = pa.Array.from_buffers(pa.string(), len(text), [None, text.buffers()[1], pa.py_buffer(data)])
    with pytest.raises(af.ArrowfeedError, match='column "x": expected valid Arrow data, found'):
        af.write_avro(pa.record_batch({"x": wrong}), path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_makes_the_round_trip(tmp_path, users_file, codec):
    path = tmp_path / "out.avro"
    assert af.write_avro(af.read_avro(users_file, batch_size=30), path, codec=codec) == 100
    assert af.avro_schema(path).codec == codec
    assert pa.table(af.read_avro(path)).to_pylist() == users(100)
    assert fastavro_rows(path) == users(100)


def test_tables_frames_and_batches_are_accepted(tmp_path):
    path = tmp_path / "out.avro"
    rows = [{"id": 1, "name": "a"}, {"id": 2, "name": None}]
    table = pa.Table.from_pylist(rows)
    own = next(af.read_avro(write(tmp_path / "in.avro", users(3))))
    for batches in (table, table.to_batches()[0], pl.DataFrame(rows), table.to_reader()):
        assert af.write_avro(batches, path) == 2
        assert pa.table(af.read_avro(path)).to_pylist() == rows
    assert af.write_avro(own, path) == 3
    assert pa.table(af.read_avro(path)).to_pylist() == users(3)


def test_the_default_codec_is_zstandard(tmp_path):
    path = tmp_path / "out.avro"
    af.write_avro(pa.table({"id": [1]}), path)
    assert af.avro_schema(path).codec == "zstandard"


def test_zstd_is_zstandard(tmp_path):
    path = tmp_path / "out.avro"
    af.write_avro(pa.table({"id": [1]}), path, codec="zstd")
    af.write_avro(pa.table({"id": [2]}), path, codec="zstd", append=True)
    assert af.avro_schema(path).codec == "zstandard"
    assert pa.table(af.read_avro(path)).to_pydict() == {"id": [1, 2]}


@pytest.mark.parametrize(
    "schema", [None, {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}]
)
def test_metadata_is_read_back(tmp_path, schema):
    path = tmp_path / "out.avro"
    entries = {"source": b"sensor 7", "": b"", "ключ": bytes(range(256)), "Avro.x": b"\x00", "avro": b"v"}
    table = pa.table({"id": pa.array([1, 2], pa.int64())}).replace_schema_metadata({"arrow": "of the table"})
    assert af.write_avro(table, path, schema=schema, metadata=types.MappingProxyType(entries)) == 2
    header = af.avro_schema(path)
    own = {"avro.schema": header.json.encode(), "avro.codec": b"zstandard"}
    assert header.metadata == {**own, **entries}
    assert pa.table(af.read_avro(path)).column("id").to_pylist() == [1, 2]
    af.write_avro(table, path, schema=schema, metadata={})
    without = af.avro_schema(path)
    assert without.metadata == own
    assert without.json == header.json


def test_metadata_of_text_equals_that_of_fastavro(tmp_path):
    path = tmp_path / "out.avro"
    af.write_avro(
        pa.table({"id": [1, 2]}), path, metadata={"source": b"sensor 7", "ключ": "значение".encode()}
    )
    with path.open("rb") as file:
        reader = fastavro.reader(file)
        assert (reader.metadata["source"], reader.metadata["ключ"]) == ("sensor 7", "значение")
        assert [row["id"] for row in reader] == [1, 2]


def test_block_bytes_decide_the_number_of_blocks(tmp_path):
    path = tmp_path / "out.avro"
    table = pa.table({"id": range(10_000)})
    blocks = []
    for block_bytes in (1000, 10_000, 1 << 20):
        assert af.write_avro(table, path, codec="null", block_bytes=block_bytes) == 10_000
        reader = af.read_avro(path)
        assert sum(batch.num_rows for batch in reader) == 10_000
        blocks.append(reader.report()["blocks"])
    assert blocks[0] > 5 * blocks[1] > 5 * blocks[2] == 5


def test_a_schema_that_is_given_is_written(tmp_path):
    path = tmp_path / "out.avro"
    schema = {
        "type": "record",
        "name": "mine.Row",
        "fields": [{"name": "id", "type": "long", "doc": "a number"}],
    }
    table = pa.table(
        {"id": pa.array([1, 2], pa.int64())}, pa.schema([pa.field("id", pa.int64(), nullable=False)])
    )
    assert af.write_avro(table, path, schema=schema) == 2
    assert af.avro_schema(path) == af.AvroSchema(schema)
    assert fastavro_rows(path) == [{"id": 1}, {"id": 2}]


def test_a_field_without_a_column_has_the_default_that_fastavro_writes(tmp_path):
    fields = [
        {"name": "id", "type": "long"},
        {"name": "none", "type": ["null", "int"], "default": None},
        {"name": "tags", "type": {"type": "array", "items": "string"}, "default": ["a", "b"]},
        {"name": "name", "type": "string", "default": "größe"},
    ]
    schema = {"type": "record", "name": "Row", "fields": fields}
    af.write_avro(pa.table({"id": [1, 2]}), tmp_path / "ours.avro", schema=schema)
    af.write_avro(pa.table({"id": [3]}), tmp_path / "ours.avro", append=True)
    with (tmp_path / "theirs.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"id": 1}, {"id": 2}, {"id": 3}])
    assert pa.table(af.read_avro(tmp_path / "ours.avro")) == pa.table(af.read_avro(tmp_path / "theirs.avro"))


@pytest.mark.parametrize("nullable", [False, True])
def test_every_type_makes_the_round_trip_with_a_schema_of_its_own(tmp_path, nullable):
    path = tmp_path / "out.avro"
    day, utc = dt.date(2026, 11, 21), dt.datetime(2026, 11, 21, 9, 30, 15, 250_000, dt.timezone.utc)
    moment = utc.replace(tzinfo=None)
    values = {
        pa.bool_(): True,
        pa.int32(): -7,
        pa.int64(): 1 << 40,
        pa.float32(): 0.5,
        pa.float64(): 0.1,
        pa.string(): "é",
        pa.binary(): b"\xff",
        pa.binary(3): b"abc",
        pa.date32(): day,
        pa.time32("ms"): moment.time(),
        pa.time64("us"): moment.time(),
        pa.timestamp("ms", "UTC"): utc,
        pa.timestamp("us", "UTC"): utc,
        pa.timestamp("ns", "UTC"): utc,
        pa.timestamp("us"): moment,
        pa.decimal128(12, 2): decimal.Decimal("1234.50"),
        pa.decimal256(50, 2): decimal.Decimal("-1234.50"),
        pa.list_(pa.int64()): [1, 2],
        pa.map_(pa.string(), pa.int64()): [("k", 1)],
        pa.struct({"a": pa.int64(), "b": pa.list_(pa.string())}): {"a": 1, "b": ["x", None]},
    }
    fields = [pa.field(f"c{i}", kind, nullable) for i, kind in enumerate(values)]
    rows = [list(values.values()), [None] * len(values) if nullable else list(values.values())]
    columns = [
        pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), fields, strict=True)
    ]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    assert af.write_avro(table, path) == 2
    again = pa.table(af.read_avro(path))
    assert again.schema.names == table.schema.names
    assert [field.nullable for field in again.schema] == [nullable] * len(values)
    for name in table.schema.names:
        kinds = (table.schema.field(name).type, again.schema.field(name).type)
        assert (kinds, again[name].to_pylist()) == (kinds, table[name].to_pylist())
    # A type that Avro lacks becomes the nearest Avro type.
    flat = [field.type for field in again.schema][:17]
    assert flat == list(values)[:17]


def test_no_rows_are_a_file_too(tmp_path):
    path = tmp_path / "out.avro"
    assert af.write_avro(pa.table({"id": pa.array([], pa.int64())}), path) == 0
    reader = af.read_avro(path)
    assert reader.schema.names == ["id"]
    assert list(reader) == []


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = write(tmp_path / "out.avro", users(3))
    before = path.read_bytes()

    def batches():
        yield pa.record_batch({"id": [1]})
        raise ZeroDivisionError("mine")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches())
    with pytest.raises(af.ArrowfeedError, match="mine") as caught:
        af.write_avro(reader, path)
    assert type(caught.value) is af.ArrowfeedError
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.avro"]


def test_an_error_of_the_source_keeps_its_class(tmp_path):
    source = write(tmp_path / "in.avro", users(100))
    source.write_bytes(source.read_bytes()[:-1])
    with pytest.raises(af.TruncatedError) as caught:
        af.write_avro(af.read_avro(source), tmp_path / "out.avro")
    assert caught.value.path == str(source)
    assert not (tmp_path / "out.avro").exists()


def test_the_source_may_be_a_used_reader(tmp_path, users_file):
    reader = af.read_avro(users_file, batch_size=60)
    next(reader)
    assert af.write_avro(reader, tmp_path / "out.avro") == 40


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (
            {"codec": "gzip"},
            ValueError,
            'codec: expected "null", "deflate", "snappy", "zstandard", "zstd", "bzip2" or "xz", '
            "found str 'gzip'",
        ),
        (
            {"block_bytes": 0},
            ValueError,
            "block_bytes: expected an integer of 1 or more, found int 0",
        ),
        (
            {"batches": [1]},
            TypeError,
            "batches: expected batches, tables, dicts or dataclass instances, found int 1",
        ),
        (
            {"path": 3},
            TypeError,
            "path: expected a path (str or os.PathLike), a URL or a binary file object with write(), found"
            " int 3",
        ),
        (
            {"schema": 3},
            TypeError,
            "schema: expected JSON text, a dict, the path of an .avsc file or an AvroSchema, found int 3",
        ),
        (
            {"metadata": [("a", b"")]},
            TypeError,
            "metadata: expected a dict of str to bytes, found list [('a', b'')]",
        ),
        ({"metadata": {1: b""}}, TypeError, "metadata: expected a dict of str to bytes, found int 1"),
        ({"metadata": {"a": "b"}}, TypeError, "metadata: expected a dict of str to bytes, found str 'b'"),
        (
            {"metadata": {"a": b"", "avro.codec": b"null"}},
            ValueError,
            'metadata: expected keys that do not begin with "avro.", which the Avro specification reserves,'
            ' found "avro.codec"',
        ),
        (
            {"metadata": {str(n): b"" for n in range(9_999)}},
            ValueError,
            "metadata: expected at most 9,998 entries, found 9,999",
        ),
    ],
)
def test_wrong_arguments_of_write_avro_are_named(tmp_path, change, kind, message):
    arguments = {"batches": pa.table({"id": [1]}), "path": tmp_path / "out.avro", **change}
    with pytest.raises(kind) as caught:
        af.write_avro(**arguments)
    assert (type(caught.value), str(caught.value)) == (kind, message)


def test_a_directory_that_is_not_there_is_not_found(tmp_path):
    path = tmp_path / "no" / "out.avro"
    with pytest.raises(FileNotFoundError) as caught:
        af.write_avro(pa.table({"id": [1]}), path)
    assert caught.value.filename == str(path)
