"""CSV files and JSON lines files."""

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
class CsvDataset(Dataset):
    r"""A dataset over CSV files: a source of record batches and tensors for training.

    A record ends with `\n`, `\r` or `\r\n`. A cell may be quoted. In a quoted cell, delimiters and line ends
    are ordinary characters, and a quote is written twice. In a cell that does not start with a quote, a quote
    is an ordinary character. A UTF-8 byte order mark at the start of a file is skipped. The files may be
    compressed with gzip; the dataset detects the compression from the first bytes. One thread reads a
    compressed file from its start.

    The records that start in the same 256 KiB of a file form a block, which is the unit of shuffling and of
    parallel decoding. `on_error="skip_block"` skips only the invalid record. To find the first record after a
    byte offset, the dataset reads the file from its start, because the preceding quotes decide whether a line
    end ends a record.

    The constructor reads file objects into memory, because they can be read only once.

    Args:
        source: A path, a glob, a directory (its `*.csv`), a URL (S3, Google Cloud Storage, Azure, HTTP and
            HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list of
            these. Files are read in the order of the list; the files of a glob or a directory are sorted by
            name. All files must have the same columns in the same order.
        schema: An Arrow schema of the columns that can be read, in any order, or a dict of their names and
            types, as in `types`. The files may have further columns. Supported types are booleans, numbers,
            decimals, dates, times, timestamps, `string` and `string_view`. `"merge"`: the columns of all
            headers, in the order of the files, whose types are inferred for each file and merged; a column
            that a file does not have is null, and `schema_changes` is the report. None: all columns of the
            first file, which all files must have, each with the first of the types int64, float64 and string
            that fits all its cells; the constructor reads all files to infer the types. A column with an
            integer that does not fit into int64 has the type string, and a column of only empty cells has the
            type null.
        missing_columns: With a `schema`: whether files may have other columns than the first one. Nullable
            columns of the schema that a file does not have are null. The files must have headers. False: a
            file with other columns is an error.
        types: Types of some columns by name, such as `{"zip": "string"}`; the names and types of the other
            columns are as without this option. A type is the name of an Arrow type, as of pyarrow
            (`"string"`, `"int32"`, `"timestamp[us]"`) or of `Column.type` (`"Decimal128(9, 2)"`), or a type
            or field of pyarrow or another Arrow library. Cannot be combined with `schema`. None: all types
            are inferred.
        sample: Without `schema`: number of records, from the first one on, from which the types are inferred,
            at least 1. A later cell of another type raises an error when it is read. None: all records.
        chunk_bytes: Number of file bytes whose records form a chunk, at least 1. A shuffle moves whole
            chunks, so smaller chunks mix better, but an index takes 32 bytes per chunk.
        skip_lines: Number of lines to skip at the start of each file, before the header, whatever they
            contain. These lines end with `\n`.
        header: Whether the first record of each file is a header with the names of the columns. With `names`,
            this record is skipped.
        names: The names of all columns, in order. None: the names in the header; without a header, the names
            in `schema`; without both, `column_1`, `column_2` and so on.
        delimiter: The ASCII character between cells.
        quote: The ASCII character around quoted cells.
        escape: The ASCII character that makes the next character of a quoted cell an ordinary one. None: no
            such character.
        skip_blank_lines: Whether to skip empty lines. False: an empty line is a record whose cells are all
            null.
        nulls: Texts of cells that are null, whether the cell is quoted or not. They replace the default, the
            empty text. None: `[""]`.
        comment: The ASCII character at the start of lines that are comments. These are skipped, also before
            the header; quotes in them have no meaning. Elsewhere it is an ordinary character. None: no
            comments.
        true_values: Texts of cells that mean true, in addition to `true` in upper or lower case. With
            `true_values` or `false_values`, a column of only such texts is inferred to be boolean, unless all
            are numbers. A text in `nulls` is null. None: no such texts.
        false_values: Texts of cells that mean false, as `true_values`. None: no such texts.
        decimal_comma: Whether floats and decimals have a decimal comma, such as `8,5`, in place of a point.
            Requires another `delimiter` than a comma. A number with a point is then a text.
        multivalent_columns: Names of columns whose cells have several values. The types of these columns are
            lists, also in `schema`. In another column of a list type, each cell becomes a list of one value.
            Requires `secondary_delimiter`. None: no such columns.
        secondary_delimiter: The ASCII character between the values of a cell in `multivalent_columns`. Such a
            cell is split like a record, so a value may be quoted. Requires `multivalent_columns`.
        raw: Whether to read each record as bytes, without the line end, into the single column `record` of
            type large_binary. `schema`, `sample` and `names` then have no effect.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of columns to read, in this order. The cells of other columns are not parsed. None: the
            columns that the tensors need.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the header,
            `decoded_block_bytes` a record, `batch_bytes` a batch. None: `Limits()`.
        index: Path of an index of these files that `save_index` wrote. None: a shuffled or sharded iteration
            first reads the files to find the ends of the records.
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
        FormatError: The first file has no record from which to take the columns, or `index` is not an index.
        CorruptBlockError: Without `schema`, a record has the wrong number of cells, or is not valid UTF-8.
        ChangedError: `index` belongs to other files, or the length of a file has changed.
        SchemaError: A column or a column of `types` is not in the files, CSV does not support the type of a
            column, types cannot be merged, two columns have the same name, or the columns of a file differ
            from those of the first file and must not.
        RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
            name the tensor and its column.
        LimitError: A record or the number of columns exceeds `limits`.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> dataset = arrowfeed.CsvDataset("part-*.csv", columns=["age", "label"])
        >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
        ...     train(tensors["age"].values, tensors["label"].values)
    """

    def __new__(
        cls,
        source: Source,
        *,
        schema: ArrowSchemaExportable | Mapping[str, ColumnType] | Literal["merge"] | None = None,
        missing_columns: bool = False,
        types: dict[str, ColumnType] | None = None,
        sample: int | None = None,
        chunk_bytes: int = 262144,
        skip_lines: int = 0,
        header: bool = True,
        names: list[str] | tuple[str, ...] | None = None,
        delimiter: str = ",",
        quote: str = '"',
        escape: str | None = None,
        skip_blank_lines: bool = True,
        nulls: list[str] | tuple[str, ...] | None = None,
        comment: str | None = None,
        true_values: list[str] | tuple[str, ...] | None = None,
        false_values: list[str] | tuple[str, ...] | None = None,
        decimal_comma: bool = False,
        multivalent_columns: list[str] | tuple[str, ...] | None = None,
        secondary_delimiter: str | None = None,
        raw: bool = False,
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
    ) -> CsvDataset: ...

