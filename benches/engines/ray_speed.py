"""Rows per second of `arrowfeed.ray.read_dataset` and `ray.data.read_avro` on a local cluster of two workers.

    python benches/engines/ray_speed.py --rows 1000000

Both read the same eight Avro files of equal size, with the codec deflate, which both can read without other
libraries. The workers sum a column of all rows; all columns are read.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "engines"))

import arrowfeed
import arrowfeed.ray
import pyarrow as pa
import pyarrow.compute as pc
import ray
import rows


def write(directory, count):
    """Writes eight files with the rows of the tests of engines."""
    schema = next(rows.batches(0, 1)).schema
    borders = [count * number // 8 for number in range(9)]
    for number, (start, stop) in enumerate(itertools.pairwise(borders)):
        reader = pa.RecordBatchReader.from_batches(schema, rows.batches(start, stop))
        arrowfeed.write_avro(reader, directory / f"part-{number}.avro", codec="deflate")


def summed(dataset):
    """The sum of the ids of a dataset, which the workers make block by block."""

    def of_block(table):
        return pa.table({"id": [pc.sum(table["id"]).as_py()]})

    parts = dataset.map_batches(of_block, batch_format="pyarrow", batch_size=None).take_all()
    return sum(part["id"] for part in parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the files")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["arrowfeed", "ray"], help="measure only one of both")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    readers = {
        "arrowfeed": arrowfeed.ray.read_dataset,
        "ray": ray.data.read_avro,
    }
    with tempfile.TemporaryDirectory() as directory:
        write(Path(directory), options.rows)
        expected = options.rows * (options.rows - 1) // 2
        names = [name for name in readers if options.only in (None, name)]
        seconds = {name: [] for name in names}
        for number in range(options.rounds + 1):
            for name in names:
                start = time.perf_counter()
                found = summed(readers[name](directory))
                taken = time.perf_counter() - start
                if found != expected:
                    raise SystemExit(f"{name}: expected a sum of {expected}, found {found}")
                # The first round starts the workers, which import the libraries.
                if number:
                    seconds[name].append(taken)
    ray.shutdown()
    print(f"Ray {ray.__version__}, two workers, {options.rows:,} rows, {options.rounds} rounds")
    for name, taken in seconds.items():
        best, median = options.rows / min(taken), options.rows / statistics.median(taken)
        print(f"{name:9}: best {best:12,.0f} rows/s, median {median:12,.0f} rows/s")
    if len(names) == 2:
        ratio = statistics.median(seconds["ray"]) / statistics.median(seconds["arrowfeed"])
        print(f"arrowfeed is {ratio:.1f} times as fast (medians)")


if __name__ == "__main__":
    main()
