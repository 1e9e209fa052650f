"""Reading files: readers, splits of files, limits."""

import os
from collections.abc import Callable
from types import TracebackType
from typing import Literal, final

from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed.types import (
    ArrowSchemaExportable,
    AvroSchemaLike,
    Encoding,
    ExampleSchemaLike,
    OnError,
    Report,
    SeekableFile,
    SequenceExampleSchemaLike,
    Source,
    StorageOptions,
    Store,
    StringType,
)

@final
class RecordBatchReader:
    """Record batches of files, in file order. Made by `read_avro` and its kin.

    Iterate over it, or hand it to an Arrow library, once: `pyarrow.table(reader)`,
    `polars.DataFrame(reader)`, `duckdb.from_arrow(reader)`. Any number of threads may iterate; each batch
    goes to one of them. Rows before a fault are given first, then the error, then nothing more.

    A reader belongs to the process that made it: after a fork, the child makes its own.

    Example:
        >>> with arrowfeed.read_avro("part-*.avro") as reader:
        ...     for batch in reader:
        ...         print(batch.num_rows)
        8192
        1808
    """

    @property
    def schema(self) -> Schema:
        """The schema of every batch. The files of one reader have one schema."""

    def report(self) -> Report:
        """What has been read and what was left out so far; also after the end, `close` or a hand-over.

        A reader of files of stores has the counts of its requests beside these, as `requests`.

        Example:
            >>> reader.report()
            {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}
        """

    def close(self) -> None:
        """Ends the reading and waits for the threads that decode ahead. A second call does nothing."""

    def __iter__(self) -> RecordBatchReader: ...
    def __next__(self) -> RecordBatch:
        """The next batch.

        Raises:
            ArrowfeedError: One of its kinds, for what is wrong with the file.
            OSError: The file cannot be read.
            ValueError: The reader is closed, was handed over, or was made before a fork.
        """

    def __enter__(self) -> RecordBatchReader: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hands the batches over to who takes the capsule; from then on, iterating raises ValueError.

        Args:
            requested_schema: A capsule of the schema that the consumer would like. Values are cast where that
                loses none; a value that does not fit is an error. Otherwise the schema is the reader's.
        """

    def __arrow_c_schema__(self) -> object: ...

def read_avro(
    source: Source,
    *,
    columns: list[str] | tuple[str, ...] | None = None,
    reader_schema: AvroSchemaLike | None = None,
    batch_size: int = 8192,
    max_batch_bytes: int | None = None,
    encoding: Encoding = "native",
    double_as_float: bool = False,
    string_type: StringType = "utf8",
    raw: bool = False,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> RecordBatchReader:
    """Reads Avro object container files as Arrow record batches.

    The first header is read at once, so wrong files, columns and schemas are errors of this call. Other files
    are opened when their turn comes; their columns must be the first file's.

    Args:
        source: A path, a glob, a directory (its `*.avro`), a URL, the bytes of a file, a binary file object,
            or a list of these. URLs of S3, Google Cloud Storage, Azure, HTTP servers and HDFS need no other
            package; other schemes need fsspec. File order: as listed, globs and directories sorted. File
            objects are read from where they stand, in the calling thread, and not closed.
        columns: Field paths to read (`"id"`, `"user.scores"`, `"friends.name.first"`; through arrays and maps
            too). A name in quotes is taken as it is: `"['a.b'].c"`; a path without quotes that fits several
            fields is an error. Nesting is kept: `user` comes as a struct of the fields asked for. Top-level
            order is that of first mention. None: all fields.
        reader_schema: The schema to resolve the values to, by the rules of the Avro specification: promotion,
            defaults, aliases, enum defaults. None: as written.
        batch_size: Rows of a batch; a batch may span blocks, and the last one of a file is shorter.
        max_batch_bytes: Bytes after which a batch is closed early. None: `limits.batch_bytes`.
        encoding: `"native"`, the natural Arrow type of each Avro type; `"feature"`, a list around every
            column, with missing values as null lists; `"tfx"`, the types that tfx_bsl and its kin accept.
        double_as_float: With `encoding="tfx"`, Avro doubles as Float32, rounded. Other encodings keep them.
        string_type: Arrow type of strings; bytes follow it. `"utf8"` has 32-bit offsets, `"large_utf8"`
            64-bit ones, `"utf8_view"` is the view type.
        raw: Whether a record is the only value of its row, as its bytes in Avro's binary encoding, in the
            column `record` of large_binary. The reader checks them like those of a field that is not read:
            it does not check UTF-8, nor array blocks that state their size. All files must have the schema
            of the first one; only aliases, defaults, documentation and logical types may differ.
            `reader_schema` is refused. Recursive types can be read this way.
        threads: Threads that decode. None: as many as the process has cores (affinity and cgroup quota
            respected). 1: the calling thread, none is started.
        limits: What one file may ask of this process. None: `Limits()`.
        on_error: `"raise"`; `"skip_block"` leaves out blocks that cannot be read and goes on after their sync
            marker; `"skip_file"` leaves out the rest of the file. What is left out is in `report()`.
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
        FormatError: The file is no Avro object container file.
        SchemaError: A schema is not valid or cannot become Arrow, or a column is not in it.
        LimitError: The header asks for more than `limits` allows.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.
        ImportError: A URL needs fsspec, which is not installed.

    Example:
        >>> reader = arrowfeed.read_avro("part-*.avro", columns=["id", "user.scores"], batch_size=1024)
        >>> table = pyarrow.table(reader)
    """

def read_tfrecord(
    source: Source,
    *,
    format: Literal["example", "sequence_example", "raw"] = "example",  # noqa: A002 - the word that fits
    schema: ExampleSchemaLike | SequenceExampleSchemaLike | None = None,
    sample: int | None = None,
    columns: list[str] | tuple[str, ...] | None = None,
    encoding: Literal["tfx", "feature"] = "tfx",
    batch_size: int = 8192,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> RecordBatchReader:
    """Reads files of TFRecord as Arrow record batches.

    Files may be compressed by gzip or zlib, which their first bytes say; one thread reads such a file.
    Checksums are checked.

    Args:
        source: A path, a glob, a directory (its `*.tfrecord`), a URL,
            the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
        format: What the records are. `"example"`: messages of `tf.Example`; each feature is a column of
            lists, `large_list` of int64, float or large_binary, null where a record does not have it.
            `"sequence_example"`: messages of `tf.SequenceExample`, see `SequenceExampleDataset` for the
            columns. `"raw"`: bytes, in the column `record`.
        schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
            `tensorflow.metadata.v0.Schema` or its bytes; see `SequenceExampleDataset` for those of sequences.
            None: the features that the records have, by name, for which all files are read here.
        sample: Without `schema`: records that are looked at for their features, from the first one on. A
            feature that none of them has is left out. None: all.
        columns: Names of features to read, in the order of the columns; others are stepped over. None: all.
        encoding: The Arrow types of features, see `ExampleDataset`.
        batch_size: Rows of a batch; the last one of a file is shorter.
        threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
        limits: What one file may ask of this process: `decoded_block_bytes` bounds a record, `batch_bytes` a
            batch. None: `Limits()`.
        on_error: `"raise"`; `"skip_block"` leaves out records that cannot be decoded, and goes on behind
            other damage at the next record; `"skip_file"` leaves out the rest of the file. What is left out
            is in `report()`.
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
        FormatError: The first file is no file of TFRecord.
        CorruptBlockError: Without `schema`: a record cannot be decoded, or a feature has values of two kinds.
        SchemaError: A column is not in the schema, or no record has a feature.
        RepresentationError: `schema` has a feature of another type, or its bytes are no schema.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> reader = arrowfeed.read_tfrecord("part-*.tfrecord.gz", columns=["id", "tags"])
        >>> table = pyarrow.table(reader)
    """

def read_parquet(
    source: Source,
    *,
    columns: list[str] | tuple[str, ...] | None = None,
    schema: ArrowSchemaExportable | None = None,
    double_as_float: bool = False,
    batch_size: int = 8192,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> RecordBatchReader:
    """Reads Parquet files as Arrow record batches.

    The first file's footer is read here, so wrong files, columns and schemas are errors of this call. Other
    files are opened when their turn comes. Dictionaries of Arrow come as their values.

    Args:
        source: A path, a glob, a directory (its `*.parquet`), a URL,
            the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
        columns: Field paths to read (`"id"`, `"user.scores"`; through lists too), in the order of the
            columns. A map is read as a whole. None: all columns. With a `schema`, they are paths in it.
        schema: The Arrow schema of the batches: a schema of pyarrow, or of any library that has
            `__arrow_c_schema__`. Columns and fields are found in each file by their names, in any order, and
            converted where no value is lost: docs/parquet.md has the table of types. A column that a file
            does not have is null, if the schema allows it. None: the schema of the first file, which all
            files must have.
        double_as_float: With a `schema`, rounds doubles to floats. Otherwise a column of doubles that the
            schema has as floats is an error.
        batch_size: Rows of a batch. A batch may end early, at the end of a row group.
        threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
        limits: What one file may ask of this process: `header_bytes` bounds the footer, `batch_bytes` a
            batch. None: `Limits()`.
        on_error: `"raise"`; `"skip_block"` leaves out row groups that cannot be read; `"skip_file"` leaves
            out the rest of the file. What is left out is in `report()`. A value that the `schema` cannot
            hold is an error in each case.
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
        FormatError: The first file is no Parquet file.
        SchemaError: The columns of the first file do not convert to `schema`, or a column is not in it. By
            the reader: a later file has other columns.
        ConversionError: By the reader: `schema` cannot hold a value. The message names file, row group, row
            and column.
        LimitError: The footer asks for more than `limits` allows.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.large_list(pyarrow.binary())})
        >>> reader = arrowfeed.read_parquet("part-*.parquet", schema=schema)
        >>> table = pyarrow.table(reader)
    """

def read_parquet_split(
    split: Split,
    *,
    claim: Callable[[int], bool] | None = None,
    file: SeekableFile | None = None,
    columns: list[str] | tuple[str, ...] | None = None,
    schema: ArrowSchemaExportable | None = None,
    double_as_float: bool = False,
    batch_size: int = 8192,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> RecordBatchReader:
    """Reads the row groups of one split of a Parquet file as Arrow record batches.

    A row group belongs to the split that contains the offset of its first page.

    Args:
        split: Of `ParquetDataset.plan_splits`, or any byte range of a file. With a `file_id`, the file must
            be that one.
        claim: Asked once for each row group, in order, with that offset, as in `read_split`. False ends the
            split before it. None: all row groups are read.
        file: Read in place of `split.path`, which is then a name for messages only: a binary file object
            whose position 0 is the first byte of the file. It is read at any offset, and not closed.
        columns: As in `read_parquet`; so are the options below.
        schema: The Arrow schema of the batches.
        double_as_float: With a `schema`, rounds doubles to floats.
        batch_size: Rows of a batch.
        threads: Taken for the sake of one set of options: a split is decoded in the calling thread.
        limits: What the file may ask of this process.
        on_error: What to do with row groups that cannot be read.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Returns:
        A reader of the split's rows, which may be none.

    Raises:
        ChangedError: The file is not the one that the split was planned for, or ends before the split starts.
        ArrowfeedError: As `read_parquet`, and OSErrors likewise.
        TypeError: An argument has a wrong type; by the reader, the answer of `claim` is no bool.

    Example:
        >>> splits = arrowfeed.ParquetDataset("part-*.parquet").plan_splits(target_bytes=16 << 20)
        >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_parquet_split(split))
        10000
    """

def read_split(
    split: Split,
    *,
    claim: Callable[[int], bool] | None = None,
    file: SeekableFile | None = None,
    columns: list[str] | tuple[str, ...] | None = None,
    reader_schema: AvroSchemaLike | None = None,
    batch_size: int = 8192,
    max_batch_bytes: int | None = None,
    encoding: Encoding = "native",
    double_as_float: bool = False,
    string_type: StringType = "utf8",
    raw: bool = False,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> RecordBatchReader:
    """Reads the blocks of one split of a file as Arrow record batches.

    A block belongs to the split that contains the offset right after the sync marker before it.

    Args:
        split: Of `plan_splits`, or any byte range of a file. With a `file_id`, the file must be that one.
        claim: Asked once for each block, in order and in the thread that asks for batches, with that offset:
            True reads the block, False ends the split before it. What it raises is raised to who asks for
            the batch, after the rows before. So a runner can take the rest of a running split away: who
            reads from any byte on has the blocks that a claim of offsets below it refuses. Bytes that are no
            block are not claimed: they go with the block before them. None: all blocks are read.
        file: Read in place of `split.path`, which is then a name for messages only: a binary file object
            whose position 0 is the first byte of the file. It is read at any offset, and not closed.
        columns: As in `read_avro`; so are the options below.
        reader_schema: The schema to resolve the values to.
        batch_size: Rows of a batch.
        max_batch_bytes: Bytes after which a batch is closed early.
        encoding: How Avro types become Arrow types.
        double_as_float: With `encoding="tfx"`, doubles as Float32.
        string_type: Arrow type of strings.
        raw: As in `read_avro`. Only the schema of this file is known: compare the schemas of the files
            yourself.
        threads: Taken for the sake of one set of options: a split is decoded in the calling thread.
        limits: What the file may ask of this process.
        on_error: What to do with blocks that cannot be read.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Returns:
        A reader of the split's rows, which may be none.

    Raises:
        ChangedError: The file is not the one that the split was planned for, or ends before the split starts.
        ArrowfeedError: As `read_avro`, and OSErrors likewise.
        TypeError: An argument has a wrong type; by the reader, the answer of `claim` is no bool.

    Example:
        >>> splits = arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
        >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_split(split))
        10000
    """

@final
class Split:
    """A byte range of a file: what one worker reads. Picklable, hashable, ordered by path, start and end.

    Splits of `plan_splits` know their file. Reading one raises a `ChangedError` if its file has another
    length or fingerprint since then (of an Avro file, its sync marker; of a Parquet file, a checksum of its
    footer), so no row is missing without an error. A copy of the file is the same file.

    A chunk belongs to the range that contains its offset, so ranges that cover a file cover each of its
    chunks exactly once, wherever they are cut. The offset of an Avro block is the byte right after the sync
    marker before it; that of a Parquet row group, the first byte of its pages.

    Args:
        path: The file.
        start: First byte.
        end: The byte after the last.
        file_id: The `file_id` of a planned split: the file must be that one. None: any file that does not end
            before `start`. Splits compare without it.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: An argument has a wrong value.

    Example:
        >>> arrowfeed.Split("part-0.avro", 0, 1000)
        Split('part-0.avro', 0, 1000)
    """

    def __new__(
        cls, path: str | os.PathLike[str], start: int, end: int, *, file_id: str | None = None
    ) -> Split: ...
    @property
    def path(self) -> str:
        """The file, as the caller of `plan_splits` named it."""

    @property
    def start(self) -> int:
        """First byte."""

    @property
    def end(self) -> int:
        """The byte after the last."""

    @property
    def file_id(self) -> str | None:
        """Length and fingerprint of the file that the split was planned for. None: any file will do."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __lt__(self, other: Split, /) -> bool: ...
    def __le__(self, other: Split, /) -> bool: ...
    def __gt__(self, other: Split, /) -> bool: ...
    def __ge__(self, other: Split, /) -> bool: ...

