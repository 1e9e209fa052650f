"""`scan_avro`: what polars computes over it, against the same over all rows in memory."""

from __future__ import annotations

import io

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
def test_a_query_gives_what_it_gives_in_memory(paths, query, engine):
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
