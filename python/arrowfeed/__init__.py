"""Stored training data into Arrow record batches, fast and strict.

    import arrowfeed as af

    for batch in af.read_avro("part-*.avro", columns=["id", "user.scores"]):
        ...

Arrow data leaves by the Arrow PyCapsule interface: `pyarrow.table(reader)`, `polars.DataFrame(reader)` and
duckdb take a reader as it is.
"""

from arrowfeed._arrowfeed import (
    Array,
    AvroSchema,
    Limits,
    RecordBatch,
    RecordBatchReader,
    Schema,
    Split,
    __version__,
    avro_schema,
    plan_splits,
    read_avro,
    read_split,
    write_avro,
)
from arrowfeed._errors import (
    ArrowfeedError,
    ChangedError,
    CodecError,
    ConversionError,
    CorruptBlockError,
    FormatError,
    InternalError,
    LimitError,
    RepresentationError,
    SchemaError,
    TruncatedError,
)

__all__ = [
    "Array",
    "ArrowfeedError",
    "AvroSchema",
    "ChangedError",
    "CodecError",
    "ConversionError",
    "CorruptBlockError",
    "FormatError",
    "InternalError",
    "LimitError",
    "Limits",
    "RecordBatch",
    "RecordBatchReader",
    "RepresentationError",
    "Schema",
    "SchemaError",
    "Split",
    "TruncatedError",
    "__version__",
    "avro_schema",
    "plan_splits",
    "read_avro",
    "read_split",
    "write_avro",
]
