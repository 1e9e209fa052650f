"""Other libraries take a reader by Arrow's C interface."""

from decimal import Decimal

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
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
