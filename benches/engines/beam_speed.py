"""Rows per second of `arrowfeed.beam` and of `beam.io.ReadFromAvro`, in turn, with two worker processes.

    python benches/engines/beam_speed.py --rows 1000000 --rounds 3
    python benches/engines/beam_speed.py --flink --rows 1000000 --rounds 1

Both pipelines sum the column `id` of the same files: arrowfeed over record batches, Beam over dicts. The time
includes the start of the pipeline and of its workers, which an empty pipeline measures alone.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apache_beam as beam
import pyarrow.compute as pc
from apache_beam.options.pipeline_options import PipelineOptions
from arrowfeed.beam import ReadFromDataset

ENGINES = Path(__file__).resolve().parents[2] / "tests" / "engines"
sys.path[:0] = [str(ENGINES), str(ENGINES / "flink")]
import cluster as flink  # noqa: E402 - in the tests of engines
import clusters  # noqa: E402 - in the tests of engines
import rows as numbered  # noqa: E402 - in the tests of engines

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = 8
"""Number of files of equal size, because `beam.io.ReadFromAvro` may not divide one file."""


def batch_sum(batch: Any) -> int:
    """The sum of the ids of a batch, after all columns were decoded."""
    return pc.sum(batch["id"]).as_py() or 0


def row_sum(row: dict[str, Any]) -> int:
    """The id of a row."""
    return row["id"]


def pipelines(pattern: str, files: int) -> dict[str, Any]:
    """The transforms that read the files, by name."""
    size = sum(path.stat().st_size for path in Path(pattern).parent.iterdir()) // (2 * files)
    return {
        "start": beam.Create([0]),
        "arrowfeed ReadFromDataset": ReadFromDataset(pattern, split_bytes=size) | beam.Map(batch_sum),
        "beam ReadFromAvro": beam.io.ReadFromAvro(pattern) | beam.Map(row_sum),
    }


class Check(beam.DoFn):
    """Compares the sum of the ids."""

    def __init__(self, expected: int) -> None:
        self._expected = expected

    def process(self, element: int) -> None:
        """Raises ValueError if the sum differs."""
        if element != self._expected:
            raise ValueError(f"expected the sum {self._expected}, found {element}")


def seconds(read: Any, expected: int, options: list[str]) -> float:
    """Runs a pipeline, and returns its time."""
    start = time.perf_counter()
    with beam.Pipeline(runner="PortableRunner", options=PipelineOptions(options)) as pipeline:
        sums = pipeline | read | beam.CombineGlobally(sum)
        _ = sums | beam.ParDo(Check(expected))
    return time.perf_counter() - start


@contextlib.contextmanager
def flink_service(directory: Path) -> Iterator[list[str]]:
    """Runs a Flink cluster of two task managers, and yields the options of a pipeline."""
    with flink.running(directory, workers=2) as cluster:
        yield cluster.options


def main() -> None:
    """Measures, and prints a line for each reader."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flink", action="store_true", help="on a Flink cluster of two task managers")
    arguments = parser.parse_args()
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data = directory / "data"
        data.mkdir()
        write(data, arguments.rows)
        service = flink_service if arguments.flink else clusters.job_service
        options = stack.enter_context(service(directory))
        times: dict[str, list[float]] = {}
        total = arguments.rows * (arguments.rows - 1) // 2
        # The first job also loads the libraries of the runner.
        seconds(beam.Create([0]), 0, options)
        for _ in range(arguments.rounds):
            for name, read in pipelines(str(data / "*.avro"), FILES).items():
                taken = seconds(read, 0 if name == "start" else total, options)
                times.setdefault(name, []).append(taken)
                print(f"{name}: {taken:.2f} s", file=sys.stderr)
        start = statistics.median(times.pop("start"))
        print(f"{arguments.rows:,} rows; start of a pipeline {start:.2f} s")
        for name, found in times.items():
            taken = statistics.median(found)
            rest = (
                f"{arguments.rows / (taken - start):,.0f} rows/s" if taken > start else "too short to measure"
            )
            print(f"{name}: {taken:.2f} s, {arguments.rows / taken:,.0f} rows/s; without the start: {rest}")


def write(directory: Path, rows: int) -> None:
    """Writes files of equal size."""
    import arrowfeed  # noqa: PLC0415 - the workers do not write

    for number in range(FILES):
        batches = list(numbered.batches(rows * number // FILES, rows * (number + 1) // FILES))
        with arrowfeed.AvroWriter(directory / f"part-{number}.avro", codec="deflate") as writer:
            for batch in batches:
                writer.write(batch)


if __name__ == "__main__":
    main()
