"""Output files and objects, which appear only when they are complete."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from arrowfeed._arrowfeed import exists, upload
from arrowfeed._urls import is_remote, name_of, redacted, scheme_of
from arrowfeed.cli._options import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


class Output:
    """The destination of a command: a local file, or an object in a store. Its text form has no secrets.

    Args:
        text: A path or a URL.
        stores: Arguments of functions of the library: how the store is reached.

    Raises:
        UsageError: The URL names a file of another host.
    """

    def __init__(self, text: str, stores: Mapping[str, Any]) -> None:
        self.place: Path | str = text if is_remote(text) else _path_of(text)
        """The path of a file, or the URL of an object."""
        self.stores = stores

    @property
    def name(self) -> str:
        """The last part of the path or URL."""
        place = self.place
        return place.name if isinstance(place, Path) else name_of(place).rpartition("/")[2]

    def __str__(self) -> str:
        return redacted(str(self.place))


def _path_of(text: str) -> Path:
    if scheme_of(text) != "file":
        return Path(text)
    host, slash, rest = text.partition("://")[2].partition("/")
    if host.lower() not in ("", "localhost"):
        raise UsageError(f"{redacted(text)}: expected a file URL of this machine, found another host")
    return Path(unquote(slash + rest))


@contextlib.contextmanager
def new_file(output: Output) -> Generator[Path]:
    """Provides a local file to write to, which becomes the output after the block.

    If the block fails, the file is removed, and an existing output stays unchanged.
    """
    path = output.place
    if isinstance(path, str):
        with tempfile.TemporaryDirectory(prefix="arrowfeed-") as folder:
            whole = Path(folder, "output")
            yield whole
            upload(whole, path, **output.stores)
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def refuse(output: Output, *, force: bool) -> None:
    """Checks early whether a file or an object can be created.

    Args:
        output: The output to create.
        force: Whether an existing output may be replaced.

    Raises:
        UsageError: The output exists, or the URL does not support writing.
        OSError: The output is a directory, its parent directory does not exist, or the store rejects the
            request.
    """
    path = output.place
    if isinstance(path, str):
        _refuse_object(output, path, force=force)
        return
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "expected an existing directory to write to", str(path.parent))
    if not force and os.path.lexists(path):
        raise UsageError(f"{path}: expected no file of this name, found one: --force replaces it")


def _refuse_object(output: Output, url: str, *, force: bool) -> None:
    if scheme_of(url) in ("http", "https"):
        raise UsageError(f"{output}: expected a path or an object of a store, found an HTTP URL")
    try:
        found = exists(url, **output.stores)
    except PermissionError:
        # The credentials may permit writing but not reading.
        if not force:
            raise
        return
    if found and not force:
        raise UsageError(f"{output}: expected no object of this name, found one: --force replaces it")


@contextlib.contextmanager
def signals_raise() -> Generator[None]:
    """Makes termination signals raise `SystemExit`, so that unfinished files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {getattr(signal, name): signal.getsignal(getattr(signal, name)) for name in names}
    for number in before:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, _frame: object) -> None:
    sys.exit(128 + number)
