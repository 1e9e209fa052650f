//! Files of TFRecord as a dataset.

use std::path::PathBuf;

use arrowfeed_source::io::FileSource;
use arrowfeed_source::{Interrupt, Limits};
use arrowfeed_tfrecord::example::Feature;
use arrowfeed_tfrecord::sequence_example::SequenceFeatures;
use arrowfeed_tfrecord::{Encoding, RecordFormat, RecordKind, RecordOptions};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// How the messages of `tf.Example` of a dataset are read.
#[derive(Debug, Clone)]
pub struct ExampleDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// The features of the records. `None`: the records are read for them.
    pub schema: Option<Vec<Feature>>,
    /// Where there is no schema: records that are looked at for their features. `None`: all of all files.
    pub sample: Option<u64>,
    /// Names of features to read. `None`: those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// The Arrow types of features. Default [`Encoding::Tfx`].
    pub encoding: Encoding,
    /// See [`RecordOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` bounds a record, `batch_bytes` a batch.
    pub limits: Limits,
    /// An index of the files that [`Dataset::save_index`] wrote, see [`Dataset::with_index`]. Default: none; the lengths of the
    /// records are read where the index is needed.
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
    /// Finds the features, and compiles what is to be done with the rows. `interrupt` is asked before each file is opened,
    /// and while records are looked at.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; a record that is looked at cannot be read; columns and tensors do not fit
    /// each other; the index is not one of these files; the caller wants to stop.
    pub fn open(
        sources: impl IntoIterator<Item = FileSource>,
        options: ExampleDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let ExampleDatasetOptions { tensors, schema, sample, columns, encoding, chunk_bytes, limits, index } =
            options;
        let all_columns = columns.is_some();
        let kind = RecordKind::Example { features: schema, sample };
        let options = RecordOptions { kind, columns, encoding, chunk_bytes, limits };
        let files = RecordFormat::files(sources, options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}

/// How the messages of `tf.SequenceExample` of a dataset are read.
#[derive(Debug, Clone)]
pub struct SequenceExampleDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// The features of the records. `None`: the records are read for them.
    pub schema: Option<SequenceFeatures>,
    /// As in [`ExampleDatasetOptions`].
    pub sample: Option<u64>,
    /// Field paths to read, such as `user` and `##SEQUENCE##.token`. `None`: those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// The Arrow types of features. Default [`Encoding::Tfx`].
    pub encoding: Encoding,
    /// See [`RecordOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` bounds a record, `batch_bytes` a batch.
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
    /// As [`ExampleDataset::open`].
    ///
    /// # Errors
    /// As of [`ExampleDataset::open`]; a feature of the context has the name of the column of sequences.
    pub fn open(
        sources: impl IntoIterator<Item = FileSource>,
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
        let files = RecordFormat::files(sources, options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}

/// How the records of TFRecord files are read as bytes.
#[derive(Debug, Clone)]
pub struct RawRecordDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// The name of the column of records. Default `record`.
    pub column: String,
    /// See [`RecordOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` bounds a record, `batch_bytes` a batch.
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

/// Opens TFRecord files as a [`Dataset`] of their records, which are not looked into.
#[derive(Debug)]
pub enum RawRecordDataset {}

impl RawRecordDataset {
    /// Opens the first file. `interrupt` is asked before each file is opened.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; the tensors do not fit the column; the index is not one of these files; the
    /// caller wants to stop.
    pub fn open(
        sources: impl IntoIterator<Item = FileSource>,
        options: RawRecordDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let RawRecordDatasetOptions { tensors, column, chunk_bytes, limits, index } = options;
        let kind = RecordKind::Raw { column };
        let options = RecordOptions { chunk_bytes, limits, ..RecordOptions::new(kind) };
        let files = RecordFormat::files(sources, options, interrupt)?;
        let dataset = Dataset::new(files, tensors, true)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
