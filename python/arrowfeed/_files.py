"""Files that are no paths: URLs that fsspec reaches, file objects in memory.

The compiled module calls `files_of` for URLs of other schemes than `file://`; fsspec is imported then.
"""

from __future__ import annotations

import errno
import functools
import importlib
import io
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

_WITHOUT_DIRECTORIES = ("http", "https")
"""Schemes whose URLs name one file each: a question mark starts a query, and nothing can be listed."""


def files_of(url: str, shown: str, extension: str) -> list[tuple[str, Callable[[], BinaryIO]]]:
    """The files that a URL means: itself, or those of a glob or a directory, sorted.

    Args:
        url: With a scheme that fsspec knows.
        shown: The URL without its secrets, for messages.
        extension: Of the files of a directory, without the dot.

    Returns:
        For each file, its name in messages and a function that opens it.

    Raises:
        ImportError: fsspec, or what it needs for the scheme, is not installed.
        FileNotFoundError: Nothing matches the glob, or the directory has no files with the extension.
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
    paths = _paths(filesystem, path, shown, extension)
    # The URL itself keeps its name; files that were found have one of their own.
    names = [shown] if paths == [path] else [f"{scheme}://{found.lstrip('/')}" for found in paths]
    return [
        (name, functools.partial(filesystem.open, found, "rb"))
        for name, found in zip(names, paths, strict=True)
    ]


def _paths(filesystem: Any, path: str, shown: str, extension: str) -> list[str]:
    if "*" in path or "[" in path:
        found = filesystem.glob(path)
    elif not path.endswith(f".{extension}") and filesystem.isdir(path):
        found = filesystem.glob(f"{path.rstrip('/')}/*.{extension}")
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
