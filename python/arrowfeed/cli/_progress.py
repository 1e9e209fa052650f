"""A progress bar of the file bytes read, shown only on a terminal if tqdm is installed."""

from __future__ import annotations

import contextlib
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._libraries import wanted

if TYPE_CHECKING:
    from collections.abc import Generator

    from arrowfeed import RecordBatchReader
    from arrowfeed.cli._input import Input

_SECONDS = 0.1
_WHOLE = 1 << 62


@contextlib.contextmanager
def progress(reader: RecordBatchReader, files: Input) -> Generator[None]:
    """Shows the progress of a reader until the block ends, whatever code consumes its batches.

    A thread polls the reader, so native consumers of the batches need no support for it.
    """
    tqdm = wanted("tqdm") if sys.stderr is not None and sys.stderr.isatty() else None  # pyright: ignore[reportUnnecessaryComparison]
    if tqdm is None:
        yield
        return
    done = threading.Event()
    with tqdm.tqdm(total=_size(files), unit="B", unit_scale=True, unit_divisor=1024, leave=False) as bar:
        thread = threading.Thread(target=_follow, args=(reader, bar, done), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _follow(reader: RecordBatchReader, bar: Any, done: threading.Event) -> None:
    while not done.wait(_SECONDS):
        bar.update(reader.report()["bytes"] - bar.n)
    bar.update(reader.report()["bytes"] - bar.n)


def _size(files: Input) -> int | None:
    """Bytes of all files; None if they are unknown, or if additional requests to a store are needed."""
    if files.is_remote:
        return files.known_bytes
    try:
        splits = files.splits(_WHOLE)
        return sum(Path(split.path).stat().st_size for split in splits)
    except (arrowfeed.ArrowfeedError, OSError, TypeError):
        return None
