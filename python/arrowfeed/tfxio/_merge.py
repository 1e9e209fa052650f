"""Record batches with different columns as one batch, for `table_util.MergeRecordBatches`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._libraries import needed
from arrowfeed.tfxio._status import arrow_errors, unimplemented
from arrowfeed.tfxio.array_util import is_list_like

if TYPE_CHECKING:
    from collections.abc import Iterable

pa: Any = needed("pyarrow", "for the functions on record batches")


def merged(batches: list[Any]) -> Any:
    """Returns one batch with the rows of all batches and the columns of any of them.

    Raises:
        RuntimeError: Columns of the same name have types that cannot be merged.
    """
    names = list(dict.fromkeys(name for batch in batches for name in batch.schema.names))
    known = [set(batch.schema.names) for batch in batches]
    columns = [
        _column(
            [
                batch.column(name) if name in own else pa.nulls(batch.num_rows)
                for batch, own in zip(batches, known, strict=True)
            ]
        )
        for name in names
    ]
    rows = sum(batch.num_rows for batch in batches)
    fields = [pa.field(name, column.type) for name, column in zip(names, columns, strict=True)]
    # A batch without columns has a number of rows only if it is made from structs.
    structs = pa.Array.from_buffers(pa.struct(fields), rows, [None], children=columns)
    return pa.RecordBatch.from_struct_array(structs)


def _column(parts: list[Any]) -> Any:
    """Returns the values of all parts, promoted to one type."""
    kind = pa.null()
    for part in parts:
        kind = _merged_type(kind, part.type)
    with arrow_errors():
        return pa.concat_arrays([_promoted(part, kind) for part in parts])


def _merged_type(one: Any, other: Any) -> Any:
    """Returns the type that values of both types can be promoted to."""
    if pa.types.is_null(other) or one.equals(other):
        return one
    if pa.types.is_null(one):
        return other
    if one.id != other.id:
        raise RuntimeError(f"FAILED_PRECONDITION: Unable to merge incompatible type: {one} vs {other}")
    if is_list_like(one):
        values = _merged_type(one.value_type, other.value_type)
        return pa.list_(values) if pa.types.is_list(one) else pa.large_list(values)
    if pa.types.is_struct(one):
        return pa.struct(_merged_fields(one, other))
    raise unimplemented(f"Merging nested type other than list/struct is not supported: {other}")


def _merged_fields(one: Any, other: Any) -> Iterable[Any]:
    fields = {field.name: field for field in one}
    for field in other:
        known = fields.get(field.name)
        if known is not None:
            field = pa.field(field.name, _merged_type(known.type, field.type))  # noqa: PLW2901
        fields[field.name] = field
    return fields.values()


def _promoted(array: Any, kind: Any) -> Any:
    """Returns the values with a type that `_merged_type` gave. Fields that structs do not have are null."""
    if array.type.equals(kind):
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), kind)
    if is_list_like(kind):
        values = _promoted(array.values, kind.value_type)
        buffers = array.buffers()[:2]
        return pa.Array.from_buffers(kind, len(array), buffers, offset=array.offset, children=[values])
    known = {field.name for field in array.type}
    children = [
        _promoted(array.field(field.name), field.type)
        if field.name in known
        else pa.nulls(len(array), field.type)
        for field in kind
    ]
    return pa.StructArray.from_arrays(children, fields=list(kind), mask=array.is_null())
