"""How long a training step of 10 ms on the CPU waits for its batches.

    python benches/training_wait.py --data DIR

Prints a table: the wait with 1 and 2 threads, for each codec of the file `linkedin`. The step computes on one
core, and does not hold the interpreter.
"""

import argparse
import time
from pathlib import Path

import arrowfeed as af
import numpy as np

from datasets import SHAPES
from generate import CODECS, make
from manifest import Manifest

ROWS = 100_000
STEP = 0.010
STEPS = 500


def step(matrix: np.ndarray) -> None:
    """Computes for 10 ms."""
    end = time.perf_counter() + STEP
    while time.perf_counter() < end:
        matrix @ matrix


def wait(path: Path, threads: int, rows: int, steps: int = STEPS) -> af.LoaderStats:
    """The figures of a training."""
    matrix = np.ones((64, 64))
    dataset = af.AvroDataset(path)
    with dataset.tensors(batch_size=rows, threads=threads, epochs=None) as batches:
        for _ in range(steps):
            next(batches)
            step(matrix)
        return batches.stats()


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder for the files")
    parser.add_argument("--batch-size", type=int, default=256, help="rows of a batch (default: %(default)s)")
    options = parser.parse_args()
    folder: Path = options.data
    folder.mkdir(parents=True, exist_ok=True)
    [linkedin] = [dataset for dataset in SHAPES if dataset.name == "linkedin"]
    make(linkedin, ROWS, CODECS, Manifest(folder))
    print("| codec | threads | wait | p50 | p95 | p99 |\n| --- | --- | --- | --- | --- | --- |")
    for codec in CODECS:
        for threads in (1, 2):
            found = wait(folder / f"linkedin.{codec}.avro", threads, options.batch_size).to_dict()
            waits = [found[f"wait_{name}_seconds"] for name in ("p50", "p95", "p99")]
            shown = " | ".join(f"{seconds * 1e3:.3f} ms" for seconds in waits)
            print(f"| {codec} | {threads} | {found['wait_share']:.2%} | {shown} |")


if __name__ == "__main__":
    main()
