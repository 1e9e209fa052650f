"""Datasets of Apache Iceberg."""

import os
from typing import final

from arrowfeed._stubs.dataset import Dataset
from arrowfeed._stubs.read import Limits
from arrowfeed.types import FeatureLike, RepresentationT, StorageOptions, Store

@final
class IcebergDataset(Dataset):
    """A dataset over the data files of a snapshot of an Iceberg table.

    `arrowfeed.iceberg.dataset` makes it from a scan of pyiceberg; call that function. Other libraries that
    plan scans may call this class.

    Args:
        source: The paths or URLs of the data files.
        scan: A JSON text with the keys `snapshot-id`, `schema` and `name-mapping` in the JSON forms of the
            Iceberg specification, `columns` (field paths, or null for all columns) and `files`: for each
            file its `format`, "avro" or "parquet", and `partition`, the values of identity partitions by the
            identifiers of their columns.
        deleted: For each file, the positions of the deleted rows as 64-bit integers in little-endian bytes.
            None: no row is deleted.
        limits: As in `ParquetDataset`.
        features: As in `ParquetDataset`.
        representations: As in `ParquetDataset`.
        index: As in `ParquetDataset`.
        storage_options: As in `ParquetDataset`.
        store: As in `ParquetDataset`.
        cache: As in `ParquetDataset`.
        cache_bytes: As in `ParquetDataset`.

    Raises:
        OptionError: The text has another form, or the number of files differs.
        ArrowfeedError, OSError: As in `ParquetDataset`.
        TypeError: An argument has the wrong type.

    Example:
        >>> rows = arrowfeed.iceberg.dataset(table.scan())
        >>> type(rows)
        <class 'arrowfeed.iceberg.IcebergDataset'>
    """

    def __new__(
        cls,
        source: list[str | os.PathLike[str]] | list[str],
        *,
        scan: str,
        deleted: list[bytes] | None = None,
        limits: Limits | None = None,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationT] | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> IcebergDataset: ...
