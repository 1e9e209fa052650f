"""Other libraries read a reader through Arrow's C interface."""

import errno
import io
import re
from decimal import Decimal

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from conftest import BIG_ROWS, users, write

HANDED_OVER = "^this reader was already consumed through __arrow_c_stream__; open a new one$"


def test_pyarrow_makes_a_table(users_file):
    assert pa.table(af.read_avro(users_file)).to_pylist() == users(100)


def test_pyarrow_streams(big_file):
    reader = pa.RecordBatchReader.from_stream(af.read_avro(big_file, batch_size=1000))
    assert reader.schema.names == ["id", "name", "scores", "home"]
    assert [batch.num_rows for batch in reader] == [1000] * (BIG_ROWS // 1000)


def test_pyarrow_asks_for_a_schema(users_file):
    schema = pa.schema([pa.field("id", pa.int32(), nullable=False)])
    reader = pa.RecordBatchReader.from_stream(af.read_avro(users_file, columns=["id"]), schema)
    assert reader.read_all() == pa.table({"id": pa.array(range(100), pa.int32())}, schema)


def test_a_value_that_does_not_fit_the_requested_schema_is_an_error(users_file):
    schema = pa.schema([pa.field("zip", pa.int8(), nullable=False)])
    zips = {"type": "record", "name": "tests.Home", "fields": [{"name": "zip", "type": "int"}]}
    path = write(users_file.with_name("zips.avro"), [{"zip": 1}, {"zip": 128}], zips)
    reader = pa.RecordBatchReader.from_stream(af.read_avro(path), schema)
    with pytest.raises(pa.ArrowInvalid, match="Can't cast value 128 to type Int8"):
        reader.read_all()


@pytest.mark.parametrize(
    ("column", "to", "message"),
    [
        (pa.array([1.0, 1.5]), pa.int64(), "Int64 stores exactly, found 1.5"),
        (pa.array([2**53, 2**53 + 1]), pa.float64(), "Float64 stores exactly, found 9007199254740993"),
        (pa.array([0.1, 1e300]), pa.float32(), "Float32 stores exactly, found 1e300"),
        (pa.array([[0.1], [1e300]]), pa.list_(pa.float32()), "Float32 stores exactly, found 1e300"),
        (
            pa.array([1000, 1500], pa.timestamp("ms")),
            pa.timestamp("s"),
            "Timestamp(s) stores exactly, found 1970-01-01T00:00:01.500",
        ),
        (
            pa.array([0, 1500], pa.timestamp("ms")),
            pa.date32(),
            "Date32 stores exactly, found 1970-01-01T00:00:01.500",
        ),
        (
            pa.array([1000, 1500], pa.time32("ms")),
            pa.time32("s"),
            "Time32(s) stores exactly, found 00:00:01.500",
        ),
        (
            pa.array([Decimal("1.20"), Decimal("1.25")]),
            pa.decimal128(3, 1),
            "Decimal128(3, 1) stores exactly, found 1.25",
        ),
        (pa.array(["1.23", "1.239"]), pa.decimal128(5, 2), "Decimal128(5, 2) stores exactly, found 1.239"),
        (
            pa.array(["2020-01-01", "2020-01-01T01:00:00"]),
            pa.date32(),
            "Date32 stores exactly, found 2020-01-01T01:00:00",
        ),
    ],
)
def test_a_cast_to_a_requested_type_never_changes_a_value(tmp_path, column, to, message):
    af.write_avro(pa.record_batch({"x": column}), tmp_path / "x.avro")
    schema = pa.schema({"x": to})
    [batch] = af.read_avro(tmp_path / "x.avro")
    with pytest.raises(ValueError, match=f"^Cast error: x: expected a value that {re.escape(message)}$"):
        pa.record_batch(batch, schema=schema)
    # The first value is the same in both types, or a rounded float.
    kept = pa.record_batch(batch)[:1]
    af.write_avro(kept, tmp_path / "kept.avro")
    [batch] = af.read_avro(tmp_path / "kept.avro")
    assert pa.record_batch(batch, schema=schema)["x"] == kept["x"].cast(to, safe=False)


def test_polars_makes_a_frame(users_file):
    assert pl.DataFrame(af.read_avro(users_file)).to_dicts() == users(100)


def test_duckdb_queries_a_reader(users_file):
    reader = af.read_avro(users_file)
    query = "select count(*), sum(id), count(name), max(home.zip) from reader"
    assert duckdb.sql(query).fetchall() == [(100, 4950, 80, 99)]
    assert reader.report()["rows"] == 100


def test_enums_unions_maps_and_decimals_cross(tmp_path):
    schema = {
        "type": "record",
        "name": "Row",
        "fields": [
            {"name": "suit", "type": {"type": "enum", "name": "Suit", "symbols": ["C", "D"]}},
            {"name": "either", "type": ["int", "string"]},
            {"name": "map", "type": {"type": "map", "values": "int"}},
            {
                "name": "price",
                "type": {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2},
            },
        ],
    }
    rows = [
        {"suit": "D", "either": 1, "map": {"a": 1, "b": 2}, "price": Decimal("-12.34")},
        {"suit": "C", "either": "x", "map": {}, "price": Decimal("0.01")},
    ]
    path = write(tmp_path / "rows.avro", rows, schema)
    table = pa.table(af.read_avro(path))
    assert table.schema.field("suit").type == pa.dictionary(pa.int32(), pa.string())
    assert table.to_pylist(maps_as_pydicts="strict") == rows


def test_a_stream_is_handed_over_once(users_file):
    reader = af.read_avro(users_file, batch_size=10)
    next(reader)
    stream = pa.RecordBatchReader.from_stream(reader)
    for use in (lambda: next(reader), lambda: pa.table(reader), lambda: af.write_avro(reader, "x")):
        with pytest.raises(ValueError, match=HANDED_OVER):
            use()
    assert stream.read_all().num_rows == 90
    assert reader.report()["rows"] == 100


def test_a_stream_lives_longer_than_its_reader(big_file):
    stream = pa.RecordBatchReader.from_stream(af.read_avro(big_file, threads=2))
    assert stream.read_all().num_rows == BIG_ROWS


def test_close_ends_a_stream_that_was_handed_over(users_file):
    reader = af.read_avro(users_file, batch_size=10)
    stream = pa.RecordBatchReader.from_stream(reader)
    assert stream.read_next_batch().num_rows == 10
    reader.close()
    with pytest.raises(pa.ArrowInvalid, match="expected an open reader, found it closed"):
        stream.read_next_batch()


METHODS = pytest.mark.parametrize("method", ["to_pyarrow", "to_pandas", "to_polars"])


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_the_middle_reaches_the_consumer_whole(tmp_path, threads):
    path = write(tmp_path / "users.avro", users(20_000), sync_interval=1000)
    data = path.read_bytes()
    path.write_bytes(data[:-100])
    with pytest.raises(af.TruncatedError) as ours:
        list(af.read_avro(path, threads=threads))
    with pytest.raises(pa.ArrowInvalid) as theirs:
        pa.table(af.read_avro(path, threads=threads))
    assert str(path) in str(ours.value)
    assert str(ours.value) in str(theirs.value)


def damaged(path):
    data = bytearray(write(path, users(20_000), sync_interval=1000).read_bytes())
    data[-40:-16] = bytes(24)
    path.write_bytes(data)
    return path


FAULTS = {
    "damage": (damaged, {}),
    "a limit": (lambda path: write(path, users(2000)), {"limits": af.Limits(decoded_block_bytes=1000)}),
}


@METHODS
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_methods_of_a_reader_raise_the_errors_of_an_iteration(tmp_path, method, fault, threads):
    made, options = FAULTS[fault]
    path = made(tmp_path / "users.avro")
    with pytest.raises(af.ArrowfeedError) as iterated:
        list(af.read_avro(path, threads=threads, **options))
    assert None not in (iterated.value.path, iterated.value.block, iterated.value.offset)
    reader = af.read_avro(path, threads=threads, **options)
    with pytest.raises(type(iterated.value)) as converted:
        getattr(reader, method)()
    assert str(converted.value) == str(iterated.value)
    assert vars(converted.value) == vars(iterated.value)


@METHODS
def test_methods_of_a_reader_raise_the_errors_of_the_system_and_of_a_file_object(tmp_path, method):
    class Failing(io.BytesIO):
        left = 2

        def read(self, size=-1):
            self.left -= 1
            if self.left < 0:
                raise PermissionError(errno.EACCES, "no more", "there")
            return super().read(min(size, 4000))

        readinto = None

    data = write(tmp_path / "users.avro", users(2000)).read_bytes()
    with pytest.raises(PermissionError, match="no more") as raised:
        getattr(af.read_avro(Failing(data), batch_size=10), method)()
    assert (raised.value.errno, raised.value.filename) == (errno.EACCES, "there")


@METHODS
def test_a_reader_that_is_closed_or_consumed_has_no_rows_to_convert(users_file, method):
    reader = af.read_avro(users_file)
    reader.close()
    with pytest.raises(ValueError, match="^expected an open reader, found it closed$"):
        getattr(reader, method)()
    reader = af.read_avro(users_file)
    reader.to_pyarrow()
    with pytest.raises(ValueError, match=HANDED_OVER):
        getattr(reader, method)()


def test_an_adapter_raises_the_error_of_a_reader(tmp_path):
    path = damaged(tmp_path / "users.avro")
    adapter = af.TensorAdapter(af.read_avro(path).schema, {"id": Dense("id")})
    with pytest.raises(af.CorruptBlockError) as raised:
        adapter.convert(af.read_avro(path, batch_size=1_000_000))
    assert raised.value.path == str(path)
    with pytest.raises(ValueError, match="^batch: expected a stream of one batch, found more: convert them"):
        adapter.convert(af.read_avro(path, batch_size=10))


def test_a_scan_of_a_dataset_has_its_rows(tmp_path):
    table = pa.table({"id": range(100), "name": [f"n{number}" for number in range(100)]})
    af.write_avro(table, tmp_path / "a.avro")
    dataset = af.AvroDataset(tmp_path / "a.avro")
    rest = dataset.skip(10).take(50)
    mixed = af.MixedDataset([dataset.take(5), dataset.skip(95)])
    mapped = dataset.map(lambda batch: pa.record_batch(batch).select(["id"]))
    for source, expected in [
        (dataset, range(100)),
        (rest, range(10, 60)),
        (dataset.filter("id >= 90"), range(90, 100)),
        (mixed, [*range(5), *range(95, 100)]),
        (mapped, range(100)),
    ]:
        scan = af.scan_dataset(source)
        assert sorted(scan.collect()["id"]) == list(expected)
        assert scan.filter(pl.col("id") % 2 == 0).select(pl.len()).collect().item() == len(expected) // 2
        assert sorted(scan.filter(pl.col("id") > 20).collect()["id"]) == [n for n in expected if n > 20]
        assert scan.head(3).collect().height == 3
    scan = af.scan_dataset(rest, where="id < 12", columns=["name", "id"])
    assert scan.collect().rows() == [("n10", 10), ("n11", 11)]
    assert scan.select("id").collect().rows() == [(10,), (11,)]
    with pytest.raises(af.SchemaError, match=r"expected columns of \['id', 'name'\], found \['no'\]"):
        af.scan_dataset(rest, columns=["no"])
    with pytest.raises(TypeError, match="^limits: expected it in the call that makes the dataset$"):
        af.scan_dataset(rest, limits=af.Limits())


@pytest.mark.parametrize("scan", [af.scan_avro, af.scan_dataset])
def test_scans_raise_the_errors_of_an_iteration(tmp_path, scan):
    path = damaged(tmp_path / "users.avro")
    with pytest.raises(af.CorruptBlockError) as iterated:
        list(af.read_avro(path))
    with pytest.raises(af.CorruptBlockError) as scanned:
        scan(path).select("id").collect()
    assert (scanned.value.path, scanned.value.block) == (str(path), iterated.value.block)
