"""Sizes of pyarrow record batches, and the numbers of their cells, columns and values.

All batches of a pipeline pass through `size_and_cells`, which takes about 15 us for a column.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._libraries import needed
from arrowfeed.tfxio._layout import LISTS, byte_size, flattened, null_bytes, offsets_of
from arrowfeed.tfxio.array_util import get_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

pa: Any = needed("pyarrow", "for metrics of record batches")

_TYPES = {
    "INT": [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()],
    "FLOAT": [pa.float16(), pa.float32(), pa.float64()],
    "STRING": [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()],
    "NULL": [pa.null()],
}
_KINDS: dict[int, str] = {one.id: kind for kind, types in _TYPES.items() for one in types}
"""Kinds of values by the id of their type. All other types have the kind `OTHER`."""

_NULL = pa.null().id


def size_and_cells(batch: Any) -> tuple[int, dict[str, int]]:
    """Returns the size of a batch, and the number of its cells that are not null, by kind.

    The size is that of `table_util.TotalByteSize`, without columns of types that it does not support. The
    kind of a cell is that of the values in its list. Cells that are not lists, and lists of lists or structs,
    have the kind `OTHER`. All cells of a column of the type null are counted, with the kind `NULL`.
    """
    size, cells = 0, dict[str, int]()
    for column in batch.columns:
        with contextlib.suppress(NotImplementedError):
            size += byte_size(column)
        data_type, count = column.type, len(column)
        kind = "OTHER"
        if data_type.id == _NULL:
            kind = "NULL"
        else:
            count -= column.null_count
            if data_type.id in LISTS:
                kind = _kind(data_type.value_type)
        cells[kind] = cells.get(kind, 0) + count
    return size, cells


def columns_per_row(batch: Any) -> list[int]:
    """Returns the number of columns that are not null, for each row. Columns of the type null are counted."""
    counts = np.full(batch.num_rows, batch.num_columns)
    for column in batch.columns:
        if column.null_count:
            counts -= null_bytes(column)
    return counts.tolist()


def values_per_row(batch: Any) -> Iterator[tuple[str, list[int]]]:
    """Yields the kind of the values of each leaf column, and the number of its values for each row.

    Lists are flattened, and each field of a struct is a leaf, or contains leaves. A null that is not a list
    is a value.
    """
    rows: int = batch.num_rows
    splits = np.arange(rows + 1)
    for column in batch.columns:
        yield from _leaves(column, column.type, splits)


def _leaves(array: Any, data_type: Any, splits: npt.NDArray[np.int64]) -> Iterator[tuple[str, list[int]]]:
    """Yields the leaves of an array.

    Args:
        array: The array. A leaf may have other values, because only its type matters.
        data_type: The type of the values.
        splits: The values of row `i` are those from `splits[i]` to `splits[i + 1]`.
    """
    if data_type.id in LISTS:
        splits, data_type = _ends(array)[splits], data_type.value_type
        yield from _leaves(flattened(array) if data_type.num_fields else array, data_type, splits)
    elif pa.types.is_struct(data_type):
        for place in range(data_type.num_fields):
            yield from _leaves(get_field(array, place), data_type[place].type, splits)
    else:
        yield _kind(data_type), np.diff(splits).tolist()


def _ends(lists: Any) -> npt.NDArray[np.int64]:
    """Returns the end of each list in `lists.flatten()`, after a zero."""
    offsets = offsets_of(lists, LISTS)
    if not lists.null_count:
        return offsets - offsets[0]
    lengths = np.where(null_bytes(lists), 0, np.diff(offsets))
    return np.concatenate([[0], np.cumsum(lengths)])


def _kind(data_type: Any) -> str:
    return _KINDS.get(data_type.id, "OTHER")
