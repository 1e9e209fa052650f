"""polars frames have columns of each Arrow type, and can be written."""

from __future__ import annotations

import datetime as dt
import decimal
import io

import fastavro
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from conftest import write

PRICE = decimal.Decimal("1.25")
RUNS = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([7]))
UNION = pa.UnionArray.from_dense(
    pa.array([0, 0], pa.int8()), pa.array([0, 1], pa.int32()), [pa.array([1, 2])]
)

EQUAL = {
    "null": (pa.nulls(2), pl.Null, [None, None]),
    "decimal256": (pa.array([PRICE, None], pa.decimal256(38, 2)), pl.Decimal(38, 2), [PRICE, None]),
    "decimal128": (pa.array([PRICE, None], pa.decimal128(5, 2)), pl.Decimal(5, 2), [PRICE, None]),
    "seconds": (
        pa.array([1, None], pa.duration("s")),
        pl.Duration("ms"),
        [dt.timedelta(seconds=1), None],
    ),
    "fixed 0": (pa.array([b"", None], pa.binary(0)), pl.Binary, [b"", None]),
    "fixed list 0": (pa.array([[], None], pa.list_(pa.int64(), 0)), pl.List(pl.Int64), [[], None]),
    "list view": (pa.array([[1], None], pa.list_view(pa.int64())), pl.List(pl.Int64), [[1], None]),
    "large list view": (pa.array([[1], []], pa.large_list_view(pa.int64())), pl.List(pl.Int64), [[1], []]),
    "runs": (RUNS, pl.Int64, [7, 7]),
    "inside": (
        pa.array([{"a": [PRICE]}, {"a": None}], pa.struct([("a", pa.large_list(pa.decimal256(20, 2)))])),
        pl.Struct({"a": pl.List(pl.Decimal(20, 2))}),
        [{"a": [PRICE]}, {"a": None}],
    ),
    "map": (
        pa.array([[("k", PRICE)], []], pa.map_(pa.string(), pa.decimal256(20, 2))),
        None,
        [{"k": PRICE}, {}],
    ),
    "dictionary": (
        pa.array([PRICE, None], pa.decimal256(20, 2)).dictionary_encode(),
        pl.Decimal(20, 2),
        [PRICE, None],
    ),
}

LEAVE = ": leave the column out"
READ = ': read it with unions="struct" or unions="json", or leave it out'
REFUSED = {
    "decimal256": (
        pa.array([PRICE, None], pa.decimal256(50, 2)),
        "",
        "expected a decimal of at most 38 digits, as in polars, found 50 digits" + LEAVE,
    ),
    "interval": (
        pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
        "",
        "expected a type of polars, found Interval(MonthDayNano)" + LEAVE,
    ),
    "union": (UNION, "", "expected a type of polars, found a union" + READ),
    "inside": (
        pa.array([[{"a": (1, 2, 3)}], []], pa.list_(pa.struct([("a", pa.month_day_nano_interval())]))),
        "[].a",
        "expected a type of polars, found Interval(MonthDayNano)" + LEAVE,
    ),
}


def dataset(columns):
    """A dataset of one batch of these columns."""

    class Rows(af.ChunkSource):
        arrow_schema = pa.schema([(name, column.type) for name, column in columns.items()])
        chunk_rows = (2,)

        def read_chunk(self, number, columns_):
            return pa.record_batch(columns)

    return af.ChunkDataset(Rows(), representations={})


def batch(column):
    return next(dataset({"id": pa.array([1, 2]), "c": column}).record_batches(batch_size=2))


@pytest.mark.parametrize("kind", EQUAL)
def test_a_batch_becomes_a_frame_of_equal_values(kind):
    column, dtype, values = EQUAL[kind]
    frame = batch(column).to_polars()
    assert frame["c"].to_list() == values
    assert dtype is None or frame.schema["c"] == dtype
    assert frame["id"].to_list() == [1, 2]


@pytest.mark.parametrize("kind", REFUSED)
def test_a_type_that_polars_lacks_is_an_error_with_the_column(kind):
    column, path, reason = REFUSED[kind]
    with pytest.raises(af.SchemaError) as raised:
        batch(column).to_polars()
    assert str(raised.value) == f"c{path}: {reason}"
    assert (raised.value.field, raised.value.reason) == (f"c{path}", reason)


def test_a_time_zone_that_polars_does_not_know_is_an_error_with_the_column():
    stamps = pa.array([0, 1], pa.timestamp("us", "Mars/Base"))
    with pytest.raises(af.SchemaError) as raised:
        batch(stamps).to_polars()
    assert raised.value.field == "c"
    assert "unable to parse time zone: 'Mars/Base'" in str(raised.value)


DURATION = {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}
WIDE = {"type": "bytes", "logicalType": "decimal", "precision": 50, "scale": 2}
FILES = {
    "duration": (DURATION, bytes(12), REFUSED["interval"][2]),
    "decimal": (WIDE, PRICE, REFUSED["decimal256"][2]),
    "union": (["int", "string"], 5, REFUSED["union"][2]),
}


def avro(path, kind, value):
    fields = [{"name": "c", "type": kind}, {"name": "id", "type": "int"}]
    schema = {"type": "record", "name": "R", "fields": fields}
    return write(path, [{"c": value, "id": 1}, {"c": value, "id": 2}], schema)