def plan_splits(
    source: Source,
    *,
    target_bytes: int = 64 << 20,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
) -> list[Split]:
    """Cuts files into splits of about one size, in file order. Only headers are read.

    Args:
        source: Paths, globs, directories or URLs, or a list of these.
        target_bytes: Bytes of a split; the last one of a file may be smaller.
        storage_options: As in `read_avro`. A split does not have them.
        store: As in `read_avro`. A split does not have it.

    Returns:
        Splits whose rows, read in this order, are the files' rows. A file without blocks has none.

    Raises:
        OSError: A file cannot be opened.
        FormatError: A file is no Avro object container file.
        TypeError: The source has bytes or file objects, which cannot be split.
        ValueError: `target_bytes` is less than 1.

    Example:
        >>> arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
        [Split('part-0.avro', 213, 16777429), Split('part-0.avro', 16777429, 21482911)]
    """

@final
class Limits:
    """Upper bounds on what one file may make a reader do. Reaching one raises `LimitError`, which names it.

    Files can lie about sizes and counts; these bounds hold whatever they say. Comparable and picklable.

    Args:
        header_bytes: Bytes of the file header, metadata included. Default 16 MiB.
        schema_bytes: Bytes of the schema's JSON text. Default 4 MiB.
        schema_depth: Nesting of types in a schema. Default 64, at most 128.
        expanded_fields: Arrow fields that a schema may expand to. Default 100,000.
        decoded_block_bytes: Bytes of one block after decompression, and on disk. Default 256 MiB.
        skipped_depth: Nesting of values of a recursive type that is not read. Default 100,000.
        zero_byte_elements: Elements that take no bytes (of `array<null>` and the like) in one record.
            Default 10 million.
        zero_byte_rows: Rows that take no bytes in one block. Default 100 million.
        batch_bytes: Bytes of one record batch; a batch is cut before it grows past this. Default 512 MiB.
        zstd_window_bytes: Window of a zstandard frame. Default 128 MiB.
        xz_memory_bytes: Memory of the xz decoder. Default 128 MiB.

    Raises:
        ValueError: A value is negative, or `schema_depth` is over 128.
        TypeError: A value is no integer, or there is no such limit.

    Example:
        >>> arrowfeed.read_avro("part-0.avro", limits=arrowfeed.Limits(decoded_block_bytes=16 << 20))
    """

    header_bytes: int
    schema_bytes: int
    schema_depth: int
    expanded_fields: int
    decoded_block_bytes: int
    skipped_depth: int
    zero_byte_elements: int
    zero_byte_rows: int
    batch_bytes: int
    zstd_window_bytes: int
    xz_memory_bytes: int

    def __new__(
        cls,
        *,
        header_bytes: int = 16_777_216,
        schema_bytes: int = 4_194_304,
        schema_depth: int = 64,
        expanded_fields: int = 100_000,
        decoded_block_bytes: int = 268_435_456,
        skipped_depth: int = 100_000,
        zero_byte_elements: int = 10_000_000,
        zero_byte_rows: int = 100_000_000,
        batch_bytes: int = 536_870_912,
        zstd_window_bytes: int = 134_217_728,
        xz_memory_bytes: int = 134_217_728,
    ) -> Limits: ...
    def __eq__(self, other: object, /) -> bool: ...
