"""Seconds of an epoch of `to_torch` with and without workers of a `DataLoader`.

    python benches/data_loader.py FILE... --workers 0 1 2 --function 0 50

Prints a table. Each line is the best of several rounds, in a process of its own; the rounds of all lines
alternate. `first batch` is the time until the loader returns the first batch, which contains the start of the
workers. The loop only counts batches. `--function` adds a Python function that computes for some milliseconds
with each batch, as a transformation of a training program does: in the worker if there are workers.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import arrowfeed
from torch.utils.data import DataLoader


def compute(milliseconds: int, batch: dict[str, Any]) -> dict[str, Any]:
    """Takes CPU time in the interpreter, and returns the batch."""
    begin = time.thread_time()
    while time.thread_time() - begin < milliseconds / 1000:
        pass
    return batch


def measure(path: str, workers: int, batch_size: int, milliseconds: int) -> dict[str, float]:
    """Runs an epoch in this process."""
    rows = arrowfeed.open_dataset(path).to_torch(batch_size=batch_size)
    if milliseconds:
        rows = rows.map(functools.partial(compute, milliseconds))
    begin = time.perf_counter()
    loader = DataLoader(rows, batch_size=None, num_workers=workers)
    batches = iter(loader)
    next(batches)
    first = time.perf_counter() - begin
    count = 1 + sum(1 for _ in batches)
    return {"seconds": time.perf_counter() - begin, "first": first, "batches": count}


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", help="files")
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2], help="numbers of workers")
    parser.add_argument(
        "--function",
        type=int,
        nargs="+",
        default=[0],
        metavar="MILLISECONDS",
        help="CPU times of a function of a batch (default: no function)",
    )
    parser.add_argument("--batch-size", type=int, default=1024, help="rows of a batch (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: %(default)s)")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(
            json.dumps(measure(options.files[0], options.workers[0], options.batch_size, options.function[0]))
        )
        return
    best: dict[tuple[str, int, int], dict[str, float]] = {}
    for _ in range(options.rounds):
        for line in itertools.product(options.files, options.function, options.workers):
            file, milliseconds, workers = line
            command = [sys.executable, __file__, file, "--workers", str(workers), "--one"]
            command += ["--batch-size", str(options.batch_size), "--function", str(milliseconds)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr)
            found = json.loads(done.stdout)
            if line not in best or found["seconds"] < best[line]["seconds"]:
                best[line] = found
    print(f"batches of {options.batch_size:,} rows, best of {options.rounds}")
    print("| file | function | workers | batches | seconds | first batch |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (file, milliseconds, workers), found in best.items():
        times = f"{found['seconds']:.2f} | {found['first']:.2f}"
        print(f"| {Path(file).name} | {milliseconds} ms | {workers} | {found['batches']} | {times} |")


if __name__ == "__main__":
    main()
