"""Inspection of files before they are opened: their format, their names, and their first bytes."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from arrowfeed._arrowfeed import detect, list_files
from arrowfeed._formats import BY_NAME, Format
from arrowfeed._urls import redacted, text_of

_SOURCE_OPTIONS = ("storage_options", "store", "cache", "cache_bytes", "partitioning")
"""Options that determine the files of a source, which all reading functions have."""


def source_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options that determine the files of a source."""
    return {name: options[name] for name in _SOURCE_OPTIONS if name in options}


class Detected(NamedTuple):
    """The files of a source, and their format."""

    format: Format
    """The format of the first file."""
    arguments: dict[str, Any]
    """Arguments of the format that follow from the first file."""
    evidence: str
    """The part of the first file that determines the format; see `arrowfeed._arrowfeed.detect`."""
    files: list[tuple[str, int | None]]
    """The name of each file in messages, and its length if it is known."""
    start: bytes
    """The first bytes of the first file."""

    @property
    def name(self) -> str:
        """The name of the first file."""
        return self.files[0][0]

    @property
    def is_empty(self) -> bool:
        """Whether the first file has no content, although it may have bytes of a compression."""
        return self.evidence in ("name of an empty file", "nothing")


def detected(source: Any, options: dict[str, Any]) -> Detected:
    """Detects the format of the first of several sources that has content, or else of the first one.

    Args:
        source: As in `AvroDataset`, but not a generator. A file object is read.
        options: Options of the dataset class, of which those of the source and `limits` are used.

    Raises:
        Exception: As in `arrowfeed._arrowfeed.detect`, for the first source.
    """
    stores, limits = source_options(options), options.get("limits")
    sources: list[Any] = [source]
    if isinstance(source, list | tuple) and source:
        sources = list(cast("list[Any]", source))
    first: Detected | OSError | None = None
    # The files of the other sources are listed only if the first one does not suffice.
    for one in sources:
        try:
            found = detect(one, limits=limits, **stores)
        except OSError as error:
            first = first or error
            continue
        result = Detected(BY_NAME[found[0]], *found[1:])
        if not result.is_empty:
            return result
        first = first or result
    if isinstance(first, Detected):
        return first
    raise first or ValueError("source: expected at least one file, found none")


def stored_files(
    source: Any, stores: dict[str, Any], extension: str, *, check: bool = False
) -> list[tuple[str, int | None]]:
    """Lists files in a store.

    Args:
        source: A URL, or a name in the store of the caller.
        stores: The options that determine the files, from `source_options`.
        extension: Extension of the files in a directory.
        check: Whether to read a byte of the first file. False: only the requests of a listing are sent.

    Returns:
        The name of each file in messages, and its length if it is known.

    Raises:
        FileNotFoundError: The file does not exist.
    """
    return list_files(text_of(source), extension, check=check, **stores)


def is_listed(source: Any, files: list[tuple[str, int | None]]) -> bool:
    """Whether a source in a store is a directory or a glob, whose files were listed."""
    return files[0][0] != redacted(text_of(source))
