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


def batches_of(argument: str, rows: Any) -> Iterator[Any] | None:
    """Returns an iterator over objects of Arrow's C interface. None: the argument has no rows.

    Args:
        argument: Name of the argument, for messages.
        rows: An iterable of batches, tables, dicts or dataclass instances, or a `polars.LazyFrame`.

    Raises:
        ConversionError: During the iteration, a row does not fit the columns of the first rows.
    """
    if type(rows).__module__.startswith("polars.") and hasattr(rows, "collect_batches"):
        return iter(rows.collect_batches())
    if isinstance(rows, str | bytes | bytearray | memoryview | Mapping) or not isinstance(rows, Iterable):
        return None
    return _batches(argument, iter(cast("Iterable[Any]", rows)))


def _batches(argument: str, rows: Iterator[Any]) -> Iterator[Any]:
    for first in rows:
        if _is_row(first):
            yield from _batches_of_rows(argument, itertools.chain([first], rows))
        else:
            yield first


def _is_row(row: Any) -> bool:
    return isinstance(row, Mapping) or (dataclasses.is_dataclass(row) and not isinstance(row, type))


def _batches_of_rows(argument: str, rows: Iterator[Any]) -> Iterator[Any]:
    pa = needed("pyarrow", "to write dicts and dataclass instances")
    schema: Any = None
    for start in itertools.count(0, _ROWS):
        chunk = [_as_dict(argument, row) for row in itertools.islice(rows, _ROWS)]
        if not chunk:
            return
        batch = _batch(pa, argument, chunk, start, schema)
        schema = batch.schema
        yield batch


def _as_dict(argument: str, row: Any) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return cast("Mapping[str, Any]", row)
    if not _is_row(row):
        expected = "expected dicts or dataclass instances, as before"
        raise TypeError(f"{argument}: {expected}, found {type(row).__name__} {row!r}")
    return dataclasses.asdict(row)


def _batch(pa: Any, argument: str, rows: list[Mapping[str, Any]], start: int, schema: Any) -> Any:
    """Returns the batch of some rows. With a schema, the rows must fit it."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    known = names if schema is None else schema.names
    for number, row in enumerate(rows, start):
        for name in row:
            if name not in known:
                expected = f"expected the keys of the first {start:,} rows"
                raise ConversionError(f"{argument}: row {number}: {expected}, found {name!r}", field=name)
    columns: list[Any] = []
    for name in known:
        values = [row.get(name) for row in rows]
        try:
            columns.append(pa.array(values, None if schema is None else schema.field(name).type))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            found = f"expected values of one Arrow type from row {start} on: {error}"
            raise ConversionError(f"{argument}: {name}: {found}", field=name) from error
    return pa.RecordBatch.from_arrays(columns, names=known)
