"""`ReadFromDataset` and `WriteToAvro` on Beam's own runners."""

from __future__ import annotations

import io
import itertools
import json
import logging
import os
import pickle
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clusters
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rows
from beam_rows import ROWS, ids, table, write

import arrowfeed

beam: Any = pytest.importorskip("apache_beam", reason="SKIPPED Beam: expected apache-beam to be installed")
from apache_beam.io.filesystem import FileMetadata  # noqa: E402 - may be missing
from apache_beam.io.localfilesystem import LocalFileSystem  # noqa: E402 - may be missing
from apache_beam.options.pipeline_options import PipelineOptions  # noqa: E402 - may be missing
from apache_beam.runners.portability.fn_api_runner import FnApiRunner  # noqa: E402 - may be missing
from apache_beam.testing.util import assert_that, equal_to  # noqa: E402 - may be missing

from arrowfeed.beam import ReadFromDataset, WriteToAvro  # noqa: E402 - may be missing

sys.path.append(str(Path(__file__).parents[1] / "frameworks"))
from beam_ranges import Reading, read_in_random_parts  # noqa: E402 - in the directory above

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMATS = ["a.avro", "a.parquet", "a.tfrecord", "a.csv", "a.jsonl"]
COMPRESSED = ["a.tfrecord.gz", "a.csv.gz"]
CUTS = list(itertools.product([0, 1, 200], [0, 0.001, 0.3, 0.9, 1]))
"""Numbers of batches after which a range is split, and the fractions of the rest."""


def pipeline(**options: Any) -> Any:
    return beam.Pipeline(runner=FnApiRunner(**options))


def read_ids(expected: list[int], *reads: ReadFromDataset) -> None:
    """Reads in one pipeline, and compares each result."""
    with pipeline() as started:
        for number, read in enumerate(reads):
            found = started | f"Read{number}" >> read | f"Ids{number}" >> beam.FlatMap(ids)
            assert_that(found, equal_to(expected), label=f"assert{number}")


def splits_of(read: ReadFromDataset) -> list[arrowfeed.Split]:
    """The splits that workers plan."""
    return [split for group in read._plan.groups() for split in read._plan.process(group)]


# ---- formats


@pytest.mark.parametrize("name", FORMATS + COMPRESSED)
def test_each_format_is_read_once(tmp_path, name):
    write(tmp_path / name)
    write(tmp_path / name.replace("a.", "b."), start=ROWS, count=100)
    source = str(tmp_path / f"*.{name.partition('.')[2]}")
    read = ReadFromDataset(source, columns=["id"], split_bytes=4000)
    assert read.schema.names == ["id"]
    of_beam = ReadFromDataset(source, columns=["id"], split_bytes=4000, filesystem="beam")
    read_ids(list(range(ROWS + 100)), read, of_beam)


@pytest.mark.parametrize("name", FORMATS)
def test_large_files_have_several_splits(tmp_path, name):
    splits = splits_of(ReadFromDataset(write(tmp_path / name), split_bytes=2000))
    assert len(splits) > 5
    assert all(len(pickle.dumps(split)) < 1024 for split in splits)


def test_all_rows_have_their_values(files, expected):
    read = ReadFromDataset(files, split_bytes=1 << 20)
    with pipeline() as started:
        sums = started | read | beam.Map(rows.checksum) | beam.CombineGlobally(rows.total)
        assert_that(sums, equal_to([expected]))


