"""Benchmark worker for Python readers and writers: `python_worker.py arrowfeed|fastavro|polars|pyiceberg`.

Reads one JSON job per line, and answers each with `{"seconds", "rows", "peak_bytes"}` or `{"error"}`.
`peak_bytes` is the maximum growth of the process since the library was imported.
"""

import importlib
import io
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

Job = dict[str, Any]


def read_arrowfeed(arrowfeed: Any, job: Job) -> int:
    """Iterates over batches."""
    names = ("batch_size", "threads", "columns")
    options = {name: job[name] for name in names if name in job}
    return sum(batch.num_rows for batch in arrowfeed.read_avro(job["file"], **options))


def read_fastavro(fastavro: Any, job: Job) -> int:
    """Iterates over dicts, up to the job's limit."""
    with open(job["file"], "rb") as file:
        return sum(1 for _ in itertools.islice(fastavro.reader(file), job.get("limit")))


def read_polars(polars: Any, job: Job) -> int:
    """Reads a whole frame, because polars does not stream Avro."""
    frame = polars.read_avro(job["file"], columns=job.get("columns"))
    return int(frame.height)


def read_pyiceberg(pyiceberg: Any, job: Job) -> int:
    """Reads the entries of a manifest as objects, as the planning of a scan does."""
    manifest, io = (
        importlib.import_module("pyiceberg.manifest"),
        importlib.import_module("pyiceberg.io.pyarrow"),
    )
    counts = dict.fromkeys(
        f"{state}_{what}_count" for state in ("added", "existing", "deleted") for what in ("files", "rows")
    )
    file = manifest.ManifestFile.from_args(
        manifest_path=job["file"],
        manifest_length=Path(job["file"]).stat().st_size,
        partition_spec_id=0,
        content=manifest.ManifestContent.DATA,
        sequence_number=1,
        min_sequence_number=1,
        added_snapshot_id=1,
        partitions=None,
        key_metadata=None,
        **counts,
    )
    return len(file.fetch_manifest_entry(io.PyArrowFileIO(), discard_deleted=True))


READERS: dict[str, Callable[[Any, Job], int]] = {
    "arrowfeed": read_arrowfeed,
    "fastavro": read_fastavro,
    "polars": read_polars,
    "pyiceberg": read_pyiceberg,
}


class CountingSink(io.RawIOBase):
    """A file that counts the bytes written to it, and drops them."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def writable(self) -> bool:
        """Returns true."""
        return True

    def write(self, data: Any) -> int:
        """Counts bytes."""
        self.count += len(data)
        return len(data)


def write_arrowfeed(arrowfeed: Any, job: Job) -> Callable[[], int]:
    """Reads and writes batch by batch. Keeps no batches, so that the peak is that of a stream."""
    names = ("batch_size", "threads")
    options = {name: job[name] for name in names if name in job}

    def write() -> int:
        batches = arrowfeed.read_avro(job["file"], **options)
        sink = CountingSink()
        return int(arrowfeed.write_avro(batches, sink, codec=job["write"], threads=job.get("threads")))

    return write


def write_fastavro(fastavro: Any, job: Job) -> Callable[[], int]:
    """Writes dicts that were read before."""
    schema, rows = fastavro_rows(fastavro, job["file"], job.get("limit"))

    def write() -> int:
        fastavro.writer(CountingSink(), schema, rows, codec=job["write"])
        return len(rows)

    return write


@lru_cache(maxsize=1)
def fastavro_rows(fastavro: Any, path: str, limit: int | None) -> tuple[Any, list[Any]]:
    """The schema and the rows of a file, up to the limit."""
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        return reader.writer_schema, list(itertools.islice(reader, limit))


WRITERS: dict[str, Callable[[Any, Job], Callable[[], int]]] = {
    "arrowfeed": write_arrowfeed,
    "fastavro": write_fastavro,
}


def resident_bytes(field: str) -> int:
    """`VmHWM` (peak) or `VmRSS` (current) on Linux; always the peak on other systems."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def work_of(name: str, module: Any, job: Job) -> Callable[[], int]:
    """Returns the measured part of a job. Prepares the job first: a writer reads its rows."""
    if "write" in job:
        return WRITERS[name](module, job)
    return partial(READERS[name], module, job)


def answer(name: str, module: Any, job: Job, before: int) -> dict[str, Any]:
    """Runs a job. An exception of the library becomes the answer."""
    try:
        work = work_of(name, module, job)
        start = time.perf_counter()
        rows = work()
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
    before = resident_bytes("VmRSS")
    for line in sys.stdin:
        print(json.dumps(answer(name, module, json.loads(line), before)), flush=True)


if __name__ == "__main__":
    main()
