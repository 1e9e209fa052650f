"""Options of the format, which Spark passes as strings with lower-case names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from arrowfeed._arrowfeed import Limits
from arrowfeed._engines.splits import SPLIT_BYTES, check_on_error
from arrowfeed._urls import path_of_file_url, redacted

if TYPE_CHECKING:
    from collections.abc import Mapping

BATCH_SIZE = 8192
"""Default number of rows of a batch."""

_STORAGE = "storage."
_LIMITS = "limits."
_OBJECTS = ("features", "representations", "store", "raw", "limits", "storage_options")
"""Options of datasets that a string cannot express, or that have no meaning for rows."""


class ReadOptions(NamedTuple):
    """Options of a read."""

    source: str | list[str]
    """Paths, globs, directories or URLs."""
    dataset: dict[str, Any]
    """Options of the dataset class of the format."""
    where: str | None
    """The text of a predicate of the rows. None: all rows."""
    split_bytes: int
    """Target size of a partition in bytes."""
    batch_size: int
    """Maximum number of rows of a batch."""
    on_error: Any
    """`"raise"` or `"skip_block"`."""


class WriteOptions(NamedTuple):
    """Options of a write."""

    directory: str
    """The directory of the files."""
    writer: dict[str, Any]
    """Options of `AvroWriter`."""


def read_options(options: Mapping[str, str]) -> ReadOptions:
    """Converts the options of `spark.read`.

    Raises:
        ValueError: There is no path, or an option has an invalid value.
    """
    left = dict(options)
    source = _source(left)
    split_bytes = _integer(left, "split_bytes", SPLIT_BYTES)
    batch_size = _integer(left, "batch_size", BATCH_SIZE)
    on_error, where = left.pop("on_error", "raise"), left.pop("where", None)
    check_on_error(on_error)
    if left.get("unions") == "dense":
        raise ValueError("unions: expected 'struct' or 'json', because Spark has no unions, found 'dense'")
    storage = _prefixed(left, _STORAGE)
    limits = {name: _value(text) for name, text in _prefixed(left, _LIMITS).items()}
    dataset: dict[str, Any] = {}
    for name, text in left.items():
        if name in _OBJECTS:
            raise ValueError(f"{name}: expected no such option, because Spark passes options as text")
        dataset[name] = _columns(text) if name in ("columns", "exclude") else _value(text)
    if storage:
        dataset["storage_options"] = storage
    if limits:
        dataset["limits"] = Limits(**limits)
    return ReadOptions(source, dataset, where, split_bytes, batch_size, on_error)


def write_options(options: Mapping[str, str]) -> WriteOptions:
    """Converts the options of `DataFrame.write`.

    Raises:
        ValueError: There is no path, or an option is unknown or has an invalid value.
    """
    left = dict(options)
    source = _source(left)
    if isinstance(source, list):
        raise ValueError(f"path: expected one directory, found {len(source)} paths")  # noqa: TRY004
    if "://" in source:
        message = "path: expected a directory of a file system that all executors share"
        raise ValueError(f"{message}, found the URL {redacted(source)}")
    writer: dict[str, Any] = {}
    for name, text in left.items():
        if name not in ("codec", "level", "block_bytes", "schema"):
            raise ValueError(f"expected the options codec, level, block_bytes or schema, found '{name}'")
        writer[name] = text if name in ("codec", "schema") else _integer({name: text}, name, 0)
    return WriteOptions(source, writer)


def _source(left: dict[str, str]) -> str | list[str]:
    """Removes the paths from the options. `load` passes one path as text and several as JSON.

    Raises:
        ValueError: There is no path.
    """
    several, path = left.pop("paths", None), left.pop("path", None)
    paths = json.loads(several) if several is not None else [path]
    if not paths or paths == [None]:
        raise ValueError("path: expected one or more paths, found none")
    paths = [_path(path) for path in paths]
    return paths[0] if len(paths) == 1 else paths


def _path(path: str) -> str:
    """Makes a local path absolute, because executors have other working directories. Keeps URLs."""
    if path.startswith("file:"):
        return path_of_file_url(path)
    return path if "://" in path else str(Path(path).absolute())


def _integer(left: dict[str, str], name: str, default: int) -> int:
    """Removes an option, and returns it as an integer.

    Raises:
        ValueError: The option is not an integer.
    """
    text = left.pop(name, None)
    try:
        return default if text is None else int(text)
    except ValueError:
        raise ValueError(f"{name}: expected an integer, found '{text}'") from None


def _prefixed(left: dict[str, str], prefix: str) -> dict[str, str]:
    """Removes the options whose names begin with a prefix, and returns them without the prefix."""
    names = [name for name in left if name.startswith(prefix)]
    return {name.removeprefix(prefix): left.pop(name) for name in names}


def _columns(text: str) -> list[str]:
    """Returns field paths from a JSON list of texts, or from text with commas."""
    listed = _value(text)
    if isinstance(listed, list) and all(isinstance(path, str) for path in cast("list[Any]", listed)):
        return cast("list[str]", listed)
    return [path.strip() for path in text.split(",")]


def _value(text: str) -> Any:
    """Returns the value of JSON text, and other text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text
