//! Constructors of datasets, one module per format and feature, and a decoder of Avro records without a file.

#[cfg(feature = "avro")]
mod avro;
#[cfg(feature = "avro")]
mod avro_records;
mod chunks;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "text")]
mod text;
#[cfg(feature = "tfrecord")]
mod tfrecord;

#[cfg(feature = "avro")]
pub use avro::{AvroDataset, AvroDatasetOptions};
#[cfg(feature = "avro")]
pub use avro_records::TensorRecordDecoder;
pub use chunks::{ChunkDataset, ChunkDatasetOptions};
#[cfg(feature = "parquet")]
pub use parquet::{ParquetDataset, ParquetDatasetOptions};
#[cfg(feature = "text")]
pub use text::{CsvDataset, CsvDatasetOptions, JsonLinesDataset, JsonLinesDatasetOptions};
#[cfg(feature = "tfrecord")]
pub use tfrecord::{
    ExampleDataset, ExampleDatasetOptions, RawRecordDataset, RawRecordDatasetOptions, SequenceExampleDataset,
    SequenceExampleDatasetOptions,
};
