//! Datasets of files, a module for each format.

mod avro;

pub use avro::{AvroDataset, AvroDatasetOptions};
