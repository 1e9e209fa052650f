"""Inspection of files in a store: their names, and the first bytes of the first file."""

from __future__ import annotations

from typing import Any, NamedTuple

from arrowfeed._arrowfeed import peek
from arrowfeed._formats import EXTENSIONS
from arrowfeed._urls import GLOB, redacted, scheme_of, text_of

_HEAD = 256 << 10
"""Number of bytes of a file that usually suffice to detect its format."""


class Look(NamedTuple):
    """The result of the inspection of a source."""

    files: list[tuple[str, int | None]]
    """The name of each file in messages, and its length if it is known."""
    head: bytes
    """The first bytes of the first file."""
    is_whole: bool
    """Whether `head` contains the whole file."""
    is_listed: bool
    """Whether the source is a directory or a glob."""

    @property
    def name(self) -> str:
        """The name of the first file."""
        return self.files[0][0]


def look_at(source: Any, stores: dict[str, Any], extension: str | None = None, count: int = _HEAD) -> Look:
    """Lists files in a store, and reads the start of the first file in one request.

    Args:
        source: A URL, or a name in the store of the caller.
        stores: The options that determine the files, from `source_options`.
        extension: Extension of the files in a directory. None: the first extension of all formats that
            exists.
        count: Number of bytes to read. 0: only the requests of a listing are sent.

    Raises:
        FileNotFoundError: The file does not exist.
    """
    name = text_of(source)
    missing: FileNotFoundError | None = None
    for one in _extensions(name) if extension is None else [extension]:
        try:
            files, head = peek(name, one, count, **stores)
        except FileNotFoundError as error:
            missing = missing or error
            continue
        return Look(files, head, len(head) < count, files[0][0] != redacted(name))
    raise missing or FileNotFoundError(redacted(name))


def _extensions(name: str) -> list[str]:
    """The extensions to look for: in a directory, those of all formats."""
    own = [one for one in EXTENSIONS if name.endswith(f".{one}")]
    is_one = any(character in name for character in GLOB) or scheme_of(name) in ("http", "https")
    return own or list(EXTENSIONS[:1] if is_one else EXTENSIONS)
