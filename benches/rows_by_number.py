"""Speed of rows by number, compared with decoding the blocks that contain them and with a shuffle.

    PYTHONPATH=python .venv-all/bin/python benches/rows_by_number.py FOLDER

Prints the tables of docs/datasets.md. Needs a release build and 3 GB of disk.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import arrowfeed as af
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from arrowfeed.representations import Dense

ROWS = 2_800_000
PART = 20_000
FLOATS = 64
ASKED = 1_000
ROUNDS = 15
BATCH = 256
FILES = ("avro, null", "avro, deflate", "parquet, row groups of 1,000 rows")
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "label": pa.float32(),
        "features": pa.list_(pa.float32(), FLOATS),
        "tags": pa.list_(pa.int64()),
        "name": pa.string(),
    }
)
REPRESENTATIONS = {
    "id": Dense("id"),
    "label": Dense("label"),
    "features": Dense("features", [FLOATS]),
}


def batches() -> Iterable[pa.RecordBatch]:
    """Rows of about 350 bytes."""
    random_ = np.random.default_rng(1)
    for start in range(0, ROWS, PART):
        numbers = np.arange(start, start + PART)
        floats = pa.array(random_.random(PART * FLOATS, dtype=np.float32).round(2))
        splits = np.concatenate([[0], np.cumsum(random_.integers(0, 8, PART))]).astype(np.int32)
        tags = pa.ListArray.from_arrays(splits, random_.integers(0, 1 << 20, splits[-1]))
        columns = [
            pa.array(numbers),
            pa.array(random_.random(PART, dtype=np.float32)),
            pa.FixedSizeListArray.from_arrays(floats, FLOATS),
            tags,
            pa.array([f"user {number}" for number in numbers]),
        ]
        yield pa.record_batch(columns, SCHEMA)


def written(folder: Path, kind: str) -> af.Dataset:
    """Writes a file unless it exists, and opens it."""
    path = folder / kind.replace(", ", "-").replace(" ", "-")
    if not path.exists():
        if kind.startswith("parquet"):
            with pq.ParquetWriter(path, SCHEMA) as writer:
                for batch in batches():
                    writer.write_batch(batch, row_group_size=1_000)
        else:
            reader = pa.RecordBatchReader.from_batches(SCHEMA, batches())
            af.write_avro(reader, path, codec=kind.removeprefix("avro, "))
    make = af.ParquetDataset if kind.startswith("parquet") else af.AvroDataset
    print(f"{path.name}: {path.stat().st_size:,} bytes")
    return make(path, columns=SCHEMA.names, representations=REPRESENTATIONS)


def block_starts(dataset: af.Dataset, folder: Path) -> np.ndarray:
    """The number of rows before each block, and the number of all rows."""
    dataset.save_index(folder / "index.json")
    [file] = json.loads((folder / "index.json").read_text())["files"]
    rows = np.cumsum(file["rows"])
    return np.concatenate([[0], rows])


def seconds(work: Callable[[], object]) -> float:
    """The time of a call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def of_random_rows(dataset: af.Dataset, folder: Path) -> str:
    """Compares random rows with as many adjacent blocks as contain them."""
    starts, random_ = block_starts(dataset, folder), random.Random(1)
    asked, blocks = [], []
    for _ in range(ROUNDS):
        numbers = random_.sample(range(ROWS), ASKED)
        count = len(np.unique(np.searchsorted(starts, numbers, side="right")))
        first = random_.randrange(len(starts) - count)
        rows = int(starts[first + count] - starts[first])
        adjacent = dataset.skip(int(starts[first])).take(rows)
        asked.append(seconds(lambda numbers=numbers: dataset.rows(numbers, threads=1)))
        blocks.append(
            seconds(lambda adjacent=adjacent: list(adjacent.record_batches(batch_size=8192, threads=1)))
        )
    found, decoded = statistics.median(asked), statistics.median(blocks)
    return f"{count:,} | {decoded * 1000:.1f} ms | {found * 1000:.1f} ms | {found / decoded:.2f}"


def rate(loader: Iterable[Any], count: int = 200) -> str:
    """Rows per second of some batches after the first one."""
    iterator = iter(loader)
    next(iterator)
    taken = seconds(lambda: list(islice(iterator, count)))
    return f"{count * BATCH / taken:,.0f}"


def of_loaders(dataset: af.Dataset) -> None:
    """Compares loaders in random order with a shuffle."""
    from torch.utils.data import DataLoader  # noqa: PLC0415 - only here

    samples = dataset.samples()
    shuffled = dataset.to_torch(batch_size=BATCH, shuffle_buffer_size=100_000, seed=1, threads=1)
    small = dataset.take(100_000).samples(cache_bytes=256 << 20)
    print(f"DataLoader(samples, shuffle=True): {rate(DataLoader(samples, BATCH, shuffle=True))} rows/s")
    small_loader = DataLoader(small, BATCH, shuffle=True)
    list(small_loader)
    print(f"the same, of 100,000 rows that fit the cache: {rate(small_loader)} rows/s")
    numbers = DataLoader(
        range(ROWS), BATCH, shuffle=True, collate_fn=lambda n: dataset.row_tensors(n, threads=1)
    )
    print(f"collate_fn=dataset.row_tensors: {rate(numbers)} rows/s")
    print(f"to_torch(shuffle_buffer_size=100_000): {rate(shuffled, 2000)} rows/s")


def main() -> None:
    """Prints the figures."""
    folder = Path(sys.argv[1])
    for kind in FILES:
        dataset = written(folder, kind)
        print(f"{kind} | {of_random_rows(dataset, folder)}")
        of_loaders(dataset)


if __name__ == "__main__":
    main()
