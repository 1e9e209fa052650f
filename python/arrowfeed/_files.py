"""Files that are no paths: URLs that fsspec reaches, file objects in memory, records without a file.

The compiled module calls `files_of` for URLs of other schemes than `file://`; fsspec is imported then.
"""

from __future__ import annotations

import errno
import functools
import importlib
import io
import re
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_WITHOUT_DIRECTORIES = ("http", "https")
"""Schemes whose URLs name one file each: a question mark starts a query, and nothing can be listed."""

_SYNC = bytes(16)
_PLACE = re.compile(r"<\d+ bytes>: block (\d+) at byte [\d,]+(?:, record 0)?: ")


def files_of(url: str, shown: str) -> list[tuple[str, Callable[[], BinaryIO]]]:
    """The files that a URL means: itself, or those of a glob or a directory, sorted.

    Args:
        url: With a scheme that fsspec knows.
        shown: The URL without its secrets, for messages.

    Returns:
        For each file, its name in messages and a function that opens it.

    Raises:
        ImportError: fsspec, or what it needs for the scheme, is not installed.
        FileNotFoundError: Nothing matches the glob, or the directory has no `*.avro` files.
    """
    scheme = url.partition("://")[0]
    try:
        core: Any = importlib.import_module("fsspec.core")
    except ImportError as error:
        message = f"expected fsspec to read {shown} with, found it not installed: pip install fsspec"
        raise ImportError(message) from error
    filesystem, path = core.url_to_fs(url)
    if scheme.lower() in _WITHOUT_DIRECTORIES:
        return [(shown, functools.partial(filesystem.open, path, "rb"))]
    paths = _paths(filesystem, path, shown)
    # The URL itself keeps its name; files that were found have one of their own.
    names = [shown] if paths == [path] else [f"{scheme}://{found.lstrip('/')}" for found in paths]
    return [
        (name, functools.partial(filesystem.open, found, "rb"))
        for name, found in zip(names, paths, strict=True)
    ]


def _paths(filesystem: Any, path: str, shown: str) -> list[str]:
    if "*" in path or "[" in path:
        found = filesystem.glob(path)
    elif not path.endswith(".avro") and filesystem.isdir(path):
        found = filesystem.glob(f"{path.rstrip('/')}/*.avro")
    else:
        return [path]
    if not found:
        message = "expected files that match this URL, found none"
        raise FileNotFoundError(errno.ENOENT, message, shown)
    return sorted(found)


class KeptFile(io.BytesIO):
    """What was read of a file object, under its name: in messages, in fingerprints and in states."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def container(schema: str, records: Iterable[bytes]) -> bytes:
    """An Avro file of records that are encoded already.

    Each is a block of its own: one that is too long or too short is an error then, and does not move the
    bytes of those that follow.

    Args:
        schema: Of the records, as JSON.
        records: In Avro's binary encoding.
    """
    written = [b"Obj\x01", _long(2)]
    for text in (b"avro.codec", b"null", b"avro.schema", schema.encode()):
        written += (_long(len(text)), text)
    written += (_long(0), _SYNC)
    one = _long(1)
    for record in records:
        written += (one, _long(len(record)), record, _SYNC)
    return b"".join(written)


def as_of_records(message: str) -> str:
    """The text of an error in such a file, for those who know of no file."""
    return _PLACE.sub(r"serialized[\1]: ", message)


def _long(value: int) -> bytes:
    """A number that is not negative: zigzag, then seven bits a byte, the lowest first."""
    rest, written = value * 2, bytearray()
    while rest > 0x7F:  # noqa: PLR2004 - seven bits
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    written.append(rest)
    return bytes(written)
