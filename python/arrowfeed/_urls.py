"""URLs: which texts are one, and what of one may be shown. The compiled module has the same rules."""

from __future__ import annotations

import os
import re
from typing import Any

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
"""Two characters at least: a drive has one."""

GLOB = "*?["
"""The characters of a glob."""


def scheme_of(text: str) -> str | None:
    """The scheme of a URL in small letters; None for a path."""
    found = _SCHEME.match(text)
    return found[1].lower() if found else None


def is_remote(source: Any, store: Any = None) -> bool:
    """Whether a source names files of a store.

    Args:
        source: Anything that a reading function takes as one source.
        store: The store of the caller, in which a name without a scheme is one of an object.
    """
    if not isinstance(source, str | os.PathLike):
        return False
    scheme = scheme_of(text_of(source))
    return store is not None if scheme is None else scheme != "file"


def text_of(source: Any) -> str:
    """A path or a URL as text."""
    return os.fsdecode(source)


def redacted(text: str) -> str:
    """A URL without what may be secret: user name, password, query and fragment. A path stays as it is."""
    found = _SCHEME.match(text)
    if found is None:
        return text
    rest = text[found.end() :]
    end = next((at for at, character in enumerate(rest) if character in "/?#"), len(rest))
    path = rest[end:]
    if found[1].lower() != "file":
        # In a file URL these are characters of a glob or a name.
        path = re.split(r"[?#]", path, maxsplit=1)[0]
    return f"{found[0]}{rest[:end].rpartition('@')[2]}{path}"


def name_of(text: str) -> str:
    """A path, or the part of a URL that names a file: only URLs of HTTP have queries."""
    return redacted(text) if scheme_of(text) in ("http", "https") else text


def literal(name: str) -> str:
    """A URL that a listing has given, as a glob that nothing else matches."""
    return re.sub(r"[*?[]", r"[\g<0>]", name)
