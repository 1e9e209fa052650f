"""Quality of shuffles: arrowfeed, a simulation of the block sampling of ATDS, and a perfect shuffle.

    python benches/shuffle_quality.py

Prints the table of docs/datasets.md. Measures the order of rows, not speed.
"""

import itertools
import random
import tempfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arrowfeed as af
import fastavro
import numpy as np
from arrowfeed.representations import Dense

ROWS = 200_000
FILES = 4
BATCH = 256
SCHEMA = fastavro.parse_schema(
    {
        "type": "record",
        "name": "R",
        "fields": [{"name": "id", "type": {"type": "fixed", "name": "Id", "size": 8}}],
    }
)


def write(folder: Path, rows: int, block_rows: int) -> list[Path]:
    """Writes files of numbered rows of 8 bytes each. Returns their paths."""
    paths = []
    for part in range(FILES):
        numbers = range(part * rows // FILES, (part + 1) * rows // FILES)
        paths.append(folder / f"part-{part}.avro")
        with paths[-1].open("wb") as file:
            records = ({"id": number.to_bytes(8, "little")} for number in numbers)
            fastavro.writer(file, SCHEMA, records, sync_interval=8 * block_rows)
    return paths


PROCESSES = 8


def ours(paths: list[Path], buffer: int, batch: int) -> np.ndarray:
    """The order of rows in a shuffle of arrowfeed."""
    return _joined([_batches(paths, buffer, batch_size=batch)])


def of_shards(paths: list[Path], buffer: int, batch: int) -> np.ndarray:
    """The same, of the rows that 8 processes with a shard each have at the same time."""
    size = batch // PROCESSES
    each = [_batches(paths, buffer, batch_size=size, shard=(index, PROCESSES)) for index in range(PROCESSES)]
    return _joined(each)


def of_streams(paths: list[Path], buffer: int, batch: int) -> np.ndarray:
    """The same, of global batches, which do not depend on the number of processes."""
    return _joined([_batches(paths, buffer, global_batch_size=batch)])


def _batches(paths: list[Path], buffer: int, **options: Any) -> list[np.ndarray]:
    """The numbers of the rows of each batch."""
    dataset = af.AvroDataset(paths, representations={"id": Dense("id")})
    batches = dataset.record_batches(shuffle_buffer_size=buffer, seed=1, **options)
    values = (bytes(one.column("id").to_pyarrow().buffers()[1])[: 8 * one.num_rows] for one in batches)
    return [np.frombuffer(data, np.int64) for data in values]


def _joined(processes: list[list[np.ndarray]]) -> np.ndarray:
    """All rows, batch after batch; the rows of a batch in the order of the processes."""
    return np.concatenate(
        [rows for batch in itertools.zip_longest(*processes) for rows in batch if rows is not None]
    )


def sampled(rows: int, block_rows: int, buffer: int, batch: int) -> np.ndarray:
    """The order of rows in block sampling as in ATDS.

    Blocks are read in file order until there are enough rows for a batch and the buffer. A batch draws blocks
    uniformly and takes the next row of each, or all remaining rows if they are a tenth of the block or less.
    The rows of a batch are ordered by block; rows of a block keep their order.
    """
    draw, blocks, order = random.Random(1), [], []
    unread = deque(range(0, rows, block_rows))
    waiting = 0
    while unread or waiting:
        while unread and waiting < batch + buffer:
            start = unread.popleft()
            blocks.append(deque(range(start, min(start + block_rows, rows))))
            waiting += len(blocks[-1])
        taken = dict(_draws(draw, blocks, block_rows, min(batch, waiting)))
        order += [row for place in sorted(taken) for row in taken[place]]
        waiting -= sum(map(len, taken.values()))
        blocks = [block for block in blocks if block]
    return np.array(order)


def _draws(
    draw: random.Random, blocks: list[deque[int]], block_rows: int, wanted: int
) -> Iterator[tuple[int, list[int]]]:
    taken: dict[int, list[int]] = {}
    left = list(range(len(blocks)))
    while wanted:
        at = draw.randrange(len(left))
        place = left[at]
        block = blocks[place]
        count = min(len(block), wanted) if len(block) <= block_rows // 10 else 1
        taken.setdefault(place, []).extend(block.popleft() for _ in range(count))
        wanted -= count
        if not block:
            left[at] = left[-1]
            left.pop()
    yield from taken.items()


def figures(order: np.ndarray, block_rows: int, batch: int) -> tuple[float, float, float, float]:
    """Movement of rows, neighbours from one block, correlation of neighbours, and spread of batch means.

    Movement is a share of all rows, and neighbours from one block are a share of all pairs. The spread is
    relative to that of independent draws.
    """
    rows = len(order)
    assert np.array_equal(np.sort(order), np.arange(rows)), "each row once"
    moved = np.abs(order - np.arange(rows)).mean() / rows
    together = np.mean(order[1:] // block_rows == order[:-1] // block_rows)
    correlation = np.corrcoef(order[1:], order[:-1])[0, 1]
    means = order[: rows // batch * batch].reshape(-1, batch).mean(axis=1)
    return moved, together, correlation, means.std() / (order.std() / np.sqrt(batch))


def table(rows: int, batch: int, block_rows: tuple[int, ...], buffers: tuple[int, ...]) -> Iterator[tuple]:
    """Yields a line for each block size, buffer size and shuffle."""
    perfect = np.random.default_rng(1).permutation(rows)
    for size in block_rows:
        yield size, rows, "perfect", *figures(perfect, size, batch)
        with tempfile.TemporaryDirectory() as folder:
            paths = write(Path(folder), rows, size)
            for buffer in buffers:
                yield size, buffer, "arrowfeed", *figures(ours(paths, buffer, batch), size, batch)
                yield size, buffer, "8 shards", *figures(of_shards(paths, buffer, batch), size, batch)
                yield size, buffer, "64 streams", *figures(of_streams(paths, buffer, batch), size, batch)
                yield size, buffer, "ATDS", *figures(sampled(rows, size, buffer, batch), size, batch)


def main() -> None:
    """Prints the table as Markdown."""
    print("| rows per block | buffer | shuffle | moved | of one block | correlation | spread |")
    print("|---|---|---|---|---|---|---|")
    for line in table(ROWS, BATCH, (100, 1000), (1000, 10_000, 100_000)):
        print("| {:,} | {:,} | {} | {:.3f} | {:.2%} | {:.3f} | {:.1f} |".format(*line))


if __name__ == "__main__":
    main()
