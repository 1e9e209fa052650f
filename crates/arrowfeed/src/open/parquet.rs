//! Parquet files as a dataset.

use std::path::PathBuf;

use arrow_schema::SchemaRef;
use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::{Interrupt, Limits};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// How the Parquet files of a dataset are read.
#[derive(Debug, Clone, Default)]
pub struct ParquetDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// Field paths to read, see [`ParquetOptions::columns`]. `None`: those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// See [`ParquetOptions::schema`].
    pub schema: Option<SchemaRef>,
    /// See [`ParquetOptions::double_as_float`].
    pub double_as_float: bool,
    /// See [`ParquetOptions::limits`].
    pub limits: Limits,
    /// An index of the files that [`Dataset::save_index`] wrote, see [`Dataset::with_index`]. Default: none; the footers are
    /// read where they are needed.
    pub index: Option<PathBuf>,
}

/// Opens Parquet files as a [`Dataset`].
#[derive(Debug)]
pub enum ParquetDataset {}

impl ParquetDataset {
    /// Opens the first file for its schema, and compiles what is to be done with the rows. `interrupt` is asked before
    /// each file is opened.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; the columns of the first file do not convert to the schema; columns and
    /// tensors do not fit each other; the index is not one of these files; the caller wants to stop.
    pub fn open(
        sources: impl IntoIterator<Item = FileSource>,
        options: ParquetDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let ParquetDatasetOptions { tensors, columns, schema, double_as_float, limits, index } = options;
        let all_columns = columns.is_some();
        let options = ParquetOptions { columns, schema, double_as_float, limits };
        let files = ParquetFormat::files(sources, options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
