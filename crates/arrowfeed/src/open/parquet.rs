//! Datasets of Parquet files.

use std::path::PathBuf;

use arrow_schema::SchemaRef;
use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::{Interrupt, Limits};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// Options for reading Parquet files as a dataset.
#[derive(Debug, Clone, Default)]
pub struct ParquetDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// Field paths to read, see [`ParquetOptions::columns`]. `None`: only those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// See [`ParquetOptions::schema`].
    pub schema: Option<SchemaRef>,
    /// See [`ParquetOptions::double_as_float`].
    pub double_as_float: bool,
    /// See [`ParquetOptions::limits`].
    pub limits: Limits,
    /// An index that [`Dataset::save_index`] wrote for these files, see [`Dataset::with_index`]. Default: none; the
    /// footers are read when they are needed.
    pub index: Option<PathBuf>,
}

/// Opens Parquet files as a [`Dataset`].
#[derive(Debug)]
pub enum ParquetDataset {}

impl ParquetDataset {
    /// Opens the first file, reads its schema and compiles the conversion of the rows. Calls `interrupt` before it
    /// opens a file.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; the columns of the first file cannot be converted to the schema;
    /// columns and tensors do not fit each other; the index does not belong to these files; `interrupt` returned true.
    pub fn open(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: ParquetDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let ParquetDatasetOptions { tensors, columns, schema, double_as_float, limits, index } = options;
        let all_columns = columns.is_some();
        let options = ParquetOptions { columns, schema, double_as_float, limits };
        let files = ParquetFormat::files(sources.into_iter().map(Into::into), options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
