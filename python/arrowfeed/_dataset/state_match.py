"""The argument `match` of functions that load checkpoints later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arrowfeed.types import FileMatch


def checked_match(match: Any) -> FileMatch:
    """Returns the argument. Raises a `TypeError` or `ValueError` for other values."""
    expected = 'match: expected "names" or "contents"'
    if not isinstance(match, str):
        found = "None" if match is None else f"{type(match).__name__} {match!r}"
        raise TypeError(f"{expected}, found {found}")
    if match not in ("names", "contents"):
        raise ValueError(f"{expected}, found str {match!r}")
    return match
