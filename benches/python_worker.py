"""Benchmark worker for Python readers: `python_worker.py arrowfeed|fastavro|polars`.

One JSON job a line comes in; `{"seconds", "rows", "peak_bytes"}` or `{"error"}` goes out. `peak_bytes` is
what the process grew by at most since the reader was imported.
"""

import importlib
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

Job = dict[str, Any]


def read_arrowfeed(arrowfeed: Any, job: Job) -> int:
    """Iterates batches."""
    names = ("batch_size", "threads", "columns")
    options = {name: job[name] for name in names if name in job}
    return sum(batch.num_rows for batch in arrowfeed.read_avro(job["file"], **options))


def read_fastavro(fastavro: Any, job: Job) -> int:
    """Iterates dicts, up to the job's limit."""
    with open(job["file"], "rb") as file:
        return sum(1 for _ in itertools.islice(fastavro.reader(file), job.get("limit")))


def read_polars(polars: Any, job: Job) -> int:
    """Reads a whole frame: polars does not stream Avro."""
    frame = polars.read_avro(job["file"], columns=job.get("columns"))
    return int(frame.height)


READERS: dict[str, Callable[[Any, Job], int]] = {
    "arrowfeed": read_arrowfeed,
    "fastavro": read_fastavro,
    "polars": read_polars,
}


def resident_bytes(field: str) -> int:
    """`VmHWM` (peak) or `VmRSS` (now) on Linux; elsewhere only the peak is known."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def answer(read: Callable[[Job], int], job: Job, before: int) -> dict[str, Any]:
    """Runs a job; whatever the reader raises is its answer."""
    start = time.perf_counter()
    try:
        rows = read(job)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "rows": rows, "peak_bytes": resident_bytes("VmHWM") - before}


def main() -> None:
    """Answers jobs until standard input ends."""
    name = sys.argv[1]
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        sys.exit(str(error))
    read = partial(READERS[name], module)
    before = resident_bytes("VmRSS")
    for line in sys.stdin:
        print(json.dumps(answer(read, json.loads(line), before)), flush=True)


if __name__ == "__main__":
    main()
