"""Writers of CSV and JSON lines files, with constant memory."""

from __future__ import annotations

import contextlib
import gzip
from typing import IO, TYPE_CHECKING, Any

from arrowfeed._libraries import needed
from arrowfeed._rendering import parts
from arrowfeed._rendering.json_values import json_rows
from arrowfeed._rendering.text import json_lines
from arrowfeed.cli._output import new_file

if TYPE_CHECKING:
    from collections.abc import Generator

    from arrowfeed.cli._output import Output
    from arrowfeed.cli._rows import Rows

_LEVEL = 6
"""Compression level of gzip, the default of the gzip program."""


def write_csv(rows: Rows, output: Output, codec: str | None) -> int:
    """Writes a header and a line for each row; a null is an empty cell."""
    with _new_file(output, codec) as file:
        return csv_to(rows, file)


def csv_to(rows: Rows, file: IO[bytes]) -> int:
    """Writes CSV to an open file and returns the number of rows."""
    csv = needed("pyarrow.csv", "to write csv")
    count, one = 0, len(rows.schema) == 1
    with csv.CSVWriter(file, rows.schema) as writer:
        for batch in rows.batches:
            if one and batch.column(0).null_count:
                row = count + batch.column(0).is_null().to_pylist().index(True)
                raise ValueError(
                    f'column "{rows.schema.names[0]}": row {row}: expected a value, found null: in a'
                    " CSV file of one column it would be an empty line, which readers skip"
                )
            writer.write_batch(batch)
            count += batch.num_rows
    return count


def check_csv(schema: Any) -> None:
    """Raises a ValueError that names the first column with a type that CSV does not support."""
    types = needed("pyarrow.types", "to look at columns")
    if len(schema) == 0:
        raise ValueError("expected a column at least for csv, found none")
    for field in schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        time = types.is_date(kind) or types.is_time(kind) or types.is_timestamp(kind)
        if number or time or types.is_boolean(kind) or types.is_null(kind) or parts.is_text(kind):
            continue
        hint = "write lists of one value with --scalars, or leave" if parts.is_list(kind) else "leave"
        raise ValueError(
            f'column "{field.name}": expected single values, which a cell of CSV can hold, found {kind}:'
            f" {hint} the column out with --exclude"
        )


def write_json_lines(rows: Rows, output: Output, codec: str | None) -> int:
    """Writes one JSON object per line for each row."""
    with _new_file(output, codec) as file:
        return json_lines_to(rows, file)


def json_lines_to(rows: Rows, file: IO[bytes]) -> int:
    """Writes JSON lines to an open file and returns the number of rows."""
    count = 0
    for batch in rows.batches:
        found = parts.record_batch(batch)
        file.write(json_lines(json_rows(found)).encode())
        count += found.num_rows
    return count


@contextlib.contextmanager
def _new_file(output: Output, codec: str | None) -> Generator[Any]:
    """Opens a file that gets its name after the block, and is removed after an error."""
    with new_file(output) as unfinished, unfinished.open("wb") as file:
        if codec is None:
            yield file
            return
        # Without a name and a time, equal rows produce equal bytes.
        with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as compressed:
            yield compressed
