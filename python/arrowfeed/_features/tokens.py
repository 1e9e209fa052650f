"""The tokens of a vocabulary, from files and from columns. The compiled module calls it."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import Any

from arrowfeed._errors import CodecError

MOST_BYTES = 4 << 30
"""Maximum size of the text of a file, after decompression."""


def file_content(path: str | os.PathLike[str]) -> bytes:
    """The text of a file, which gzip may have compressed.

    Raises:
        CodecError: The file is compressed, and cut or damaged.
        ValueError: The text has more than 4 GiB.
        OSError: The file cannot be read.
    """
    with Path(path).expanduser().open("rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        source: Any = gzip.GzipFile(fileobj=file) if is_compressed else file
        try:
            content: bytes = source.read(MOST_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            name = os.fspath(path)
            message = f"{name}: expected a whole file of gzip, found one that is cut or damaged: {error}"
            raise CodecError(message, path=str(name)) from error
    if len(content) > MOST_BYTES:
        raise ValueError(f"tokens: expected a file of at most {MOST_BYTES} bytes, found more in {path!r}")
    return content


def values(tokens: Any) -> Any:
    """The Python values of a column of pyarrow, polars, pandas or numpy; other values unchanged."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(tokens, name):
            return getattr(tokens, name)()
    return tokens
