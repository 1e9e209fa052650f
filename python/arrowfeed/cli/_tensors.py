"""Tensors that a JSON file defines: `--features` and `--representations`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import arrowfeed

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
    "dense": arrowfeed.representations.Dense,
    "varlen_sparse": arrowfeed.representations.VarLenSparse,
    "sparse": arrowfeed.representations.Sparse,
    "ragged": arrowfeed.representations.Ragged,
    "varlen_ragged": arrowfeed.representations.VarLenRagged,
    "structured": arrowfeed.representations.Structured,
}


def add_tensors(parser: argparse.ArgumentParser) -> None:
    """Adds `--features` and `--representations`."""
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


def tensors(options: argparse.Namespace) -> dict[str, Any]:
    """Converts the options of `add_tensors` to arguments of a dataset.

    Raises:
        ValueError: The file is not JSON or does not have the form; the message names the file and the tensor.
    """
    if options.features is not None:
        # This imports numpy, which takes a tenth of a second.
        from arrowfeed import features  # noqa: PLC0415

        kinds = {kind: getattr(features, name) for kind, name in FEATURES.items()}
        return {"features": _specification(options.features, kinds)}
    if options.representations is not None:
        return {"representations": _specification(options.representations, REPRESENTATIONS)}
    return {}


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
