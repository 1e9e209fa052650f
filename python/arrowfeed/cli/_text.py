"""Text for people and for programs: JSON, tables, and what a terminal must not get."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

CUT = 40
"""Characters of a text in a table."""

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls of terminals, marks that turn the direction of text, and what is no text."""


def printable(text: str) -> str:
    """The text with escapes for what could change how a terminal shows the rest of it."""
    return _UNSAFE.sub(_escaped, text)


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON, with the characters that `printable` would escape as JSON escapes them."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    # Line ends between values are the only controls that JSON does not escape by itself.
    return "\n".join(map(printable, text.split("\n")))


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
    return f"\\u{ord(match[0]):04x}"


def _filled(cell: str, width: int, *, right: bool) -> str:
    spaces = " " * (width - _width(cell))
    return spaces + cell if right else cell + spaces


def _width(text: str) -> int:
    """Columns of a terminal that the text takes."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