def test_a_list_of_sources_and_options_of_the_class(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.csv").write_text(f"{number};1\n")
    sources = [tmp_path / "1.csv", str(tmp_path / "0.csv")]
    read = ReadFromDataset(sources, header=False, names=["id", "other"], delimiter=";", columns=["id"])
    read_ids([0, 1], read)


@pytest.mark.parametrize("name", ["a.avro", "a.parquet", "a.csv"])
def test_beam_filters_the_rows_of_a_source(tmp_path, name):
    source = write(tmp_path / name)
    read_ids([n for n in range(ROWS) if n < 100], ReadFromDataset(source, where="id < 100", split_bytes=2000))
    with pytest.raises(arrowfeed.OptionError, match="nothing"):
        ReadFromDataset(source, where="nothing > 1")


def test_the_size_of_batches(tmp_path):
    read = ReadFromDataset(write(tmp_path / "a.avro"), batch_size=7)
    with pipeline() as started:
        sizes = started | read | beam.Map(lambda batch: batch.num_rows <= 7) | beam.CombineGlobally(all)
        assert_that(sizes, equal_to([True]))


# ---- claims and splits


def reading(read: ReadFromDataset, split: Any, restriction: Any = None) -> Reading:
    """A range that is being read. Its values are the ids."""
    return Reading(read._read, split, restriction, ids)


@pytest.mark.parametrize(("before", "fraction"), CUTS)
@pytest.mark.parametrize("name", FORMATS + COMPRESSED)
def test_a_split_of_a_running_range_of_a_dataset_loses_no_row(tmp_path, name, before, fraction):
    read = ReadFromDataset(write(tmp_path / name), batch_size=5)
    (split,) = splits_of(read)
    first = reading(read, split)
    first.outputs(before)
    residual = first.split(fraction)
    found = first.rest()
    if residual is not None:
        found += reading(read, split, residual).rest()
    assert found == list(range(ROWS))


@pytest.mark.parametrize("name", FORMATS)
def test_splits_of_splits_of_a_dataset_lose_no_row(tmp_path, name):
    read = ReadFromDataset(write(tmp_path / name), batch_size=13)
    (split,) = splits_of(read)
    count = 0
    for seed in range(10):
        found, splits = read_in_random_parts(
            random.Random(seed), lambda part: reading(read, split, part), None
        )
        assert sorted(found) == list(range(ROWS)), seed
        count += splits
    assert count > 10


def test_a_split_leaves_rows_to_the_other_part(tmp_path):
    read = ReadFromDataset(write(tmp_path / "a.avro"), batch_size=5)
    (split,) = splits_of(read)
    first = reading(read, split)
    first.outputs(10)
    residual = first.split(0.5)
    assert 0.3 * ROWS < len(first.rest()) < 0.7 * ROWS
    assert residual is not None


# ---- planning


def test_files_are_planned_by_workers(tmp_path):
    write(tmp_path / "a.avro")
    (tmp_path / "b.avro").write_bytes(b"nothing")
    read = ReadFromDataset(tmp_path)
    with pytest.raises(arrowfeed.FormatError, match="b.avro"):
        pipeline_of(read).run()


def pipeline_of(read: ReadFromDataset) -> Any:
    started = pipeline()
    _ = started | read
    return started


def test_many_files_are_planned_in_groups(tmp_path, monkeypatch):
    monkeypatch.setattr("arrowfeed.beam._planned._MOST_GROUPS", 4)
    for number in range(10):
        write(tmp_path / f"{number}.jsonl", start=number * 10, count=10)
    read = ReadFromDataset(tmp_path)
    assert read._plan.groups() == [(0, 2), (2, 5), (5, 7), (7, 10)]
    read_ids(list(range(100)), read, ReadFromDataset(tmp_path, filesystem="beam"))


def test_a_file_without_rows_is_planned_with_the_others(tmp_path):
    write(tmp_path / "a.jsonl", count=10)
    (tmp_path / "b.jsonl").touch()
    write(tmp_path / "c.jsonl", start=10, count=10)
    read_ids(list(range(20)), ReadFromDataset(tmp_path))


def test_a_file_that_changed_after_planning_is_an_error(tmp_path):
    read = ReadFromDataset(write(tmp_path / "a.parquet"))
    (split,) = splits_of(read)
    write(tmp_path / "a.parquet", count=100)
    with pytest.raises(arrowfeed.ChangedError):
        reading(read, split).rest()


# ---- stores and filesystems


@pytest.fixture
def memory() -> Iterator[Any]:
    """The memory filesystem of fsspec, which is empty afterwards."""
    fsspec = pytest.importorskip("fsspec")
    filesystem = fsspec.filesystem("memory")
    yield filesystem
    filesystem.rm("/beam", recursive=True)


@pytest.mark.parametrize("source", ["memory://beam/*.avro", "memory://beam", "memory://beam/part-1.avro"])
def test_files_of_a_store_carry_no_secret(tmp_path, memory, source):
    for number in range(3):
        data = write(tmp_path / "a.avro", start=100 * number, count=100).read_bytes()
        memory.pipe(f"/beam/part-{number}.avro", data)
    read = ReadFromDataset(source, split_bytes=1000, storage_options={"password": "hunter2"})
    one = source.endswith("1.avro")
    read_ids(list(range(100, 200) if one else range(300)), read)
    splits, groups = splits_of(read), read._plan.groups()
    assert len(groups) == (1 if one else 3)
    assert not any(b"hunter2" in pickle.dumps(element) for element in [*splits, *groups])
    assert max(len(pickle.dumps(split)) for split in splits) < 1024
    assert "hunter2" not in repr(read)


def test_a_store_of_the_caller(tmp_path, memory):
    memory.pipe("/beam/a.csv", write(tmp_path / "a.csv", count=50).read_bytes())
    read_ids(list(range(50)), ReadFromDataset("/beam/*.csv", store=memory))


class Shelf(LocalFileSystem):
    """Files of one directory as `shelf://name`, which only Beam knows."""

    root: Path

    @classmethod
    def scheme(cls) -> str:
        return "shelf"

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        prefix = dir_or_prefix.removeprefix("shelf://")
        for path in self.root.iterdir():
            if path.name.startswith(prefix):
                yield FileMetadata(f"shelf://{path.name}", path.stat().st_size)

    def exists(self, path: str) -> bool:
        return (self.root / path.removeprefix("shelf://")).exists()

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, (self.root / path.removeprefix("shelf://")).stat().st_size)

    def open(self, path: str, *_arguments: object, **_options: object) -> Any:
        return io.FileIO(self.root / path.removeprefix("shelf://"))


