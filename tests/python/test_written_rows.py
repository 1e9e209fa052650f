"""Iterators and iterables of rows in the functions that write files."""

import dataclasses
import re

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import _row_batches

TABLE = pa.table({"id": pa.array(range(100), pa.int64()), "name": [f"name {n}" for n in range(100)]})
ROWS = TABLE.to_pylist()


@dataclasses.dataclass
class Row:
    """A row of `TABLE`."""

    id: int
    name: str


def written(rows, path):
    assert af.write_avro(rows, path) == 100
    return af.read_avro(path).to_pyarrow().to_pylist()


SOURCES = {
    "batches": lambda: TABLE.to_batches(max_chunksize=7),
    "tables": lambda: iter([TABLE[:60], TABLE[60:]]),
    "generator": lambda: (batch for batch in TABLE.to_batches(max_chunksize=9)),
    "dicts": lambda: ROWS,
    "generator of dicts": lambda: (row for row in ROWS),
    "dataclasses": lambda: [Row(**row) for row in ROWS],
    "polars": lambda: pl.from_arrow(TABLE),
    "lazy frame": lambda: pl.from_arrow(TABLE).lazy().with_columns(id=pl.col("id") + 0),
    "duckdb": lambda: duckdb.connect().from_arrow(TABLE),
}


@pytest.mark.parametrize("name", SOURCES)
def test_rows_of_all_kinds_are_written(tmp_path, monkeypatch, name):
    monkeypatch.setattr(_row_batches, "_ROWS", 30)
    assert written(SOURCES[name](), tmp_path / "rows.avro") == ROWS


def test_other_writers_accept_iterables(tmp_path):
    assert af.write_tfrecord(ROWS, tmp_path / "rows.tfrecord") == 100
    expected = af.encode_examples(TABLE)
    assert af.encode_examples(ROWS) == expected
    assert (
        af.read_tfrecord(tmp_path / "rows.tfrecord", format="raw").to_pyarrow()["record"].to_pylist()
        == expected
    )
    with af.AvroWriter(tmp_path / "rows.avro", TABLE.schema) as writer:
        assert writer.write(TABLE.to_batches(max_chunksize=8)) == 100
        assert writer.write(ROWS[:3]) == 3
    assert af.read_avro(tmp_path / "rows.avro").to_pyarrow().num_rows == 103


def test_an_iterator_of_a_dataset_is_a_stream(tmp_path):
    path = tmp_path / "rows.avro"
    af.write_avro(TABLE, path)
    dataset = af.AvroDataset(path)
    train, rest = dataset.split(0.8, seed=7)
    count = af.write_avro(train.record_batches(batch_size=16), tmp_path / "train.avro")
    assert count == train.num_rows
    found = pa.table(train.record_batches(batch_size=16))
    assert af.read_avro(tmp_path / "train.avro").to_pyarrow() == found
    assert pl.DataFrame(rest.record_batches(batch_size=16)).height == 100 - count
    batches = dataset.record_batches(batch_size=30)
    next(batches)
    assert pa.table(batches).num_rows == 70
    empty = dataset.filter(af.col("id") > 1000).record_batches(batch_size=10)
    assert pa.table(empty).schema.names == ["id", "name"]
    narrow = pa.schema([("id", pa.int32()), ("name", pa.large_string())])
    reader = pa.RecordBatchReader.from_stream(dataset.record_batches(batch_size=50), schema=narrow)
    assert reader.read_all().schema.field("id").type == pa.int32()
    with pytest.raises(TypeError) as raised:
        pa.table(dataset.tensors(batch_size=10))
    assert str(raised.value) == (
        "batches: expected an iterator over record batches, found one over tensors: call record_batches"
    )


def test_a_damaged_source_is_the_error_of_the_writer(tmp_path):
    path = tmp_path / "rows.avro"
    af.write_avro(TABLE, path)
    path.write_bytes(path.read_bytes()[:-5])
    batches = af.AvroDataset(path).record_batches(batch_size=10)
    with pytest.raises(af.TruncatedError) as raised:
        af.write_avro(batches, tmp_path / "copy.avro")
    assert raised.value.path == str(path)
    assert not (tmp_path / "copy.avro").exists()
    with pytest.raises(pa.ArrowException, match=re.escape(str(raised.value))):
        pa.table(af.AvroDataset(path).record_batches(batch_size=10))


def failing():
    yield TABLE.to_batches()[0]
    raise RuntimeError("the generator failed")


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ValueError, "batches: expected one or more batches or rows, found none"),
        (failing(), RuntimeError, "the generator failed"),
        (
            [5],
            TypeError,
            "batches: expected batches, tables, dicts or dataclass instances, found int 5",
        ),
        (
            "rows",
            TypeError,
            "batches: expected an object with __arrow_c_stream__ or __arrow_c_array__, or an iterable of"
            " batches, dicts or dataclass instances, found str 'rows'",
        ),
        ([{"a": 1}, 5], TypeError, "batches: expected dicts or dataclass instances, as before, found int 5"),
        (
            [TABLE, TABLE.select(["id"])],
            af.SchemaError,
            "batches: expected batches with the columns id: Int64, name: Utf8, found one with id: Int64",
        ),
    ],
    ids=["empty", "failing", "number", "text", "number after dict", "other columns"],
)
def test_other_rows_are_errors(tmp_path, rows, error, message):
    with pytest.raises(error) as raised:
        af.write_avro(rows, tmp_path / "rows.avro")
    assert str(raised.value) == message
    assert list(tmp_path.iterdir()) == []


def test_later_dicts_have_the_columns_and_types_of_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr(_row_batches, "_ROWS", 2)
    path = tmp_path / "rows.avro"
    af.write_avro([{"a": 1}, {"b": "x"}, {"b": "y"}], path)
    assert af.read_avro(path).to_pyarrow().to_pylist() == [
        {"a": 1, "b": None},
        {"a": None, "b": "x"},
        {"a": None, "b": "y"},
    ]
    with pytest.raises(af.ConversionError) as raised:
        af.write_avro([{"a": 1}, {"a": 2}, {"a": 3, "c": 4}], path)
    assert str(raised.value) == "batches: row 2: expected the keys of the first 2 rows, found 'c'"
    for rows, start in (([{"a": 1}, {"a": 2}, {"a": "text"}], 2), ([{"a": 1}, {"a": "text"}], 0)):
        message = f"^batches: a: expected values of one Arrow type from row {start} on: "
        with pytest.raises(af.ConversionError, match=message):
            af.write_avro(rows, path)
