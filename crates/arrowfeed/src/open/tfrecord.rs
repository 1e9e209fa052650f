//! Datasets of TFRecord files.

use std::path::PathBuf;

use arrowfeed_source::io::FileSource;
use arrowfeed_source::{Interrupt, Limits};
use arrowfeed_tfrecord::example::Feature;
use arrowfeed_tfrecord::sequence_example::SequenceFeatures;
use arrowfeed_tfrecord::{Encoding, RecordFormat, RecordKind, RecordOptions};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// Options for reading `tf.Example` messages as a dataset.
#[derive(Debug, Clone)]
pub struct ExampleDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// The features of the records. `None`: found by reading records.
    pub schema: Option<Vec<Feature>>,
    /// Number of records, from the first one on, in which to find the features if there is no schema. `None`: all
    /// records of all files.
    pub sample: Option<u64>,
    /// Names of features to read. `None`: only those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// The Arrow types of features. Default [`Encoding::Tfx`].
    pub encoding: Encoding,
    /// See [`RecordOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` limits the size of a record, `batch_bytes` the size of a batch.
    pub limits: Limits,
    /// An index that [`Dataset::save_index`] wrote for these files, see [`Dataset::with_index`]. Default: none; the
    /// record lengths are read when the index is needed.
    pub index: Option<PathBuf>,
}

impl Default for ExampleDatasetOptions {
    fn default() -> Self {
        let kind = RecordKind::Example { features: None, sample: None };
        let RecordOptions { columns, encoding, chunk_bytes, limits, .. } = RecordOptions::new(kind);
        Self {
            tensors: None,
            schema: None,
            sample: None,
            columns,
            encoding,
            chunk_bytes,
            limits,
            index: None,
        }
    }
}

/// Opens TFRecord files of `tf.Example` as a [`Dataset`].
#[derive(Debug)]
pub enum ExampleDataset {}

impl ExampleDataset {
    /// Finds the features, and compiles the decoder of the rows. Calls `interrupt` before it opens a file and while it
    /// reads records to find features.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; a record that is read to find features is invalid; columns and
    /// tensors do not fit each other; the index does not belong to these files; `interrupt` returned true.
    pub fn open(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: ExampleDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let ExampleDatasetOptions { tensors, schema, sample, columns, encoding, chunk_bytes, limits, index } =
            options;
        let all_columns = columns.is_some();
        let kind = RecordKind::Example { features: schema, sample };
        let options = RecordOptions { kind, columns, encoding, chunk_bytes, limits };
        let files = RecordFormat::files(sources.into_iter().map(Into::into), options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}

/// Options for reading `tf.SequenceExample` messages as a dataset.
#[derive(Debug, Clone)]
pub struct SequenceExampleDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// The features of the records. `None`: found by reading records.
    pub schema: Option<SequenceFeatures>,
    /// As in [`ExampleDatasetOptions`].
    pub sample: Option<u64>,
    /// Field paths to read, such as `user` and `##SEQUENCE##.token`. `None`: only those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// The Arrow types of features. Default [`Encoding::Tfx`].
    pub encoding: Encoding,
    /// See [`RecordOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` limits the size of a record, `batch_bytes` the size of a batch.
    pub limits: Limits,
    /// As in [`ExampleDatasetOptions`].
    pub index: Option<PathBuf>,
}

impl Default for SequenceExampleDatasetOptions {
    fn default() -> Self {
        let kind = RecordKind::SequenceExample { features: None, sample: None };
        let RecordOptions { columns, encoding, chunk_bytes, limits, .. } = RecordOptions::new(kind);
        Self {
            tensors: None,
            schema: None,
            sample: None,
            columns,
            encoding,
            chunk_bytes,
            limits,
            index: None,
        }
    }
}

/// Opens TFRecord files of `tf.SequenceExample` as a [`Dataset`].
#[derive(Debug)]
pub enum SequenceExampleDataset {}

impl SequenceExampleDataset {
    /// Finds the features, and compiles the decoder of the rows, like [`ExampleDataset::open`].
    ///
    /// # Errors
    /// As [`ExampleDataset::open`]; or a context feature has the name of the column of the feature lists.
    pub fn open(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: SequenceExampleDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let SequenceExampleDatasetOptions {
            tensors,
            schema,
            sample,
            columns,
            encoding,
            chunk_bytes,
            limits,
            index,
        } = options;
        let all_columns = columns.is_some();
        let kind = RecordKind::SequenceExample { features: schema, sample };
        let options = RecordOptions { kind, columns, encoding, chunk_bytes, limits };
        let files = RecordFormat::files(sources.into_iter().map(Into::into), options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}

/// Options for reading TFRecord records as bytes.
#[derive(Debug, Clone)]
pub struct RawRecordDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// The name of the column of records. Default `record`.
    pub column: String,
    /// See [`RecordOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` limits the size of a record, `batch_bytes` the size of a batch.
    pub limits: Limits,
    /// As in [`ExampleDatasetOptions`].
    pub index: Option<PathBuf>,
}

impl Default for RawRecordDatasetOptions {
    fn default() -> Self {
        let column = "record".to_owned();
        let kind = RecordKind::Raw { column: column.clone() };
        let RecordOptions { chunk_bytes, limits, .. } = RecordOptions::new(kind);
        Self { tensors: None, column, chunk_bytes, limits, index: None }
    }
}

/// Opens TFRecord files as a [`Dataset`] of their records as bytes, without parsing them.
#[derive(Debug)]
pub enum RawRecordDataset {}

impl RawRecordDataset {
    /// Opens the first file. Calls `interrupt` before it opens a file.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; the tensors do not fit the column; the index does not belong to
    /// these files; `interrupt` returned true.
    pub fn open(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: RawRecordDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let RawRecordDatasetOptions { tensors, column, chunk_bytes, limits, index } = options;
        let kind = RecordKind::Raw { column };
        let options = RecordOptions { chunk_bytes, limits, ..RecordOptions::new(kind) };
        let files = RecordFormat::files(sources.into_iter().map(Into::into), options, interrupt)?;
        let dataset = Dataset::new(files, tensors, true)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
