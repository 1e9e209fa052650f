"""The buffers of pyarrow arrays: offsets, bitmaps, and their sizes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._libraries import needed
from arrowfeed.tfxio._status import check_arrays, unimplemented

if TYPE_CHECKING:
    import numpy.typing as npt

pa: Any = needed("pyarrow", "for the functions on arrays")

LISTS = {pa.list_(pa.null()).id: np.int32, pa.large_list(pa.null()).id: np.int64}
BYTES = {pa.binary().id: np.int32, pa.large_binary().id: np.int64}
STRINGS = {pa.string().id: np.int32, pa.large_string().id: np.int64}
OFFSETS: dict[int, type[np.int32 | np.int64]] = {**LISTS, **BYTES, **STRINGS}
"""The types of offsets, by the id of the type of an array."""

_OFFSET_FORMATS = {kind: struct.Struct("=q" if of is np.int64 else "=i") for kind, of in OFFSETS.items()}

_BITS: dict[int, int] = {
    pa.null().id: 0,
    pa.bool_().id: 1,
    **{pa.type_for_alias(f"{sign}int{bits}").id: bits for sign in ("", "u") for bits in (8, 16, 32, 64)},
    pa.float32().id: 32,
    pa.float64().id: 64,
}
"""The number of bits of a value, by the id of the type of an array. `GetByteSize` supports these numbers."""


def offsets_of(array: Any, types: dict[int, type[np.int32 | np.int64]]) -> npt.NDArray[Any]:
    """Returns the offsets of the values of an array, without a copy. They start anywhere if it is a slice.

    Raises:
        RuntimeError: The type is not among `types`.
    """
    check_arrays(array)
    kind = types.get(array.type.id)
    if kind is None:
        raise unimplemented(array.type)
    if len(array) == 0:
        return np.zeros(1, kind)
    return np.frombuffer(array.buffers()[1], kind, len(array) + 1, array.offset * np.dtype(kind).itemsize)


def null_bytes(array: Any) -> npt.NDArray[np.uint8]:
    """Returns 1 for each null of an array, and 0 for each other value."""
    bitmap = array.buffers()[0]
    if bitmap is None or len(array) == 0:
        return np.zeros(len(array), np.uint8)
    first, skipped = divmod(array.offset, 8)
    stored = np.frombuffer(bitmap, np.uint8, (skipped + len(array) + 7) // 8, first)
    return np.unpackbits(~stored, count=skipped + len(array), bitorder="little")[skipped:]


def flattened(lists: Any) -> Any:
    """Returns the values in lists. Values that are stored under a null list are left out."""
    # An array without lists may have an empty buffer of offsets, as after Arrow IPC. `flatten` then reads
    # the first offset outside of the buffer, and may abort the process.
    return lists.flatten() if len(lists) else lists.values.slice(0, 0)


def byte_size(array: Any, first: int = 0, count: int | None = None) -> int:
    """Returns the number of bytes in the buffers of the values of an array, with offsets and bitmaps.

    Args:
        array: The array.
        first: The first value that is counted.
        count: Number of values. None: all of them.

    Raises:
        NotImplementedError: The type, or a type in it, is not supported.
    """
    count = len(array) if count is None else count
    kind = array.type
    bits = _BITS.get(kind.id)
    if bits is not None:
        return _fixed_size(count, bits, array.buffers()[0]) if bits else 0
    form = _OFFSET_FORMATS.get(kind.id)
    buffers = array.buffers()
    if form is None:
        if not pa.types.is_struct(kind):
            raise unimplemented(kind)
        fields = sum(byte_size(array.field(place)) for place in range(kind.num_fields))
        return _fixed_size(count, 0, buffers[0]) + fields
    size = _fixed_size(count, 0, buffers[0]) + (count + 1) * form.size
    begin = end = 0
    if len(array):
        start = (array.offset + first) * form.size
        (begin,) = form.unpack_from(buffers[1], start)
        (end,) = form.unpack_from(buffers[1], start + count * form.size)
    if kind.id not in LISTS:
        return size + end - begin
    # Lists of numbers are frequent, and the array of their values is not needed.
    bits = _BITS.get(kind.value_type.id)
    if bits:
        return size + _fixed_size(end - begin, bits, buffers[2])
    return size + byte_size(array.values, begin, end - begin)


def _fixed_size(count: int, bits: int, bitmap: Any) -> int:
    """Returns the size of values of a number of bits, and of their bitmap, if there is one."""
    size = (count * bits + 7) // 8
    return size if bitmap is None else size + (count + 7) // 8
