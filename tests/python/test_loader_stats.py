"""`stats()` of iterators, readers and datasets."""

import io
import json
import threading
import time

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.types import FormatFigures, LoaderFigures

ROWS = 20_000
STAGES = ["request", "open", "read", "decompress", "decode", "filter", "shuffle", "convert", "copy"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file of many blocks."""
    path = tmp_path_factory.mktemp("stats") / "part.avro"
    table = pa.table({"id": range(ROWS), "name": [f"name {row}" for row in range(ROWS)]})
    af.write_avro(table, path, codec="zstandard", block_bytes=4096)
    return path


def check(figures, report, passed, *, threads):
    """Checks that figures agree with each other, with the report and with the clock."""
    assert json.loads(json.dumps(figures)) == figures
    assert list(figures) == list(LoaderFigures.__annotations__)
    assert {key: figures[key] for key in ("rows", "blocks", "bytes")} == {
        key: report[key] for key in ("rows", "blocks", "bytes")
    }
    assert list(figures["stage_seconds"]) == STAGES
    assert 0 < figures["first_batch_seconds"] <= figures["seconds"] <= passed
    assert figures["wait_seconds"] <= figures["seconds"]
    assert 0 <= figures["wait_share"] <= 1
    assert 0 < figures["busy_share"] <= 1
    # With several threads, the thread of the caller works too.
    assert sum(figures["stage_seconds"].values()) <= figures["seconds"] * (threads + (threads > 1))
    assert figures["threads"] == threads
    assert figures["codec_seconds"] == {"zstandard": figures["stage_seconds"]["decompress"]}
    assert figures["rows_per_second"] == pytest.approx(figures["rows"] / figures["seconds"])
    [(name, of_format)] = figures["formats"].items()
    assert (name, list(of_format)) == ("avro", list(FormatFigures.__annotations__))


def iterations(path):
    """Each way to read the file, with the stages that it has and those that it has not."""
    dataset = af.AvroDataset(path)
    options = {"batch_size": 500}
    return [
        (lambda threads: af.read_avro(path, threads=threads, **options), {"decode"}, {"convert", "shuffle"}),
        (lambda threads: dataset.tensors(threads=threads, **options), {"convert"}, {"filter", "shuffle"}),
        (
            lambda threads: dataset.record_batches(threads=threads, shuffle_buffer_size=900, **options),
            {"shuffle", "open"},
            {"convert"},
        ),
        (
            lambda threads: dataset.filter(af.col("id") >= 0).tensors(threads=threads, **options),
            {"filter", "convert"},
            {"shuffle"},
        ),
    ]


@pytest.mark.parametrize(("way", "threads"), [(0, 1), (1, 2), (2, 1), (3, 2)])
def test_figures_agree_with_the_report_and_the_clock(path, way, threads):
    iterate, has, has_not = iterations(path)[way]
    # A reader of one small file uses one thread.
    used = threads if way else 1
    start = time.perf_counter()
    with iterate(threads) as batches:
        before = batches.stats()
        assert (before.to_dict()["seconds"], before.wait_share, before.rows_per_second) == (0, 0, 0)
        assert before.verdict == "there is no verdict before 2 batches, found 0"
        for _ in batches:
            figures = batches.stats().to_dict()
            check(figures, batches.report(), time.perf_counter() - start, threads=used)
    stats = batches.stats()
    figures = stats.to_dict()
    check(figures, batches.report(), time.perf_counter() - start, threads=used)
    assert (figures["rows"], figures["batches"], figures["batches_ready"]) == (ROWS, 40, 0)
    assert figures["formats"]["avro"]["rows"] == ROWS
    seconds = figures["stage_seconds"]
    assert all(seconds[stage] > 0 for stage in has | {"read", "decompress", "decode"})
    assert all(seconds[stage] == 0 for stage in has_not | {"request"})
    assert (stats.wait_share, stats.verdict) == (figures["wait_share"], figures["verdict"])
    assert stats.bytes_per_second == figures["bytes_per_second"]
    # The time after the end does not count.
    assert batches.stats().to_dict() == figures


def test_the_figures_are_a_table_and_a_page(path):
    batches = af.AvroDataset(path).tensors(batch_size=500, threads=1)
    assert len(list(batches)) == 40
    stats = batches.stats()
    text = str(stats)
    assert text.startswith(f"{stats.verdict}\n\nfigure          value\ntime            ")
    assert "\nrows            20,000, " in text
    assert "\nstage                 time of all threads  share\n" in text
    assert "\ndecompress zstandard  " in text
    assert repr(stats) == f"<arrowfeed.LoaderStats: {stats.verdict}>"
    page = stats._repr_html_()
    assert page.startswith(f"<table><caption>{stats.verdict}</caption><thead><tr><th>figure</th>")
    assert page.count("<table>") == page.count("</table>") == 2
    assert "<td>decompress zstandard</td>" in page


class Numbers(af.ChunkSource):
    """Chunks of numbers, each of which waits for an event."""

    def __init__(self):
        self.may_go_on, self.waits = threading.Event(), threading.Event()

    @property
    def arrow_schema(self):
        return pa.schema({"id": pa.int64()})

    @property
    def chunk_rows(self):
        return [10] * 4

    def read_chunk(self, number, columns):
        if number == 2:
            self.waits.set()
            assert self.may_go_on.wait(60)
        return pa.record_batch({"id": pa.array(range(10 * number, 10 * number + 10))})


def test_another_thread_sees_a_wait_that_goes_on():
    source = Numbers()
    batches = af.ChunkDataset(source).record_batches(batch_size=10)
    reader = threading.Thread(target=lambda: list(batches))
    reader.start()
    assert source.waits.wait(60)
    figures = [batches.stats().to_dict()]
    time.sleep(0.05)
    figures.append(batches.stats().to_dict())
    source.may_go_on.set()
    reader.join()
    assert figures[0]["wait_seconds"] < figures[1]["wait_seconds"]
    assert figures[1]["wait_seconds"] >= 0.05
    assert figures[1]["wait_share"] > 0.5
    assert batches.stats().to_dict()["formats"] == {
        "source": figures[1]["formats"]["source"]
        | {
            "rows": 40,
            "blocks": 4,
            "stage_seconds": batches.stats().to_dict()["stage_seconds"],
        }
    }


def test_figures_of_a_reader_remain_after_another_library_took_its_rows(path):
    reader = af.read_avro(path)
    assert reader.to_pyarrow().num_rows == ROWS
    assert reader.stats().to_dict()["rows"] == ROWS


def test_a_dataset_has_the_figures_of_its_last_iteration(path):
    dataset = af.AvroDataset(path)
    assert dataset.stats() is None
    first = dataset.tensors(batch_size=500)
    unused = dataset.tensors(batch_size=500)
    assert dataset.stats() is None
    assert len(list(first)) == 40
    assert dataset.stats().to_dict() == first.stats().to_dict()
    rest = dataset.skip(ROWS - 10).record_batches(batch_size=5)
    assert len(list(rest)) == 2
    assert dataset.stats().to_dict() == rest.stats().to_dict()
    assert unused.stats().to_dict()["seconds"] == 0


def test_a_mixture_has_figures_of_each_format(path, tmp_path):
    table = pa.table({"id": range(10), "name": [f"name {row}" for row in range(10)]})
    pa_parquet = pytest.importorskip("pyarrow.parquet")
    pa_parquet.write_table(table, tmp_path / "x.parquet")
    parquet = af.ParquetDataset(tmp_path / "x.parquet")
    mixed = af.MixedDataset([af.AvroDataset(path).project(["id"]), parquet.project(["id"])])
    batches = mixed.record_batches(batch_size=100)
    assert sum(batch.num_rows for batch in batches) == ROWS + 10
    figures = batches.stats().to_dict()
    assert {name: part["rows"] for name, part in figures["formats"].items()} == {"avro": ROWS, "parquet": 10}
    assert "\nformat   rows " in str(batches.stats())
    assert batches.stats()._repr_html_().count("<table>") == 3


def test_a_progress_bar_shows_the_wait(path, monkeypatch):
    tqdm_auto = pytest.importorskip("tqdm.auto")
    shown = []

    class Bar(tqdm_auto.tqdm):
        def __init__(self, **options):
            super().__init__(file=io.StringIO(), **options)

        def set_postfix_str(self, text, *, refresh):
            assert not refresh
            shown.append(text)

    monkeypatch.setattr(tqdm_auto, "tqdm", Bar)
    for batches in (
        af.AvroDataset(path).tensors(batch_size=500, progress=True),
        af.read_avro(path, progress=True),
    ):
        shown.clear()
        count = len(list(batches))
        assert len(shown) == count + 1
        assert shown[-1] == f"wait {batches.stats().wait_share:.0%}"
