"""The TFXIO and TensorAdapter of tfx_bsl, implemented with arrowfeed. Only the import line changes.

    from arrowfeed import tfxio                # from tfx_bsl.public import tfxio

    source = tfxio.AvroRecord("part-*.avro", schema=schema)
    adapter = source.TensorAdapter()
    for batch in source.RecordBatches(tfxio.RecordBatchesOptions(1024, num_epochs=1)):
        tensors = adapter.ToBatchTensors(batch)

Names, arguments, type specs, exceptions and their texts are those of tfx_bsl. If tfx_bsl is installed,
`TFXIO` and `TensorAdapterConfig` are subclasses of the classes of tfx_bsl, so TensorFlow Transform accepts
them. The package imports TensorFlow and Beam on first use.

| module | content |
|---|---|
| `array_util` | functions on pyarrow arrays |
| `table_util` | functions on pyarrow record batches |
| `path` | paths of columns |
| `tf_graph_record_decoder` | decoders of records as TensorFlow graphs |
"""

from arrowfeed.tfxio._adapter import TensorAdapter
from arrowfeed.tfxio._avro_beam_record import AvroBeamRecord
from arrowfeed.tfxio._avro_record import AvroRecord
from arrowfeed.tfxio._config import TensorAdapterConfig, TensorRepresentations
from arrowfeed.tfxio._csv import BeamRecordCsvTFXIO, CsvTFXIO
from arrowfeed.tfxio._example_decoder import (
    ExamplesToRecordBatchDecoder,
    SequenceExamplesToRecordBatchDecoder,
)
from arrowfeed.tfxio._example_encoder import RecordBatchToExamples, RecordBatchToExamplesEncoder
from arrowfeed.tfxio._example_record import (
    TFExampleBeamRecord,
    TFExampleRecord,
    TFSequenceExampleBeamRecord,
    TFSequenceExampleRecord,
)
from arrowfeed.tfxio._options import RecordBatchesOptions, TensorFlowDatasetOptions
from arrowfeed.tfxio._parquet import ParquetTFXIO
from arrowfeed.tfxio._raw_record import RawBeamRecordTFXIO, RawTfRecordTFXIO
from arrowfeed.tfxio._record_to_tensor import BeamRecordToTensorTFXIO, TFRecordToTensorTFXIO
from arrowfeed.tfxio._tfxio import TFXIO
from arrowfeed.tfxio.tf_graph_record_decoder import TFGraphRecordDecoder

__all__ = [
    "TFXIO",
    "AvroBeamRecord",
    "AvroRecord",
    "BeamRecordCsvTFXIO",
    "BeamRecordToTensorTFXIO",
    "CsvTFXIO",
    "ExamplesToRecordBatchDecoder",
    "ParquetTFXIO",
    "RawBeamRecordTFXIO",
    "RawTfRecordTFXIO",
    "RecordBatchToExamples",
    "RecordBatchToExamplesEncoder",
    "RecordBatchesOptions",
    "SequenceExamplesToRecordBatchDecoder",
    "TFExampleBeamRecord",
    "TFExampleRecord",
    "TFGraphRecordDecoder",
    "TFRecordToTensorTFXIO",
    "TFSequenceExampleBeamRecord",
    "TFSequenceExampleRecord",
    "TensorAdapter",
    "TensorAdapterConfig",
    "TensorFlowDatasetOptions",
    "TensorRepresentations",
]