@pytest.mark.parametrize("name", ["a.avro", "a.parquet", "a.csv.gz"])
def test_files_of_a_filesystem_that_only_beam_knows(tmp_path, monkeypatch, name):
    monkeypatch.setattr(Shelf, "root", tmp_path, raising=False)
    write(tmp_path / name)
    other = name.replace("a.", "b.")
    write(tmp_path / other, start=ROWS, count=100)
    several = ReadFromDataset(f"shelf://*.{name.partition('.')[2]}", split_bytes=5000)
    listed = ReadFromDataset([f"shelf://{name}", f"shelf://{other}"])
    read_ids(list(range(ROWS + 100)), several, listed)
    assert {split.path for split in splits_of(several)} == {f"shelf://{name}", f"shelf://{other}"}


def test_an_error_of_a_dataset_has_the_url(tmp_path, monkeypatch):
    monkeypatch.setattr(Shelf, "root", tmp_path, raising=False)
    write(tmp_path / "a.avro")
    (tmp_path / "b.avro").write_bytes(b"nothing")
    with pytest.raises(arrowfeed.FormatError, match="shelf://b.avro: expected the magic bytes"):
        splits_of(ReadFromDataset("shelf://*.avro"))


def test_filesystems_that_cannot_be_mixed(tmp_path, monkeypatch):
    monkeypatch.setattr(Shelf, "root", tmp_path, raising=False)
    path = str(write(tmp_path / "a.avro"))
    with pytest.raises(ValueError, match="expected files of one filesystem of Beam"):
        ReadFromDataset(["shelf://a.avro", path])
    with pytest.raises(ValueError, match="storage_options: expected files that arrowfeed opens"):
        ReadFromDataset(path, filesystem="beam", storage_options={"key": 1})
    with pytest.raises(ValueError, match="filesystem: expected None, 'beam' or 'arrowfeed', found 'x'"):
        ReadFromDataset(path, filesystem="x")


# ---- errors


