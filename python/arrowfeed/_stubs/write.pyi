"""Writing files: `write_avro`, `AvroWriter`, `encode_records`, `write_tfrecord`."""

import os
from collections.abc import Mapping
from typing import IO, Literal

from typing_extensions import Self

from arrowfeed._stubs.arrow import RecordBatch
from arrowfeed.types import (
    ArrowArrayExportable,
    ArrowSchemaExportable,
    ArrowStreamExportable,
    AvroSchemaLike,
    Codec,
    StorageOptions,
    Store,
)

def write_avro(
    batches: ArrowStreamExportable | ArrowArrayExportable,
    path: str | os.PathLike[str] | IO[bytes],
    *,
    codec: Codec = "zstandard",
    level: int | None = None,
    block_bytes: int = 64 << 10,
    schema: AvroSchemaLike | None = None,
    metadata: Mapping[str, bytes] | None = None,
    on_overflow: Literal["decimal", "error"] = "decimal",
    threads: int | None = None,
    append: bool = False,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
) -> int:
    """Writes Arrow data to a new Avro object container file.

    The file appears under its name when it is whole; one that was there is replaced. Until then the data is
    in a hidden file beside it, which is removed after an error. Every Arrow type with a form in Avro is
    written in every layout; the page "Arrow to Avro" has the table.

    Args:
        batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
            polars or duckdb, a record batch, a `RecordBatchReader`, which is then used up.
        path: The file to make, the URL of an object, or a binary file object with `write()`, which stays
            open.
        codec: How blocks are compressed: a name of the Avro specification. With `append=True` and no codec
            given, that of the file.
        level: The level of the compression: 1 to 12 for deflate, -7 to 22 for zstandard, 1 to 9 for bzip2,
            0 to 9 for xz. None: the default of the codec: 6, 2, 6 and 6.
        block_bytes: Bytes of encoded rows at which a block ends; at most 128 MiB.
        schema: The Avro schema to write; fields find their columns by name, and a field without a column has
            its default. None: derived from the Arrow schema, nullable columns as unions with null.
        metadata: Entries of the file's header, which `avro_schema` gives back as `.metadata`, beside those of
            the Avro specification. Keys that begin with `avro.` are refused: it reserves them. At most 9,998.
        on_overflow: Columns of `uint64` in a derived schema: `"decimal"` writes them as `decimal(20, 0)`;
            `"error"` writes `long`, with an error for a value above 2^63 - 1.
        threads: Threads that encode and compress. None: all cores given to the process; 1: the calling
            thread.
        append: Writes behind the rows of an existing file, with its schema, codec and sync marker. The file
            is replaced by a longer copy when that is whole. Objects of stores cannot grow.
        storage_options: Keys and values for the store of a URL, as in `read_avro`.
        store: A store of obstore, in which `path` names an object. None: the URL says it.

    Returns:
        The number of rows written.

    Raises:
        SchemaError: A column has a type that Avro has not, or does not fit `schema`.
        ConversionError: A value cannot be written as its Avro type, such as a null without a union with null.
        LimitError: A row is larger than readers take.
        ArrowfeedError: The stream of batches failed; errors of a `RecordBatchReader` stay what they are.
        OSError: The file cannot be written, or another writer appends to it.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> table = pyarrow.table({"id": [1, 2, 3]})
        >>> arrowfeed.write_avro(table, "ids.avro", codec="deflate", metadata={"source": b"sensor 7"})
        3
        >>> arrowfeed.avro_schema("ids.avro").metadata["source"]
        b'sensor 7'
        >>> arrowfeed.write_avro(table, "ids.avro", append=True)
        3
    """

