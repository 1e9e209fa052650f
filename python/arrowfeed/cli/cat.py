"""`arrowfeed cat`: all rows as JSON lines or CSV, for a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import (
    UsageError,
    add_files,
    add_reading,
    add_scalars,
    all_paths,
    reading,
    stores_of,
    tell_skipped,
)
from arrowfeed.cli._rows import Rows, with_scalars, with_text
from arrowfeed.cli._write_text import check_csv, csv_to, json_lines_to

if TYPE_CHECKING:
    import argparse

_BATCH_ROWS = 1 << 12
_BATCH_BYTES = 16 << 20


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "cat",
        parents=[common],
        allow_abbrev=False,
        help="all rows as JSON lines or CSV",
        description="Prints all rows of files with the same schema, as JSON lines.",
    )
    add_files(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV with a header line; not on a terminal")
    add_scalars(parser)
    add_format(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints rows, then reports the skipped parts."""
    if options.csv and sys.stdout.isatty():
        # CSV has no escapes for terminal control characters.
        raise UsageError("--csv: expected standard output to be a pipe or a file, found a terminal")
    files = opened(options.files, options.format, stores_of(options), options.partitioning)
    with files.read(batch_size=_BATCH_ROWS, batch_bytes=_BATCH_BYTES, **reading(options)) as reader:
        rows = Rows(reader)
        scalars = all_paths(options.scalars)
        rows = with_text(rows if scalars is None else with_scalars(rows, scalars))
        if options.csv:
            check_csv(rows.schema)
            csv_to(rows, sys.stdout.buffer)
        else:
            json_lines_to(rows, sys.stdout.buffer)
    tell_skipped(reader.report())
