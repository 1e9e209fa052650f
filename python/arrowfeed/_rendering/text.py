"""Text output: JSON, and escapes for terminals."""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

CUT = 40
"""Maximum length of a text in a table."""

_ACTIVE = re.compile(
    # Cc, and the line separators Zl and Zp.
    "[\x00-\x1f\x7f-\x9f\u2028\u2029"
    # Cf, except U+200C and U+200D.
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
    # Cs: bytes of file names that are not UTF-8.
    "\ud800-\udfff]"
)
"""Characters of the Unicode categories Cc, Cf, Cs, Zl and Zp: terminal controls, direction marks, invisible
characters and line ends. The joiners U+200C and U+200D are excluded, because Persian, Indic scripts and emoji
use them."""


def printable(text: str) -> str:
    """Escapes each character of `_ACTIVE` in the same way as JSON.

    Every printed string from data, schemas, file names, arguments or exceptions passes through this function.
    """
    # Python calls none of these characters printable. The test is 9 times as fast as the search.
    return text if text.isprintable() else _ACTIVE.sub(_escaped, text)


def printable_lines(text: str) -> str:
    """Escapes a text like `printable`, but keeps line feeds."""
    if _ACTIVE.search(text.replace("\n", "")) is None:
        return text
    return "\n".join(map(printable, text.split("\n")))


def json_text(value: Any, indent: int | None = None) -> str:
    """Encodes as JSON, with the characters of `_ACTIVE` escaped."""
    text = _encoder(indent).encode(value)
    # JSON escapes all line feeds except those between values.
    return printable_lines(text)


def json_lines(rows: Iterable[Any]) -> str:
    """Encodes each row as a line of JSON, like `json_text`, with one search for characters to escape."""
    encode = _encoder(None).encode
    return printable_lines("".join(f"{encode(row)}\n" for row in rows))


@functools.cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=indent)


def cut(text: str, most: int = CUT) -> str:
    """Shortens a long text to its beginning and an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _escaped(match: re.Match[str]) -> str:
    """Escapes a character as in JSON, with two surrogates above 16 bits."""
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
