"""`arrowfeed explain`: the tensors of a dataset, and which parts are shared or copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._rendering.text import printable_lines
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import add_files, add_text, stores_of, text_options
from arrowfeed.cli._tensors import add_tensors, tensors

if TYPE_CHECKING:
    import argparse


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "explain",
        parents=[common],
        allow_abbrev=False,
        help="the tensors of a file: what is shared, what is copied, and why",
        description="Prints which columns are read and, for each tensor, its shape, the memory that it shares"
        " with the Arrow batch, and the memory that is copied. Without --features and --representations, the"
        " schema determines the tensors.",
    )
    add_files(parser)
    add_format(parser)
    add_text(parser)
    add_tensors(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the explanation of the dataset."""
    given = tensors(options)
    files = opened(options.files, options.format, stores_of(options))
    given |= files.accepted(text_options(options))
    print(printable_lines(files.dataset(**given).explain()))
