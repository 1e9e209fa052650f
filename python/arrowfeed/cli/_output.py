"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

from arrowfeed.cli._options import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextlib.contextmanager
def new_file(path: Path) -> Generator[Path]:
    """A name beside the path to write to; what is written there has the path after the block.

    If the block fails, nothing stays, and what was under the path does.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def refuse(path: Path, *, force: bool) -> None:
    """Tells early that a file cannot be made.

    Args:
        path: The file to make.
        force: It may be there, and is replaced.

    Raises:
        UsageError: It is there.
        OSError: It is a directory, or its folder is not there.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "expected an existing directory to write to", str(path.parent))
    if not force and os.path.lexists(path):
        raise UsageError(f"{path}: expected no file of this name, found one: --force replaces it")


@contextlib.contextmanager
def signals_raise() -> Generator[None]:
    """Signals that end the process raise `SystemExit` instead, so that what is unfinished is removed."""
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
