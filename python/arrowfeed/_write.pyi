"""Stub of `arrowfeed.write_avro`. Not importable at run time."""

import os
from collections.abc import Mapping

from arrowfeed._arrow import RecordBatch
from arrowfeed.types import ArrowArrayExportable, ArrowStreamExportable, AvroSchemaLike, Codec

def write_avro(
    batches: ArrowStreamExportable | ArrowArrayExportable,
    path: str | os.PathLike[str],
    *,
    codec: Codec = "zstandard",
    block_bytes: int = 64 << 10,
    schema: AvroSchemaLike | None = None,
    metadata: Mapping[str, bytes] | None = None,
) -> int:
    """Writes Arrow data to a new Avro object container file.

    The file appears under its name when it is whole; one that was there is replaced.

    Args:
        batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
            polars or duckdb, a record batch, a `RecordBatchReader`, which is then used up.
        path: The file to make.
        codec: How blocks are compressed: a name of the Avro specification.
        block_bytes: Bytes of a block before compression, about.
        schema: The Avro schema to write. None: derived from the Arrow schema, nullable columns as unions with
            null.
        metadata: Entries of the file's header, which `avro_schema` gives back as `.metadata`, beside those of
            the Avro specification. Keys that begin with `avro.` are refused: it reserves them. At most 9,998.

    Returns:
        The number of rows written.

    Raises:
        SchemaError: A column has a type that Avro has not, or does not fit `schema`.
        ArrowfeedError: The stream of batches failed; errors of a `RecordBatchReader` stay what they are.
        OSError: The file cannot be written.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> table = pyarrow.table({"id": [1, 2, 3]})
        >>> arrowfeed.write_avro(table, "ids.avro", codec="deflate", metadata={"source": b"sensor 7"})
        3
        >>> arrowfeed.avro_schema("ids.avro").metadata["source"]
        b'sensor 7'
    """

def encode_records(batch: RecordBatch, schema: AvroSchemaLike, /) -> list[bytes]:
    """Each row of a batch in Avro's binary encoding, without a file around it. Not in `arrowfeed`.

    Raises:
        SchemaError: A column does not fit the schema.
    """
