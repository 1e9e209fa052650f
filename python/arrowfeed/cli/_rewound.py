"""Standard input whose header is read on its own, before all of it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import arrowfeed

if TYPE_CHECKING:
    from arrowfeed import AvroSchema
    from arrowfeed.types import BinaryReader


class Rewound:
    """A stream that begins once more with what was read of it for the header.

    Messages call it by its `name`.
    """

    def __init__(self, stream: BinaryReader) -> None:
        self._stream = stream
        self.name: str = getattr(stream, "name", "standard input")
        self._header = bytearray()
        self._keeping = True

    def schema(self) -> AvroSchema:
        """The header. To be called before all reading."""
        try:
            return arrowfeed.avro_schema(self)
        finally:
            self._keeping = False

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        if not self._keeping and self._header:
            data = bytes(self._header[:size])
            del self._header[:size]
            return data
        data = self._stream.read(size)
        if self._keeping:
            self._header += data
        return data
