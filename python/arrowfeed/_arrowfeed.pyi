"""The compiled module. The stubs in `arrowfeed._stubs` describe and document it, one file for each topic."""

from arrowfeed._stubs.adapter import TensorAdapter, TensorSpec, TensorsToRecordBatch
from arrowfeed._stubs.arrow import Array, RecordBatch, Schema, one_batch, polars_frame, polars_schema
from arrowfeed._stubs.arrow_ipc import ArrowDataset, read_arrow_ipc
from arrowfeed._stubs.avro import AvroDataset, read_avro
from arrowfeed._stubs.batch_iterator import BatchIterator
from arrowfeed._stubs.by_length import ByLength
from arrowfeed._stubs.dataset import ChunkDataset, Dataset, MixedDataset, RowReader
from arrowfeed._stubs.detect import detect
from arrowfeed._stubs.iceberg import IcebergDataset
from arrowfeed._stubs.loader_stats import LoaderStats
from arrowfeed._stubs.parquet import ParquetDataset, read_parquet
from arrowfeed._stubs.predicate import Column, Predicate, col, predicate_from_substrait
from arrowfeed._stubs.read import Limits, RecordBatchReader, SchemaChange, Split
from arrowfeed._stubs.record_decoder import (
    AvroRecordDecoder,
    ExampleRecordDecoder,
    SequenceExampleRecordDecoder,
    encode_examples,
    encode_sequence_examples,
    encode_tfrecord,
)
from arrowfeed._stubs.representation import (
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
from arrowfeed._stubs.schema import AvroSchema, avro_columns, avro_schema
from arrowfeed._stubs.store_files import exists, list_files, upload
from arrowfeed._stubs.tensor import DenseTensor, RaggedTensor, SparseTensor, StructuredTensor, join_jagged
from arrowfeed._stubs.tensorflow_op import TensorFlowSource, register_tensorflow_ops
from arrowfeed._stubs.text import CsvDataset, JsonLinesDataset, read_csv, read_json_lines
from arrowfeed._stubs.tfrecord import (
    ExampleDataset,
    RawRecordDataset,
    SequenceExampleDataset,
    read_tfrecord,
    write_tfrecord,
)
from arrowfeed._stubs.transform import (
    Transform,
    bucketized,
    cast,
    clipped,
    crossed,
    hashed,
    normalised,
    vocabulary,
)
from arrowfeed._stubs.write import AvroWriter, encode_avro_records, write_avro

__version__: str
"""The version of the package."""
build_features: list[str]
"""The optional features of `python/Cargo.toml` with which the module was compiled."""

__all__ = [
    "Array",
    "ArrowDataset",
    "AvroDataset",
    "AvroRecordDecoder",
    "AvroSchema",
    "AvroWriter",
    "BatchIterator",
    "ByLength",
    "ChunkDataset",
    "Column",
    "CsvDataset",
    "Dataset",
    "Dense",
    "DenseTensor",
    "ExampleDataset",
    "ExampleRecordDecoder",
    "IcebergDataset",
    "JsonLinesDataset",
    "Limits",
    "LoaderStats",
    "MixedDataset",
    "ParquetDataset",
    "Predicate",
    "Ragged",
    "RaggedTensor",
    "RawRecordDataset",
    "RecordBatch",
    "RecordBatchReader",
    "Representation",
    "RowReader",
    "Schema",
    "SchemaChange",
    "SequenceExampleDataset",
    "SequenceExampleRecordDecoder",
    "Sparse",
    "SparseTensor",
    "Split",
    "Structured",
    "StructuredTensor",
    "TensorAdapter",
    "TensorFlowSource",
    "TensorSpec",
    "TensorsToRecordBatch",
    "Transform",
    "VarLenRagged",
    "VarLenSparse",
    "__version__",
    "avro_columns",
    "avro_schema",
    "bucketized",
    "build_features",
    "cast",
    "clipped",
    "col",
    "crossed",
    "detect",
    "encode_avro_records",
    "encode_examples",
    "encode_sequence_examples",
    "encode_tfrecord",
    "exists",
    "hashed",
    "infer_representations",
    "join_jagged",
    "list_files",
    "normalised",
    "one_batch",
    "polars_frame",
    "polars_schema",
    "predicate_from_substrait",
    "read_arrow_ipc",
    "read_avro",
    "read_csv",
    "read_json_lines",
    "read_parquet",
    "read_tfrecord",
    "register_tensorflow_ops",
    "representations_from_tfmd",
    "upload",
    "vocabulary",
    "write_avro",
    "write_tfrecord",
]
