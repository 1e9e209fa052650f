"""`arrowfeed count`: the number of rows of each file, without decoding them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._rendering.table import table
from arrowfeed._rendering.text import json_text
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import (
    STANDARD_INPUT,
    add_files,
    add_text,
    add_where,
    sources,
    stores_of,
    text_options,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from arrowfeed.cli._input import Input

_WHOLE = 1 << 62


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "count",
        parents=[common],
        allow_abbrev=False,
        help="the number of rows of each file",
        description="Prints the number of rows of each file and the total. Reads block headers, footers or"
        " record lengths, and decodes no rows; with --where, decodes the columns of the predicate.",
    )
    add_files(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object per line, not a table")
    add_format(parser)
    add_text(parser)
    add_where(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the counts. The table ends with the total."""
    sources(options.files)
    counts = (count for name in options.files for count in _counts(name, options))
    if options.json:
        for path, rows in counts:
            print(json_text({"path": path, "rows": rows}))
        return
    found = list(counts)
    lines = [(path or "standard input", f"{rows:,}") for path, rows in found]
    lines.append(("total", f"{sum(rows for _, rows in found):,}"))
    print(table(["path", "rows"], lines, right={1}, paths={0}), end="")


def _counts(name: str, options: argparse.Namespace) -> Iterator[tuple[str | None, int]]:
    """The files of a name, with their row counts. Standard input has no path."""
    stores, given = stores_of(options), text_options(options)
    file = opened([name], options.format, stores)
    if name == STANDARD_INPUT or Path(name).is_file():
        parts = [(name, name)]
    elif file.is_remote:
        parts = file.listed()
    else:
        parts = _parts(file, given)
    # All files of a listing in a store have the detected format.
    form = file.format.name if file.is_remote else options.format
    for shown, one in parts:
        part = file if one == name else opened([one], form, stores)
        dataset = part.without_columns(**given)
        rows = (dataset if options.where is None else dataset.filter(options.where)).num_rows
        if rows or len(parts) == 1:
            yield (None if shown == STANDARD_INPUT else shown), rows


def _parts(file: Input, options: dict[str, Any]) -> list[tuple[str, str]]:
    """The files of a directory or a glob that have rows, each as displayed and as opened."""
    try:
        splits = file.splits(_WHOLE, **options)
    except (TypeError, arrowfeed.OptionError):
        return [(name, name) for name in file.files]
    return [(split.path, split.path) for split in splits]
