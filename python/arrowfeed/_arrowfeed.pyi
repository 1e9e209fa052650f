"""The compiled module, by topic: one stub for each, documented there."""

from arrowfeed._arrow import Array, RecordBatch, Schema
from arrowfeed._limits import Limits
from arrowfeed._reader import RecordBatchReader, read_avro, read_split
from arrowfeed._schema import AvroSchema, avro_schema
from arrowfeed._split import Split, plan_splits
from arrowfeed._write import write_avro

__version__: str
"""The version of the package."""

__all__ = [
    "Array",
    "AvroSchema",
    "Limits",
    "RecordBatch",
    "RecordBatchReader",
    "Schema",
    "Split",
    "__version__",
    "avro_schema",
    "plan_splits",
    "read_avro",
    "read_split",
    "write_avro",
]
