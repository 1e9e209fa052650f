"""Writing Avro: `write_avro`, `AvroWriter`, `encode_avro_records`."""

import os
from collections.abc import Mapping
from typing import IO, Literal

from typing_extensions import Self

from arrowfeed.types import (
    ArrowSchemaExportable,
    AvroSchemaLike,
    Codec,
    Framing,
    Rows,
    StorageOptions,
    Store,
)

def write_avro(
    batches: Rows,
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

    The file appears under its name when it is complete, and replaces an existing file. Until then, a hidden
    file in the same directory contains the data; this file is removed after an error. All Arrow types that
    have an Avro equivalent are supported, in any memory layout; the page "Arrow to Avro" has the table of
    types.

    Args:
        batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
            polars or duckdb, a record batch, or a `RecordBatchReader` or an iterator of `record_batches`,
            which this call consumes. The index of a pandas frame is a column too, unless it is a range
            without a name. Or an iterable of such objects with equal columns, of dicts, or of dataclass
            instances; the types of dicts are those of the first 8,192. Or a `polars.LazyFrame`, which is
            computed in batches.
        path: Path of the new file, URL of an object, or a binary file object with `write()`. A file object
            stays open.
        codec: Compression codec of the blocks, by its name in the Avro specification. `"zstd"` is the same as
            `"zstandard"`. With `append=True`, the default is the codec of the file, and another codec is an
            error.
        level: The compression level: 1 to 12 for deflate, -7 to 22 for zstandard, 1 to 9 for bzip2, 0 to 9
            for xz. The codecs null and snappy have no levels. None: 6 for deflate, 2 for zstandard, 6 for
            bzip2, 6 for xz.
        block_bytes: Size in bytes of the encoded rows at which a block ends, from 1 byte to 128 MiB.
        schema: The Avro schema to write. Names match the fields with the columns; a field without a column
            gets its default. None: the schema is derived from the Arrow schema, with nullable columns as
            unions with null.
        metadata: Additional entries of the file header, which `avro_schema` returns as `.metadata`, at most
            9,998. A key that begins with `avro.` is an error, because the Avro specification reserves these
            keys. None: no entries.
        on_overflow: How to write `uint64` columns if the schema is derived: `"decimal"` writes `decimal(20,
            0)`; `"error"` writes `long`, and a value above 2^63 - 1 is an error.
        threads: Number of threads that encode and compress. None: one per core of the process. 1: the calling
            thread.
        append: Whether to append the rows to an existing file, with the schema, codec and sync marker of this
            file. A copy of the file with the new rows replaces the file when the copy is complete. Objects
            and file objects do not support appending.
        storage_options: Options of the store of a URL, as in `read_avro`.
        store: An obstore store that contains the object `path`. None: the URL determines the store.

    Returns:
        The number of rows written.

    Raises:
        SchemaError: Avro does not support the type of a column, or a column does not fit `schema`.
        ConversionError: A value does not fit its Avro type, such as a null without a union with null.
        LimitError: A row is larger than readers accept.
        ArrowfeedError: The stream of batches raised an error. Errors of a `RecordBatchReader` are passed on
            unchanged.
        OSError: The file cannot be written, or another writer appends to it.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

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
    """A writer of an Avro object container file, batch by batch.

    Use the writer as a context manager, or call `close()`. The file appears under its name when `close()` has
    completed it. After an exception inside `with`, the incomplete file is removed. The writer buffers rows
    before it encodes them, so `rows` does not count the latest rows.

    Args:
        path: Path of the new file, URL of an object, or a binary file object with `write()`. A file object
            stays open.
        arrow_schema: The schema of the columns: an object with `__arrow_c_schema__`. None: the schema of the
            first batch. With a schema, a column that Avro does not support is an error of the constructor,
            and a file without rows can be written.
        codec: As in `write_avro`.
        level: As in `write_avro`.
        block_bytes: As in `write_avro`.
        schema: As in `write_avro`.
        metadata: As in `write_avro`.
        on_overflow: As in `write_avro`.
        threads: As in `write_avro`.
        append: As in `write_avro`.
        storage_options: As in `write_avro`.
        store: As in `write_avro`.

    Raises:
        SchemaError: Avro does not support the type of a column, or a column does not fit `schema`.
        OSError: The file cannot be created.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

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
    def write(self, batches: Rows, /) -> int:
        """Writes batches and returns the number of their rows.

        After an error, the writer accepts no more batches.

        Args:
            batches: As in `write_avro`, with the columns of the first batch.

        Raises:
            SchemaError: The columns differ from those of the first batch.
            ConversionError: A value does not fit its Avro type.
            LimitError: A row is larger than readers accept.
            ValueError: The writer is closed or has failed.
        """

    def close(self) -> None:
        """Writes the remaining rows and renames the complete file. A second call does nothing.

        Raises:
            OSError: The file cannot be written.
            ValueError: No batch was written, and `arrow_schema` was not passed.
        """

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: object = None, traceback: object = None
    ) -> None:
        """Closes the file or, after an exception, removes it."""

    @property
    def rows(self) -> int:
        """Number of rows in the blocks written so far."""

    @property
    def blocks(self) -> int:
        """Number of blocks written so far."""

    @property
    def bytes(self) -> int:
        """Number of bytes written so far, including the header of a new file."""

def encode_avro_records(
    batches: Rows,
    schema: AvroSchemaLike,
    *,
    framing: Framing = "bare",
    schema_id: int | None = None,
) -> list[bytes]:
    """Encodes rows as Avro records without a file, such as messages of a stream.

    `AvroRecordDecoder` reads them.

    Args:
        batches: Rows, as in `write_avro`.
        schema: The Avro schema of the records. Columns fit it by the rules of `write_avro`.
        framing: The header of each message, as in `AvroRecordDecoder`. `"bare"`: none. `"single_object"`: the
            fingerprint of the schema. `"confluent"`: the ID of the schema in a registry.
        schema_id: With `framing="confluent"`: the ID of the schema, from 0 to 4,294,967,295. None: no ID.

    Raises:
        SchemaError: The schema is invalid, or a column does not fit it.
        ConversionError: A value cannot be written as its Avro type.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> schema = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}
        >>> rows = pyarrow.table({"id": [1, 2]})
        >>> [record.hex() for record in arrowfeed.encode_avro_records(rows, schema)]
        ['02', '04']
        >>> arrowfeed.encode_avro_records(rows, schema, framing="confluent", schema_id=7)[0].hex()
        '000000000702'
    """