def test_a_corrupt_block(tmp_path, caplog):
    path = write(tmp_path / "a.avro")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(arrowfeed.ArrowfeedError, match=r"a.avro: block \d+ at byte "):
        pipeline_of(ReadFromDataset(path)).run()
    with caplog.at_level(logging.WARNING, "arrowfeed"):
        result = pipeline_of(ReadFromDataset(path, on_error="skip_block", split_bytes=3000)).run()
    result.wait_until_finish()
    counters = {found.key.metric.name: found.committed for found in result.metrics().query()["counters"]}
    assert counters["skipped_blocks"] == 1
    assert 0.9 * ROWS < counters["rows"] < ROWS
    assert "skipped a block" in caplog.text


def test_wrong_arguments_of_beam(tmp_path):
    path = write(tmp_path / "a.avro")
    with pytest.raises(ValueError, match="on_error: expected 'raise' or 'skip_block'"):
        ReadFromDataset(path, on_error="skip_file")
    with pytest.raises(ValueError, match="split_bytes: expected an integer of 1 or more, found 0"):
        ReadFromDataset(path, split_bytes=0)
    with pytest.raises(arrowfeed.SchemaError, match="nowhere"):
        ReadFromDataset(path, columns=["nowhere"])
    with pytest.raises(TypeError, match="colums"):
        ReadFromDataset(path, colums=["id"])
    with pytest.raises(FileNotFoundError):
        ReadFromDataset(tmp_path / "*.parquet")


# ---- writing


def written(directory: Path) -> list[int]:
    return sorted(number for batch in arrowfeed.read_avro(directory) for number in ids(batch))


@pytest.mark.parametrize(("codec", "shards"), [("null", 0), ("snappy", 1), ("zstandard", 3)])
def test_written_rows_are_read_again(tmp_path, codec, shards):
    read = ReadFromDataset(write(tmp_path / "a.parquet"), split_bytes=3000)
    out = tmp_path / "out"
    with pipeline() as started:
        names = started | read | WriteToAvro(out / "rows", codec=codec, num_shards=shards)
        assert_that(names | beam.combiners.Count.Globally(), equal_to([max(shards, 1)]))
    assert written(out) == list(range(ROWS))
    assert {path.name for path in out.iterdir()} >= {f"rows-00000-of-{max(shards, 1):05}.avro"}
    assert {arrowfeed.avro_schema(path).codec for path in out.iterdir()} == {codec}


SCHEMA = {
    "type": "record",
    "name": "Row",
    "fields": [{"name": "id", "type": "long"}, {"name": "more", "type": "string", "default": "-"}],
}


def test_a_schema_and_empty_shards(tmp_path):
    batches = table(0, 20).select(["id"]).to_batches(max_chunksize=10)
    with pipeline() as started:
        _ = (
            started
            | beam.Create(batches, reshuffle=False)
            | WriteToAvro(tmp_path / "x", SCHEMA, num_shards=9)
        )
    assert len(list(tmp_path.iterdir())) == 9
    found = pa.table(arrowfeed.read_avro(tmp_path))
    assert sorted(found["id"].to_pylist()) == list(range(20))
    assert set(found["more"].to_pylist()) == {"-"}


def test_a_finalization_that_is_repeated_changes_nothing(tmp_path):
    sink = WriteToAvro(tmp_path / "x", num_shards=3)._sink
    init = sink.initialize_write()
    writer, others = sink.open_writer(init, "a"), [sink.open_writer(init, uid) for uid in "bc"]
    writer.write(table(0, 5).to_batches()[0])
    results = [writer.close(), *(other.close() for other in others)]
    before = sink.pre_finalize(init, results)
    for _ in range(2):
        list(sink.finalize_write(init, results, before))
        assert written(tmp_path) == list(range(5))
        assert len(list(tmp_path.glob("x-*.avro"))) == 3


def test_a_relative_glob_of_beam(tmp_path, monkeypatch):
    write(tmp_path / "part-0.avro", count=50)
    monkeypatch.chdir(tmp_path)
    read_ids(list(range(50)), ReadFromDataset("part-*.avro", filesystem="beam"))


def test_no_batches(tmp_path):
    with pipeline() as started:
        nothing = started | beam.Create([], reshuffle=False)
        _ = nothing | "without" >> WriteToAvro(tmp_path / "without" / "x")
        _ = nothing | "with" >> WriteToAvro(tmp_path / "with" / "x", SCHEMA)
    assert list((tmp_path / "without").iterdir()) == []
    assert arrowfeed.read_avro(tmp_path / "with").to_pyarrow().num_rows == 0


