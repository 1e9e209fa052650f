"""Reading files: readers, splits of files, limits."""

import os
from types import TracebackType
from typing import Any, NoReturn, final

from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed._stubs.loader_stats import LoaderStats
from arrowfeed.types import (
    Report,
    SchemaChangeKind,
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

    @property
    def schema_changes(self) -> list[SchemaChange]:
        """The changes that the files made to the merged schema, as in `Dataset.schema_changes`."""

    def report(self) -> Report:
        """Returns the counts of rows, blocks and bytes read so far, and the skipped parts.

        The method also works after the last batch, after `close`, and after the reader was passed to another
        library. For files in stores, the key `requests` contains the counts of requests.

        Example:
            >>> reader.report()
            {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}
        """

    def stats(self) -> LoaderStats:
        """Returns the figures of the reading: where its time went, and how long its caller waited.

        The method does not wait for other threads, and works whenever `report` works.

        Example:
            >>> print(reader.stats().verdict)
            the consumer is the bottleneck: it waited for batches for 0.4 % of the time
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

@final
class SchemaChange:
    """A change that a file made to the merged schema of the files before it.

    `Dataset.schema_changes` and `RecordBatchReader.schema_changes` return the changes of a merge. Changes are
    equal if all attributes are, and can be hashed.

    Example:
        >>> old, new = pyarrow.array([1], pyarrow.int32()), pyarrow.array([2])
        >>> arrowfeed.write_avro(pyarrow.table({"x": old}), "old.avro")
        1
        >>> arrowfeed.write_avro(pyarrow.table({"x": new}), "new.avro")
        1
        >>> dataset = arrowfeed.AvroDataset(["old.avro", "new.avro"], reader_schema="merge")
        >>> for change in dataset.schema_changes:
        ...     print(change)
        new.avro: x: changed from int to long
    """

    @property
    def file(self) -> str:
        """Path, or URL without secrets, of the first file that needs the change."""

    @property
    def path(self) -> str:
        """Path of the field, with `[]` for the items of arrays and the values of maps."""

    @property
    def kind(self) -> SchemaChangeKind:
        """Kind of the change.

        `"field"`: a field was added. `"nullable"`: it became nullable. `"type"`: it got a type that stores
        the values of both types. `"symbols"`: an enum got more symbols. `"branch"`: a union got another
        type. `"name"`: a field was renamed.
        """

    @property
    def text(self) -> str:
        """The change in words, such as `"changed from int to long"`."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

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
        >>> reader = arrowfeed.read_avro("part-0.avro", limits=arrowfeed.Limits(decoded_block_bytes=16 << 20))
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
