"""The expected tensors of plain rows, computed row by row. Simple instead of fast."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


class RefusedError(Exception):
    """These rows have no tensor."""


def flat(rows: Sequence[Any], dtype: np.dtype) -> np.ndarray:
    """Values in one array. A null is an error."""
    if any(row is None for row in rows):
        raise RefusedError("null")
    if not dtype.hasobject:
        return np.array(rows, dtype)
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


def dense(rows: list, shape: list[int], dtype: np.dtype, default: Any = None) -> tuple:
    """Rows of one shape. A null row becomes the default."""
    size = int(np.prod(shape, dtype=int))
    values = []
    for row in rows:
        found = [default] * size if row is None and default is not None else row
        if found is None or len(found) != size:
            raise RefusedError("length")
        values.extend(found)
    return ("dense", flat(values, dtype).reshape([len(rows), *shape]))


def varlen(rows: list, dtype: np.dtype) -> tuple:
    """Lists. A null list is empty."""
    lists = [row or [] for row in rows]
    indices = [(i, j) for i, row in enumerate(lists) for j in range(len(row))]
    shape = [len(lists), max(map(len, lists), default=0)]
    return sparse_parts(indices, flat([value for row in lists for value in row], dtype), shape)


def sparse(
    values: list, indices: list[list], sizes: list[int], dtype: np.dtype, *, keep_order: bool
) -> tuple:
    """Values and their columns of indices. The entries of a row are sorted by index."""
    entries = []
    for row, value in enumerate(values):
        columns = [value or [], *(column[row] or [] for column in indices)]
        if len({len(column) for column in columns}) > 1:
            raise RefusedError("length")
        found = [(tuple(index), item) for item, *index in zip(*columns, strict=True)]
        for index, _ in found:
            check_index(index, sizes)
        found = found if keep_order else sorted(found, key=lambda entry: entry[0])
        entries += [((row, *index), item) for index, item in found]
    largest = [max((index[i + 1] for index, _ in entries), default=-1) for i in range(len(sizes))]
    shape = [size if size >= 0 else most + 1 for size, most in zip(sizes, largest, strict=True)]
    items = flat([item for _, item in entries], dtype)
    return sparse_parts([index for index, _ in entries], items, [len(values), *shape])


def check_index(index: tuple, sizes: list[int]) -> None:
    """Checks that an index exists and is inside its dimension."""
    for position, size in zip(index, sizes, strict=True):
        if position is None or position < 0 or (size >= 0 and position >= size):
            raise RefusedError("index")


def sparse_parts(indices: list, values: np.ndarray, shape: list[int]) -> tuple:
    """The three parts as arrays."""
    return ("sparse", np.array(indices, np.int64).reshape(-1, len(shape)), values, np.array(shape, np.int64))


def along(value: Any, path: Sequence[str], lists: Sequence[int]) -> Any:
    """Nested lists of the values at the end of a path of fields.

    `lists[i]` is the number of lists before the struct that has `path[i]`; the last, those before the values.
    """
    if lists[0]:
        rest = (lists[0] - 1, *lists[1:])
        return [along(item, path, rest) for item in value or []]
    if path:
        return along(None if value is None else value[path[0]], path[1:], lists[1:])
    return value


def divided(values: list, partitions: Sequence[int | str], lengths: dict[str, list]) -> list:
    """One list of values as the partitions divide it, from the inside out."""
    for partition in reversed(partitions):
        if isinstance(partition, int):
            if len(values) % partition:
                raise RefusedError("partition")
            sizes = [partition] * (len(values) // partition)
        else:
            sizes = lengths[partition]
            if any(size is None or size < 0 for size in sizes) or sum(sizes) != len(values):
                raise RefusedError("partition")
        ends = np.cumsum([0, *sizes])
        values = [values[start:end] for start, end in pairwise(ends)]
    return values


def ragged(rows: list, rank: int, inner: list[int], dtype: np.dtype, splits: str) -> tuple:
    """Nested lists as flat values and row splits."""
    levels = []
    for _ in range(rank):
        levels.append(np.cumsum([0, *(len(row) for row in rows)]).astype(splits))
        rows = [item for row in rows for item in row]
    for _ in inner:
        rows = [item for row in rows for item in row]
    return ("ragged", flat(rows, dtype).reshape([-1, *inner] if rows or not inner else [0, *inner]), *levels)
