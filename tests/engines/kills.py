"""Lets one worker kill itself in the middle of a run, and records the rows that each worker has read."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable


class Seen(NamedTuple):
    """A batch that a worker has read."""

    pid: int
    first: int
    """The id of the first row."""
    rows: int


def end_once(ids: pa.Array | pa.ChunkedArray, directory: str, at: int) -> None:
    """Records the ids that this worker has read. The first worker that reads the id `at` kills itself."""
    folder = Path(directory)
    with (folder / "seen").open("a") as file:
        file.write(f"{os.getpid()} {ids[0]} {len(ids)}\n")
    if pc.index(ids, at).as_py() >= 0:
        with contextlib.suppress(FileExistsError):
            (folder / "ended").touch(exist_ok=False)
            (folder / "ended").write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)


def ended(directory: Path) -> int:
    """The number of the process that killed itself."""
    return int((directory / "ended").read_text())


def seen(directory: Path) -> list[Seen]:
    """The batches that all workers have read."""
    return [Seen(*map(int, line.split())) for line in (directory / "seen").read_text().splitlines()]


def rows_of(batches: Iterable[Seen]) -> int:
    """The number of rows of batches. Rows that were read twice count twice."""
    return sum(batch.rows for batch in batches)
