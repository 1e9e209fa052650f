"""Parquet files."""

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
class ParquetDataset(Dataset):
    """A dataset over Parquet files: a source of record batches and tensors for training.

    A row group is the unit of shuffling, of parallel decoding and of `on_error`, like a block of an Avro
    file. One thread decodes a row group. Files with row groups of 10,000 to 100,000 rows shuffle well. Only
    the pages of the selected columns are read. A column with an Arrow dictionary type becomes a column of its
    values.

    The constructor reads the footer of the first file, so it raises an error for a wrong file, column or
    feature. The constructor also reads file objects into memory, because they can be read only once.

    Args:
        source: A path, a glob, a directory (its `*.parquet`), a URL (S3, Google Cloud Storage, Azure, HTTP
            and HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list
            of these. Files are read in the order of the list; the files of a glob or a directory are sorted
            by name.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Field paths to read (`id`, `user.scores`; also through lists), in this order. A map is read
            as a whole. With a `schema`, the paths refer to it. None: the fields that the tensors need.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        schema: The Arrow schema of the batches: a pyarrow schema, any object with `__arrow_c_schema__`, or a
            dict of names and types, as in `types` of `CsvDataset`. The names match the columns and fields of
            each file with those of the schema, in any order. A column of another type is converted if the
            conversion is lossless; the page "Parquet" has the table of types. A nullable column that a file
            does not have is null. `"merge"`: the merged schema of all files, whose footers are read first, as
            the page "Files with different schemas" says; `schema_changes` is the report. None: the schema of
            the first file, which all files must have.
        double_as_float: With a `schema`, rounds doubles to floats; those beyond the largest float become
            infinite. False: a column of doubles that the schema declares as floats is an error.
        limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the footer,
            `batch_bytes` a batch. None: `Limits()`. The Rust crate `parquet`, which decodes the pages, may
            allocate up to 2 GiB for a page of a damaged file.
        index: Path of an index of these files that `save_index` wrote. With an index, `num_rows`, shuffles
            and shards read no footers in advance. None: footers are read when needed.
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
        FormatError: The first file is not a Parquet file, or `index` is not an index.
        ChangedError: `index` belongs to other files, or the length of a file has changed.
        SchemaError: The columns of the file cannot be converted to Arrow or to `schema`, or a column does not
            exist.
        RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
            name the tensor and its column.
        LimitError: The footer exceeds `limits`.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> dataset = arrowfeed.ParquetDataset("part-*.parquet", columns=["id", "user.scores"])
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
        schema: ArrowSchemaExportable | Mapping[str, ColumnType] | Literal["merge"] | None = None,
        double_as_float: bool = False,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
        file_column: str | None = None,
        row_column: str | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> ParquetDataset: ...

def read_parquet(
    source: Source,
    *,
    columns: list[str] | tuple[str, ...] | None = None,
    exclude: list[str] | tuple[str, ...] | None = None,
    schema: ArrowSchemaExportable | Mapping[str, ColumnType] | Literal["merge"] | None = None,
    double_as_float: bool = False,
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
    """Reads Parquet files as Arrow record batches.

    This call reads the footer of the first file, so it raises an error for a wrong file, column or schema.
    The other files are opened when they are needed. A column with an Arrow dictionary type becomes a column
    of its values.

    Args:
        source: A path, a glob, a directory (its `*.parquet`), a URL,
            the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
        columns: Field paths to read (`"id"`, `"user.scores"`; also through lists), in this order. A map is
            read as a whole. With a `schema`, the paths refer to it. None: all columns.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        schema: The Arrow schema of the batches: a pyarrow schema, or any object with `__arrow_c_schema__`.
            The names match the columns and fields of each file with those of the schema, in any order. A
            column of another type is converted if the conversion is lossless; the page "Parquet" has the
            table of types. A nullable column that a file does not have is null. `"merge"`: the merged schema
            of all files, whose footers are read first, as the page "Files with different schemas" says;
            `schema_changes` is the report. None: the schema of the first file, which all files must have.
        double_as_float: With a `schema`, rounds doubles to floats; those beyond the largest float become
            infinite. False: a column of doubles that the schema declares as floats is an error.
        where: The predicate that the rows must pass, such as `arrowfeed.col("age") >= 18`, its text
            `"age >= 18"`, or an expression of pyarrow or polars. Its columns need not be among `columns`.
            Each batch but the last one then has `batch_size` rows. None: all rows.
        batch_size: Number of rows of a batch. A batch may be shorter at the end of a row group. None: 8,192,
            or fewer for many columns, as in `read_avro`.
        threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
        limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the footer,
            `batch_bytes` a batch. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a row group
            that cannot be read. `"skip_file"`: skips the rest of the file. `report()` lists the skipped
            parts. A value that does not fit the `schema` always raises an error.
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
        FormatError: The first file is not a Parquet file.
        SchemaError: The columns of the first file cannot be converted to `schema`, or a column does not
            exist. While reading: a later file has other columns.
        ConversionError: While reading: a value does not fit the `schema`. The message names the file, row
            group, row and column.
        LimitError: The footer exceeds `limits`.
        OptionError: A column of `where` does not exist, or has another type than its value.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: `progress` is True and tqdm is not installed.

    Example:
        >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.large_list(pyarrow.binary())})
        >>> reader = arrowfeed.read_parquet("part-*.parquet", schema=schema)
        >>> table = pyarrow.table(reader)
    """
