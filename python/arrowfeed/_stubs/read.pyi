"""Reading files: readers, splits of files, limits."""

import os
from types import TracebackType
from typing import Any, Literal, NoReturn, final

from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed.types import (
    ArrowSchemaExportable,
    AvroSchemaLike,
    Encoding,
    ExampleSchemaLike,
    OnError,
    Report,
    SequenceExampleSchemaLike,
    Source,
    StorageOptions,
    Store,
    StringType,
    Unions,
)

@final
class RecordBatchReader:
    """An iterator over the record batches of files, in file order.

    `read_avro` and the other read functions create it. Iterate over the reader, or pass it to an Arrow
    library once: `pyarrow.table(reader)`, `polars.DataFrame(reader)`, `duckdb.from_arrow(reader)`. Any number
    of threads may iterate; each batch goes to one of them. If a file is damaged, the reader first returns the
    rows before the damage, then raises the error, and then ends.

    A reader belongs to the process that created it: after a fork, the child must create its own reader.

    Example:
        >>> with arrowfeed.read_avro("part-*.avro") as reader:
        ...     for batch in reader:
        ...         print(batch.num_rows)
        8192
        1808
    """

    @property
    def schema(self) -> Schema:
        """The schema of all batches. All files of a reader have the same schema."""

    def report(self) -> Report:
        """Returns the counts of rows, blocks and bytes read so far, and the skipped parts.

        The method also works after the last batch, after `close`, and after the reader was passed to another
        library. For files in stores, the key `requests` contains the counts of requests.

        Example:
            >>> reader.report()
            {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}
        """

    def close(self) -> None:
        """Stops reading and waits until the worker threads have ended. A second call does nothing."""

    def to_pyarrow(self) -> Any:
        """Reads the remaining rows into a `pyarrow.Table`. The reader is then consumed.

        To read batch by batch, use `pyarrow.RecordBatchReader.from_stream(reader)`.

        Raises:
            ArrowfeedError, OSError: As in an iteration. The rows before the error are dropped.
            ValueError: The reader is closed or already consumed.
            ImportError: pyarrow is not installed.

        Example:
            >>> arrowfeed.read_avro("part-*.avro").to_pyarrow().num_rows
            10000
        """

    def to_pandas(self) -> Any:
        """Reads the remaining rows into a `pandas.DataFrame`, with `pyarrow.Table.to_pandas`.

        The reader is then consumed.

        Raises:
            ArrowfeedError, OSError, ValueError: As in `to_pyarrow`.
            ImportError: pyarrow or pandas is not installed.
        """

    def to_polars(self) -> Any:
        """Reads the remaining rows into a `polars.DataFrame`. The reader is then consumed.

        Columns of types that polars lacks are converted as in `RecordBatch.to_polars`.

        Raises:
            SchemaError: polars has no type for a column, such as a union, an interval or a decimal of more
                than 38 digits. `field` is its path. The reader is not consumed.
            ArrowfeedError, OSError: As in an iteration. The rows before the error are dropped.
            ValueError: The reader is closed or already consumed.
            ImportError: polars is not installed.
        """

    def __array__(self, *arguments: object, **keywords: object) -> NoReturn: ...
    def __iter__(self) -> RecordBatchReader: ...
    def __next__(self) -> RecordBatch:
        """Returns the next batch.

        Raises:
            ArrowfeedError: The file is damaged or invalid; the subclass states the kind of error.
            OSError: The file cannot be read.
            ValueError: The reader is closed, was consumed through `__arrow_c_stream__`, or was created before
                a fork.
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
        """Returns a capsule of an `ArrowArrayStream`, from which a consumer reads the batches.

        After this call, iterating over the reader raises ValueError.

        Args:
            requested_schema: A capsule of the schema that the consumer prefers. Values are cast to its types.
                A value that the cast would change is an error, except that floats may be rounded to floats.
                None: the schema of the reader.
        """

    def __arrow_c_schema__(self) -> object: ...

def read_avro(
    source: Source,
    *,
    columns: list[str] | tuple[str, ...] | None = None,
    reader_schema: AvroSchemaLike | None = None,
    batch_size: int | None = None,
    max_batch_bytes: int | None = None,
    encoding: Encoding = "native",
    double_as_float: bool = False,
    string_type: StringType = "utf8",
    unions: Unions = "dense",
    raw: bool = False,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
    progress: bool = False,
) -> RecordBatchReader:
    """Reads Avro object container files as Arrow record batches.

    This call reads the header of the first file, so it raises an error for a wrong file, column or schema.
    The other files are opened when they are needed, and must have the columns of the first file.

    Args:
        source: A path, a glob, a directory (its `*.avro`), a URL, the bytes of a file, a binary file object,
            or a list of these. URLs of S3, Google Cloud Storage, Azure, HTTP servers and HDFS need no other
            package; URLs of other schemes need fsspec. Files are read in the order of the list; the files of
            a glob or a directory are sorted by name. A file object is read from its current position in the
            calling thread, and stays open.
        columns: Field paths to read (`"id"`, `"user.scores"`, `"friends.name.first"`; also through arrays and
            maps). A quoted name is used literally: `"['a.b'].c"`. An unquoted path that matches several
            fields is an error. The nesting is kept: `user.scores` is read as a struct `user` with the field
            `scores`. The order of the paths determines the order of the top-level columns. None: all fields.
        reader_schema: The reader schema. The rules of the Avro specification resolve the values of the file
            to it: promotion, defaults, aliases, enum defaults. None: the schema of the file.
        batch_size: Number of rows of a batch. A batch may have rows of several blocks. The last batch of a
            file may be shorter. None: 8,192, or fewer for long rows and for many columns: the least power of
            two from 256 on whose batch has 2 MiB, or 2 KiB for each column if that is more. The columns and
            the first file that can be opened determine the number.
        max_batch_bytes: Size in bytes at which a batch ends before it has `batch_size` rows. None:
            `limits.batch_bytes`.
        encoding: Conversion of Avro types to Arrow types. `"native"`: the natural Arrow type of each Avro
            type. `"feature"`: each column is wrapped in a list, and a missing value is a null list. `"tfx"`:
            the types that tfx_bsl and related libraries accept.
        double_as_float: With `encoding="tfx"`, rounds Avro doubles to Float32; those beyond the largest float
            become infinite. The other encodings keep doubles.
        string_type: Arrow type of strings; bytes have the matching binary type. `"utf8"`: 32-bit offsets.
            `"large_utf8"`: 64-bit offsets. `"utf8_view"`: views.
        unions: Arrow type of unions of several types other than null. `"dense"`: a dense union, which
            Parquet, polars and the encodings `"feature"` and `"tfx"` do not support. `"struct"`: a struct
            with one nullable field for each branch except null; only the field of the value's branch is not
            null. `"json"`: a string with the value as JSON, such as `{"string":"x"}`. In the last two, the
            value null becomes a null.
        raw: Whether to read each record as bytes in Avro's binary encoding, into the single column `record`
            of type large_binary. The reader checks the structure of the bytes. It checks neither UTF-8 nor
            the content of array and map blocks that state their size in bytes. All files must have the schema
            of the first file; only aliases, defaults, documentation and logical types may differ.
            `reader_schema` is not allowed. Records with recursive types are supported.
        threads: Number of decoding threads. None: one per core that the process may use, according to its
            affinity and cgroup quota. 1: the calling thread decodes, and no thread is started.
        limits: Upper bounds on the resources that one file may use. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a block that
            cannot be read and continues after its sync marker; the batch is shorter by the skipped rows.
            `"skip_file"`: skips the rest of the file. `report()` lists the skipped parts.
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
        FormatError: The file is not an Avro object container file.
        SchemaError: A schema is invalid or cannot be converted to Arrow, or a column does not exist.
        LimitError: The header exceeds `limits`.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: A URL needs fsspec or `progress` needs tqdm, and that package is not installed.

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
    batch_size: int | None = None,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
    progress: bool = False,
) -> RecordBatchReader:
    """Reads TFRecord files as Arrow record batches.

    The files may be compressed with gzip or zlib; the reader detects the compression from the first bytes.
    One thread reads a compressed file. The reader verifies the checksums.

    Args:
        source: A path, a glob, a directory (its `*.tfrecord`), a URL,
            the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
        format: The format of the records. `"example"`: `tf.Example` messages; each feature becomes a column
            of type `large_list` of int64, float or large_binary, with a null for each record without the
            feature. `"sequence_example"`: `tf.SequenceExample` messages; `SequenceExampleDataset` describes
            the columns. `"raw"`: bytes, in the column `record`; `schema`, `sample` and `encoding` are not
            allowed.
        schema: The features: a dict of names to `"int64"`, `"float"`, `"bytes"`, or `"null"` for a feature
            that never has a list, or a `tensorflow.metadata.v0.Schema` or its bytes; for sequences, see
            `SequenceExampleDataset`. None: all features of the records, sorted by name; this call reads all
            files to find them.
        sample: Without `schema`: number of records, from the first one on, that are searched for features, at
            least 1. A feature that occurs only in later records is not read. None: all records.
        columns: Names of features to read, in this order. Other features are skipped. None: all features.
        encoding: The Arrow types of features; see `ExampleDataset`.
        batch_size: Number of rows of a batch; the last batch of a file may be shorter. None: 8,192, or fewer
            for many columns, as in `read_avro`.
        threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
        limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
            `batch_bytes` a batch. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a record that
            cannot be decoded and, after other damage, continues at the next intact record. `"skip_file"`:
            skips the rest of the file. `report()` lists the skipped parts.
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
        FormatError: The first file is not a TFRecord file.
        CorruptBlockError: Without `schema`, a record cannot be decoded, or a feature has values of several
            types.
        SchemaError: A column is not in the schema, or no record has any feature.
        RepresentationError: `schema` has a feature of an unsupported type, or is not a valid message.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: `progress` is True and tqdm is not installed.

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
    batch_size: int | None = None,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
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
        schema: The Arrow schema of the batches: a pyarrow schema, or any object with `__arrow_c_schema__`.
            The names match the columns and fields of each file with those of the schema, in any order. A
            column of another type is converted if the conversion is lossless; the page "Parquet" has the
            table of types. A nullable column that a file does not have is null. None: the schema of the first
            file, which all files must have.
        double_as_float: With a `schema`, rounds doubles to floats; those beyond the largest float become
            infinite. False: a column of doubles that the schema declares as floats is an error.
        batch_size: Number of rows of a batch. A batch may be shorter at the end of a row group. None: 8,192,
            or fewer for many columns, as in `read_avro`.
        threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
        limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the footer,
            `batch_bytes` a batch. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a row group
            that cannot be read. `"skip_file"`: skips the rest of the file. `report()` lists the skipped
            parts. A value that does not fit the `schema` always raises an error.
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
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: `progress` is True and tqdm is not installed.

    Example:
        >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.large_list(pyarrow.binary())})
        >>> reader = arrowfeed.read_parquet("part-*.parquet", schema=schema)
        >>> table = pyarrow.table(reader)
    """