@pytest.mark.parametrize("kind", FILES)
def test_a_reader_refuses_such_a_column_before_it_reads(tmp_path, kind):
    fields, value, reason = FILES[kind]
    reader = af.read_avro(avro(tmp_path / "a.avro", fields, value))
    with pytest.raises(af.SchemaError) as raised:
        reader.to_polars()
    assert (str(raised.value), raised.value.field) == (f"c: {reason}", "c")
    assert reader.to_pyarrow().num_rows == 2
    assert af.read_avro(tmp_path / "a.avro", columns=["id"]).to_polars()["id"].to_list() == [1, 2]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("scan", [af.scan_avro, af.scan_dataset])
@pytest.mark.parametrize("kind", ["duration", "decimal"])
def test_a_scan_refuses_such_a_column_only_if_the_query_uses_it(tmp_path, scan, kind, engine):
    fields, value, reason = FILES[kind]
    lazy = scan(avro(tmp_path / "a.avro", fields, value))
    assert lazy.collect_schema() == {"c": pl.Object, "id": pl.Int32}
    assert lazy.select("id").collect(engine=engine)["id"].to_list() == [1, 2]
    assert lazy.filter(pl.col("id") > 1).drop("c").collect(engine=engine)["id"].to_list() == [2]
    assert lazy.select(pl.len()).collect(engine=engine).item() == 2
    for query in (lazy, lazy.select("c"), lazy.filter(pl.col("c").is_null()).select("id")):
        with pytest.raises(af.SchemaError) as raised:
            query.collect(engine=engine)
        assert (str(raised.value), raised.value.field) == (f"c: {reason}", "c")


def test_a_scan_converts_columns_to_equal_types(tmp_path):
    kind = {"type": "fixed", "name": "F", "size": 0}
    path = avro(tmp_path / "a.avro", {"type": "array", "items": kind}, [b"", b""])
    for scan in (af.scan_avro, af.scan_dataset):
        assert scan(path).collect()["c"].to_list() == [[b"", b""]] * 2
    assert af.read_avro(path).to_polars()["c"].to_list() == [[b"", b""]] * 2


NULLS = {
    "a column": pl.DataFrame({"a": [1, 2], "c": [None, None]}),
    "only a column": pl.DataFrame({"c": [None, None]}),
    "in a struct": pl.DataFrame({"a": [1], "s": [{"x": None, "y": 1}]}),
    "in a list": pl.DataFrame({"a": [1, 2], "l": [[None], []]}),
    "empty lists": pl.DataFrame({"a": [1, 2], "l": [[], []]}),
    "in a list of structs": pl.DataFrame({"l": [[{"x": None}], None]}),
    "in an array": pl.DataFrame({"l": [[None, None]]}, schema={"l": pl.Array(pl.Null, 2)}),
    "several chunks": pl.concat(
        [pl.DataFrame({"c": [None]}), pl.DataFrame({"c": [None, None]})], rechunk=False
    ),
    "a slice": pl.DataFrame({"c": [None] * 5}).slice(1, 3),
    "no rows": pl.DataFrame({"a": [1], "c": [None]}).head(0),
}


@pytest.mark.parametrize("case", NULLS)
def test_a_column_of_nulls_of_polars_is_written(case):
    frame, file = NULLS[case], io.BytesIO()
    rows = frame.to_arrow().to_pylist()
    assert af.write_avro(frame, file, codec="null") == len(rows)
    assert list(fastavro.reader(io.BytesIO(file.getvalue()))) == rows
    file = io.BytesIO()
    with af.AvroWriter(file, frame.to_arrow().schema) as writer:
        writer.write(frame)
    assert af.read_avro(file.getvalue()).to_pyarrow().to_pylist() == rows


def test_a_column_of_nulls_of_polars_is_written_to_other_formats_and_leaves_tensors(tmp_path):
    frame = NULLS["a column"]
    assert af.write_tfrecord(frame, tmp_path / "a.tfrecord") == 2
    assert len(af.encode_examples(frame)) == 2
    adapter = af.TensorAdapter(frame.to_arrow().schema, {"a": Dense("a")})
    assert adapter.convert(frame)["a"].numpy().tolist() == [1, 2]


def test_times_of_polars_are_written_if_they_are_whole_microseconds(tmp_path):
    path = tmp_path / "times.avro"
    times = [dt.time(1, 2, 3, 4), None, dt.time(23, 59, 59, 999_999)]
    af.write_avro(pl.DataFrame({"t": times}), path)
    assert pa.schema(af.read_avro(path).schema).field("t").type == pa.time64("us")
    assert af.read_avro(path).to_polars()["t"].to_list() == times
    with path.open("rb") as file:
        assert [row["t"] for row in fastavro.reader(file)] == times
    exact = pl.DataFrame({"t": pl.Series([1000, 1001]).cast(pl.Time)})
    with pytest.raises(af.ConversionError) as caught:
        af.write_avro(exact, path)
    assert str(caught.value) == (
        f"{path}: record 1: t: expected a time of whole microseconds, the precision of the Avro type, found "
        "1001 nanoseconds"
    )
