"""Tables of text, fitted to the width of the terminal."""

from __future__ import annotations

import heapq
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING

from arrowfeed._rendering.text import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LEAST = 8
"""Columns of a terminal that a text keeps when a table is fitted to it."""

_LEAST_OF_PATHS = 24
"""Columns of a terminal that a path keeps while there are columns to leave out."""


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    paths: Collection[int] = (),
    optional: Sequence[int] = (),
) -> str:
    """Formats a table with aligned columns, separated by two spaces.

    On a terminal, the table is fitted to its width: optional columns are left out, and texts are cut. Numbers
    are never cut, and no text is cut to fewer than `_LEAST` columns. A last line names the columns that were
    left out, except those that are empty.

    Args:
        header: Names of the columns.
        rows: Cells, as many as names.
        right: Indices of the right-aligned columns, which are numbers.
        paths: Indices of the columns that are cut at the start, because their ends differ.
        optional: Indices of the columns that may be left out. Those that are empty are left out before a text
            is cut; the others, in this order, if cutting is not enough.

    Returns:
        Lines without trailing spaces.
    """
    lines = [[printable(cell) for cell in line] for line in (header, *rows)]
    widths = {at: max(_width(line[at]) for line in lines) for at in range(len(header))}
    note = ""
    if sys.stdout.isatty():
        terminal = shutil.get_terminal_size().columns
        least = {at: width if at in right else min(width, _LEAST) for at, width in widths.items()}
        wanted = least | {at: min(widths[at], _LEAST_OF_PATHS) for at in paths}
        empty = [at for at in optional if not any(line[at] for line in lines[1:])]
        for at in dict.fromkeys((*empty, *optional)):
            if _total(widths if at in empty else wanted) > terminal:
                del widths[at], wanted[at]
        left_out = [header[at] for at in range(len(header)) if at not in widths and at not in empty]
        note = f"left out to fit the terminal: {', '.join(left_out)}\n" if left_out else ""
        _fit(widths, wanted, terminal)
        _fit(widths, least, terminal)
        for line in lines:
            for at, width in widths.items():
                line[at] = _cut_to_width(line[at], width, at_start=at in paths)
    return "".join(_line(line, widths, right) for line in lines) + note


def _line(line: Sequence[str], widths: dict[int, int], right: Collection[int]) -> str:
    cells = (_filled(line[at], width, right=at in right) for at, width in widths.items())
    return "  ".join(cells).rstrip() + "\n"


def _total(widths: dict[int, int]) -> int:
    """Width of a line."""
    return sum(widths.values()) + 2 * (len(widths) - 1)


def _fit(widths: dict[int, int], least: dict[int, int], terminal: int) -> None:
    """Narrows the widest columns until the table has a width, or each has its least width."""
    columns = enumerate(widths.items())
    # The widest column is the first, of several the leftmost.
    wider = [(-width, place, at) for place, (at, width) in columns if width > least[at]]
    heapq.heapify(wider)
    for _ in range(_total(widths) - terminal):
        if not wider:
            break
        width, place, at = wider[0]
        widths[at] -= 1
        if widths[at] > least[at]:
            heapq.heapreplace(wider, (width + 1, place, at))
        else:
            heapq.heappop(wider)


def _cut_to_width(text: str, width: int, *, at_start: bool) -> str:
    """Shortens a text to a number of terminal columns, one of which is an ellipsis."""
    if _width(text) <= width:
        return text
    if at_start:
        return "…" + _beginning(text[::-1], width - 1)[::-1]
    return _beginning(text, width - 1) + "…"


def _beginning(text: str, width: int) -> str:
    """The longest beginning of a text that is longer than a number of terminal columns."""
    end = 0
    while (width := width - _width(text[end])) >= 0:
        end += 1
    return text[:end]


def _filled(cell: str, width: int, *, right: bool) -> str:
    spaces = " " * (width - _width(cell))
    return spaces + cell if right else cell + spaces


def _width(text: str) -> int:
    """Width of the text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
