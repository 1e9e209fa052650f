"""`arrowfeed splits`: the byte ranges that workers read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._rendering.table import table
from arrowfeed._rendering.text import json_text
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import (
    STANDARD_INPUT,
    UsageError,
    add_files,
    add_text,
    positive,
    stores_of,
    text_options,
)

if TYPE_CHECKING:
    import argparse

_TARGET = 64 << 20


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "splits",
        parents=[common],
        allow_abbrev=False,
        help="byte ranges of about equal size, for workers",
        description="Prints splits of the files, in file order. Decodes no rows.",
    )
    add_files(parser, standard_input=False)
    add_format(parser)
    parser.add_argument(
        "--target-bytes",
        type=positive,
        default=_TARGET,
        metavar="N",
        help=f"target size of a split in bytes (default: {_TARGET})",
    )
    add_text(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object per line, not a table")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the splits."""
    if STANDARD_INPUT in options.files:
        raise UsageError("expected paths or URLs, which can be split, found - for standard input")
    try:
        files = opened(options.files, options.format, stores_of(options))
        splits = files.splits(options.target_bytes, **text_options(options))
    except TypeError as error:
        raise UsageError(str(error)) from error
    if options.json:
        for split in splits:
            named = {"path": split.path, "start": split.start, "end": split.end, "file_id": split.file_id}
            print(json_text(named))
        return
    rows = [
        [split.path, f"{split.start:,}", f"{split.end:,}", f"{split.end - split.start:,}"] for split in splits
    ]
    print(table(["path", "start", "end", "bytes"], rows, right={1, 2, 3}, paths={0}), end="")
