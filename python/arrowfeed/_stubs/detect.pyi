"""Detection of the format of files, for the Python part of the package."""

import os
from collections.abc import Mapping
from typing import Any, Literal

from arrowfeed._stubs.read import Limits
from arrowfeed.types import ArrowSchemaExportable, ColumnType, Source, StorageOptions, Store

def detect(
    source: Source,
    *,
    limits: Limits | None = None,
    partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> tuple[str, dict[str, Any], str, list[tuple[str, int | None]], bytes]:
    """Finds the files of a source, and detects their format in the first one that has content.

    If no file has content, or none can be read, the first one counts. In a directory, the files of the first
    format that has some there are found.

    Args:
        source: As in `AvroDataset`.
        limits: The limits of the first record.
        partitioning: As in `read_avro`.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.
        cache: As in `read_avro`.
        cache_bytes: As in `read_avro`.

    Returns:
        The name of the format; arguments of the format that follow from the file; the evidence: `"content"`,
        `"name"`, `"name of an empty file"` or `"nothing"`; the name and the length of each file (None: the
        length is unknown); the first 256 KiB of that file, or all of it.

    Raises:
        FormatError: The first file has no known format.
        LimitError: The first record is over a limit.
        FileNotFoundError: There is no file. Other I/O errors are OSErrors too.
    """
