"""CSV files and files of JSON lines."""

import os
from typing import final

from arrowfeed._stubs.dataset import Dataset
from arrowfeed._stubs.read import Limits, RecordBatchReader
from arrowfeed.types import (
    ArrowSchemaExportable,
    FeatureLike,
    OnError,
    RepresentationLike,
    Source,
    StorageOptions,
    Store,
)

@final
class CsvDataset(Dataset):
    r"""CSV files, and the tensors that are made of them: a source of batches for training.

    A record ends with `\n`, `\r` or `\r\n`. A cell may be in quotes; then delimiters and line ends are
    characters of the cell, and a quote in it is written twice. A quote inside of a cell that does not start
    with one is a character of it. A byte order mark of UTF-8 at the start of a file is passed over. Files may
    be compressed by gzip, which their first bytes say; one thread reads such a file, from its start.

    The records that start in the same 256 KiB of a file are a block: a unit of shuffling and of threads. A
    record that is wrong is left out alone by `on_error="skip_block"`. To find the first record behind a byte
    of a file, the file is read from its start, since a quote decides whether a line end ends a record.

    What can be read only once, a file object or a URL, is read into memory here.

    Args:
        source: A path, a glob, a directory (its `*.csv`), a URL (other schemes than `file://` need fsspec),
            the bytes of a file, a binary file object, or a list of these. File order: as listed, globs and
            directories sorted. All files have the same columns in the same order.
        schema: An Arrow schema of the columns that can be read, in any order; the files may have others.
            Types are booleans, numbers, decimals, dates, times, timestamps, `string` and `string_view`.
            None: all columns, with the first type that all their cells have: int64, float64, string. An
            integer that does not fit into int64 makes the column one of strings; a column with no cell but
            empty ones has the type null. For this, all files are read here.
        sample: Without `schema`: records from which types are inferred, from the first one on. A later cell
            of another type is an error when it is read. None: all.
        skip_lines: Lines at the start of each file that are passed over, whatever is in them. Each ends with
            `\n`. The header comes behind them.
        header: Whether the first record of each file names the columns. Where `names` are given, it is passed
            over.
        names: The names of all columns, in their order. None: those of the header; without one those of
            `schema`, or else `column_1`, `column_2` and so on.
        delimiter: The character between cells, of ASCII.
        quote: The character around cells, of ASCII.
        escape: In a quoted cell, a character that takes the meaning from the one behind it. None: there is
            none.
        skip_blank_lines: Whether empty lines are passed over. False: a record whose cells are all null.
        nulls: Texts of cells that are null, in place of the empty text, quoted or not. None: `[""]`.
        multivalent_columns: Names of columns whose cells have several values. Their types are lists, in
            `schema` too. In other columns whose type is a list, a cell is a list of one value. Goes with
            `secondary_delimiter`.
        secondary_delimiter: The character between the values of such a cell, of ASCII. A cell is split as a
            record is: a value may be in quotes.
        raw: Whether a record is the only value of its row, as bytes without the line end, in the column
            `record`.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of columns to read, in this order. The cells of others are not parsed. None: those that
            the tensors need.
        limits: What one file may ask of this process: `header_bytes` bounds the header, `decoded_block_bytes`
            a record, `batch_bytes` a batch. None: `Limits()`.
        index: Path of an index of these files that `save_index` wrote. None: the files are read for the ends
            of their records where an index is needed, for shuffles and shards.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs. A pickle of the dataset has them.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        FormatError: The first file has no header, or `index` is no index.
        CorruptBlockError: Without `schema`: a record has another number of cells, or is not in UTF-8.
        ChangedError: `index` is one of other files, or a file has another length now.
        SchemaError: A column is not in the files, or CSV has no values of its type; two columns have one
            name; a file has other columns than the first one.
        RepresentationError: A tensor cannot be made of the columns; `tensor` and `field` say which.
        LimitError: A record, or the number of columns, is more than `limits` allows.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> dataset = arrowfeed.CsvDataset("part-*.csv", columns=["age", "label"])
        >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
        ...     train(tensors["age"].values, tensors["label"].values)
    """

    def __new__(
        cls,
        source: Source,
        *,
        schema: ArrowSchemaExportable | None = None,
        sample: int | None = None,
        skip_lines: int = 0,
        header: bool = True,
        names: list[str] | tuple[str, ...] | None = None,
        delimiter: str = ",",
        quote: str = '"',
        escape: str | None = None,
        skip_blank_lines: bool = True,
        nulls: list[str] | tuple[str, ...] | None = None,
        multivalent_columns: list[str] | tuple[str, ...] | None = None,
        secondary_delimiter: str | None = None,
        raw: bool = False,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationLike] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> CsvDataset: ...

