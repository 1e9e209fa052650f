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
    add_partitioning,
    add_reader_schema,
    add_text,
    add_where,
    reader_schema_of,
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
    add_partitioning(parser)
    add_reader_schema(parser)
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
    file = opened([name], options.format, stores_of(options), options.partitioning)
    counts = _all if options.where is None else _passing
    is_one = name == STANDARD_INPUT or Path(name).is_file()
    found = list(counts(file, options, is_one=is_one))
    for shown, rows in found:
        if rows or len(found) == 1:
            yield (None if shown == STANDARD_INPUT else shown), rows


def _all(file: Input, options: argparse.Namespace, *, is_one: bool) -> Iterator[tuple[str, int]]:
    """The files with the numbers of all their rows. They may have different schemas."""
    stores, given = stores_of(options), text_options(options)
    [name] = file.files
    if is_one:
        parts = [(name, name)]
    elif file.is_remote:
        parts = file.listed()
    else:
        parts = [(path, path) for path in _paths(file, options)]
    # All files of a listing in a store have the detected format.
    form = file.format.name if file.is_remote else options.format
    for shown, one in parts:
        part = file if one == name else opened([one], form, stores)
        yield shown, part.without_columns(**given).num_rows


def _paths(file: Input, options: argparse.Namespace) -> list[str]:
    """The files of a directory or a glob that have rows."""
    given = text_options(options) | {"partitioning": options.partitioning}
    try:
        return [split.path for split in file.splits(_WHOLE, **given)]
    except (TypeError, arrowfeed.OptionError):
        return file.files


def _passing(file: Input, options: argparse.Namespace, *, is_one: bool) -> Iterator[tuple[str, int]]:
    """The files with the numbers of their rows that pass the predicate."""
    given = text_options(options) | {
        "partitioning": options.partitioning,
        "reader_schema": reader_schema_of(options),
    }
    dataset = file.filtered(options.where, **given)
    if is_one:
        yield file.files[0], dataset.num_rows
        return
    for split in dataset.plan_splits(target_bytes=_WHOLE):
        yield split.path, sum(batch.num_rows for batch in dataset.read_split(split))
