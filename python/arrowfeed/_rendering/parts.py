"""Child arrays of an Arrow array, restricted to the rows of a slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
else:
    from arrowfeed._rendering import lazy_numpy as np


from arrowfeed._libraries import needed


def arrow() -> Any:
    """The pyarrow module.

    Raises:
        ImportError: pyarrow is not installed.
    """
    return needed("pyarrow", "to look into record batches")


def numbers(array: Any) -> np.ndarray[Any, Any]:
    """The numbers of an array without nulls, over its memory.

    `pyarrow.Array.to_numpy` and `pyarrow.array` import pandas, which takes a fifth of a second and may lose a
    Ctrl-C.
    """
    return np.from_dlpack(array) if len(array) else np.empty(0, array.type.to_pandas_dtype())


class Branches(NamedTuple):
    """The parts of a dense union."""

    codes: np.ndarray[Any, np.dtype[np.int8]]
    """The type code of each row."""
    values: list[Any]
    """The values of the rows of each branch, in order."""


def record_batch(batch: Any) -> Any:
    """Converts to a pyarrow batch, with extension types replaced by their storage, except uuids."""
    found = arrow().record_batch(batch)
    columns = [column if not _is_other_extension(column.type) else column.storage for column in found.columns]
    return arrow().RecordBatch.from_arrays(columns, names=found.schema.names) if columns else found


def shown_type(kind: Any) -> Any:
    """The type of such a column after `record_batch`."""
    return kind.storage_type if _is_other_extension(kind) else kind


def _is_other_extension(kind: Any) -> bool:
    return isinstance(kind, arrow().BaseExtensionType) and kind.extension_name != "arrow.uuid"


def is_list(kind: Any) -> bool:
    """Whether a row of the type is a list. A map is not a list."""
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
    """Bytes of the offset or the view of a row; 0 for types without offsets."""
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

    pyarrow's `drop_null` fails if all values are null and the type contains a uuid.
    """
    return array.filter(array.is_valid()) if array.null_count else array


def offsets(array: Any) -> np.ndarray[Any, Any]:
    """The start offsets of the items of each row of a list or map, from 0, and the end of the last row."""
    if len(array) == 0:
        return np.zeros(1, np.int32)
    if arrow().types.is_fixed_size_list(array.type):
        return np.arange(len(array) + 1) * array.type.list_size
    ends = numbers(array.offsets)
    return ends - ends[0]


def items(array: Any) -> Any:
    """The items of all rows of a list without nulls."""
    if arrow().types.is_fixed_size_list(array.type):
        return array.flatten()
    return _between(array, array.values)


def entries(array: Any) -> tuple[Any, Any]:
    """The keys and the values of all rows of a map."""
    return _between(array, array.keys), _between(array, array.items)


def branches(array: Any) -> Branches:
    """Splits a dense union into its branches.

    It reads the buffers, because the `type_codes` and `offsets` of pyarrow ignore the slice.
    """
    _, codes, places = array.buffers()[:3]
    count, first = len(array), array.offset
    kinds = np.frombuffer(codes, np.int8, count, first) if count else np.empty(0, np.int8)
    ends = np.frombuffer(places, np.int32, count, 4 * first) if count else np.empty(0, np.int32)
    chosen = [ends[kinds == code] for code in array.type.type_codes]
    return Branches(kinds, [array.field(at).take(int32(rows)) for at, rows in enumerate(chosen)])


def int32(values: np.ndarray[Any, np.dtype[np.int32]]) -> Any:
    """The pyarrow array of integers."""
    pa = arrow()
    return pa.Array.from_buffers(pa.int32(), len(values), [None, pa.py_buffer(values)])


def _between(array: Any, values: Any) -> Any:
    if len(array) == 0:
        return values.slice(0, 0)
    ends = array.offsets
    first, last = ends[0].as_py(), ends[-1].as_py()
    return values.slice(first, last - first)
