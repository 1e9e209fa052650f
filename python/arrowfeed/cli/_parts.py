"""The arrays inside of an Arrow array, of the rows that it shows and of no others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arrowfeed.cli._libraries import needed


def arrow() -> Any:
    """The pyarrow module.

    Raises:
        ImportError: It is not installed.
    """
    return needed("pyarrow", "to look into record batches")


class Branches(NamedTuple):
    """A dense union, taken apart."""

    codes: np.ndarray[Any, np.dtype[np.int8]]
    """Of each row, the number of its branch."""
    values: list[Any]
    """Of each branch, the values of its rows, in order."""


def record_batch(batch: Any) -> Any:
    """A batch of pyarrow. Columns of extension types are their storage, but for uuids, which stay."""
    found = arrow().record_batch(batch)
    columns = [column if not _is_other_extension(column.type) else column.storage for column in found.columns]
    return arrow().RecordBatch.from_arrays(columns, names=found.schema.names) if columns else found


def shown_type(kind: Any) -> Any:
    """The type that a column of this type has after `record_batch`."""
    return kind.storage_type if _is_other_extension(kind) else kind


def _is_other_extension(kind: Any) -> bool:
    return isinstance(kind, arrow().BaseExtensionType) and kind.extension_name != "arrow.uuid"


def is_list(kind: Any) -> bool:
    """Whether a row of the type is a list; a map is none."""
    types = arrow().types
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def is_text(kind: Any) -> bool:
    """Whether a row of the type is a string."""
    types = arrow().types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def is_bytes(kind: Any) -> bool:
    """Whether a row of the type is a byte string of any length."""
    types = arrow().types
    return types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind)


def offset_bytes(kind: Any) -> int:
    """Bytes of the offset or the view of a row; 0 where rows of the type have none."""
    types = arrow().types
    if types.is_large_list(kind) or types.is_large_string(kind) or types.is_large_binary(kind):
        return 8
    if types.is_fixed_size_list(kind):
        return 0
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return 16
    return 4 if is_list(kind) or is_text(kind) or is_bytes(kind) or types.is_map(kind) else 0


def present(array: Any) -> Any:
    """The values of an array that are not null.

    pyarrow's `drop_null` fails where all are null and the type has a uuid inside of it.
    """
    return array.filter(array.is_valid()) if array.null_count else array


def offsets(array: Any) -> np.ndarray[Any, Any]:
    """Where the items of each row of a list or map begin, from 0 on, and where the last ones end."""
    if len(array) == 0:
        return np.zeros(1, np.int32)
    if arrow().types.is_fixed_size_list(array.type):
        return np.arange(len(array) + 1) * array.type.list_size
    ends = array.offsets.to_numpy()
    return ends - ends[0]


def items(array: Any) -> Any:
    """The items of a list without nulls, of all its rows."""
    if arrow().types.is_fixed_size_list(array.type):
        return array.flatten()
    return _between(array, array.values)


def entries(array: Any) -> tuple[Any, Any]:
    """The keys and the values of a map, of all its rows."""
    return _between(array, array.keys), _between(array, array.items)


def branches(array: Any) -> Branches:
    """The branches of a dense union.

    Its buffers are read: pyarrow's `type_codes` and `offsets` are those of the array that it is a slice of.
    """
    _, codes, places = array.buffers()[:3]
    count, first = len(array), array.offset
    numbers = np.frombuffer(codes, np.int8, count, first) if count else np.empty(0, np.int8)
    ends = np.frombuffer(places, np.int32, count, 4 * first) if count else np.empty(0, np.int32)
    chosen = [ends[numbers == code] for code in array.type.type_codes]
    return Branches(numbers, [array.field(at).take(arrow().array(rows)) for at, rows in enumerate(chosen)])


def _between(array: Any, values: Any) -> Any:
    if len(array) == 0:
        return values.slice(0, 0)
    ends = array.offsets
    first, last = ends[0].as_py(), ends[-1].as_py()
    return values.slice(first, last - first)
