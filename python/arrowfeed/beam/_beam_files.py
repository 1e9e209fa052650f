"""Files of Beam's filesystems as a store of `arrowfeed`."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._urls import GLOB, redacted, scheme_of, text_of
from arrowfeed.beam._imported import imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_system: Any = imported("apache_beam.io.filesystem", "apache-beam")
_filesystems: Any = imported("apache_beam.io.filesystems", "apache-beam")
_PLAIN = _system.CompressionTypes.UNCOMPRESSED

_AZURE = ("az", "adl", "azure", "abfs", "abfss")
_OWN_SCHEMES = {"file", "memory", "http", "https", "s3", "s3a", "gs", "hdfs", "viewfs", *_AZURE}
"""Schemes that arrowfeed reads itself, even if Beam has a filesystem for them."""


def is_only_of_beam(url: str) -> bool:
    """Returns whether Beam has a filesystem for the scheme of a URL, and arrowfeed has no store for it."""
    return scheme_of(url) not in _OWN_SCHEMES and _is_of_beam(url)


def _is_of_beam(url: str) -> bool:
    """Returns whether Beam has a filesystem for the scheme of a URL. Local files do not count."""
    scheme = scheme_of(url)
    if scheme in {None, "file"}:
        return False
    return any(system.scheme() == scheme for system in _system.FileSystem.get_all_subclasses())


def opened(path: str) -> Any:
    """Opens a file of one of Beam's filesystems, without decompression."""
    return _filesystems.FileSystems.open(path, compression_type=_PLAIN)


class BeamFiles:
    """The methods of an fsspec filesystem that arrowfeed calls, over the filesystem of Beam for one scheme.

    Args:
        scheme: The scheme of the URLs. None: paths without a scheme.
    """

    def __init__(self, scheme: str | None) -> None:
        self._prefix = "" if scheme is None else f"{scheme}://"

    def path_of_url(self, url: str) -> str:
        """Returns a URL without its scheme."""
        return url.partition("://")[2]

    def url_of(self, path: str) -> str:
        """Returns the name of a path for Beam."""
        return path if path.startswith(self._prefix) else self._prefix + path

    def info(self, path: str) -> dict[str, Any]:
        """Returns the size of a file and the time of its last change.

        Raises:
            FileNotFoundError: There is no such file.
        """
        url = self.url_of(path)
        system = _filesystems.FileSystems.get_filesystem(url)
        if not system.exists(url):
            raise FileNotFoundError(errno.ENOENT, "expected a file, found none", url)
        return _info(system.metadata(url))

    def cat_file(self, path: str, start: int | None = None, end: int | None = None) -> bytes:
        """Reads a range of a file; None: from its start, or to its end."""
        with opened(self.url_of(path)) as file:
            file.seek(start or 0)
            if end is None:
                return file.read()
            return b"".join(_parts(file, end - (start or 0)))

    def isdir(self, path: str) -> bool:
        """Returns whether files are in a directory of this name."""
        if any(character in path for character in GLOB):
            return False
        try:
            return bool(self._matching(f"{path.rstrip('/')}/*"))
        except _system.BeamIOError:
            return False

    def glob(self, pattern: str, **_options: object) -> dict[str, dict[str, Any]]:
        """Returns the files that match a pattern, by path."""
        found = self._matching(pattern)
        return {metadata.path.removeprefix(self._prefix): _info(metadata) for metadata in found}

    def _matching(self, pattern: str) -> list[Any]:
        return _filesystems.FileSystems.match([self.url_of(pattern)])[0].metadata_list


def _parts(file: Any, count: int) -> Iterator[bytes]:
    """Reads a number of bytes, unless the file ends before. A read may return fewer bytes than requested."""
    while count > 0 and (part := file.read(count)):
        count -= len(part)
        yield part


def beam_files_of(source: Any, filesystem: str | None, options: dict[str, Any]) -> BeamFiles | None:
    """Returns Beam's filesystem of the sources. None: arrowfeed opens them.

    Raises:
        ValueError: The sources need different filesystems, or `filesystem` is invalid.
    """
    if filesystem not in (None, "beam", "arrowfeed"):
        raise ValueError(f"filesystem: expected None, 'beam' or 'arrowfeed', found {filesystem!r}")
    several = isinstance(source, list | tuple)
    urls = [text_of(one) for one in (cast("Sequence[Any]", source) if several else [source])]
    own = [name for name in ("store", "storage_options", "cache") if options.get(name) is not None]
    if filesystem == "arrowfeed" or (filesystem is None and own):
        return None
    schemes = {scheme_of(url) if filesystem == "beam" or is_only_of_beam(url) else "" for url in urls}
    if schemes <= {""}:
        return None
    if len(schemes) > 1:
        shown = ", ".join(redacted(url) for url in urls[:3])
        raise ValueError(f"source: expected files of one filesystem of Beam, found {shown}")
    if own:
        raise ValueError(f"{own[0]}: expected files that arrowfeed opens, found filesystem='beam'")
    return BeamFiles(schemes.pop())


def by_filesystem(urls: Sequence[str]) -> list[tuple[BeamFiles | None, list[str]]]:
    """Groups files by the filesystem of Beam for their scheme. None: Beam has none, or they are local."""
    groups: dict[str | None, list[str]] = {}
    for url in urls:
        groups.setdefault(scheme_of(url) if _is_of_beam(url) else None, []).append(url)
    return [(None if scheme is None else BeamFiles(scheme), group) for scheme, group in groups.items()]


def _info(metadata: Any) -> dict[str, Any]:
    changed = metadata.last_updated_in_seconds or None
    return {"name": metadata.path, "type": "file", "size": metadata.size_in_bytes, "mtime": changed}
