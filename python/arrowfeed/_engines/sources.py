"""Sources that other processes can read again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, cast

from arrowfeed._urls import GLOB, is_remote, literal, scheme_of, text_of


def repeatable(source: Any) -> Any:
    """Returns files that can be read again. An iterator of files becomes a list.

    Raises:
        TypeError: There is a file object.
    """
    _refuse_file(source)
    if not isinstance(source, (Iterator, list, tuple)):
        return source
    files: list[Any] = list(source)  # pyright: ignore[reportUnknownArgumentType] - of any type
    for file in files:
        _refuse_file(file)
    return files


def _refuse_file(source: Any) -> None:
    """Raises a TypeError for a file object. It is checked before an iterator is read, because it is one."""
    if hasattr(source, "read") or hasattr(source, "readinto"):
        message = f"source: expected files that can be read again, found {type(source).__name__}"
        raise TypeError(f"{message}: pass a path, a URL or the bytes")


def absolute(source: Any, store: Any) -> Any:
    """Returns a source with absolute paths. URLs, names in a store and paths in the home directory stay."""
    if isinstance(source, list | tuple):
        return [absolute(one, store) for one in cast("list[Any]", source)]
    if not isinstance(source, str | os.PathLike) or is_remote(source, store):
        return cast("Any", source)
    text = text_of(source)
    if scheme_of(text) is not None or text.startswith("~"):
        return text
    directory = os.getcwd()  # noqa: PTH109 - joined as text, which keeps a slash at the end
    if any(character in text for character in GLOB):
        directory = literal(directory)
    return os.path.join(directory, text)  # noqa: PTH118 - as above
