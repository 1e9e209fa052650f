"""polars computes the same results over `scan_avro` as over all rows in memory."""

from __future__ import annotations

import io

import fastavro
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import arrowfeed as af


@pytest.fixture
def paths(tmp_path):
    """Three files of 1,000 rows."""
    for number in range(3):
        table = pa.table(
            {
                "id": range(1000 * number, 1000 * number + 1000),
                "name": [f"n{row % 7}" for row in range(1000)],
                "scores": [[row / 2, None] for row in range(1000)],
            }
        )
        af.write_avro(table, tmp_path / f"part-{number}.avro")
    return sorted(tmp_path.glob("*.avro"))


QUERIES = {
    "all": lambda frame: frame,
    "projection": lambda frame: frame.select("scores", "id"),
    "filter": lambda frame: frame.filter(pl.col("id") % 3 == 1).select("name"),
    "head": lambda frame: frame.head(5),
    "head after a filter": lambda frame: frame.filter(pl.col("id") > 1500).head(5),
    "filter after a head": lambda frame: frame.head(1100).filter(pl.col("id") > 1000),
    "slice": lambda frame: frame.slice(990, 20),
    "tail": lambda frame: frame.tail(3),
    "count": lambda frame: frame.select(pl.len()),
    "group": lambda frame: frame.group_by("name").agg(pl.col("id").sum()).sort("name"),
    "nothing": lambda frame: frame.filter(pl.col("id") < 0),
}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_query_returns_the_result_of_rows_in_memory(paths, query, engine):
    lazy, whole = af.scan_avro(paths), af.read_avro(paths, string_type="utf8_view").to_polars()
    found = QUERIES[query](lazy).collect(engine=engine)
    assert_frame_equal(found, QUERIES[query](whole.lazy()).collect())


def test_only_the_columns_and_rows_of_the_query_are_read(paths, monkeypatch):
    calls = []

    def read(source, *, columns=None, batch_size=8192, **options):
        calls.append((columns, batch_size))
        return af.read_avro(source, columns=columns, batch_size=batch_size, **options)

    monkeypatch.setattr("arrowfeed._polars.read_avro", read)
    assert af.scan_avro(paths).select("id").head(5).collect().height == 5
    assert calls[1:] == [(["['id']"], 5)]


def test_a_frame_is_collected_twice(paths):
    lazy = af.scan_avro(str(path) for path in paths)
    assert lazy.collect().height == lazy.collect().height == 3000


def test_the_bytes_of_a_file_are_scanned_and_a_file_object_is_refused(paths):
    assert af.scan_avro(paths[0].read_bytes()).collect().height == 1000
    found = "expected files that can be read again, found BufferedReader"
    message = f"^source: {found}: pass a path, a URL or the bytes$"
    with paths[0].open("rb") as file:
        for source in [file, [file], (file,), iter([file])]:
            with pytest.raises(TypeError, match=message):
                af.scan_avro(source)
    with pytest.raises(TypeError, match=message.replace("BufferedReader", "BytesIO")):
        af.scan_avro(io.BytesIO(paths[0].read_bytes()))


def test_a_fault_of_the_data_is_an_error_of_the_query(paths):
    paths[1].write_bytes(paths[1].read_bytes()[:-20])
    with pytest.raises(Exception, match="part-1.avro"):
        af.scan_avro(paths).collect()
    assert af.scan_avro(paths).head(5).collect().height == 5


def test_a_missing_file_is_an_error_of_the_call(tmp_path):
    with pytest.raises(FileNotFoundError):
        af.scan_avro(tmp_path / "none.avro")


# ---- columns


def test_columns_are_those_of_read_avro(tmp_path):
    rows = pa.table({"id": [1, 2], "user": [{"name": "a", "age": 1}, {"name": "b", "age": 2}], "a.b": [3, 4]})
    af.write_avro(rows, tmp_path / "rows.avro")
    frame = af.scan_avro(tmp_path / "rows.avro", columns=["['a.b']", "user.age", "id"])
    assert frame.collect_schema() == {"a.b": pl.Int64, "user": pl.Struct({"age": pl.Int64}), "id": pl.Int64}
    assert frame.collect().rows() == [(3, {"age": 1}, 1), (4, {"age": 2}, 2)]
    assert frame.select("user", "a.b").collect().rows() == [({"age": 1}, 3), ({"age": 2}, 4)]
    assert frame.select(pl.len()).collect().item() == 2
    assert af.scan_avro(tmp_path / "rows.avro", columns=[]).collect().width == 0
    with pytest.raises(af.SchemaError, match='"id", "user", "a.b"\\), found "x"$'):
        af.scan_avro(tmp_path / "rows.avro", columns=["x"])


RECURSIVE = (
    'record "List" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`'
)


def test_a_recursive_column_fails_only_if_a_query_uses_it(tmp_path):
    path = tmp_path / "list.avro"
    fields = [
        {"name": "next", "type": ["null", "List"]},
        {"name": "value", "type": "long"},
        {"name": "all", "type": {"type": "array", "items": "List"}},
    ]
    values = [{"next": None, "value": value, "all": []} for value in (1, 9)]
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "List", "fields": fields}, values)
    frame = af.scan_avro(path)
    assert frame.collect_schema() == {"value": pl.Int64, "next": pl.List(pl.Null), "all": pl.List(pl.Null)}
    assert frame.select("value").collect()["value"].to_list() == [1, 9]
    assert frame.select(pl.len()).collect().item() == 2
    for query in (frame, frame.select("next"), frame.filter(pl.col("next").is_null()).select("value")):
        with pytest.raises((af.SchemaError, pl.exceptions.ComputeError)) as error:
            query.collect()
        assert f"{path}: next: {RECURSIVE}" in str(error.value)
    with pytest.raises(af.SchemaError) as error:
        af.scan_avro(path, columns=["value", "next"])
    assert str(error.value) == f"{path}: next: {RECURSIVE}"
    with pytest.raises(af.SchemaError) as error:
        af.scan_avro(
            path, reader_schema={"type": "record", "name": "List", "fields": [{"name": "x", "type": "int"}]}
        )
    reason = (
        "expected the field in the writer's schema, found none, and the reader's schema has no default for it"
    )
    assert str(error.value) == f"{path}: x: {reason}"
