"""The blocks of a range as one file, each claimed before it is read."""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING, Any

from arrowfeed._errors import ArrowfeedError, ChangedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed.beam._blocks import BlockFile

_PLACE = re.compile(r"\bat byte (\d{1,3}(?:,\d{3})*)")


class ClaimedBlocks:
    """A file object: the header of a file, then the blocks of a range of it, for as long as claims are
    granted.

    A block belongs to the range that contains the offset right after the sync marker before it.

    Args:
        blocks: Of the file.
        path: Of the file, for messages.
        start: First byte of the range.
        stop: The byte after the last.
        claim: Asked once for each block, with its offset, and at the end of the range with an offset behind
            it. Nothing is read of a block for which it says no.

    Attributes:
        name: The path.
        claimed: The number of blocks claimed so far.
    """

    def __init__(
        self, blocks: BlockFile, path: str, start: int, stop: int, claim: Callable[[int], bool]
    ) -> None:
        self.name = path
        self._blocks = blocks
        self._claim = claim
        self._starts: list[int] = []
        self._offsets: list[int] = []
        self._given = 0
        self._pieces = self._granted(start, stop)
        self._rest = memoryview(b"")

    @property
    def claimed(self) -> int:
        """See the class."""
        return len(self._offsets)

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes, and never of two blocks; none at the end."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._rest = memoryview(piece)
        data, self._rest = bytes(self._rest[:size]), self._rest[size:]
        self._given += len(data)
        return data

    def _granted(self, start: int, stop: int) -> Iterator[bytes]:
        yield self._blocks.header
        offset = self._blocks.first(start, stop)
        while self._claim(offset):
            self._starts.append(self._given)
            self._offsets.append(offset)
            yield from self._blocks.block(offset)
            if self._blocks.after == offset:
                found = f"expected a file of {stop:,} bytes or more, found its end at byte {offset:,}"
                raise ChangedError(f"{self.name}: {found}", path=self.name, offset=offset)
            offset = self._blocks.after

    def located(self, error: ArrowfeedError) -> ArrowfeedError:
        """The same error with offsets of the file in place of those of this one."""
        offset = None if error.offset is None else self._in_file(error.offset)
        known: dict[str, Any] = {**vars(error), "offset": offset}
        return type(error)(self.message(str(error)), **known)

    def message(self, text: str) -> str:
        """What a reader of this one says, with the offset in the file."""
        return _PLACE.sub(
            lambda found: f"at byte {self._in_file(int(found[1].replace(',', ''))):,}", text, count=1
        )

    def _in_file(self, offset: int) -> int:
        block = bisect.bisect_right(self._starts, offset) - 1
        return offset if block < 0 else offset - self._starts[block] + self._offsets[block]
