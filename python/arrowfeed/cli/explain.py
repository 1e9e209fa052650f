"""`arrowfeed explain`: the tensors of a dataset, and which parts are shared or copied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import arrowfeed
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import add_files, add_text, stores_of, text_options
from arrowfeed.cli._text import printable_lines

if TYPE_CHECKING:
    import argparse

FEATURES = {
    "dense": "Dense",
    "sequence": "FixedLenSequence",
    "varlen": "VarLen",
    "ragged": "Ragged",
    "sparse": "Sparse",
}
"""Names in `arrowfeed.features`."""
REPRESENTATIONS: dict[str, Any] = {
    "dense": arrowfeed.Dense,
    "varlen_sparse": arrowfeed.VarLenSparse,
    "sparse": arrowfeed.Sparse,
    "ragged": arrowfeed.Ragged,
    "varlen_ragged": arrowfeed.VarLenRagged,
    "structured": arrowfeed.Structured,
}


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
    given = parser.add_mutually_exclusive_group()
    given.add_argument(
        "--features",
        metavar="SPEC",
        help='JSON file with features, such as {"label": {"dense": [], "dtype": "int64"}}',
    )
    given.add_argument(
        "--representations",
        metavar="SPEC",
        help='JSON file with representations, such as {"x": {"dense": "x", "shape": [2]}}',
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Prints the explanation of the dataset."""
    given: dict[str, Any] = {}
    if options.features is not None:
        # This imports numpy, which takes a tenth of a second.
        from arrowfeed import features  # noqa: PLC0415

        kinds = {kind: getattr(features, name) for kind, name in FEATURES.items()}
        given["features"] = _specification(options.features, kinds)
    if options.representations is not None:
        given["representations"] = _specification(options.representations, REPRESENTATIONS)
    files = opened(options.files, options.format, stores_of(options))
    given |= files.accepted(text_options(options))
    print(printable_lines(files.dataset(**given).explain()))


def _specification(path: str, kinds: dict[str, Any]) -> dict[str, Any]:
    """Reads the tensors of a JSON file.

    Raises:
        ValueError: The file is not JSON or does not have the form; the message names the file and the tensor.
    """
    try:
        content: Any = json.loads(Path(path).read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: expected JSON: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected an object of tensors by name, found {json.dumps(content)}")  # noqa: TRY004
    tensors = cast("dict[str, Any]", content)
    return {name: _made(f'{path}: "{name}"', entry, kinds) for name, entry in tensors.items()}


def _made(place: str, entry: Any, kinds: dict[str, Any]) -> Any:
    """Creates one tensor from the kind with its first argument, and the other arguments by name."""
    arguments = dict(cast("dict[str, Any]", entry)) if isinstance(entry, dict) else {}
    chosen = [kind for kind in kinds if kind in arguments]
    if len(chosen) != 1:
        names = ", ".join(kinds)
        raise ValueError(f"{place}: expected an object with one of {names}, found {json.dumps(entry)}")
    try:
        return kinds[chosen[0]](arguments.pop(chosen[0]), **arguments)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place}: {error}") from error
