"""Functions on pyarrow arrays that replace those of `tfx_bsl.arrow.array_util`. Only the import line changes.

    from arrowfeed.tfxio import array_util    # from tfx_bsl.arrow import array_util

    lengths = array_util.GetElementLengths(batch.column("scores"))

Names, arguments, results and exceptions are those of tfx_bsl. The functions use numpy and pyarrow only. They
accept slices, and share the memory of their arguments where a result has the same values.

Each function raises RuntimeError if an argument is not an array. A type that a function does not support is a
NotImplementedError, which is also a RuntimeError; its text starts with `UNIMPLEMENTED`, as in tfx_bsl.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._libraries import needed
from arrowfeed.tfxio._layout import (
    BYTES,
    LISTS,
    OFFSETS,
    STRINGS,
    byte_size,
    flattened,
    null_bytes,
    offsets_of,
)
from arrowfeed.tfxio._status import arrow_errors, check_arrays, internal, unimplemented

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "CooFromListArray",
    "CountInvalidUTF8",
    "FillNullLists",
    "GetArrayNullBitmapAsByteArray",
    "GetBinaryArrayTotalByteSize",
    "GetByteSize",
    "GetElementLengths",
    "GetFlattenedArrayParentIndices",
    "IndexIn",
    "ListLengthsFromListArray",
    "MakeListArrayFromParentIndicesAndValues",
    "ToSingletonListArray",
    "flatten_nested",
    "get_field",
    "get_innermost_nested_type",
    "is_list_like",
]

pa: Any = needed("pyarrow", "for the functions on arrays")
pc: Any = needed("pyarrow.compute", "for the functions on arrays")

_UTF8 = (
    r"\A(?:[\x00-\x7F]|[\xC2-\xDF][\x80-\xBF]"
    r"|\xE0[\xA0-\xBF][\x80-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}|\xED[\x80-\x9F][\x80-\xBF]"
    r"|\xF0[\x90-\xBF][\x80-\xBF]{2}|[\xF1-\xF3][\x80-\xBF]{3}|\xF4[\x80-\x8F][\x80-\xBF]{2})*\z"
)
"""Matches the bytes of a valid UTF-8 string (the Unicode standard, table 3-7)."""


def GetElementLengths(array: Any) -> Any:  # noqa: N802
    """Returns the length of each list, string or binary value as an array of int64. A null has the length 0.

    `[[1, 2, 3], [], None, [4, 5]]` gives `[3, 0, 0, 2]`.

    Raises:
        RuntimeError: The type is not a list, a string or a binary type.
    """
    return pa.array(np.diff(offsets_of(array, OFFSETS)).astype(np.int64, copy=False))


def ListLengthsFromListArray(array: Any) -> Any:  # noqa: N802
    """Returns `GetElementLengths(array)`. The name is deprecated in tfx_bsl."""
    return GetElementLengths(array)


def GetFlattenedArrayParentIndices(array: Any) -> Any:  # noqa: N802
    """Returns, for each value in the lists, the index of its list.

    `[[1, 2, 3], [], None, [4, 5]]` gives `[0, 0, 0, 3, 3]`. The indices of a `ListArray` are int32, and those
    of a `LargeListArray` are int64.

    Raises:
        RuntimeError: The type is not a list type, or the offsets decrease.
    """
    offsets = offsets_of(array, LISTS)
    lengths = np.diff(offsets)
    if len(lengths) and lengths.min() < 0:
        place = int(np.argmax(lengths < 0))
        raise internal(
            f"Out-of-order ListArray offsets encountered at index {place}. This should never happen!"
        )
    return pa.array(np.repeat(np.arange(len(lengths), dtype=offsets.dtype), lengths))


def GetArrayNullBitmapAsByteArray(array: Any) -> Any:  # noqa: N802
    """Returns an array of uint8 with 1 for each null and 0 for each other value.

    The result can be viewed as a numpy array of bool: `result.to_numpy().view(bool)`. An array of the type
    `null` has no bitmap, and gives zeros as in tfx_bsl.
    """
    check_arrays(array)
    return pa.array(null_bytes(array))


def GetBinaryArrayTotalByteSize(array: Any) -> int:  # noqa: N802
    """Returns the number of bytes in all values of a string or binary array, without offsets and bitmap.

    Raises:
        RuntimeError: The type is not a string or a binary type.
    """
    offsets = offsets_of(array, {**BYTES, **STRINGS})
    return int(offsets[-1]) - int(offsets[0])


def IndexIn(values: Any, value_set: Any) -> Any:  # noqa: N802
    """Returns, for each value, its index in `value_set` as int32, or null if it is not there.

    `[99, 42, 3, None]` in `[3, 99]` gives `[1, None, 0, None]`, and in `[3, 99, None]` it gives
    `[1, None, 0, 2]`.

    As in tfx_bsl, strings and binary values are numbered by the distinct values of `value_set`: "b" has the
    index 1 in `["a", "a", "b"]`. A null in `values` is then found only if the first value of `value_set` is
    not null. Other types have the index of the first occurrence, and nulls are found everywhere.

    Raises:
        RuntimeError: The types differ, and `value_set` is not empty. Large and small types of strings, or of
            binary values, may be mixed.
    """
    check_arrays(values, value_set)
    skip_nulls = False
    for wide, ids in ((pa.large_string(), STRINGS), (pa.large_binary(), BYTES)):
        if values.type.id in ids and value_set.type.id in ids:
            value_set = value_set.unique()
            skip_nulls = len(value_set) > 0 and not value_set[0].is_valid
            if values.type != value_set.type:
                values, value_set = values.cast(wide), value_set.cast(wide)
    if values.type != value_set.type:
        if len(value_set) == 0:
            return pa.nulls(len(values), pa.int32())
        raise internal(f"Array type didn't match type of values set: {values.type} vs {value_set.type}")
    with arrow_errors():
        return pc.index_in(values, value_set=value_set, skip_nulls=skip_nulls)


def MakeListArrayFromParentIndicesAndValues(  # noqa: N802
    num_parents: int,
    parent_indices: Any,
    values: Any,
    empty_list_as_null: bool = True,  # noqa: FBT001, FBT002
) -> Any:
    """Returns a `LargeListArray` whose lists consist of the values with equal parent indices.

    Six parents with the indices `[0, 1, 1, 3, 3]` and the values `[0, 1, 2, 3, 4]` give
    `[[0], [1, 2], None, [3, 4], None, None]`. The lists share the memory of the values.

    Args:
        num_parents: Number of lists. It is larger than all indices.
        parent_indices: An array of int64, in increasing order, with one index for each value.
        values: The values of the lists, an array of any type.
        empty_list_as_null: Whether a list without values is null. Otherwise it is an empty list.

    Raises:
        RuntimeError: The indices are not int64, their number is not that of the values, an index is not less
            than `num_parents`, or the indices are negative, null or not in increasing order.
        TypeError: `num_parents` is not an integer, or is negative.
    """
    count = operator.index(num_parents)
    if count < 0:
        raise TypeError(f"num_parents: expected 0 or more, found {num_parents}")
    check_arrays(parent_indices, values)
    if not parent_indices.type.equals(pa.int64()):
        raise _invalid_argument("Parent indices array must be int64.")
    if len(parent_indices) != len(values):
        raise _invalid_argument(
            "values array and parent indices array must be of the same length: "
            f"{len(values)} v.s. {len(parent_indices)}"
        )
    if parent_indices.null_count:
        raise _invalid_argument("expected parent indices without nulls, found a null")
    indices: npt.NDArray[np.int64] = parent_indices.to_numpy()
    if len(indices):
        if indices[-1] >= count:
            raise _invalid_argument(f"Found a parent index {indices[-1]} while num_parents was {count}")
        if indices[0] < 0 or (indices[1:] < indices[:-1]).any():
            raise _invalid_argument("expected parent indices in increasing order, from 0")
    offsets = np.zeros(count + 1, np.int64)
    lengths = np.bincount(indices, minlength=count)
    np.cumsum(lengths, out=offsets[1:])
    return _large_list(offsets, values, lengths > 0 if empty_list_as_null else None)


def CooFromListArray(list_array: Any) -> tuple[Any, Any]:  # noqa: N802
    """Returns the coordinates of the values of nested lists in a sparse tensor, and its dense shape.

    `[["a", "b"], ["c"], []]` gives the coordinates `[0, 0, 0, 1, 1, 0]` and the shape `[3, 2]`.

    Args:
        list_array: Lists of any depth, of any values. Small and large lists may be mixed.

    Returns:
        Two arrays of int64: the coordinates of all values, one after the other, and the smallest dense shape
        that contains them. Lists with the depth N have N + 1 coordinates for each value.
    """
    check_arrays(list_array)
    values = list_array
    splits: list[npt.NDArray[np.int64]] = []
    while values.type.id in LISTS:
        offsets = offsets_of(values, LISTS)
        splits.append((offsets - offsets[0]).astype(np.int64, copy=False))
        values = values.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    coordinates = np.empty((len(values), len(splits) + 1), np.int64)
    shape = [len(list_array), *(int(np.diff(one).max(initial=0)) for one in splits)]
    # Where the innermost values of each list start and end. It is None for the innermost values themselves.
    ends: npt.NDArray[np.int64] | None = None
    for place in range(len(splits), 0, -1):
        split = splits[place - 1]
        within = np.arange(int(split[-1])) - np.repeat(split[:-1], np.diff(split))
        coordinates[:, place] = within if ends is None else np.repeat(within, np.diff(ends))
        ends = split if ends is None else ends[split]
    rows = np.arange(len(list_array))
    coordinates[:, 0] = rows if ends is None else np.repeat(rows, np.diff(ends))
    return pa.array(coordinates.ravel()), pa.array(shape, pa.int64())


def FillNullLists(list_array: Any, fill_with: Any) -> Any:  # noqa: N802
    """Returns the lists, with a list of all values in `fill_with` for each null.

    `[[1], None]` with `[7, 8]` gives `[[1], [7, 8]]`. Lists without nulls are returned as they are.

    Raises:
        RuntimeError: The type is not a list type, or its type of values is not that of `fill_with`.
    """
    check_arrays(list_array, fill_with)
    if not is_list_like(list_array.type):
        raise unimplemented(list_array.type)
    wanted, found = list_array.type.value_type, fill_with.type
    if not wanted.equals(found):
        raise internal(
            f"Expected a `fill_with` to be of the same type as `list_array`'s value_type, {wanted} "
            f"but got: {found}"
        )
    if list_array.null_count == 0:
        return list_array
    ends = pa.py_buffer(np.array([0, len(fill_with)], OFFSETS[list_array.type.id]))
    filler = pa.Array.from_buffers(list_array.type, 1, [None, ends], children=[fill_with])
    places = np.arange(len(list_array))
    places[null_bytes(list_array) == 1] = len(list_array)
    with arrow_errors():
        return pa.concat_arrays([list_array, filler]).take(pa.array(places))


def GetByteSize(array: Any) -> int:  # noqa: N802
    """Returns the number of bytes in the buffers of the values of an array, with offsets and bitmaps.

    A slice counts only its own values, except that structs in lists are counted with all values of the array
    that the slice was taken from, as in tfx_bsl.

    Raises:
        RuntimeError: The type, or a type in it, is not a null, a bool, a number (float16 is not supported), a
            string, a binary value, a list or a struct.
    """
    check_arrays(array)
    return byte_size(array)


def CountInvalidUTF8(array: Any) -> int:  # noqa: N802
    """Returns the number of values that are not valid UTF-8. Nulls are not counted.

    Raises:
        RuntimeError: The type is not a string or a binary type.
    """
    check_arrays(array)
    if array.type.id not in BYTES | STRINGS:
        raise unimplemented(array.type)
    wide = OFFSETS[array.type.id] is np.int64
    values = array.cast(pa.large_binary() if wide else pa.binary())
    try:
        values.cast(pa.large_string() if wide else pa.string())
    except pa.ArrowInvalid:
        valid = pc.match_substring_regex(values, _UTF8)
        return len(valid) - valid.null_count - valid.true_count
    return 0


def ToSingletonListArray(array: Any) -> Any:  # noqa: N802
    """Returns a `LargeListArray` with a list of one value for each value, and a null for each null.

    `[1, None]` gives `[[1], None]`. The lists share the memory of an array without nulls.
    """
    if array.null_count == 0:
        return _large_list(np.arange(len(array) + 1), array)
    valid = null_bytes(array) == 0
    offsets = np.zeros(len(array) + 1, np.int64)
    np.cumsum(valid, out=offsets[1:])
    values = array if valid.all() else array.filter(pa.array(valid))
    return _large_list(offsets, values, valid)


def is_list_like(data_type: Any) -> bool:
    """Returns whether a type is `list` or `large_list`."""
    return data_type.id in LISTS


def get_innermost_nested_type(arrow_type: Any) -> Any:
    """Returns the type of the values in lists of any depth: `int64` for `list<list<int64>>`."""
    while is_list_like(arrow_type):
        arrow_type = arrow_type.value_type
    return arrow_type


def flatten_nested(
    array: Any,
    return_parent_indices: bool = False,  # noqa: FBT001, FBT002
) -> tuple[Any, npt.NDArray[np.int64] | None]:
    """Returns the values in lists of any depth, and the row of each value.

    `[[[1, 2]], None, [None, [3]]]` gives `[1, 2, 3]` and the rows `[0, 0, 2]`. An array without lists is
    returned as it is. Values that are stored under a null list are in neither of the two results.

    Args:
        array: The lists.
        return_parent_indices: Whether to return the rows. Otherwise the second result is None.
    """
    rows: npt.NDArray[np.int64] | None = None
    while is_list_like(array.type):
        if return_parent_indices:
            owners = _owners(array)
            rows = owners if rows is None else rows[owners]
        array = flattened(array)
    if return_parent_indices and rows is None:
        rows = np.arange(len(array))
    return array, rows


def get_field(struct_array: Any, field: str | int) -> Any:
    """Returns a field of structs. Its values are null where the struct is null.

    `pyarrow.StructArray.field` returns the stored values there.

    Args:
        struct_array: The structs.
        field: The name or the position of the field.

    Raises:
        KeyError: No field has this name, or several fields have it.
    """
    stored = struct_array.field(field)
    if struct_array.null_count == 0:
        return stored
    kind = struct_array.type
    place = kind.get_field_index(field) if isinstance(field, str) else range(kind.num_fields)[field]
    return pc.struct_field(struct_array, [place])


def _owners(array: Any) -> npt.NDArray[Any]:
    """Returns the index of the list of each value in `array.flatten()`. Null lists have no values there."""
    offsets = offsets_of(array, LISTS)
    lengths = np.diff(offsets)
    if array.null_count:
        lengths[null_bytes(array) == 1] = 0
    return np.repeat(np.arange(len(lengths), dtype=offsets.dtype), lengths)


def _large_list(
    offsets: npt.NDArray[np.int64], values: Any, valid: npt.NDArray[np.bool_] | None = None
) -> Any:
    """Returns lists of the values. `valid`: whether each list is not null; without it, no list is null."""
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    kind = pa.large_list(values.type)
    return pa.Array.from_buffers(kind, len(offsets) - 1, [bitmap, pa.py_buffer(offsets)], children=[values])


def _invalid_argument(message: str) -> RuntimeError:
    return RuntimeError(f"INVALID_ARGUMENT: {message}")
