"""The compiled module, by topic: one stub for each, documented there."""

from arrowfeed._adapter import TensorAdapter, TensorSpec, TensorsToRecordBatch
from arrowfeed._arrow import Array, RecordBatch, Schema
from arrowfeed._datasets import AvroDataset, BatchIterator
from arrowfeed._limits import Limits
from arrowfeed._reader import RecordBatchReader, read_avro, read_split
from arrowfeed._record_decoder import AvroRecordDecoder
from arrowfeed._representation import (
    Dense,
    Ragged,
    Representation,
    Sparse,
    Structured,
    VarLenRagged,
    VarLenSparse,
    infer_representations,
    representations_from_tfmd,
)
from arrowfeed._schema import AvroSchema, avro_schema
from arrowfeed._split import Split, plan_splits
from arrowfeed._tensor import DenseTensor, RaggedTensor, SparseTensor, StructuredTensor
from arrowfeed._write import AvroWriter, encode_records, write_avro

__version__: str
"""The version of the package."""

__all__ = [
    "Array",
    "AvroDataset",
    "AvroRecordDecoder",
    "AvroSchema",
    "AvroWriter",
    "BatchIterator",
    "Dense",
    "DenseTensor",
    "Limits",
    "Ragged",
    "RaggedTensor",
    "RecordBatch",
    "RecordBatchReader",
    "Representation",
    "Schema",
    "Sparse",
    "SparseTensor",
    "Split",
    "Structured",
    "StructuredTensor",
    "TensorAdapter",
    "TensorSpec",
    "TensorsToRecordBatch",
    "VarLenRagged",
    "VarLenSparse",
    "__version__",
    "avro_schema",
    "encode_records",
    "infer_representations",
    "plan_splits",
    "read_avro",
    "read_split",
    "representations_from_tfmd",
    "write_avro",
]