class AvroWriter:
    """Writes an Avro object container file batch by batch; a context manager.

    The file appears under its name when `close()` has made it whole; after an exception inside `with`,
    nothing is left of it. Batches are encoded when enough rows have come together, so that `rows` lags
    behind.

    Args:
        path: The file to make, the URL of an object, or a binary file object with `write()`, which stays
            open.
        arrow_schema: The columns: anything with `__arrow_c_schema__`. None: those of the first batch. With
            it, columns without a form in Avro are refused here, and a file without rows can be written.

    The other arguments are those of `write_avro`.

    Raises:
        SchemaError: A column has a type that Avro has not, or does not fit `schema`.
        OSError: The file cannot be made.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> with arrowfeed.AvroWriter("ids.avro", codec="deflate") as writer:
        ...     for start in (0, 3):
        ...         writer.write(pyarrow.table({"id": range(start, start + 3)}))
        3
        3
        >>> writer.rows
        6
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | IO[bytes],
        arrow_schema: ArrowSchemaExportable | None = None,
        *,
        codec: Codec = "zstandard",
        level: int | None = None,
        block_bytes: int = 64 << 10,
        schema: AvroSchemaLike | None = None,
        metadata: Mapping[str, bytes] | None = None,
        on_overflow: Literal["decimal", "error"] = "decimal",
        threads: int | None = None,
        append: bool = False,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
    ) -> None: ...
    def write(self, batches: ArrowStreamExportable | ArrowArrayExportable, /) -> int:
        """Writes batches and gives the number of their rows. After an error the writer takes nothing more.

        Raises:
            SchemaError: The columns are not those of the first batch.
            ConversionError: A value cannot be written as its Avro type.
            LimitError: A row is larger than readers take.
            ValueError: The writer is closed or has failed.
        """

    def close(self) -> None:
        """Writes what is left and gives the file its name. Closing twice does nothing.

        Raises:
            OSError: The file cannot be written.
            ValueError: No batch has come, and `arrow_schema` was not given.
        """

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: object = None, traceback: object = None
    ) -> None:
        """Closes the file; after an exception, drops it."""

    @property
    def rows(self) -> int:
        """Rows of the blocks that were written so far."""

    @property
    def blocks(self) -> int:
        """Blocks that were written so far."""

    @property
    def bytes(self) -> int:
        """Bytes that were written so far, the header of a new file included."""

def encode_records(batch: RecordBatch, schema: AvroSchemaLike, /) -> list[bytes]:
    """Each row of a batch in Avro's binary encoding, without a file around it. Not in `arrowfeed`.

    Raises:
        SchemaError: A column does not fit the schema.
    """

def write_tfrecord(
    batches: ArrowStreamExportable | ArrowArrayExportable,
    path: str | os.PathLike[str],
    *,
    format: Literal["example", "sequence_example", "raw"] = "example",  # noqa: A002 - the word that fits
    compression: Literal["none", "gzip", "zlib"] | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
) -> int:
    """Writes Arrow data to a new file of TFRecord, each row as a message of `tf.Example`.

    Each column is a feature: integers and booleans, or lists of them, an `int64_list`; floats and doubles a
    `float_list`, doubles rounded; text and bytes a `bytes_list`. A null row has no feature; an empty list has
    one without values. The file appears under its name when it is whole; one that was there is replaced.

    Args:
        batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
            polars or duckdb, a record batch, a `RecordBatchReader`, which is then used up.
        path: The file to make, or the URL of an object.
        format: What a row becomes. `"sequence_example"`: a message of `tf.SequenceExample`. The column
            `##SEQUENCE##`, a struct, has its feature lists: each field is a list of steps, and a step is what
            a column is in a row of `"example"`. All other columns are features of the context. `"raw"`: the
            value of the only column, bytes or text, which is the record.
        compression: Of the file as a whole. None: `"gzip"` if the name ends with `.gz`, else `"none"`.
        storage_options: Keys and values for the store of a URL, as in `read_avro`.
        store: A store of obstore, in which `path` names an object. None: the URL says it.

    Returns:
        The number of rows written.

    Raises:
        ConversionError: A column has a type that no feature has, a list has a null value, or an integer does
            not fit into 64 bits with a sign; `##SEQUENCE##` is no struct of lists. Of `"raw"`: there are
            several columns, or a null.
        ArrowfeedError: The stream of batches failed; errors of a `RecordBatchReader` stay what they are.
        OSError: The file cannot be written.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> table = pyarrow.table({"id": [1, 2, 3], "tags": [["a", "b"], [], None]})
        >>> arrowfeed.write_tfrecord(table, "rows.tfrecord")
        3
        >>> arrowfeed.read_tfrecord("rows.tfrecord").schema.names
        ['id', 'tags']
    """
