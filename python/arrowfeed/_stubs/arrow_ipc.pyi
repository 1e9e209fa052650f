"""Arrow IPC files and streams."""

import os
from collections.abc import Mapping
from typing import Literal, final

from arrowfeed._stubs.dataset import Dataset
from arrowfeed._stubs.read import Limits, RecordBatchReader
from arrowfeed.types import (
    ArrowSchemaExportable,
    ColumnType,
    FeatureLike,
    OnError,
    PredicateLike,
    RepresentationT,
    Source,
    StorageOptions,
    Store,
)

@final
class ArrowDataset(Dataset):
    """A dataset over Arrow IPC files (Feather V2) and streams: a source of record batches and tensors for
    training.

    The library `datasets` of Hugging Face stores its data as such streams. The bytes determine which of both
    a file is; a dataset may have both. A record batch is the unit of shuffling, of parallel decoding and of
    `on_error`, like a block of an Avro file. Record batches of 1,000 to 100,000 rows shuffle well. Batches
    and tensors share the memory into which a record batch was read. Only the bytes of the selected columns
    are read. Columns with dictionaries stay such columns. Record batches may be compressed with lz4 or
    zstandard.

    The constructor reads the metadata of the first file, so it raises an error for a wrong file, column or
    feature. The constructor also reads file objects into memory, because they can be read only once.

    Args:
        source: A path, a glob, a directory (its `*.arrow`), a URL (S3, Google Cloud Storage, Azure, HTTP
            and HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list
            of these. Files are read in the order of the list; the files of a glob or a directory are sorted
            by name.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Field paths to read (`id`, `user.scores`), in this order. A column with a field that is
            named is read as a whole. None: the columns that the tensors need.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the metadata of a
            message, `decoded_block_bytes` a record batch, `batch_bytes` a batch and the dictionaries.
            None: `Limits()`.
        index: Path of an index of these files that `save_index` wrote. With an index, `num_rows`, shuffles
            and shards read no metadata in advance. None: the metadata is read when needed.
        partitioning: As in `read_avro`.
        file_column: As in `read_avro`.
        row_column: As in `read_avro`.
        storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
            stores" lists the keys. Options that are not set come from the environment. A pickle of the
            dataset contains these options.
        store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
            determines the store.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
            too.
        FormatError: The first file is not an Arrow IPC file or stream, or `index` is not an index.
        TruncatedError: The first file ends inside a message, or has no footer.
        ChangedError: `index` belongs to other files, or the length of a file has changed.
        SchemaError: A column does not exist, or two columns have the same name.
        RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
            name the tensor and its column.
        LimitError: The metadata exceeds `limits`.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> dataset = arrowfeed.ArrowDataset("data-*.arrow", columns=["id", "scores"])
        >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
        ...     train(tensors["id"].values)
    """

    def __new__(
        cls,
        source: Source,
        *,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationT] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        exclude: list[str] | tuple[str, ...] | None = None,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
        file_column: str | None = None,
        row_column: str | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> ArrowDataset: ...

def read_arrow_ipc(
    source: Source,
    *,
    columns: list[str] | tuple[str, ...] | None = None,
    exclude: list[str] | tuple[str, ...] | None = None,
    where: PredicateLike | None = None,
    batch_size: int | None = None,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
    file_column: str | None = None,
    row_column: str | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
    progress: bool = False,
) -> RecordBatchReader:
    """Reads Arrow IPC files (Feather V2) and streams as Arrow record batches.

    This call reads the metadata of the first file, so it raises an error for a wrong file or column. The
    other files are opened when they are needed. All files must have the same columns. Columns with
    dictionaries stay such columns.

    Args:
        source: A path, a glob, a directory (its `*.arrow`), a URL,
            the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
        columns: Field paths to read (`"id"`, `"user.scores"`), in this order. A column with a field that is
            named is read as a whole. None: all columns.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        where: The predicate that the rows must pass, such as `arrowfeed.col("age") >= 18`, its text
            `"age >= 18"`, or an expression of pyarrow or polars. Its columns need not be among `columns`.
            Each batch but the last one then has `batch_size` rows. None: all rows.
        batch_size: Number of rows of a batch. A batch may be shorter at the end of a record batch of the
            file. None: 8,192, or fewer for many columns, as in `read_avro`.
        threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
        limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the metadata of a
            message, `decoded_block_bytes` a record batch, `batch_bytes` a batch and the dictionaries.
            None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a record batch
            that cannot be read. `"skip_file"`: skips the rest of the file. `report()` lists the skipped
            parts.
        partitioning: As in `read_avro`.
        file_column: As in `read_avro`.
        row_column: As in `read_avro`.
        storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
            stores" lists the keys. Options that are not set come from the environment.
        store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
            determines the store.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.
        progress: Whether to show a tqdm progress bar that counts the rows as they are read, without a total.
            Closing the reader closes the bar.

    Returns:
        A reader that iterates over batches and has `__arrow_c_stream__`.

    Raises:
        FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
            too.
        FormatError: The first file is not an Arrow IPC file or stream.
        TruncatedError: The first file ends inside a message, or has no footer.
        SchemaError: A column does not exist. While reading: a later file has other columns.
        LimitError: The metadata exceeds `limits`. While reading: a record batch or its dictionaries do.
        OptionError: A column of `where` does not exist, or has another type than its value.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: `progress` is True and tqdm is not installed.

    Example:
        >>> table = pyarrow.table(arrowfeed.read_arrow_ipc("data-*.arrow", columns=["id", "text"]))
    """
