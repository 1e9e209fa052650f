"""Reads Avro, `tf.Example`, Parquet, CSV and JSON lines into Arrow record batches and training-ready tensors.

    import arrowfeed as af

    for batch in af.read_avro("part-*.avro", columns=["id", "user.scores"]):
        ...

Readers export their data through the Arrow PyCapsule interface: `pyarrow.table(reader)`,
`polars.DataFrame(reader)` and duckdb accept a reader.
"""

# | module | contents |
# |---|---|
# | `_arrowfeed` `_stubs` | the compiled module; its stub by topic |
# | `_errors` | the exceptions |
# | `_explanation` `_inferred` | the results of `explain()` and `infer_representations` |
# | `_progress` | the tqdm bar of `progress=True` |
# | `_formats` | the table of the formats of files |
# | `_libraries` | imports of optional libraries, and how to install them |
# | `_files` | files of fsspec, file objects in memory |
# | `_urls` | recognition of URLs, and removal of their secrets |
# | `_obstore` | configurations of obstore stores |
# | `_dataset` | `open_dataset`, `Tfxio` and `ChunkSource`; samples and pickles; worker processes of `map` |
# | `_expressions` | predicates from expressions of pyarrow and polars |
# | `iceberg` `_iceberg` | scans of pyiceberg: their files, filters and deletes |
# | `_statistics` | statistics of columns, for `arrowfeed stats` and `Dataset.describe` |
# | `_rendering` | Arrow values as JSON values, texts and tables |
# | `_row_batches` | iterables of rows as batches, for the functions that write |
# | `features` `_features` | features; checks of their arguments; features of other libraries |
# | `representations` | the classes of representations |
# | `_frameworks` | the code that all frameworks share; datasets of PyTorch, JAX and Keras |
# | `_sharding` | `shard="auto"` |
# | `_tensorflow` | tensors and datasets of TensorFlow |
# | `tensorflow` `torch` `jax` | conversion of tensors to each framework |
# | `_engines` | files as splits, which are planned once and read anywhere |
# | `_polars` | scans of polars |
# | `duckdb` `datafusion` `dask` `daft` `ray` `spark` `beam` | one module for each engine, over `_engines` |
# | `tfx` | ExampleGen of TFX, over `beam` |
# | `tfio` `tfxio` | the APIs of tensorflow-io and of tfx_bsl, under their own names |
# | `types` | types for annotations |
# | `cli` `__main__` | the command line, with a file for each command |

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import (
    Array,
    ArrowDataset,
    AvroDataset,
    AvroRecordDecoder,
    AvroSchema,
    AvroWriter,
    BatchIterator,
    ByLength,
    ChunkDataset,
    Column,
    CsvDataset,
    Dataset,
    DenseTensor,
    ExampleDataset,
    ExampleRecordDecoder,
    JsonLinesDataset,
    Limits,
    LoaderStats,
    MixedDataset,
    ParquetDataset,
    Predicate,
    RaggedTensor,
    RawRecordDataset,
    RecordBatch,
    RecordBatchReader,
    Representation,
    Schema,
    SchemaChange,
    SequenceExampleDataset,
    SequenceExampleRecordDecoder,
    SparseTensor,
    Split,
    StructuredTensor,
    TensorAdapter,
    TensorSpec,
    TensorsToRecordBatch,
    __version__,
    avro_schema,
    col,
    encode_avro_records,
    encode_examples,
    encode_sequence_examples,
    encode_tfrecord,
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
    from arrowfeed import features, representations

__all__ = [
    "Array",
    "ArrowDataset",
    "ArrowfeedError",
    "AvroDataset",
    "AvroRecordDecoder",
    "AvroSchema",
    "AvroWriter",
    "BatchIterator",
    "ByLength",
    "ChangedError",
    "ChunkDataset",
    "ChunkSource",
    "CodecError",
    "Column",
    "ConversionError",
    "CorruptBlockError",
    "CsvDataset",
    "Dataset",
    "DenseTensor",
    "ExampleDataset",
    "ExampleRecordDecoder",
    "FormatError",
    "InternalError",
    "JsonLinesDataset",
    "LimitError",
    "Limits",
    "LoaderStats",
    "MixedDataset",
    "OptionError",
    "ParquetDataset",
    "Predicate",
    "RaggedTensor",
    "RawRecordDataset",
    "RecordBatch",
    "RecordBatchReader",
    "Representation",
    "RepresentationError",
    "Schema",
    "SchemaChange",
    "SchemaError",
    "SequenceExampleDataset",
    "SequenceExampleRecordDecoder",
    "SkippedWarning",
    "SparseTensor",
    "Split",
    "StructuredTensor",
    "TensorAdapter",
    "TensorSpec",
    "TensorsToRecordBatch",
    "Tfxio",
    "TruncatedError",
    "__version__",
    "avro_schema",
    "col",
    "encode_avro_records",
    "encode_examples",
    "encode_sequence_examples",
    "encode_tfrecord",
    "features",
    "infer_representations",
    "open_dataset",
    "read_arrow_ipc",
    "read_avro",
    "read_csv",
    "read_json_lines",
    "read_parquet",
    "read_tfrecord",
    "representations",
    "representations_from_tfmd",
    "scan_avro",
    "scan_dataset",
    "write_avro",
    "write_tfrecord",
]


def __getattr__(name: str) -> Any:
    """Imports the submodules `features` and `representations` on first use."""
    import importlib  # noqa: PLC0415

    submodules = ("features", "representations")
    if name in submodules:
        return importlib.import_module(f"arrowfeed.{name}")
    message = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("_"):
        homes = [each for each in submodules if name in importlib.import_module(f"arrowfeed.{each}").__all__]
        message += ": use " * bool(homes) + " or ".join(f"arrowfeed.{home}.{name}" for home in homes)
    raise AttributeError(message)
