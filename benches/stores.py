"""Compares reading of a store with 20 ms per request with local files and other readers.

The server and the readers share the cores of this machine, so `obstore` without decoding shows the limit. Run
the script in the environment of `make test-stores`. It compiles the server of `benches/store_server`.
"""

import argparse
import contextlib
import io
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
BENCHES = ROOT / "benches"
sys.path.insert(0, str(BENCHES))

import arrowfeed as af  # noqa: E402
import fastavro  # noqa: E402
import obstore  # noqa: E402
import polars  # noqa: E402
from obstore.store import HTTPStore  # noqa: E402

from datasets import SHAPES  # noqa: E402

SERVER = "bench-store-server"
"""The package and the program of the server."""
SHUFFLE = 100_000
"""Rows of a shuffle window."""


def write_files(directory: Path, files: int, rows: int) -> None:
    """Writes files of the dataset `linkedin`, about 5 MB each. A fifth are distinct, the others copies."""
    if len(list(directory.glob("*.avro"))) == files:
        return
    directory.mkdir(parents=True, exist_ok=True)
    shape = next(shape for shape in SHAPES if shape.name == "linkedin")
    different = max(1, files // 5)
    records = shape.records(different * rows, shape.seed)
    for number in range(files):
        path = directory / f"part-{number:05}.avro"
        if number >= different:
            path.write_bytes((directory / f"part-{number % different:05}.avro").read_bytes())
            continue
        chosen = [next(records) for _ in range(rows)]
        with path.open("wb") as out:
            fastavro.writer(out, fastavro.parse_schema(shape.schema), chosen, sync_interval=64_000)


@contextlib.contextmanager
def serving(directory: Path, latency_ms: float) -> Iterator[str]:
    """Runs a server of the files of a directory, and yields its address."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", SERVER], cwd=BENCHES, check=True)
    command = [BENCHES.parent / "target/release" / SERVER, directory, str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def served(base: str) -> tuple[int, int]:
    """The number of requests, and of bytes in response bodies, since the last call."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{base}/-/counts") as response:
        requests, size = response.read().split()
    return int(requests), int(size)


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """Calls a function, and returns the seconds that it takes and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def in_order(source: Any) -> int:
    """Reads all rows in file order, and returns their number."""
    return sum(batch.num_rows for batch in af.read_avro(source, threads=2))


def shuffled(source: Any, index: Path, **options: Any) -> int:
    """Reads a shuffled epoch with an index, and returns the number of rows."""
    dataset = af.AvroDataset(source, index=index, representations={}, **options)
    batches = dataset.record_batches(batch_size=8192, shuffle_buffer_size=SHUFFLE, seed=7, threads=2)
    return sum(batch.num_rows for batch in batches)


def first_batch(source: Any) -> float:
    """Seconds from the call to the first batch, for a path that needs no listing."""
    start = time.perf_counter()
    with af.read_avro(source, threads=2, batch_size=1024) as reader:
        next(reader)
        return time.perf_counter() - start


def downloaded(store: HTTPStore, names: list[str], use: Callable[[bytes], int]) -> int:
    """Downloads all files with obstore, 16 at a time, and returns the sum of `use` over their bytes."""
    with ThreadPoolExecutor(16) as pool:
        return sum(pool.map(lambda name: use(bytes(obstore.get(store, name).bytes())), names))


def rows_of_polars(data: bytes) -> int:
    """The number of rows that polars reads."""
    return len(polars.read_avro(io.BytesIO(data)))


def main() -> None:
    """Prints a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "data" / "stores")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1900)
    parser.add_argument("--latency", type=float, default=20, help="milliseconds a request")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    write_files(options.data, options.files, options.rows)
    names = sorted(os.listdir(options.data))
    local = [str(options.data / name) for name in names]
    size = sum((options.data / name).stat().st_size for name in names)
    index = options.data.parent / "stores.index.json"
    with serving(options.data, options.latency) as base:
        remote = [f"{base}/{name}" for name in names]
        store = HTTPStore.from_url(base, client_options={"allow_http": True})
        local_index, remote_index = index.with_suffix(".local"), index.with_suffix(".remote")
        af.AvroDataset(local, representations={}).save_index(local_index)
        af.AvroDataset(remote, representations={}).save_index(remote_index)
        readers: dict[str, Callable[[], int]] = {
            "local, in order": lambda: in_order(local),
            "store, in order": lambda: in_order(remote),
            "local, shuffled": lambda: shuffled(local, local_index),
            "store, shuffled": lambda: shuffled(remote, remote_index),
            "store, shuffled, max_requests=64": lambda: shuffled(
                remote, remote_index, storage_options={"max_requests": 64}
            ),
            "obstore, bytes alone": lambda: downloaded(store, names, len),
            "obstore and polars.read_avro": lambda: downloaded(store, names, rows_of_polars),
        }
        seconds: dict[str, list[float]] = {name: [] for name in readers}
        counts: dict[str, tuple[int, int]] = {}
        first: list[float] = []
        # The first round is a warm-up.
        for turn in range(options.rounds + 1):
            for name, work in readers.items():
                served(base)
                taken, _ = timed(work)
                counts[name] = served(base)
                if turn:
                    seconds[name].append(taken)
            first.append(first_batch(remote[0]))
            # Lets the server end the requests that the reader cancelled.
            time.sleep(0.2)
    print(f"{'':36} {'median':>9} {'from':>7} {'to':>7} {'MB/s':>6} {'requests':>8} {'bytes':>7}")
    for name, times in seconds.items():
        median = statistics.median(times)
        requests, fetched = counts[name]
        print(
            f"{name:36} {median:7.3f} s {min(times):7.3f} {max(times):7.3f} {size / median / 1e6:6.0f}"
            f" {requests:8} {fetched / size:7.4f}"
        )
    median = statistics.median(first[1:])
    print(f"first batch: {median * 1000:.0f} ms, {median / (options.latency / 1000 or 1):.1f} request times")


if __name__ == "__main__":
    main()
