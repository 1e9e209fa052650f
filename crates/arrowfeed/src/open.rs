//! Datasets of files, a module for each format.

mod avro;
mod parquet;

pub use avro::{AvroDataset, AvroDatasetOptions};
pub use parquet::{ParquetDataset, ParquetDatasetOptions};
