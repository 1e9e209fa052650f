"""Text for people and for programs: JSON, tables, and escapes for terminals."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

CUT = 40
"""Characters of a text in a table."""

_ACTIVE = re.compile(
    # Cc, and Zl and Zp, which end lines.
    "[\x00-\x1f\x7f-\x9f\u2028\u2029"
    # Cf, but for U+200C and U+200D.
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
    # Cs: bytes of file names that are not UTF-8.
    "\ud800-\udfff]"
)
"""Characters of the Unicode categories Cc, Cf, Cs, Zl and Zp: controls of terminals, marks of direction,
invisible characters, line ends. The joiners U+200C and U+200D are left out: Persian, Indic scripts and emoji
are written with them."""


def printable(text: str) -> str:
    """The text with each character of `_ACTIVE` escaped as JSON escapes it.

    Every string that a command prints and that comes from data, schemas, file names, arguments or exceptions
    passes through this function.
    """
    return _ACTIVE.sub(_escaped, text)


def printable_lines(text: str) -> str:
    """The text with its line feeds kept, and every other active character escaped."""
    return "\n".join(map(printable, text.split("\n")))


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON, with the characters that `printable` would escape as JSON escapes them."""
    text = _encoder(indent).encode(value)
    # Line feeds between values are the only ones that JSON does not escape by itself.
    return printable_lines(text)


@functools.cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=indent)


def cut(text: str, most: int = CUT) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Columns of equal width, two spaces apart.

    Args:
        header: Names of the columns.
        rows: Cells, as many as names.
        right: Numbers of the columns that end at the right.

    Returns:
        Lines without spaces at their ends.
    """
    lines = [[printable(cell) for cell in line] for line in (header, *rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(header))]
    return "".join(
        "  ".join(_filled(cell, widths[at], right=at in right) for at, cell in enumerate(line)).rstrip()
        + "\n"
        for line in lines
    )


def _escaped(match: re.Match[str]) -> str:
    """Two surrogates where the number has more than 16 bits, as in JSON."""
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _filled(cell: str, width: int, *, right: bool) -> str:
    spaces = " " * (width - _width(cell))
    return spaces + cell if right else cell + spaces


def _width(text: str) -> int:
    """Columns of a terminal that the text takes."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