@final
class JsonLinesDataset(Dataset):
    r"""A dataset over JSON lines files: a source of record batches and tensors for training.

    Each line is a JSON object, whose keys are the columns. Empty lines are skipped. A line ends with `\n` or
    `\r\n`. For an object without a key, the column of this key is null. A UTF-8 byte order mark at the start
    of a file is skipped. The files may be compressed with gzip; the dataset detects the compression from the
    first bytes. One thread reads a compressed file from its start.

    The records that start in the same 256 KiB of a file form a block, which is the unit of shuffling and of
    parallel decoding. `on_error="skip_block"` skips only the invalid record.

    The constructor reads file objects into memory, because they can be read only once.

    Args:
        source: A path, a glob, a directory (its `*.jsonl`), a URL (S3, Google Cloud Storage, Azure, HTTP and
            HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list of
            these. Files are read in the order of the list; the files of a glob or a directory are sorted by
            name.
        schema: An Arrow schema of the columns, or a dict of their names and types; other keys are ignored. In
            a string column, a number or a boolean becomes its text. A number with a fraction or an exponent
            is not an integer. `"merge"`: the keys in the order of the files, whose types are inferred for
            each file and merged; `schema_changes` is the report, and a conflict names both files. None: the
            keys of all records, sorted by name, with types that can represent all their values: bool, int64,
            float64, string, lists and structs; the constructor reads all files to infer these types.
        types: Types of some columns, as in `CsvDataset`. From these keys, no type is inferred, so their
            values may be those for which inference raises an error. Cannot be combined with `schema`. None:
            all types are inferred.
        sample: Without `schema`: number of records, from the first one on, from which the types are inferred,
            at least 1. A later value of another type raises an error when it is read, and a later new key is
            ignored. None: all records.
        chunk_bytes: As in `CsvDataset`.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of columns to read, in this order. None: the columns that the tensors need.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
            `batch_bytes` a batch, `skipped_depth` the nesting of a record; without `schema`, `schema_depth`
            and `expanded_fields` bound the inferred types. None: `Limits()`.
        index: As in `CsvDataset`.
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
        FormatError: `index` is not an index.
        CorruptBlockError: Without `schema`, a line is not a JSON object.
        ChangedError: `index` belongs to other files, or the length of a file has changed.
        SchemaError: A column or a column of `types` does not exist, or JSON does not support the type of a
            column. Without `schema`: the values of a key have incompatible types, or no record has any key.
        RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
            name the tensor and its column.
        LimitError: A record or the number of keys exceeds `limits`.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> dataset = arrowfeed.JsonLinesDataset("part-*.jsonl", columns=["id", "scores"])
        >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
        ...     train(tensors["id"].values)
    """

    def __new__(
        cls,
        source: Source,
        *,
        schema: ArrowSchemaExportable | Mapping[str, ColumnType] | Literal["merge"] | None = None,
        types: dict[str, ColumnType] | None = None,
        sample: int | None = None,
        chunk_bytes: int = 262144,
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
    ) -> JsonLinesDataset: ...

