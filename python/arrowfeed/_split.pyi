"""Stubs of splits. Not importable at run time: the names are in `arrowfeed`."""

import os
from typing import final

from arrowfeed.types import Source

@final
class Split:
    """A byte range of a file: what one worker reads. Picklable, hashable, ordered by path, start and end.

    Splits of `plan_splits` know their file. Reading one raises a `ChangedError` if its file has another
    length or sync marker since then, so no row is missing without an error. A copy of the file is the same
    file.

    A block belongs to the range that contains the offset right after the sync marker before it, so ranges
    that cover a file cover each of its blocks exactly once, wherever they are cut.

    Args:
        path: The file.
        start: First byte.
        end: The byte after the last.
        file_id: The `file_id` of a planned split: the file must be that one. None: any file that does not end
            before `start`. Splits compare without it.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: An argument has a wrong value.

    Example:
        >>> arrowfeed.Split("part-0.avro", 0, 1000)
        Split('part-0.avro', 0, 1000)
    """

    def __new__(
        cls, path: str | os.PathLike[str], start: int, end: int, *, file_id: str | None = None
    ) -> Split: ...
    @property
    def path(self) -> str:
        """The file, as the caller of `plan_splits` named it."""

    @property
    def start(self) -> int:
        """First byte."""

    @property
    def end(self) -> int:
        """The byte after the last."""

    @property
    def file_id(self) -> str | None:
        """Length and sync marker of the file that the split was planned for. None: any file will do."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __lt__(self, other: Split, /) -> bool: ...
    def __le__(self, other: Split, /) -> bool: ...
    def __gt__(self, other: Split, /) -> bool: ...
    def __ge__(self, other: Split, /) -> bool: ...

def plan_splits(source: Source, *, target_bytes: int = 64 << 20) -> list[Split]:
    """Cuts files into splits of about one size, in file order. Only headers are read.

    Args:
        source: Paths, globs, directories or `file://` URLs, or a list of these.
        target_bytes: Bytes of a split; the last one of a file may be smaller.

    Returns:
        Splits whose rows, read in this order, are the files' rows. A file without blocks has none.

    Raises:
        OSError: A file cannot be opened.
        FormatError: A file is no Avro object container file.
        TypeError: The source has bytes, file objects or other URLs, which cannot be split.
        ValueError: `target_bytes` is less than 1.

    Example:
        >>> arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
        [Split('part-0.avro', 213, 16777429), Split('part-0.avro', 16777429, 21482911)]
    """