@final
class JsonLinesDataset(Dataset):
    r"""Files of JSON lines, and the tensors that are made of them: a source of batches for training.

    Each line is a JSON object, whose keys are the columns; empty lines are passed over. A line ends with
    `\n`, also after `\r`. A key that an object does not have is null. A byte order mark of UTF-8 at the start
    of a file is passed over. Files may be compressed by gzip, which their first bytes say; one thread reads
    such a file, from its start.

    The records that start in the same 256 KiB of a file are a block: a unit of shuffling and of threads. A
    record that is wrong is left out alone by `on_error="skip_block"`.

    What can be read only once, a file object or a URL, is read into memory here.

    Args:
        source: A path, a glob, a directory (its `*.jsonl`), a URL (other schemes than `file://` need fsspec),
            the bytes of a file, a binary file object, or a list of these. File order: as listed, globs and
            directories sorted.
        schema: An Arrow schema of the columns; other keys are passed over. In a column of strings, a number
            or a boolean is its text. A number with a fraction or an exponent is no integer. None: the keys of
            all records, by name, with types that have room for all their values: bool, int64, float64,
            string, lists and structs. For this, all files are read here.
        sample: Without `schema`: records from which types are inferred, from the first one on. A later value
            of another type is an error when it is read, and a new key is passed over. None: all.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of columns to read, in this order. None: those that the tensors need.
        limits: What one file may ask of this process: `decoded_block_bytes` bounds a record, `batch_bytes` a
            batch; without `schema`, `header_bytes` bounds a record too. None: `Limits()`.
        index: As in `CsvDataset`.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs. A pickle of the dataset has them.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        FormatError: `index` is no index.
        CorruptBlockError: Without `schema`: a line is no JSON object.
        ChangedError: `index` is one of other files, or a file has another length now.
        SchemaError: A column is not in the schema, or JSON has no values of its type. Without `schema`: the
            values of a key have types that exclude each other, or no record has a key.
        RepresentationError: A tensor cannot be made of the columns; `tensor` and `field` say which.
        LimitError: A record, or the number of keys, is more than `limits` allows.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> dataset = arrowfeed.JsonLinesDataset("part-*.jsonl", columns=["id", "scores"])
        >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
        ...     train(tensors["id"].values)
    """

    def __new__(
        cls,
        source: Source,
        *,
        schema: ArrowSchemaExportable | None = None,
        sample: int | None = None,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationLike] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> JsonLinesDataset: ...

def read_csv(
    source: Source,
    *,
    schema: ArrowSchemaExportable | None = None,
    sample: int | None = None,
    skip_lines: int = 0,
    header: bool = True,
    names: list[str] | tuple[str, ...] | None = None,
    delimiter: str = ",",
    quote: str = '"',
    escape: str | None = None,
    skip_blank_lines: bool = True,
    nulls: list[str] | tuple[str, ...] | None = None,
    multivalent_columns: list[str] | tuple[str, ...] | None = None,
    secondary_delimiter: str | None = None,
    raw: bool = False,
    columns: list[str] | tuple[str, ...] | None = None,
    batch_size: int = 8192,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> RecordBatchReader:
    """Reads CSV files as Arrow record batches.

    `CsvDataset` says what a record is, and which files are read by several threads.

    Args:
        source: As in `CsvDataset`. File objects and URLs are read into memory here.
        schema: As in `CsvDataset`. None: all columns, with inferred types.
        sample: As in `CsvDataset`. None: types are inferred from all records.
        skip_lines: Lines at the start of each file that are passed over.
        header: Whether the first record of each file names the columns.
        names: The names of all columns. None: as in `CsvDataset`.
        delimiter: The character between cells, of ASCII.
        quote: The character around cells, of ASCII.
        escape: In a quoted cell, a character that takes the meaning from the one behind it. None: there is
            none.
        skip_blank_lines: Whether empty lines are passed over. False: a record whose cells are all null.
        nulls: Texts of cells that are null. None: `[""]`.
        multivalent_columns: As in `CsvDataset`.
        secondary_delimiter: As in `CsvDataset`.
        raw: As in `CsvDataset`.
        columns: Names of columns to read, in this order. The cells of others are not parsed. None: all.
        batch_size: Rows of a batch; the last one of a file is shorter.
        threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
        limits: As in `CsvDataset`. None: `Limits()`.
        on_error: `"raise"`; `"skip_block"` leaves out single records that are wrong; `"skip_file"` leaves out
            the rest of the file. What is left out is in `report()`.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Returns:
        A reader with `__arrow_c_stream__`, which iterates batches.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        FormatError: The first file has no header.
        CorruptBlockError: Without `schema`: a record has another number of cells, or is not in UTF-8.
        SchemaError: As in `CsvDataset`.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> reader = arrowfeed.read_csv("part-*.csv.gz", columns=["age", "label"])
        >>> table = pyarrow.table(reader)
    """

def read_json_lines(
    source: Source,
    *,
    schema: ArrowSchemaExportable | None = None,
    sample: int | None = None,
    columns: list[str] | tuple[str, ...] | None = None,
    batch_size: int = 8192,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> RecordBatchReader:
    """Reads files of JSON lines as Arrow record batches.

    Args:
        source: As in `JsonLinesDataset`. File objects and URLs are read into memory here.
        schema: As in `JsonLinesDataset`. None: all keys, with inferred types.
        sample: As in `JsonLinesDataset`. None: types are inferred from all records.
        columns: Names of columns to read, in this order. None: all.
        batch_size: Rows of a batch; the last one of a file is shorter.
        threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
        limits: As in `JsonLinesDataset`. None: `Limits()`.
        on_error: `"raise"`; `"skip_block"` leaves out single records that are wrong; `"skip_file"` leaves out
            the rest of the file. What is left out is in `report()`.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Returns:
        A reader with `__arrow_c_stream__`, which iterates batches.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        CorruptBlockError: Without `schema`: a line is no JSON object.
        SchemaError: As in `JsonLinesDataset`.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> reader = arrowfeed.read_json_lines("part-*.jsonl", columns=["id", "scores"])
        >>> table = pyarrow.table(reader)
    """