def test_repeated_bundles_add_no_rows(tmp_path):
    read = ReadFromDataset(write(tmp_path / "a.avro"), split_bytes=3000)
    with pipeline(bundle_repeat=2) as started:
        _ = started | read | WriteToAvro(tmp_path / "out" / "rows", num_shards=2)
    assert written(tmp_path / "out") == list(range(ROWS))
    with pipeline() as started:
        _ = (
            started
            | "again" >> ReadFromDataset(tmp_path / "a.avro")
            | WriteToAvro(tmp_path / "out" / "rows", num_shards=2)
        )
    assert written(tmp_path / "out") == list(range(ROWS))


def fail_late(batch: pa.RecordBatch) -> pa.RecordBatch:
    if ids(batch)[-1] > ROWS // 2:
        raise RuntimeError("late")
    return batch


def test_a_pipeline_that_fails_leaves_no_file_with_a_final_name(tmp_path):
    read = ReadFromDataset(write(tmp_path / "a.avro"), batch_size=10)
    started = pipeline()
    batches = started | read | beam.Map(fail_late).with_output_types(pa.RecordBatch)
    _ = batches | WriteToAvro(tmp_path / "out" / "rows")
    with pytest.raises(RuntimeError, match="late"):
        started.run()
    assert list((tmp_path / "out").glob("*.avro")) == []
    assert list((tmp_path / "out").glob("beam-temp-*/*")) != []


def test_wrong_arguments_of_a_writer():
    with pytest.raises(TypeError, match=r"WriteToAvro\(\) got an unexpected keyword argument 'threads'"):
        WriteToAvro("x", threads=1)
    with pytest.raises(ValueError, match="num_shards: expected an integer of 0 or more, found -1"):
        WriteToAvro("x", num_shards=-1)
    with pytest.raises(ValueError, match="codec"):
        WriteToAvro("x", codec="none")
    with pytest.raises(arrowfeed.SchemaError):
        WriteToAvro("x", {"type": "nothing"})


# ---- the portable runner


@pytest.fixture(scope="module")
def worker_processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Options of a runner with a job service and workers in processes of their own."""
    with clusters.job_service(tmp_path_factory.mktemp("service")) as options:
        yield options


def note(batch: pa.RecordBatch) -> tuple[int, rows.Checksum]:
    return os.getpid(), rows.checksum(batch)


def total(notes: list[Any]) -> str:
    """The processes and the sum of their rows."""
    notes = list(notes)
    return json.dumps([sorted({pid for pid, _ in notes}), rows.total(sums for _, sums in notes)])


def test_worker_processes_read_and_write(worker_processes, files, expected, tmp_path):
    options = PipelineOptions(worker_processes)
    with beam.Pipeline(runner="PortableRunner", options=options) as started:
        batches = started | ReadFromDataset(files, split_bytes=1 << 20)
        _ = batches | WriteToAvro(tmp_path / "rows", num_shards=2)
        notes = batches | beam.Map(note) | beam.combiners.ToList() | beam.Map(total)
        _ = notes | beam.io.WriteToText(str(tmp_path / "sums"), shard_name_template="")
    pids, sums = json.loads((tmp_path / "sums").read_text())
    assert rows.Checksum(*sums) == expected
    assert os.getpid() not in pids
    found = arrowfeed.read_avro(tmp_path)
    assert rows.total(rows.checksum(batch.to_pyarrow()) for batch in found) == expected


def test_the_code_of_the_page_of_beam_runs(tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs" / "beam.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    (tmp_path / "data").mkdir()
    for number in ("00", "11"):
        write(tmp_path / "data" / f"part-{number}.avro", count=50)
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, str(page), "exec"), {})
    assert len(list((tmp_path / "data").glob("ids-*-of-00004.avro"))) == 4


def test_a_parquet_file_has_row_groups_to_split(tmp_path):
    """The tests of splits are void if a file is one chunk."""
    assert pq.ParquetFile(write(tmp_path / "a.parquet")).num_row_groups > 50
