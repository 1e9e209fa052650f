//! Constructors of datasets, one module per format, and a decoder of Avro records without a file.

mod avro;
mod avro_records;
mod chunks;
mod parquet;
mod text;
mod tfrecord;

pub use avro::{AvroDataset, AvroDatasetOptions};
pub use avro_records::TensorRecordDecoder;
pub use chunks::{ChunkDataset, ChunkDatasetOptions};
pub use parquet::{ParquetDataset, ParquetDatasetOptions};
pub use text::{CsvDataset, CsvDatasetOptions, JsonLinesDataset, JsonLinesDatasetOptions};
pub use tfrecord::{
    ExampleDataset, ExampleDatasetOptions, RawRecordDataset, RawRecordDatasetOptions, SequenceExampleDataset,
    SequenceExampleDatasetOptions,
};
