"""Rules for URLs: recognition, and removal of secrets for display. The compiled module has the same rules."""

from __future__ import annotations

import os
import re
import urllib.request
from typing import Any

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
"""A scheme has at least two characters, because a drive letter has one."""

GLOB = "*?["
"""The characters of a glob."""


def scheme_of(text: str) -> str | None:
    """The scheme of a URL in lower case; None for a path."""
    found = _SCHEME.match(text)
    return found[1].lower() if found else None


def is_remote(source: Any, store: Any = None) -> bool:
    """Whether a source names files in a store.

    Args:
        source: One source, as reading functions accept it.
        store: The store of the caller. If it is set, a name without a scheme names an object in it.
    """
    if not isinstance(source, str | os.PathLike):
        return False
    scheme = scheme_of(text_of(source))
    return store is not None if scheme is None else scheme != "file"


def text_of(source: Any) -> str:
    """A path or a URL as text."""
    return os.fsdecode(source)


def redacted(text: str) -> str:
    """Removes the secret parts of a URL: user name, password, query and fragment. A path is unchanged."""
    found = _SCHEME.match(text)
    if found is None:
        return text
    rest = text[found.end() :]
    end = next((at for at, character in enumerate(rest) if character in "/?#"), len(rest))
    path = rest[end:]
    if found[1].lower() != "file":
        # In a file URL, these characters belong to a glob or a name.
        path = re.split(r"[?#]", path, maxsplit=1)[0]
    return f"{found[0]}{rest[:end].rpartition('@')[2]}{path}"


def path_of_file_url(url: str) -> str:
    """The path of a URL that starts with `file:`. The characters `?` and `#` belong to a glob or a name."""
    rest = url.partition(":")[2]
    if rest.startswith("//"):
        rest = "/" + rest[2:].partition("/")[2]
    return urllib.request.url2pathname(rest)


def name_of(text: str) -> str:
    """A path, or the part of a URL that names a file. Only HTTP URLs have queries."""
    return redacted(text) if scheme_of(text) in ("http", "https") else text


def literal(name: str) -> str:
    """Escapes a URL from a listing into a glob that matches only this URL."""
    return re.sub(r"[*?[]", r"[\g<0>]", name)
