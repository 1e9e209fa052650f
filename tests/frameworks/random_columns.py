"""Random columns as Arrow arrays and as plain rows of None, lists, dicts, numbers and bytes.

The arrays are built from buffers, so a null slot can hide any value that Arrow allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from random import Random

INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
NUMBERS = (*INTEGERS, "float16", "float32", "float64")
BYTES = ("binary", "large_binary", "string", "large_string")
TYPES = (*NUMBERS, *BYTES)
"""Value types that tfx_bsl accepts: numbers by the names of numpy, byte strings by those of pyarrow."""

OTHERS = ("bool", "binary_view", "string_view", "fixed_size_binary", "dictionary", "timestamp", "date32")
"""Value types that tfx_bsl rejects or changes."""


@dataclass
class Column:
    """Rows in both forms, and the peculiarities of their storage."""

    rows: list
    array: pa.Array
    traits: set[str] = field(default_factory=set)

    def slice(self, start: int, count: int) -> Column:
        """Some of the rows."""
        return Column(self.rows[start : start + count], self.array.slice(start, count), self.traits)


Make = Callable[[int], Column]
Lengths = Callable[[], "int | None"]


@dataclass
class Columns:
    """Makes columns. `nulls`: the share of null lists and structs; `hidden`: null slots hide values."""

    random: Random
    nulls: float = 0.0
    hidden: bool = False
    inner_nulls: float = 0.0

    def values(self, kind: str) -> Make:
        """Values without lists."""

        def make(count: int) -> Column:
            there = [self.random.random() >= self.inner_nulls for _ in range(count)]
            column = (
                numbers(self.random, kind, count) if kind in NUMBERS else others(self.random, kind, count)
            )
            if all(there):
                return column
            rows = [row if it else None for row, it in zip(column.rows, there, strict=True)]
            kept = pa.array([i if it else None for i, it in enumerate(there)], pa.int64())
            return Column(rows, column.array.take(kept))

        return make

    def lengths(self, most: int, least: int = 0) -> Lengths:
        """Lengths of lists. None: a null list."""
        return lambda: None if self.random.random() < self.nulls else self.random.randint(least, most)

    def lists(self, items: Make, lengths: Lengths, *, large: bool | None = None) -> Make:
        """Lists of items. `items` is called with the length of each list."""
        large = self.random.random() < 0.5 if large is None else large

        def make(count: int) -> Column:
            wanted = [lengths() for _ in range(count)]
            hidden = 2 if self.hidden else 0
            stored = [self.random.randint(0, hidden) if size is None else size for size in wanted]
            ends = np.cumsum([0, *stored])
            inside = items(int(ends[-1]))
            spans = [inside.rows[start:end] for start, end in pairwise(ends)]
            rows = [None if size is None else span for size, span in zip(wanted, spans, strict=True)]
            kind = pa.LargeListArray if large else pa.ListArray
            offsets = pa.array(ends, pa.int64() if large else pa.int32())
            mask = pa.array([size is None for size in wanted], pa.bool_()) if None in wanted else None
            under = any(size is None and span for size, span in zip(wanted, spans, strict=True))
            traits = inside.traits | ({"hidden"} if under else set())
            return Column(rows, kind.from_arrays(offsets, inside.array, mask=mask), traits)

        return make

    def given(self, rows: list[list | None], kind: str) -> Column:
        """Lists of these integers."""
        items = [item for row in rows for item in row or []]
        lengths = iter([None if row is None else len(row) for row in rows])
        inside = Column(items, pa.array(items, kind))
        return Columns(self.random).lists(lambda _: inside, lambda: next(lengths))(len(rows))

    def structs(self, **fields: Make) -> Make:
        """Structs. The fields under a null struct may hide values."""
        return self.structs_of(lambda count: {name: make(count) for name, make in fields.items()})

    def structs_of(self, fields: Callable[[int], dict[str, Column]]) -> Make:
        """As `structs`, with all fields made by one function."""

        def make(count: int) -> Column:
            columns = fields(count)
            there = [self.random.random() >= self.nulls for _ in range(count)]
            rows = [
                {name: column.rows[i] for name, column in columns.items()} if it else None
                for i, it in enumerate(there)
            ]
            mask = None if all(there) else pa.array([not it for it in there])
            arrays = [column.array for column in columns.values()]
            traits = set().union(*(column.traits for column in columns.values()))
            if mask is not None:
                traits.add("null struct")
            return Column(rows, pa.StructArray.from_arrays(arrays, list(columns), mask=mask), traits)

        return make


def numbers(random: Random, kind: str, count: int) -> Column:
    """Numbers of all magnitudes, and sometimes the extremes."""
    dtype = np.dtype(kind)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = [random.choice([random.randint(0, 9), limits.min, limits.max]) for _ in range(count)]
    else:
        values = [random.choice([random.random() * 9, -0.0, float("inf"), 3]) for _ in range(count)]
    array = np.array(values, dtype)
    return Column(list(array), pa.array(array))


def others(random: Random, kind: str, count: int) -> Column:
    """Byte strings, and the other types of a column. The rows are the expected values of tensors."""
    words = [random.choice([b"", b"a", b"word", "zoë".encode(), b"\x00" * 20]) for _ in range(count)]
    if kind in ("string", "large_string", "string_view", "dictionary"):
        array = pa.array([word.decode() for word in words], pa.string())
        return Column(words, array.dictionary_encode() if kind == "dictionary" else array.cast(kind))
    if kind in ("binary", "large_binary", "binary_view"):
        return Column(words, pa.array(words, getattr(pa, kind)()))
    if kind == "fixed_size_binary":
        words = [(word + b"xyz")[:3] for word in words]
        return Column(words, pa.array(words, pa.binary(3)))
    values = np.array([random.randint(0, 9) for _ in range(count)], np.int64)
    if kind == "bool":
        return Column(list(values > 4), pa.array(values > 4))
    if kind == "date32":
        return Column(list(values.astype(np.int32)), pa.array(values.astype(np.int32)).cast(pa.date32()))
    return Column(list(values), pa.array(values).cast(pa.timestamp("us")))
