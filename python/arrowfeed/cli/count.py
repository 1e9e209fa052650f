"""`arrowfeed count`: the number of rows of each file, without decoding them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import STANDARD_INPUT, add_files, add_text, sources, text_options
from arrowfeed.cli._text import json_text, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from arrowfeed.cli._input import Input

_WHOLE = 1 << 62


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options."""
    parser = commands.add_parser(
        "count",
        parents=[common],
        allow_abbrev=False,
        help="the number of rows of each file",
        description="Prints the rows of each file and of all, by the heads of blocks, footers or lengths of"
        " records. No rows are decoded.",
    )
    add_files(parser)
    parser.add_argument("--json", action="store_true", help="a JSON object a line, instead of a table")
    add_format(parser)
    add_text(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the counts. The table ends with the total."""
    sources(options.files)
    given = text_options(options)
    counts = (count for name in options.files for count in _counts(name, options.format, given))
    if options.json:
        for path, rows in counts:
            print(json_text({"path": path, "rows": rows}))
        return
    found = list(counts)
    lines = [(path or "standard input", f"{rows:,}") for path, rows in found]
    lines.append(("total", f"{sum(rows for _, rows in found):,}"))
    print(table(["path", "rows"], lines, right={1}), end="")


def _counts(name: str, form: str | None, options: dict[str, Any]) -> Iterator[tuple[str | None, int]]:
    """The files that a name means, with their rows. Standard input has no path."""
    file = opened([name], form)
    paths = [name] if name == STANDARD_INPUT or Path(name).is_file() else _paths(file, options)
    if paths == [name]:
        yield (None if name == STANDARD_INPUT else name), file.without_columns(**options).num_rows
        return
    for path in paths:
        yield path, opened([path], form).without_columns(**options).num_rows


def _paths(file: Input, options: dict[str, Any]) -> list[str]:
    """The files of a directory or a glob that have rows. What is not on disk stands for itself."""
    try:
        splits = file.splits(_WHOLE, **options)
    except (TypeError, arrowfeed.SchemaError):
        return list(file.files)
    return [split.path for split in splits]
