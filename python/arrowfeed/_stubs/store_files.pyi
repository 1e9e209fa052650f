"""Functions on files in stores, for the Python part of the package."""

import os
from typing import Literal

from arrowfeed.types import ArrowSchemaExportable, StorageOptions, Store

def peek(
    url: str,
    extension: str,
    count: int,
    *,
    partitioning: Literal["hive"] | ArrowSchemaExportable | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> tuple[list[tuple[str, int | None]], bytes]:
    """Lists the files of a URL, and reads the first bytes of the first file.

    Args:
        url: URL of a file, a glob or a directory, or a name in the store of the caller.
        extension: Extension of the files to list in a directory, without the dot.
        count: Maximum number of bytes to read. 0: none; only the requests of a listing are sent.
        partitioning: As in `read_avro`.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.
        cache: As in `read_avro`.
        cache_bytes: As in `read_avro`.

    Returns:
        A list of the name and the length of each file (None: the length is unknown), and the bytes.

    Raises:
        FileNotFoundError: The file does not exist. Other I/O errors are OSErrors too.
    """

def exists(url: str, *, storage_options: StorageOptions | None = None, store: Store | None = None) -> bool:
    """Returns whether an object exists in a store. Sends one request.

    Args:
        url: URL of the object.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.

    Raises:
        OSError: The request fails for another reason than a missing object.
    """

def upload(
    path: str | os.PathLike[str],
    url: str,
    *,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
) -> int:
    """Copies a local file to an object in a store.

    The object appears when it is complete, and replaces an existing object.

    Args:
        path: The file.
        url: URL of the object.
        storage_options: As in `write_avro`.
        store: As in `write_avro`.

    Returns:
        The number of bytes copied.

    Raises:
        OSError: The file cannot be read, or the object cannot be written.
        ValueError: The store does not support writing.
    """
