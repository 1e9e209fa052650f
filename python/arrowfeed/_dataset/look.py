"""One look at files of a store: their names, and the start of the first one."""

from __future__ import annotations

from typing import Any, NamedTuple

from arrowfeed._arrowfeed import peek
from arrowfeed._urls import GLOB, redacted, scheme_of, text_of

_EXTENSIONS = ("avro", "parquet", "tfrecord", "jsonl", "csv")
"""Of the files of a directory. The first one that the directory has is read."""

_HEAD = 256 << 10
"""Bytes of a file that say its format, in most cases."""


class Look(NamedTuple):
    """What a look at a source has found."""

    files: list[tuple[str, int | None]]
    """The name of each file in messages, and its length where that is known."""
    head: bytes
    """The first bytes of the first file."""
    is_whole: bool
    """Whether these are all of its bytes."""
    is_listed: bool
    """Whether the source is a directory or a glob."""

    @property
    def name(self) -> str:
        """The name of the first file."""
        return self.files[0][0]


def look_at(source: Any, stores: dict[str, Any], extension: str | None = None, count: int = _HEAD) -> Look:
    """Looks for files of a store, and reads the start of the first one in one request.

    Args:
        source: A URL, or a name in the store of the caller.
        stores: Options of files in stores.
        extension: Of the files of a directory. None: the first one of all formats that the directory has.
        count: Bytes to read. 0: no request is sent but those of a listing.

    Raises:
        FileNotFoundError: There is no such file.
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
    """The extensions to look for: of a directory, those of all formats."""
    own = [one for one in _EXTENSIONS if name.endswith(f".{one}")]
    is_one = any(character in name for character in GLOB) or scheme_of(name) in ("http", "https")
    return own or list(_EXTENSIONS[:1] if is_one else _EXTENSIONS)
