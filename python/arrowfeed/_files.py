"""Files that are not paths: files of fsspec filesystems, and file objects in memory.

The compiled module calls these functions for URLs with schemes that it does not support. They import fsspec.
"""

from __future__ import annotations

import errno
import importlib
import io
import sys
from typing import TYPE_CHECKING, Any

from arrowfeed._errors import OptionError
from arrowfeed._urls import scheme_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_WITHOUT_DIRECTORIES = ("http", "https")
"""Schemes whose URLs name one file each: a question mark starts a query, and listing is impossible."""

_READ_AHEAD = (
    "max_requests",
    "gap_bytes",
    "read_ahead_bytes",
    "request_bytes",
    "max_retries",
    "retry_timeout",
    "request_timeout",
    "min_bytes_per_second",
)
"""Storage options that are not passed to a filesystem."""

_TAGS = ("ETag", "etag", "generation", "mtime", "LastModified", "last_modified", "modified", "created")
"""Keys in `info` of filesystems whose values change when a file changes."""


def filesystem_of(url: str, shown: str, options: Mapping[str, Any] | None) -> Any:
    """Returns the fsspec filesystem for a URL.

    Args:
        url: URL with a scheme that fsspec supports.
        shown: The URL without its secrets, for messages.
        options: Arguments of the filesystem.

    Raises:
        ImportError: fsspec, or a package that it needs for the scheme, is not installed.
        OptionError: Neither arrowfeed nor fsspec knows the scheme.
    """
    try:
        core: Any = importlib.import_module("fsspec.core")
    except ImportError as error:
        message = f"expected fsspec to read {shown}, found it not installed: pip install fsspec"
        raise ImportError(message) from error
    own = {key: value for key, value in (options or {}).items() if key.lower() not in _READ_AHEAD}
    try:
        return core.url_to_fs(url, **own)[0]
    except ValueError as error:
        scheme = scheme_of(url)
        if scheme is None or scheme in importlib.import_module("fsspec").available_protocols():
            raise
        raise OptionError(
            f"{shown}: expected a URL of s3, gs, az, http, https, hdfs or another scheme of fsspec, "
            f"found the scheme {scheme}"
        ) from error


def is_in_fsspec_memory(url: str) -> bool:
    """Whether a program uses the memory filesystem of fsspec, and it contains files that match a URL."""
    if "fsspec.implementations.memory" not in sys.modules:
        return False
    filesystem = filesystem_of(url, url, None)
    core: Any = importlib.import_module("fsspec.core")
    path = core.strip_protocol(url)
    return bool(filesystem.glob(path)) if "*" in path or "[" in path else filesystem.exists(path)


def files_of(
    filesystem: Any, url: str, shown: str, extension: str, *, below: bool
) -> list[tuple[str, str, int | None]]:
    """Lists the files of a URL, sorted: the file itself, or the files of a glob or a directory.

    Args:
        filesystem: An fsspec filesystem.
        url: A URL, or a path of the filesystem.
        shown: The URL without its secrets, for messages.
        extension: Extension of the files to list in a directory, without the dot.
        below: Whether a directory also has the files of all directories below, without those whose names
            start with a dot or an underscore.

    Returns:
        For each file, its name in messages, its path, and its size if a listing contains it.

    Raises:
        FileNotFoundError: No file matches the glob, or the directory has no files with the extension.
    """
    scheme, separator, _ = url.partition("://")
    # A chained URL such as zip://a.avro::file.zip contains the path in its first filesystem.
    path = _path_of(filesystem, url.partition("::")[0]) if separator else url
    if scheme.lower() in _WITHOUT_DIRECTORIES:
        return [(shown, path, None)]
    if "*" in path or "[" in path:
        found = filesystem.glob(path, detail=True)
    elif not path.endswith(f".{extension}") and filesystem.isdir(path):
        found = _below(filesystem, path, extension) if below else _directly_in(filesystem, path, extension)
    else:
        return [(shown, path, None)]
    files = {name: info for name, info in found.items() if info.get("type") != "directory"}
    if not files:
        message = "expected files that match this URL, found none"
        if "*" not in path and "[" not in path and not below:
            # Another listing could take long.
            message = (
                f"expected files named *.{extension} under this URL, found none: read those in directories "
                f"below it with the glob **/*.{extension}, or with partitioning= if the names of the "
                "directories are values"
            )
        raise FileNotFoundError(errno.ENOENT, message, shown)
    prefix = f"{scheme}://" if separator else ""
    return [
        (f"{prefix}{name.lstrip('/')}" if prefix else name, name, info.get("size"))
        for name, info in sorted(files.items())
    ]


def _directly_in(filesystem: Any, path: str, extension: str) -> dict[str, Any]:
    return filesystem.glob(f"{path.rstrip('/')}/*.{extension}", detail=True)


def _below(filesystem: Any, path: str, extension: str) -> dict[str, Any]:
    found: dict[str, Any] = filesystem.find(path, detail=True)
    root = path.strip("/")
    return {
        name: info
        for name, info in found.items()
        if name.endswith(f".{extension}")
        and not any(part.startswith((".", "_")) for part in name.strip("/").removeprefix(root).split("/"))
    }


def _path_of(filesystem: Any, url: str) -> str:
    """Returns the path of a URL in a filesystem, which may not be one of fsspec and then knows its paths."""
    if hasattr(filesystem, "path_of_url"):
        return filesystem.path_of_url(url)
    return importlib.import_module("fsspec.core").strip_protocol(url)


def read_range(filesystem: Any, path: str, start: int, end: int) -> tuple[int, str | None, bytes]:
    """Reads a range of a file. Returns the file length, a tag of the content, and the bytes."""
    info = filesystem.info(path)
    size = info.get("size")
    if size is None:
        data = filesystem.cat_file(path)
        return len(data), None, data[start:end]
    tag = next((str(info[name]) for name in _TAGS if info.get(name) is not None), None)
    end = min(end, size)
    return size, tag, filesystem.cat_file(path, start=start, end=end) if start < end else b""


class BufferedFile(io.BytesIO):
    """The content of a file object, with the name of the object for messages, fingerprints and states."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name
