"""Standard input as a file object whose header can be read in advance."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import arrowfeed

if TYPE_CHECKING:
    from io import BufferedReader

    from arrowfeed import AvroSchema


_STEP = 1 << 20


class StandardInput:
    """Standard input, which repeats the bytes that were read for the header.

    Each blocking read is a separate call from Python, which checks for Ctrl-C before it.

    Raises:
        OSError: The process has no standard input.
    """

    name = "<stdin>"

    def __init__(self) -> None:
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise OSError("expected standard input, found it closed")
        self._stream = cast("BufferedReader", sys.stdin.buffer)
        self._header = bytearray()
        self._keeping = False
        self._schema: AvroSchema | None = None

    def schema(self) -> AvroSchema:
        """Reads the header. The first call must precede all other reads."""
        if self._schema is None:
            self._keeping = True
            try:
                self._schema = arrowfeed.avro_schema(self)
            finally:
                self._keeping = False
        return self._schema

    def read(self, size: int = -1, /) -> bytes:
        """Returns at most `size` bytes, and none at the end. By default, reads up to the end."""
        if size < 0:
            return b"".join(iter(lambda: self.read(_STEP), b""))
        if self._header and not self._keeping:
            data = bytes(self._header[:size])
            del self._header[:size]
            return data
        data = self._stream.read1(size)
        if self._keeping:
            self._header += data
        return data
