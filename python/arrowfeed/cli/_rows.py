"""Streams of record batches, and the changes of columns that a conversion requires."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._libraries import needed
from arrowfeed._rendering import parts
from arrowfeed.cli._options import EVERY, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from arrowfeed import RecordBatchReader


class Rows:
    """Batches with one schema, which can be read once.

    Access to the schema or the batches imports pyarrow; `stream` of an unchanged reader does not.

    Args:
        reader: The reader of the batches.
    """

    def __init__(self, reader: RecordBatchReader) -> None:
        self._reader: Any = reader

    @functools.cached_property
    def schema(self) -> Any:
        """The pyarrow schema."""
        return parts.arrow().schema(self._reader.schema)

    @functools.cached_property
    def batches(self) -> Iterator[Any]:
        """The pyarrow batches."""
        record_batch = parts.arrow().record_batch
        return (record_batch(batch) for batch in self._reader)

    @contextlib.contextmanager
    def stream(self) -> Generator[Any]:
        """Provides the batches with `__arrow_c_stream__`. Errors of the batches keep their type."""
        if self._reader is not None:
            yield self._reader
            return
        failures: list[BaseException] = []
        stream = parts.arrow().RecordBatchReader.from_batches(self.schema, _kept(self.batches, failures))
        try:
            yield stream
        except Exception:
            if failures:
                raise failures[0] from None
            raise

    def changed(self, schema: Any, change: Callable[[Any], Any]) -> Rows:
        """Returns rows with another schema, whose batches `change` converts."""
        return _Changed(schema, map(change, self.batches))

    def gathered(self, rows: int, most_bytes: int) -> Rows:
        """Returns the rows in batches of `rows`. The last batch, or one of `most_bytes`, may have fewer."""
        return _Changed(self.schema, _gathered(self.batches, rows, most_bytes))


class _Changed(Rows):
    """Rows that differ from those of a reader."""

    def __init__(self, schema: Any, batches: Iterator[Any]) -> None:
        self._reader = None
        self.schema, self.batches = schema, batches


def rows_of(schema: Any, batches: Iterator[Any]) -> Rows:
    """Makes rows of pyarrow batches with this schema."""
    return _Changed(schema, batches)


def with_scalars(rows: Rows, names: list[str]) -> Rows:
    """Replaces lists of one value with that value, and null lists with null.

    Args:
        rows: The rows.
        names: List columns, or `EVERY`.

    Raises:
        UsageError: A name is not that of a list column.
        ValueError: While reading: a list does not have exactly one value.
    """
    schema = rows.schema
    lists = [field.name for field in schema if parts.is_list(field.type)]
    possible = {EVERY, *lists}
    for name in names:
        if name not in possible:
            known = ", ".join(f'"{each}"' for each in lists) or "none"
            raise UsageError(f'--scalars: expected a list column (available: {known}), found "{name}"')
    chosen = set(lists) if EVERY in names else set(names)
    pa = parts.arrow()
    fields = [
        pa.field(field.name, field.type.value_type, field.nullable or field.type.value_field.nullable)
        if field.name in chosen
        else field
        for field in schema
    ]
    made = pa.schema(fields, schema.metadata)
    first = 0

    def change(batch: Any) -> Any:
        nonlocal first
        columns = [
            _scalars(field.name, column, first) if field.name in chosen else column
            for field, column in zip(schema, batch.columns, strict=True)
        ]
        first += batch.num_rows
        return pa.RecordBatch.from_arrays(columns, schema=made)

    return rows.changed(made, change)


def _scalars(name: str, column: Any, first: int) -> Any:
    """Returns the values of the lists. `first` is the number of the first row."""
    compute = needed("pyarrow.compute", "to look at lists")
    pa = parts.arrow()
    lengths = compute.list_value_length(column)
    wrong = compute.indices_nonzero(compute.fill_null(compute.not_equal(lengths, 1), False))  # noqa: FBT003
    if len(wrong):
        row = wrong[0].as_py()
        raise ValueError(
            f'column "{name}": row {first + row}: expected a list of one value for --scalars,'
            f" found one of {lengths[row].as_py()}"
        )
    values = parts.items(parts.present(column))
    if not column.null_count:
        return values
    valid = compute.cast(column.is_valid(), pa.int64())
    places = compute.subtract(compute.cumulative_sum(valid), 1)
    return values.take(compute.if_else(column.is_valid(), places, pa.scalar(None, pa.int64())))


def with_text(rows: Rows) -> Rows:
    """Converts byte strings to text, also inside lists, structs and maps, and dictionaries to values.

    Raises:
        ValueError: While reading: bytes are not valid UTF-8.
    """
    pa = parts.arrow()
    fields = [field.with_type(_text(field.type)) for field in rows.schema]
    made = pa.schema(fields, rows.schema.metadata)
    if made.equals(rows.schema):
        return rows
    first = 0

    def change(batch: Any) -> Any:
        nonlocal first
        columns = [
            _as_text(field.name, column, field.type, first)
            for field, column in zip(made, batch.columns, strict=True)
        ]
        first += batch.num_rows
        return pa.RecordBatch.from_arrays(columns, schema=made)

    return rows.changed(made, change)


def _as_text(name: str, column: Any, kind: Any, first: int) -> Any:
    if column.type.equals(kind):
        return column
    try:
        return column.cast(kind)
    except parts.arrow().ArrowInvalid as error:
        last = first + len(column) - 1
        raise ValueError(
            f'column "{name}": rows {first} to {last}: expected UTF-8, found other bytes:'
            " leave the column out with --exclude"
        ) from error


def _text(kind: Any) -> Any:
    """Returns the type with strings instead of bytes, and values instead of dictionaries."""
    pa, types = parts.arrow(), parts.arrow().types
    forms: tuple[tuple[Any, Callable[[], Any]], ...] = (
        (types.is_dictionary, lambda: _text(kind.value_type)),
        (types.is_large_binary, pa.large_string),
        (types.is_binary, pa.string),
        (types.is_binary_view, pa.string),
        (types.is_string_view, pa.string),
        (types.is_fixed_size_binary, pa.string),
        (types.is_large_list, lambda: pa.large_list(_text_field(kind.value_field))),
        (types.is_list, lambda: pa.list_(_text_field(kind.value_field))),
        (types.is_fixed_size_list, lambda: pa.list_(_text_field(kind.value_field), kind.list_size)),
        (types.is_map, lambda: pa.map_(_text_field(kind.key_field), _text_field(kind.item_field))),
        (types.is_struct, lambda: pa.struct([_text_field(field) for field in kind])),
    )
    return next((made() for matches, made in forms if matches(kind)), kind)


def _text_field(field: Any) -> Any:
    return field.with_type(_text(field.type))


def _kept(batches: Iterator[Any], failures: list[BaseException]) -> Iterator[Any]:
    """Passes the batches on. It keeps exceptions, because the Arrow C interface transfers only their text."""
    try:
        yield from batches
    except BaseException as error:
        failures.append(error)
        raise


def _gathered(batches: Iterator[Any], rows: int, most_bytes: int) -> Iterator[Any]:
    waiting: list[Any] = []
    count, size = 0, 0.0
    for batch in batches:
        row_bytes = batch.get_total_buffer_size() / max(1, batch.num_rows)
        start = 0
        while start < batch.num_rows:
            piece = batch.slice(start, rows - count)
            start += piece.num_rows
            waiting.append(piece)
            count, size = count + piece.num_rows, size + row_bytes * piece.num_rows
            if count == rows or size >= most_bytes:
                yield from _one(waiting)
                waiting, count, size = [], 0, 0.0
    if waiting:
        yield from _one(waiting)


def _one(batches: list[Any]) -> list[Any]:
    """Joins the batches into one, or into several if the offsets of one are too small for its strings."""
    if len(batches) == 1:
        return batches
    return parts.arrow().Table.from_batches(batches).combine_chunks().to_batches()
