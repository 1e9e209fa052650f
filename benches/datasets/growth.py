"""Pairs of files. The second file is twice the first in one dimension: rows, columns or nesting."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from datasets.dataset import Dataset, Record, Schema, chunk_sizes, record_schema

ROWS = 100_000
COLUMNS = 32
DEPTH = 16
"""Nesting depth of the first file. Twice this depth is below the default limit of a reader."""
CHUNK = 5000
VALUE_END = 1_000_000


def _columns_schema(columns: int) -> Schema:
    return record_schema("columns", [(f"c{at}", "long") for at in range(columns)])


def _column_records(columns: int, rows: int, seed: int) -> Iterator[Record]:
    rng = np.random.default_rng(seed)
    names = [f"c{at}" for at in range(columns)]
    for size in chunk_sizes(rows, CHUNK):
        for values in rng.integers(0, VALUE_END, (size, columns)).tolist():
            yield dict(zip(names, values, strict=True))


def _nested_schema(depth: int) -> Schema:
    """Nested records with one long per level, so that twice the depth has twice the values."""
    schema = record_schema("level_1", [("value", "long")])
    for level in range(2, depth + 1):
        schema = record_schema(f"level_{level}", [("value", "long"), ("inner", schema)])
    return schema


def _nest(values: list[int]) -> Record:
    record: dict[str, Any] = {"value": values[0]}
    for value in values[1:]:
        record = {"value": value, "inner": record}
    return record


def _nested_records(depth: int, rows: int, seed: int) -> Iterator[Record]:
    rng = np.random.default_rng(seed)
    for size in chunk_sizes(rows, CHUNK):
        for values in rng.integers(0, VALUE_END, (size, depth)).tolist():
            yield _nest(values)


def _columns(name: str, columns: int, rows: int) -> Dataset:
    return Dataset(name, rows, _columns_schema(columns), partial(_column_records, columns), seed=15)


def _nested(name: str, depth: int) -> Dataset:
    return Dataset(name, ROWS, _nested_schema(depth), partial(_nested_records, depth), seed=16)


GROWTH: tuple[Dataset, ...] = (
    _columns("growth_base", COLUMNS, ROWS),
    _columns("growth_rows", COLUMNS, 2 * ROWS),
    _columns("growth_columns", 2 * COLUMNS, ROWS),
    _nested("growth_nesting_base", DEPTH),
    _nested("growth_nesting", 2 * DEPTH),
)

SMALL_FILE = _columns("growth_small_file", COLUMNS, 10)
SMALL_FOLDER = "growth_small_files"
SMALL_HALVES = ("a", "b")
"""Subfolders with copies of the small file. One is the base, and both together are twice the base."""


def small_files(scale: float) -> int:
    """The number of files in each half."""
    return max(1, round(10_000 * scale))
