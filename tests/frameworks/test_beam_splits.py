"""Each row is read once if a range is split at any time and position during the read."""

import random
import threading

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.io.restriction_trackers import OffsetRange
from apache_beam.runners.portability.fn_api_runner import FnApiRunner, fn_runner
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms import environments
from beam_files import ROWS, ids, write
from beam_ranges import Reading, read_in_random_parts

import arrowfeed as af
from arrowfeed import beam as avro
from arrowfeed._engines.splits import SplitSource
from arrowfeed.beam._read import ReadDatasetRanges

FRACTIONS = [0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1]


def reading(path: object, restriction: OffsetRange, batch_size: int = 5) -> Reading:
    """A range of an Avro file that is being read."""
    read = ReadDatasetRanges(SplitSource(path, {}).reader(batch_size=batch_size), None)
    element = af.Split(path, 0, path.stat().st_size)
    return Reading(read, element, restriction, lambda batch: ids([batch]))


def whole(path: object) -> OffsetRange:
    return OffsetRange(0, path.stat().st_size)


@pytest.mark.parametrize("fraction", FRACTIONS)
@pytest.mark.parametrize("before", [0, 1, 2, 50, 300])
def test_a_split_of_a_running_range_loses_no_row(tmp_path, fraction, before):
    path = write(tmp_path / "x.avro", codec="deflate")
    first = reading(path, whole(path))
    first.outputs(before)
    residual = first.split(fraction)
    found = first.rest()
    if residual is not None:
        found += reading(path, residual).rest()
    assert found == list(range(ROWS))


def test_a_range_is_split_before_it_is_read(tmp_path):
    path = write(tmp_path / "x.avro", count=300)
    for fraction in FRACTIONS:
        first = reading(path, whole(path))
        residual = first.split(fraction)
        rest = [] if residual is None else reading(path, residual).rest()
        assert first.rest() + rest == list(range(300))


def test_splits_of_splits_lose_no_row(tmp_path):
    path = write(tmp_path / "x.avro", block_bytes=150)
    count = 0
    for _ in range(30):
        seed = random.randrange(1 << 32)
        chosen = random.Random(seed)
        found, splits = read_in_random_parts(
            chosen,
            lambda part, chosen=chosen: reading(path, part, chosen.choice([1, 7, 1000])),
            whole(path),
        )
        assert sorted(found) == list(range(ROWS)), seed
        count += splits
    assert count > 30


def test_progress_grows_to_the_end(tmp_path):
    path = write(tmp_path / "x.avro")
    one = reading(path, whole(path))
    seen = []
    for _ in range(ROWS // 5):
        one.outputs(1)
        seen.append(one.tracker.current_progress().fraction_completed)
    assert seen == sorted(seen)
    assert seen[0] < 0.1
    assert seen[-1] > 0.9


class Gate:
    """Holds a pipeline after some rows, until the runner has split the range."""

    def __init__(self) -> None:
        self.close(0)

    def close(self, after: int) -> None:
        self.left = after
        self.reached, self.opened = threading.Event(), threading.Event()

    def passed(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.reached.set()
            self.opened.wait(120)


GATE = Gate()


def pass_gate(batch: pa.RecordBatch) -> list[int]:
    """Ids of a batch. The workers are threads, so they share the gate of the test."""
    GATE.passed()
    return batch.column("id").to_pylist()


@pytest.mark.parametrize("fraction", [0, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(("after", "most"), [(1, 5), (40, 1)])
def test_a_runner_splits_a_range_during_the_read(tmp_path, fraction, after, most):
    path = write(tmp_path / "x.avro")
    responses = []

    def split_manager(_elements: int) -> object:
        if len(responses) >= most:
            return
        GATE.close(after)
        yield
        if GATE.reached.wait(120):
            responses.append((yield fraction))
        GATE.opened.set()

    # The environment in the process of the runner would not ask this manager.
    environment = environments.EmbeddedPythonGrpcEnvironment.default()
    runner = FnApiRunner(default_environment=environment)
    with fn_runner.split_manager("Read/Read", split_manager), beam.Pipeline(runner=runner) as pipeline:
        batches = pipeline | "Read" >> avro.ReadFromDataset(path, batch_size=10)
        assert_that(batches | beam.FlatMap(pass_gate), equal_to(list(range(ROWS))))
    splits = [response for response in responses if response is not None and response.residual_roots]
    assert len(splits) >= 1
