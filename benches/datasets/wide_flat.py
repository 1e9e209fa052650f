"""A wide table of nullable scalars, like an export of a data warehouse."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from datasets.dataset import Dataset, Record, Schema, chunk_sizes, record_schema
from datasets.words import WORDS

CHUNK = 5000
COUNTS = {"string": 10, "long": 6, "int": 6, "double": 4, "float": 2, "boolean": 2}
NULL_RATES = (0.0, 0.02, 0.1, 0.3, 0.5)
"""The fractions of nulls, assigned to the columns in turn."""
LONG_ENDS = (100, 10_000, 1_000_000, 10**9, 10**9, 1 << 62)
"""Upper ends of the values, from one-byte varints to nine-byte varints."""
MILLIS_COLUMN = 4
MILLIS_START = 1_700_000_000_000
INT_ENDS = (50, 127, 1000, 100_000, 10_000_000, (1 << 31) - 1)

COLUMNS = [(f"{kind}_{index}", kind, index) for kind, count in COUNTS.items() for index in range(count)]


def _schema() -> Schema:
    return record_schema("wide_flat", [(name, ["null", kind]) for name, kind, _ in COLUMNS])


def _words(rng: Generator, rows: int) -> list[str]:
    return [WORDS[at] for at in rng.integers(0, len(WORDS), rows)]


def _strings(rng: Generator, rows: int, index: int) -> list[str]:
    if index < 5:
        return _words(rng, rows)
    if index < 8:
        return [f"{number:016x}" for number in rng.integers(0, 1 << 62, rows).tolist()]
    numbers = rng.integers(0, 1_000_000, rows).tolist()
    parts = zip(_words(rng, rows), _words(rng, rows), numbers, strict=True)
    return [f"{first} {second} {number}" for first, second, number in parts]


def _numbers(rng: Generator, rows: int, kind: str, index: int) -> np.ndarray:
    if kind == "long":
        base = MILLIS_START if index == MILLIS_COLUMN else 0
        return base + rng.integers(0, LONG_ENDS[index], rows)
    if kind == "int":
        return rng.integers(-50, INT_ENDS[index], rows)
    if kind == "double":
        return rng.gamma(2.0, 50.0, rows).round(2)
    if kind == "float":
        return rng.random(rows, dtype=np.float32)
    return rng.random(rows) < 0.3


def _values(rng: Generator, rows: int, kind: str, index: int) -> list[Any]:
    if kind == "string":
        return _strings(rng, rows, index)
    return list(_numbers(rng, rows, kind, index).tolist())


def _with_nulls(rng: Generator, values: list[Any], rate: float) -> list[Any]:
    if rate == 0.0:
        return values
    nulls = (rng.random(len(values)) < rate).tolist()
    return [None if null else value for value, null in zip(values, nulls, strict=True)]


def _records(rows: int, seed: int) -> Iterator[Record]:
    rng = np.random.default_rng(seed)
    names = [name for name, _, _ in COLUMNS]
    for size in chunk_sizes(rows, CHUNK):
        columns = [
            _with_nulls(rng, _values(rng, size, kind, index), NULL_RATES[at % len(NULL_RATES)])
            for at, (_, kind, index) in enumerate(COLUMNS)
        ]
        for values in zip(*columns, strict=True):
            yield dict(zip(names, values, strict=True))


WIDE_FLAT = Dataset("wide_flat", 500_000, _schema(), _records, seed=12)
