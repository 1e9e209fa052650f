"""Beam pipelines on a Flink cluster of two task managers read each row once, even if a process is killed."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import rows

import arrowfeed

HERE = Path(__file__).parent
sys.path.append(str(HERE / "flink"))
import cluster as flink  # noqa: E402 - in the directory above

beam: Any = pytest.importorskip("apache_beam", reason="SKIPPED Flink: expected apache-beam to be installed")
from apache_beam.options.pipeline_options import PipelineOptions  # noqa: E402 - may be missing

from arrowfeed.beam import ReadFromDataset, WriteToAvro  # noqa: E402 - may be missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SECONDS = 280
"""Time in which a job must end."""

SPLITS = 40
"""Number of splits of the large file."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[flink.Cluster]:
    """A cluster of two task managers, and a job service."""
    missing = flink.missing()
    if missing is not None:
        pytest.skip(f"SKIPPED Flink: expected {missing}")
    with flink.running(tmp_path_factory.mktemp("flink"), workers=2) as cluster:
        yield cluster


@pytest.fixture
def options(cluster: flink.Cluster) -> PipelineOptions:
    """Options of a job with one Python process for each task manager."""
    return PipelineOptions(cluster.options)


def run(pipeline: Any, cluster: flink.Cluster) -> None:
    """Runs a job to its end."""
    result = pipeline.run()
    state = result.wait_until_finish(duration=1000 * SECONDS)
    assert state == "DONE", f"{state}\n{cluster.logs()}"


def split_bytes(files: Path) -> int:
    return (files / "part-0.avro").stat().st_size // SPLITS


class Shares(beam.CombineFn):
    """The checksum of the rows of each worker, and its number of rows of the large file."""

    def create_accumulator(self) -> dict[str, list[int]]:
        return {}

    def add_input(self, mutable_accumulator: dict, element: tuple[str, list[int]]) -> dict:
        return self.merge_accumulators([mutable_accumulator, dict([element])])

    def merge_accumulators(self, accumulators: Iterable[dict]) -> dict:
        merged: dict[str, list[int]] = {}
        for worker, sums in itertools.chain.from_iterable(one.items() for one in accumulators):
            before = merged.get(worker, [0] * len(sums))
            merged[worker] = [one + two for one, two in zip(before, sums, strict=True)]
        return merged

    def extract_output(self, accumulator: dict) -> dict:
        return accumulator


def share(batch: pa.RecordBatch) -> tuple[str, list[int]]:
    """The sums of a batch, by the process that has read it."""
    large = rows.ROWS - 8 * (rows.ROWS // 100)
    in_large = pc.sum(pc.less(batch["id"], large)).as_py() or 0
    return str(os.getpid()), [*rows.checksum(batch), in_large]


class Written(beam.DoFn):
    """Writes a result to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def process(self, element: dict) -> None:
        self._path.write_text(json.dumps(element))


def test_both_workers_read_equal_shares_of_one_large_file(cluster, options, files, expected, tmp_path):
    result = tmp_path / "result.json"
    pipeline = beam.Pipeline(runner="PortableRunner", options=options)
    batches = pipeline | ReadFromDataset(files, split_bytes=split_bytes(files))
    shares = batches | beam.Map(share) | beam.CombineGlobally(Shares())
    shares | beam.ParDo(Written(result))
    run(pipeline, cluster)
    found = json.loads(result.read_text())
    assert rows.total(rows.Checksum(*sums[:-1]) for sums in found.values()) == expected
    large = [sums[-1] for sums in found.values()]
    assert len(large) == 2, found
    assert max(large) <= 1.3 * min(large), found


class Gate(beam.DoFn):
    """Passes batches on. After some batches it waits until the test has killed a process.

    Args:
        directory: The directory to which the workers write their process numbers.
    """

    AFTER = 6

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def process(self, element: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        yield element
        (self._directory / uuid.uuid4().hex).write_text(str(os.getpid()))
        deadline = time.monotonic() + SECONDS
        while len(list(self._directory.iterdir())) >= self.AFTER and not self.is_open():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def is_open(self) -> bool:
        return self._directory.with_suffix(".open").exists()

    def wait(self) -> set[int]:
        """Waits for the workers, and returns the numbers of their processes."""
        deadline = time.monotonic() + SECONDS
        while True:
            notes = [note.read_text() for note in self._directory.iterdir()]
            if len(notes) >= self.AFTER and all(notes):
                return {int(note) for note in notes}
            assert time.monotonic() < deadline, "expected a job that reads"
            time.sleep(0.1)

    def open(self) -> None:
        self._directory.with_suffix(".open").touch()


def kill_task_manager(cluster: flink.Cluster, _pids: set[int]) -> None:
    cluster.kill(cluster.workers[0])
    cluster.add_worker()


def kill_worker(_cluster: flink.Cluster, pids: set[int]) -> None:
    os.kill(min(pids), signal.SIGKILL)


@pytest.mark.night
@pytest.mark.parametrize("kill", [kill_task_manager, kill_worker])
def test_a_killed_process_loses_and_repeats_no_row(cluster, options, files, expected, tmp_path, kill):  # noqa: PLR0917 - fixtures
    gate = Gate(tmp_path / "notes")
    gate._directory.mkdir()
    done = []

    def kill_in_mid_run() -> None:
        try:
            kill(cluster, gate.wait())
            done.append(kill)
        finally:
            gate.open()

    thread = threading.Thread(target=kill_in_mid_run)
    thread.start()
    pipeline = beam.Pipeline(runner="PortableRunner", options=options)
    batches = pipeline | ReadFromDataset(files, split_bytes=split_bytes(files)) | beam.ParDo(gate)
    batches.element_type = pa.RecordBatch
    batches | WriteToAvro(
        tmp_path / "out" / "rows", arrowfeed.avro_schema(files / "part-0.avro"), codec="null"
    )
    run(pipeline, cluster)
    thread.join(SECONDS)
    assert done == [kill]
    jobs = sorted(cluster.ask("jobs/overview")["jobs"], key=lambda job: job["start-time"])
    failures = cluster.ask(f"jobs/{jobs[-1]['jid']}/exceptions")["exceptionHistory"]["entries"]
    assert failures, "expected a job that was restarted"
    written = arrowfeed.read_avro(tmp_path / "out")
    assert rows.total(rows.checksum(batch.to_pyarrow()) for batch in written) == expected