@final
class Split:
    """A byte range of a file that one worker reads.

    Splits can be pickled and hashed, and are ordered by path, start and end. A split from
    `Dataset.plan_splits` contains the identity of its file: the length and a fingerprint, which is the sync
    marker of an Avro file or a checksum of the footer of a Parquet file. Reading the split raises
    `ChangedError` if either has changed, so no row is lost without an error. A copy of a file has the
    same identity.

    A chunk is an Avro block or a Parquet row group. A chunk belongs to the range that contains its offset.
    Adjacent ranges that cover a file therefore contain each chunk exactly once, wherever the cuts are. The
    offset of an Avro block is the byte right after the preceding sync marker; the offset of a Parquet row
    group is the first byte of its pages.

    Args:
        path: Path of the file.
        start: Offset of the first byte.
        end: Offset of the byte after the last byte, at least `start`.
        file_id: The `file_id` of a planned split, which the file must match. None: any file that does not end
            before `start`. Comparisons of splits ignore the `file_id`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has an invalid value.

    Example:
        >>> arrowfeed.Split("part-0.avro", 0, 1000)
        Split('part-0.avro', 0, 1000)
    """

    def __new__(
        cls, path: str | os.PathLike[str], start: int, end: int, *, file_id: str | None = None
    ) -> Split: ...
    @property
    def path(self) -> str:
        """Path or URL of the file. A relative path stays relative."""

    @property
    def start(self) -> int:
        """Offset of the first byte."""

    @property
    def end(self) -> int:
        """Offset of the byte after the last byte."""

    @property
    def file_id(self) -> str | None:
        """Length and fingerprint of the file that the split was planned for. None: any file is accepted."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __lt__(self, other: Split, /) -> bool: ...
    def __le__(self, other: Split, /) -> bool: ...
    def __gt__(self, other: Split, /) -> bool: ...
    def __ge__(self, other: Split, /) -> bool: ...

@final
class Limits:
    """Upper bounds on the resources that one file may use. If a file exceeds a bound, `LimitError` names it.

    The bounds hold even if a file declares wrong sizes or counts. Limits can be compared and pickled.

    Args:
        header_bytes: Bytes of the file header, including its metadata. Default 16 MiB.
        schema_bytes: Bytes of the schema's JSON text. Default 4 MiB.
        schema_depth: Nesting depth of types in a schema. Default 64, at most 128.
        expanded_fields: Number of Arrow fields that a schema may expand to. Default 100,000.
        decoded_block_bytes: Bytes of one block, both on disk and after decompression. Default 256 MiB.
        skipped_depth: Nesting depth of skipped values of a recursive type, and of the values of a JSON line.
            Default 100,000.
        zero_byte_elements: Number of elements that take no bytes (such as those of `array<null>`) in one
            record. Default 10 million.
        zero_byte_rows: Number of rows that take no bytes in one block. Default 100 million.
        batch_bytes: Bytes of one record batch. An Avro or Parquet reader ends a batch before it exceeds this
            size; a TFRecord, CSV or JSON lines reader ends a batch after the row that exceeds this size. For
            a dataset without a shuffle, a larger batch is an error. Default 512 MiB.
        zstd_window_bytes: Window size of a zstandard frame in bytes. Default 128 MiB.
        xz_memory_bytes: Memory of the xz decoder in bytes. Default 128 MiB.

    Raises:
        ValueError: A value is negative, or `schema_depth` is over 128.
        TypeError: A value is not an integer, or a name is not that of a limit.

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
