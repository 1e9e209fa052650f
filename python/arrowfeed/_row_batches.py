"""Batches of iterables, for the functions that write Arrow data."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from arrowfeed._errors import ConversionError
from arrowfeed._libraries import needed

_ROWS = 8192
"""Number of rows of a batch of dicts."""

_PURPOSE = "to write dicts and dataclass instances"

_LARGEST = "3.4028235e+38, the largest of the Avro type float"


def batches_of(argument: str, rows: Any, columns: Any = None) -> Iterator[Any] | None:
    """Returns an iterator over objects of Arrow's C interface. None: the argument has no rows.

    Args:
        argument: Name of the argument, for messages.
        rows: An iterable of batches, tables, dicts or dataclass instances, or a `polars.LazyFrame`.
        columns: The Arrow schema that is written. Numbers of dicts and dataclass instances become floats of
            32 and 64 bits where it has these. None: it follows from the rows.

    Raises:
        ConversionError: During the iteration, a row does not fit the columns of the first rows, or a number
            is beyond the largest float of 32 bits.
    """
    if type(rows).__module__.startswith("polars.") and hasattr(rows, "collect_batches"):
        return iter(rows.collect_batches())
    if isinstance(rows, str | bytes | bytearray | memoryview | Mapping) or not isinstance(rows, Iterable):
        return None
    return _batches(argument, iter(cast("Iterable[Any]", rows)), columns)


def _batches(argument: str, rows: Iterator[Any], columns: Any) -> Iterator[Any]:
    for first in rows:
        if _is_row(first):
            yield from _batches_of_rows(argument, itertools.chain([first], rows), columns)
        else:
            yield first


def _is_row(row: Any) -> bool:
    return isinstance(row, Mapping) or (dataclasses.is_dataclass(row) and not isinstance(row, type))


def _batches_of_rows(argument: str, rows: Iterator[Any], columns: Any) -> Iterator[Any]:
    pa = needed("pyarrow", _PURPOSE)
    fields: Any = [] if columns is None else pa.schema(columns)
    written: dict[str, Any] = {field.name: field.type for field in fields}
    schema: Any = None
    for start in itertools.count(0, _ROWS):
        chunk = [_as_dict(argument, row) for row in itertools.islice(rows, _ROWS)]
        if not chunk:
            return
        batch = _batch(pa, argument, chunk, (start, schema, written))
        schema = batch.schema
        yield batch


def _as_dict(argument: str, row: Any) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return cast("Mapping[str, Any]", row)
    if not _is_row(row):
        expected = "expected dicts or dataclass instances, as before"
        raise TypeError(f"{argument}: {expected}, found {type(row).__name__} {row!r}")
    return dataclasses.asdict(row)


def _batch(
    pa: Any, argument: str, rows: list[Mapping[str, Any]], fit: tuple[int, Any, Mapping[str, Any]]
) -> Any:
    """Returns the batch of some rows.

    Args:
        pa: pyarrow.
        argument: Name of the argument, for messages.
        rows: The rows.
        fit: The number of rows before them; the schema of these, which they must fit; and the types of the
            columns that are written.
    """
    start, schema, written = fit
    names = list(dict.fromkeys(name for row in rows for name in row))
    known = names if schema is None else schema.names
    # A lookup in the list would take time in proportion to the number of columns.
    known_names = frozenset(known)
    for number, row in enumerate(rows, start):
        for name in row:
            if name not in known_names:
                expected = f"expected the keys of the first {start:,} rows"
                raise ConversionError(f"{argument}: row {number}: {expected}, found {name!r}", field=name)
    columns: list[Any] = []
    for name in known:
        values = [row.get(name) for row in rows]
        try:
            kind = None if schema is None else schema.field(name).type
            columns.append(_column(pa, values, kind, written.get(name)))
        except OverflowError as error:
            raise ConversionError(f"{argument}: {name}: {error}", field=name) from error
        except (pa.ArrowException, TypeError, ValueError) as error:
            found = f"expected values of one Arrow type from row {start} on: {error}"
            raise ConversionError(f"{argument}: {name}: {found}", field=name) from error
    return pa.RecordBatch.from_arrays(columns, names=known)


def _column(pa: Any, values: list[Any], kind: Any, written: Any) -> Any:
    """Returns the array of values.

    Args:
        pa: pyarrow.
        values: Python values.
        kind: The type of the array. None: it follows from the values and from `written`.
        written: The type that is written. None: unknown.

    Raises:
        OverflowError: A number is beyond the largest float of 32 bits.
    """
    array = pa.array(values, kind)
    if kind is None and written is not None:
        kind = _with_floats(pa, array.type, written)
        if kind != array.type:
            array = pa.array(values, kind)
    compute = needed("pyarrow.compute", _PURPOSE)
    floats = list(_floats(pa, array))
    if any(pa.types.is_float32(part.type) and compute.any(compute.is_inf(part)).as_py() for part in floats):
        exact = _floats(pa, pa.array(values, _with_floats(pa, array.type, array.type, widest=True)))
        for found, value in zip(floats, exact, strict=True):
            beyond = value.filter(compute.and_(compute.is_inf(found), compute.is_finite(value)))
            if len(beyond):
                raise OverflowError(f"expected a number of at most {_LARGEST}, found {beyond[0]}")
    return array


def _with_floats(pa: Any, found: Any, written: Any, *, widest: bool = False) -> Any:
    """Returns the type `found` with the floats that the type `written` has in the place of its numbers."""
    types = pa.types
    if types.is_float32(written) or types.is_float64(written):
        is_number = types.is_float32(found) or types.is_float64(found) or types.is_int64(found)
        return (pa.float64() if widest else written) if is_number else found
    if types.is_list(found) and types.is_list(written):
        return pa.list_(_with_floats(pa, found.value_type, written.value_type, widest=widest))
    if types.is_struct(found) and types.is_struct(written):
        fields: list[Any] = []
        for field in found:
            at = written.get_field_index(field.name)
            kind = field.type if at < 0 else _with_floats(pa, field.type, written[at].type, widest=widest)
            fields.append(field.with_type(kind))
        return pa.struct(fields)
    return found


def _floats(pa: Any, array: Any) -> Iterator[Any]:
    """Yields the floats of an array, also those in structs and lists."""
    if pa.types.is_floating(array.type):
        yield array
    elif pa.types.is_list(array.type):
        yield from _floats(pa, array.flatten())
    elif pa.types.is_struct(array.type):
        for part in array.flatten():
            yield from _floats(pa, part)