def read_csv(
    source: Source,
    *,
    schema: ArrowSchemaExportable | Mapping[str, ColumnType] | Literal["merge"] | None = None,
    missing_columns: bool = False,
    types: dict[str, ColumnType] | None = None,
    sample: int | None = None,
    chunk_bytes: int = 262144,
    skip_lines: int = 0,
    header: bool = True,
    names: list[str] | tuple[str, ...] | None = None,
    delimiter: str = ",",
    quote: str = '"',
    escape: str | None = None,
    skip_blank_lines: bool = True,
    nulls: list[str] | tuple[str, ...] | None = None,
    comment: str | None = None,
    true_values: list[str] | tuple[str, ...] | None = None,
    false_values: list[str] | tuple[str, ...] | None = None,
    decimal_comma: bool = False,
    multivalent_columns: list[str] | tuple[str, ...] | None = None,
    secondary_delimiter: str | None = None,
    raw: bool = False,
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
    """Reads CSV files as Arrow record batches.

    `CsvDataset` describes the format of the records and the compression of the files.

    Args:
        source: As in `CsvDataset`. This call reads file objects into memory.
        schema: As in `CsvDataset`. None: all columns, with inferred types.
        missing_columns: As in `CsvDataset`.
        types: As in `CsvDataset`. None: all types are inferred.
        sample: As in `CsvDataset`. None: types are inferred from all records.
        chunk_bytes: As in `CsvDataset`.
        skip_lines: Number of lines to skip at the start of each file.
        header: Whether the first record of each file names the columns.
        names: The names of all columns. None: as in `CsvDataset`.
        delimiter: The ASCII character between cells.
        quote: The ASCII character around quoted cells.
        escape: The ASCII character that makes the next character of a quoted cell an ordinary one. None: no
            such character.
        skip_blank_lines: Whether to skip empty lines. False: an empty line is a record whose cells are all
            null.
        nulls: Texts of cells that are null. None: `[""]`.
        comment: The ASCII character at the start of lines that are comments. None: no comments.
        true_values: As in `CsvDataset`. None: no such texts.
        false_values: As in `CsvDataset`. None: no such texts.
        decimal_comma: Whether floats and decimals have a decimal comma. Requires another `delimiter` than a
            comma.
        multivalent_columns: As in `CsvDataset`.
        secondary_delimiter: As in `CsvDataset`.
        raw: As in `CsvDataset`.
        columns: Names of columns to read, in this order. The cells of other columns are not parsed. None: all
            columns.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        where: The predicate that the rows must pass, such as `arrowfeed.col("age") >= 18`, its text
            `"age >= 18"`, or an expression of pyarrow or polars. Its columns need not be among `columns`.
            Each batch but the last one then has `batch_size` rows. None: all rows.
        batch_size: Number of rows of a batch; the last batch of a file may be shorter. None: 8,192, or fewer
            for many columns, as in `read_avro`.
        threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
        limits: As in `CsvDataset`. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a single
            invalid record. `"skip_file"`: skips the rest of the file. `report()` lists the skipped parts.
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
        FormatError: The first file has no record from which to take the columns.
        CorruptBlockError: Without `schema`, a record has the wrong number of cells, or is not valid UTF-8.
        SchemaError: As in `CsvDataset`.
        OptionError: A column of `where` does not exist, or has another type than its value.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: `progress` is True and tqdm is not installed.

    Example:
        >>> reader = arrowfeed.read_csv("part-*.csv.gz", columns=["age", "label"])
        >>> table = pyarrow.table(reader)
    """

def read_json_lines(
    source: Source,
    *,
    schema: ArrowSchemaExportable | Mapping[str, ColumnType] | Literal["merge"] | None = None,
    types: dict[str, ColumnType] | None = None,
    sample: int | None = None,
    chunk_bytes: int = 262144,
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
    """Reads JSON lines files as Arrow record batches.

    Args:
        source: As in `JsonLinesDataset`. This call reads file objects into memory.
        schema: As in `JsonLinesDataset`. None: all keys, with inferred types.
        types: As in `JsonLinesDataset`. None: all types are inferred.
        sample: As in `JsonLinesDataset`. None: types are inferred from all records.
        chunk_bytes: As in `CsvDataset`.
        columns: Names of columns to read, in this order. None: all columns.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        where: The predicate that the rows must pass, such as `arrowfeed.col("age") >= 18`, its text
            `"age >= 18"`, or an expression of pyarrow or polars. Its columns need not be among `columns`.
            Each batch but the last one then has `batch_size` rows. None: all rows.
        batch_size: Number of rows of a batch; the last batch of a file may be shorter. None: 8,192, or fewer
            for many columns, as in `read_avro`.
        threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
        limits: As in `JsonLinesDataset`. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a single
            invalid record. `"skip_file"`: skips the rest of the file. `report()` lists the skipped parts.
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
        CorruptBlockError: Without `schema`, a line is not a JSON object.
        SchemaError: As in `JsonLinesDataset`.
        OptionError: A column of `where` does not exist, or has another type than its value.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: `progress` is True and tqdm is not installed.

    Example:
        >>> reader = arrowfeed.read_json_lines("part-*.jsonl", columns=["id", "scores"])
        >>> table = pyarrow.table(reader)
    """
