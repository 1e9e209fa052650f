"""Where the blocks of a file are. Nothing of them is decoded here, and nothing of them is believed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, BinaryIO

from arrowfeed._arrowfeed import Limits, read_avro
from arrowfeed._errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"Obj\x01"
MARKER = 16
"""Bytes of a sync marker."""
LONG = 10
"""Bytes of the longest long."""
CHUNK = 1 << 20
"""Bytes that are read at once where there is no telling how many it takes."""


class BlockFile:
    """The bytes of a file, cut at the ends of its blocks.

    Args:
        file: Opened for reading, and able to seek.
        path: Its name in messages.
        limits: Of the header and of a block.

    Raises:
        ArrowfeedError: As `arrowfeed.read_avro`, for a header that is none.

    Attributes:
        header: The bytes before the first block.
        after: Where the block ends that `block` has given.
    """

    def __init__(self, file: BinaryIO, path: str, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self.header = self._read_header(path)
        self.after = len(self.header)

    @property
    def _marker(self) -> bytes:
        return self.header[-MARKER:]

    def _read_header(self, path: str) -> bytes:
        data = b""
        while len(data) <= self._limits.header_bytes:
            chunk = self._file.read(CHUNK)
            data += chunk
            length = _header_length(data)
            if length is not None:
                return data[:length]
            if not chunk or not data.startswith(MAGIC):
                break
        self._file.seek(0)
        read_avro(_Named(self._file, path), limits=self._limits, threads=1).close()
        raise FormatError(f"{path}: expected a header of Avro, found another", path=path)

    def first(self, start: int, stop: int) -> int:
        """The offset of the first block at `start` or after it; `stop` where there is none before it.

        A block begins right after a sync marker.
        """
        if start <= len(self.header):
            return len(self.header)
        for _, end in self._up_to_marker(start - MARKER):
            if end is not None:
                return min(end, stop)
            if self._file.tell() >= stop:
                break
        return stop

    def block(self, offset: int) -> Iterator[bytes]:
        """The bytes from the start of a block to the end of its sync marker, in pieces.

        Where its head is wrong, those up to the next sync marker, or to the end of the file: a reader will
        find the fault, and goes on at the same place if it goes on at all. No bytes: the file ends at the
        offset.
        """
        self._file.seek(offset)
        head = self._file.read(2 * LONG)
        length = _block_length(head)
        if length is not None and length <= self._limits.decoded_block_bytes:
            data = head[:length] + self._file.read(max(length - len(head), 0))
            if len(data) == length and data.endswith(self._marker):
                self.after = offset + length
                yield data
                return
        self.after = offset
        for piece, _ in self._up_to_marker(offset):
            self.after += len(piece)
            yield piece

    def _up_to_marker(self, offset: int) -> Iterator[tuple[bytes, int | None]]:
        """Pieces from the offset to the end of the next marker, which comes with the last one of them."""
        self._file.seek(offset)
        before = b""
        while chunk := self._file.read(CHUNK):
            found = (before + chunk).find(self._marker)
            if found >= 0:
                length = found + MARKER - len(before)
                yield chunk[:length], offset + length
                return
            yield chunk, None
            offset += len(chunk)
            before = (before + chunk)[1 - MARKER :]


class _Named:
    """A file object with a name for messages."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self.read = file.read


def _header_length(data: bytes) -> int | None:
    """The length of the header that the bytes start with; None: it does not end in them, or is none."""
    place = len(MAGIC)
    try:
        while True:
            count, place = _long(data, place)
            if count == 0:
                break
            if count < 0:
                _, place = _long(data, place)
            for _ in itertools.repeat(None, 2 * abs(count)):
                size, place = _long(data, place)
                if size < 0:
                    return None
                place += size
    except IndexError:
        return None
    length = place + MARKER
    return length if data.startswith(MAGIC) and length <= len(data) else None


def _block_length(head: bytes) -> int | None:
    """The length of a block with its marker, by its head; None: the head is wrong."""
    try:
        rows, place = _long(head, 0)
        size, place = _long(head, place)
    except IndexError:
        return None
    return None if rows < 0 or size < 0 else place + size + MARKER


def _long(data: bytes, place: int) -> tuple[int, int]:
    """A long and the place after it.

    Raises:
        IndexError: It does not end in the bytes, or not after ten of them.
    """
    value = 0
    for index in range(LONG):
        byte = data[place + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:  # noqa: PLR2004 - the highest bit
            return (value >> 1) ^ -(value & 1), place + index + 1
    raise IndexError("expected a long of ten bytes at most")
