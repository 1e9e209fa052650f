"""Filter, map and bucket by length: arrowfeed beside tf.data over the same file, in the same run.

    python benches/filter_map.py --data DIR

Prints a table of the seconds of an epoch in TensorFlow: the best of the rounds, in which both take turns.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import arrowfeed as af
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import tensorflow as tf
from arrowfeed.representations import VarLenRagged

ROWS = 100_000
BATCH = 256
BOUNDARIES = [16, 32, 64]
ROUNDS = 3


def write(path: Path, rows: int) -> None:
    """Writes numbered rows with a list of up to 99 tokens each."""
    chance = np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(chance.integers(0, 100, rows))]).astype(np.int32)
    tokens = pa.ListArray.from_arrays(offsets, pa.array(chance.integers(0, 30_000, offsets[-1])))
    af.write_avro(
        pa.table({"id": range(rows), "weight": chance.random(rows), "tokens": tokens}), path, codec="null"
    )


def halved(batch: af.RecordBatch) -> pa.Table:
    """Another column of a batch."""
    table = pa.table(batch)
    return table.append_column("half", pc.divide(table["weight"], 2.0))


def jobs(path: Path) -> dict[str, dict[str, Callable[[], Iterable[Any]]]]:
    """For each job, a function that makes the batches of each way to do it."""
    numbers = af.AvroDataset(path, columns=["id", "weight"])
    sequences = af.AvroDataset(path, representations={"tokens": VarLenRagged("tokens")})
    return {
        "filter: a tenth of the rows": {
            "tf.data: `unbatch().filter().batch()`": lambda: (
                numbers.to_tf(batch_size=BATCH).unbatch().filter(lambda row: row["weight"] < 0.1).batch(BATCH)
            ),
            "`dataset.filter`": lambda: numbers.filter("weight < 0.1").to_tf(batch_size=BATCH),
        },
        "map: another column": {
            "tf.data: `map` of batches": lambda: numbers.to_tf(batch_size=BATCH).map(
                lambda row: {**row, "half": row["weight"] / 2}
            ),
            "`dataset.map`": lambda: numbers.map(halved).to_tf(batch_size=BATCH),
        },
        "bucket: rows of similar length": {
            "tf.data: `unbatch().bucket_by_sequence_length()`": lambda: (
                sequences.to_tf(batch_size=BATCH)
                .unbatch()
                .map(lambda row: row["tokens"])
                .bucket_by_sequence_length(tf.shape, BOUNDARIES, [BATCH] * (len(BOUNDARIES) + 1))
            ),
            "`batches=`": lambda: sequences.to_tf(
                batch_size=BATCH, batches=af.ByLength("tokens", boundaries=BOUNDARIES)
            ),
        },
    }


def seconds(make: Callable[[], Iterable[Any]]) -> float:
    """The time of an epoch, without that of the first batch of another one."""
    next(iter(make()))
    batches = make()
    start = time.perf_counter()
    for _ in batches:
        pass
    return time.perf_counter() - start


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder for the file")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the file (default: %(default)s)")
    options = parser.parse_args()
    options.data.mkdir(parents=True, exist_ok=True)
    path = options.data / "tokens.avro"
    write(path, options.rows)
    print("| job | way | seconds |\n| --- | --- | --- |")
    for job, ways in jobs(path).items():
        found = [[seconds(make) for make in ways.values()] for _ in range(ROUNDS)]
        for way, best in zip(ways, map(min, zip(*found, strict=True)), strict=True):
            print(f"| {job} | {way} | {best:.2f} |", flush=True)


if __name__ == "__main__":
    main()
