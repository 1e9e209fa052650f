"""`arrowfeed head`: the first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._rendering import parts
from arrowfeed._rendering.json_values import json_rows
from arrowfeed._rendering.table import table
from arrowfeed._rendering.text import cut, json_lines, json_text
from arrowfeed._urls import scheme_of
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import add_files, add_reading, not_negative, reading, stores_of, tell_skipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from arrowfeed import RecordBatchReader

_ROWS = 10
_BATCH = 1024
_LITTLE = {"max_requests": "2", "request_bytes": f"{1 << 20}", "read_ahead_bytes": f"{2 << 20}"}
"""Storage options for the first rows of a file."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "head",
        parents=[common],
        allow_abbrev=False,
        help="the first rows, as JSON lines or as a table",
        description="Prints the first rows of files with the same schema, as JSON lines.",
    )
    add_files(parser)
    parser.add_argument(
        "-n",
        "--rows",
        type=not_negative,
        default=_ROWS,
        metavar="N",
        help=f"number of rows (default: {_ROWS})",
    )
    parser.add_argument("--table", action="store_true", help="print a table, with long values cut")
    add_format(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints rows, and reports the skipped parts before them."""
    parts.arrow()
    size = max(1, min(options.rows, _BATCH))
    files = opened(options.files, options.format, _stores(options), options.partitioning)
    with files.read(batch_size=size, **_alone(options)) as reader:
        if options.table:
            print(_table(reader, options.rows), end="")
        else:
            for rows in _batches(reader, options.rows):
                print(json_lines(rows), end="")
        tell_skipped(reader.report())


def _stores(options: argparse.Namespace) -> dict[str, Any]:
    """Reduces the read-ahead, which would fetch rows that are not printed."""
    given = stores_of(options)
    # Files in memory need no requests.
    fetched = any(scheme_of(name) not in (None, "file", "memory") for name in options.files)
    if options.rows > _BATCH or not fetched:
        return given
    return {"storage_options": {**_LITTLE, **given.get("storage_options", {})}}


def _alone(options: argparse.Namespace) -> dict[str, Any]:
    """Disables threads, which would decode rows that are not printed."""
    return reading(options) | {"threads": options.threads or 1}


def _batches(reader: RecordBatchReader, count: int) -> Iterator[list[dict[str, Any]]]:
    while count > 0 and (batch := next(reader, None)) is not None:
        rows = json_rows(parts.record_batch(batch))[:count]
        count -= len(rows)
        yield rows


def _table(reader: RecordBatchReader, count: int) -> str:
    """The table of the rows. Numbers are right-aligned, with thousands separators."""
    schema = parts.arrow().schema(reader.schema)
    types = parts.arrow().types
    numbers = {
        at
        for at, field in enumerate(schema)
        if types.is_integer(field.type) or types.is_floating(field.type) or types.is_decimal(field.type)
    }
    rows = [[_cell(value) for value in row.values()] for batch in _batches(reader, count) for row in batch]
    return table(schema.names, rows, right=numbers)


def _cell(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return cut(json_text(value))
