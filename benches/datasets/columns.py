"""Files of nullable longs that differ in their number of columns. All have the same number of values."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from datasets.dataset import Dataset, Record, Schema, chunk_sizes, record_schema

COUNTS = (10, 64, 256, 1024, 4096)
VALUES = 4096 * 1000
CHUNK_VALUES = 1 << 18
NULL_RATE = 0.1
VALUE_END = 1_000_000


def _schema(columns: int) -> Schema:
    return record_schema("columns", [(f"c{at}", ["null", "long"]) for at in range(columns)])


def _records(columns: int, rows: int, seed: int) -> Iterator[Record]:
    rng = np.random.default_rng(seed)
    names = [f"c{at}" for at in range(columns)]
    for size in chunk_sizes(rows, CHUNK_VALUES // columns):
        values = rng.integers(0, VALUE_END, (size, columns)).astype(object)
        values[rng.random((size, columns)) < NULL_RATE] = None
        for row in values.tolist():
            yield dict(zip(names, row, strict=True))


def name(columns: int) -> str:
    """The name of the dataset with this number of columns."""
    return f"columns_{columns}"


COLUMNS: tuple[Dataset, ...] = tuple(
    Dataset(name(columns), VALUES // columns, _schema(columns), partial(_records, columns), seed=17)
    for columns in COUNTS
)
