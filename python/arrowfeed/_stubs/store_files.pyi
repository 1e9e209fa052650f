"""Files of stores, for the Python part of the package."""

import os

from arrowfeed.types import StorageOptions, Store

def peek(
    url: str,
    extension: str,
    count: int,
    *,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> tuple[list[tuple[str, int | None]], bytes]:
    """The files of a URL, and the first bytes of the first one.

    Args:
        url: Of a file, a glob or a directory; or a name in the store of the caller.
        extension: Of the files of a directory, without the dot.
        count: Bytes to read at most. 0: none, and no request but those of a listing is sent.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.
        cache: As in `read_avro`.
        cache_bytes: As in `read_avro`.

    Returns:
        The name of each file and its length, where a listing has told it; and the bytes.

    Raises:
        FileNotFoundError: There is no such file. Other OSErrors likewise.
    """

def exists(url: str, *, storage_options: StorageOptions | None = None, store: Store | None = None) -> bool:
    """Whether a store has an object. Sends one request.

    Args:
        url: Of the object.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.

    Raises:
        OSError: The store does not say.
    """

def upload(
    path: str | os.PathLike[str],
    url: str,
    *,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
) -> int:
    """Copies a local file to an object, which is visible when it is whole. One of the same name is replaced.

    Args:
        path: The file.
        url: Of the object.
        storage_options: As in `write_avro`.
        store: As in `write_avro`.

    Returns:
        The number of bytes.

    Raises:
        OSError: The file cannot be read, or the object cannot be written.
        ValueError: The store takes no new objects.
    """
