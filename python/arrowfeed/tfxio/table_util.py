"""Functions on record batches that replace those of `tfx_bsl.arrow.table_util`. Only the import line changes.

    from arrowfeed.tfxio import table_util    # from tfx_bsl.arrow import table_util

    for path, array in table_util.enumerate_arrays(batch, enumerate_leaves_only=True):
        print(path, array.type)

Names, arguments, results and exceptions are those of tfx_bsl. The functions use numpy and pyarrow only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._libraries import needed
from arrowfeed.tfxio._merge import merged
from arrowfeed.tfxio._status import arrow_errors, check_arrays
from arrowfeed.tfxio.array_util import (
    GetByteSize,
    ToSingletonListArray,
    flatten_nested,
    get_field,
    get_innermost_nested_type,
    is_list_like,
)
from arrowfeed.tfxio.path import ColumnPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

__all__ = [
    "CanonicalizeRecordBatch",
    "MergeRecordBatches",
    "NumpyKindToArrowType",
    "RecordBatchTake",
    "TotalByteSize",
    "enumerate_arrays",
    "get_array",
]

pa: Any = needed("pyarrow", "for the functions on record batches")

_ARROW_TYPES = {
    "b": pa.int8(),
    "f": pa.float64(),
    "i": pa.int64(),
    "u": pa.uint64(),
    **dict.fromkeys("OSU", pa.large_binary()),
}
"""The types of TFX, by the kind of a numpy dtype."""


def TotalByteSize(table_or_batch: Any, ignore_unsupported: bool = False) -> int:  # noqa: FBT001, FBT002, N802
    """Returns the number of bytes in the buffers of all columns, as `array_util.GetByteSize` counts them.

    Buffers that columns share are counted for each of them.

    Args:
        table_or_batch: A `pyarrow.Table` or a `pyarrow.RecordBatch`.
        ignore_unsupported: Whether to leave out columns of types that `GetByteSize` does not support.

    Raises:
        RuntimeError: The type of a column is not supported.
    """
    if isinstance(table_or_batch, pa.Table):
        return sum(TotalByteSize(batch, ignore_unsupported) for batch in table_or_batch.to_batches())
    return sum(_column_size(column, ignore_unsupported) for column in table_or_batch.columns)


def NumpyKindToArrowType(kind: str) -> Any | None:  # noqa: N802
    """Returns the type of TFX for the kind of a numpy dtype: `int64` for "i". Other kinds give None."""
    return _ARROW_TYPES.get(kind)


def MergeRecordBatches(record_batches: list[Any]) -> Any:  # noqa: N802
    """Returns one record batch with the rows of all batches.

    A column that a batch does not have is null in its rows. Columns of the same name may have different types
    in these cases:

    - One type is null.
    - Both are `list`, or both are `large_list`, and the types of their values can be merged.
    - Both are structs, and their fields of the same name can be merged. A field that one of the structs does
      not have is null there.

    No batches give a batch without columns and rows.

    Raises:
        AssertionError: All batches are empty.
        RuntimeError: Columns of the same name have other types.
    """
    if not record_batches:
        return pa.RecordBatch.from_arrays([], [])
    if not any(batch.num_rows for batch in record_batches):
        raise AssertionError("Unable to merge empty RecordBatches.")
    schema = record_batches[0].schema
    if len(schema) and all(batch.schema.equals(schema) for batch in record_batches):
        return pa.Table.from_batches(record_batches).combine_chunks().to_batches()[0]
    return merged(record_batches)


def RecordBatchTake(record_batch: Any, indices: Any) -> Any:  # noqa: N802
    """Returns a record batch of the rows at these indices, an array of integers. A null gives a row of nulls.

    Raises:
        RuntimeError: An index is not that of a row, or the type of the indices is not an integer type.
    """
    check_arrays(indices)
    with arrow_errors():
        return record_batch.take(indices)


def CanonicalizeRecordBatch(record_batch_with_primitive_arrays: Any) -> Any:  # noqa: N802
    """Returns a record batch with large lists of the types of TFX.

    Values without lists become lists of one value. Signed integers become `int64`, unsigned integers
    `uint64`, floats `double`, bools `int8`, strings and binary values `large_binary`.

    Raises:
        NotImplementedError: A type has no such type.
    """
    columns: list[Any] = []
    for column in record_batch_with_primitive_arrays.columns:
        kind = _canonical_type(column.type)
        cast = column if kind == column.type else column.cast(kind)
        columns.append(cast if is_list_like(kind) else ToSingletonListArray(cast))
    return pa.RecordBatch.from_arrays(columns, record_batch_with_primitive_arrays.schema.names)


def enumerate_arrays(
    record_batch: Any,
    enumerate_leaves_only: bool,  # noqa: FBT001
    wrap_flat_struct_in_list: bool = True,  # noqa: FBT001, FBT002
) -> Iterator[tuple[ColumnPath, Any]]:
    """Yields the path and the array of each column, and of each field of the structs in it.

    The lists around structs are flattened before their fields are yielded, so the array of a field has one
    value for each struct.

    Args:
        record_batch: The record batch.
        enumerate_leaves_only: Whether to leave out arrays of structs. Their fields are yielded in any case.
        wrap_flat_struct_in_list: Whether to yield structs that are not in a list as lists of one struct.
    """
    for name, column in zip(record_batch.schema.names, record_batch.columns, strict=True):
        yield from _arrays(ColumnPath([name]), column, enumerate_leaves_only, wrap_flat_struct_in_list)


def get_array(
    record_batch: Any,
    query_path: ColumnPath,
    return_example_indices: bool,  # noqa: FBT001
    wrap_flat_struct_in_list: bool = True,  # noqa: FBT001, FBT002
) -> tuple[Any, npt.NDArray[np.int64] | None]:
    """Returns the array of a path, as `enumerate_arrays` yields it, and the row of each of its values.

    Args:
        record_batch: The record batch.
        query_path: The path: a `ColumnPath`, or another class whose `steps()` are the names.
        return_example_indices: Whether to return the rows. Otherwise the second result is None.
        wrap_flat_struct_in_list: Whether to return structs that are not in a list as lists of one struct.

    Raises:
        KeyError: The path is empty, or the record batch does not have it.
    """
    steps = query_path.steps()
    if not steps:
        raise KeyError("query_path must be non-empty.")
    place = record_batch.schema.get_field_index(steps[0])
    if place < 0:
        raise KeyError(f"query_path step 0 ({steps[0]}) not in record batch.")
    array = record_batch.column(place)
    rows: npt.NDArray[np.int64] | None = np.arange(len(array)) if return_example_indices else None
    for depth, step in enumerate(steps[1:], 1):
        if not pa.types.is_struct(get_innermost_nested_type(array.type)):
            raise KeyError(
                f"Cannot process query_path ({ColumnPath(steps[depth:])}) inside an array of type "
                f"{array.type}. Expecting a struct<...> or (large_)list...<struct<...>>."
            )
        structs, owners = flatten_nested(array, rows is not None)
        if rows is not None:
            rows = rows[owners]
        try:
            array = get_field(structs, step)
        except KeyError as error:
            raise KeyError(f"query_path step ({step}) not in struct.") from error
    if wrap_flat_struct_in_list and pa.types.is_struct(array.type):
        array = ToSingletonListArray(array)
    return array, rows


def _column_size(column: Any, ignore_unsupported: bool) -> int:  # noqa: FBT001
    try:
        return GetByteSize(column)
    except NotImplementedError:
        if ignore_unsupported:
            return 0
        raise


def _canonical_type(kind: Any) -> Any:
    if is_list_like(kind):
        return pa.large_list(_canonical_type(kind.value_type))
    found = NumpyKindToArrowType(np.dtype(kind.to_pandas_dtype()).kind)
    if found is None:
        raise NotImplementedError(f"Type {kind} is not supported.")
    return found


def _arrays(
    path: ColumnPath,
    array: Any,
    leaves_only: bool,  # noqa: FBT001
    wrap: bool,  # noqa: FBT001
) -> Iterator[tuple[ColumnPath, Any]]:
    if not pa.types.is_struct(get_innermost_nested_type(array.type)):
        yield path, array
        return
    if not leaves_only:
        flat = pa.types.is_struct(array.type)
        yield path, ToSingletonListArray(array) if flat and wrap else array
    structs, _ = flatten_nested(array)
    for field in structs.type:
        yield from _arrays(path.child(field.name), get_field(structs, field.name), leaves_only, wrap)
