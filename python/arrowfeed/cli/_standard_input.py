"""Standard input as a file that can be looked into before it is read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import arrowfeed

if TYPE_CHECKING:
    from io import BufferedReader

    from arrowfeed import AvroSchema


_STEP = 1 << 20


class StandardInput:
    """Standard input, which begins once more with what was read of it for the header.

    Each wait for more is a call of its own from Python, which looks for Ctrl-C before it.

    Raises:
        OSError: The process has none.
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
        """The header. The first call comes before all reading."""
        if self._schema is None:
            self._keeping = True
            try:
                self._schema = arrowfeed.avro_schema(self)
            finally:
                self._keeping = False
        return self._schema

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, none at the end. By default all bytes up to the end."""
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
