"""Functions on files in stores, for the Python part of the package."""

import os
from collections.abc import Mapping
from typing import Literal

from arrowfeed.types import ArrowSchemaExportable, ColumnType, StorageOptions, Store

def list_files(
    url: str,
    extension: str,
    *,
    check: bool = False,
    partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> list[tuple[str, int | None]]:
    """Lists the files of a URL.

    Args:
        url: URL of a file, a glob or a directory, or a name in the store of the caller.
        extension: Extension of the files to list in a directory, without the dot.
        check: Whether to read a byte of the first file. False: only the requests of a listing are sent.
        partitioning: As in `read_avro`.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.
        cache: As in `read_avro`.
        cache_bytes: As in `read_avro`.

    Returns:
        A list of the name and the length of each file (None: the length is unknown).

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
