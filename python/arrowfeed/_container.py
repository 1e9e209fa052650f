"""Records without a file, as a file in memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SYNC = bytes(16)
_PLACE = re.compile(r"<\d+ bytes>: block (\d+) at byte [\d,]+(?:, record 0)?: ")


def container(schema: str, records: Iterable[bytes]) -> bytes:
    """An Avro file of records that are encoded already.

    Each is a block of its own: one that is too long or too short is an error then, and does not move the
    bytes of those that follow.

    Args:
        schema: Of the records, as JSON.
        records: In Avro's binary encoding.
    """
    written = [b"Obj\x01", _long(2)]
    for text in (b"avro.codec", b"null", b"avro.schema", schema.encode()):
        written += (_long(len(text)), text)
    written += (_long(0), _SYNC)
    one = _long(1)
    for record in records:
        written += (one, _long(len(record)), record, _SYNC)
    return b"".join(written)


def as_of_records(message: str) -> str:
    """The text of an error in such a file, for those who know of no file."""
    return _PLACE.sub(r"serialized[\1]: ", message)


def _long(value: int) -> bytes:
    """A number that is not negative: zigzag, then seven bits a byte, the lowest first."""
    rest, written = value * 2, bytearray()
    while rest > 0x7F:  # noqa: PLR2004 - seven bits
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    written.append(rest)
    return bytes(written)
