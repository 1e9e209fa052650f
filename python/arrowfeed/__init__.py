"""Reads Avro, `tf.Example`, Parquet, CSV and JSON lines into Arrow record batches and training-ready tensors.

    import arrowfeed as af

    for batch in af.read_avro("part-*.avro", columns=["id", "user.scores"]):
        ...

Readers export their data through the Arrow PyCapsule interface: `pyarrow.table(reader)`,
`polars.DataFrame(reader)` and duckdb accept a reader.
"""

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import (
    Array,
    ArrowDataset,
    AvroDataset,
    AvroRecordDecoder,
    AvroSchema,
    AvroWriter,
    BatchIterator,
    ChunkDataset,
    CsvDataset,
    Dataset,
    Dense,
    DenseTensor,
    ExampleDataset,
    ExampleRecordDecoder,
    JsonLinesDataset,
    Limits,
    MixedDataset,
    ParquetDataset,
    Ragged,
    RaggedTensor,
    RawRecordDataset,
    RecordBatch,
    RecordBatchReader,
    Representation,
    Schema,
    SequenceExampleDataset,
    SequenceExampleRecordDecoder,
    Sparse,
    SparseTensor,
    Split,
    Structured,
    StructuredTensor,
    TensorAdapter,
    TensorSpec,
    TensorsToRecordBatch,
    VarLenRagged,
    VarLenSparse,
    __version__,
    avro_schema,
    encode_examples,
    encode_sequence_examples,
    infer_representations,
    read_arrow_ipc,
    read_avro,
    read_csv,
    read_json_lines,
    read_parquet,
    read_tfrecord,
    representations_from_tfmd,
    write_avro,
    write_tfrecord,
)
from arrowfeed._dataset import ChunkSource, Tfxio, open_dataset
from arrowfeed._errors import (
    ArrowfeedError,
    ChangedError,
    CodecError,
    ConversionError,
    CorruptBlockError,
    FormatError,
    InternalError,
    LimitError,
    OptionError,
    RepresentationError,
    SchemaError,
    SkippedWarning,
    TruncatedError,
)
from arrowfeed._polars import scan_avro, scan_dataset

if TYPE_CHECKING:
    from arrowfeed import features

__all__ = [
    "Array",
    "ArrowDataset",
    "ArrowfeedError",
    "AvroDataset",
    "AvroRecordDecoder",
    "AvroSchema",
    "AvroWriter",
    "BatchIterator",
    "ChangedError",
    "ChunkDataset",
    "ChunkSource",
    "CodecError",
    "ConversionError",
    "CorruptBlockError",
    "CsvDataset",
    "Dataset",
    "Dense",
    "DenseTensor",
    "ExampleDataset",
    "ExampleRecordDecoder",
    "FormatError",
    "InternalError",
    "JsonLinesDataset",
    "LimitError",
    "Limits",
    "MixedDataset",
    "OptionError",
    "ParquetDataset",
    "Ragged",
    "RaggedTensor",
    "RawRecordDataset",
    "RecordBatch",
    "RecordBatchReader",
    "Representation",
    "RepresentationError",
    "Schema",
    "SchemaError",
    "SequenceExampleDataset",
    "SequenceExampleRecordDecoder",
    "SkippedWarning",
    "Sparse",
    "SparseTensor",
    "Split",
    "Structured",
    "StructuredTensor",
    "TensorAdapter",
    "TensorSpec",
    "TensorsToRecordBatch",
    "Tfxio",
    "TruncatedError",
    "VarLenRagged",
    "VarLenSparse",
    "__version__",
    "avro_schema",
    "encode_examples",
    "encode_sequence_examples",
    "features",
    "infer_representations",
    "open_dataset",
    "read_arrow_ipc",
    "read_avro",
    "read_csv",
    "read_json_lines",
    "read_parquet",
    "read_tfrecord",
    "representations_from_tfmd",
    "scan_avro",
    "scan_dataset",
    "write_avro",
    "write_tfrecord",
]


def __getattr__(name: str) -> Any:
    """Imports the submodule `features` on first use."""
    if name == "features":
        import importlib  # noqa: PLC0415

        return importlib.import_module("arrowfeed.features")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
