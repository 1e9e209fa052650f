//! Datasets of CSV and JSON lines files.

use std::path::PathBuf;

use arrow_schema::SchemaRef;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::{Interrupt, Limits};
use arrowfeed_text::{CsvDialect, CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// Options for reading CSV files as a dataset.
#[derive(Debug, Clone)]
pub struct CsvDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// See [`CsvOptions::dialect`].
    pub dialect: CsvDialect,
    /// See [`CsvOptions::names`].
    pub names: Option<Vec<String>>,
    /// See [`CsvOptions::schema`]. `None`: all columns, with inferred types.
    pub schema: Option<SchemaRef>,
    /// See [`CsvOptions::raw`]. Default false.
    pub raw: bool,
    /// See [`CsvOptions::sample`]. `None`: all records of all files.
    pub sample: Option<u64>,
    /// Names of columns to read. `None`: only those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// See [`CsvOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// See [`CsvOptions::limits`].
    pub limits: Limits,
    /// An index that [`Dataset::save_index`] wrote for these files, see [`Dataset::with_index`]. Default: none; the
    /// files are scanned for record ends when the index is needed.
    pub index: Option<PathBuf>,
}

impl Default for CsvDatasetOptions {
    fn default() -> Self {
        let CsvOptions { dialect, names, schema, raw, sample, columns, chunk_bytes, limits } =
            CsvOptions::default();
        let (tensors, index) = (None, None);
        Self { tensors, dialect, names, schema, raw, sample, columns, chunk_bytes, limits, index }
    }
}

/// Opens CSV files as a [`Dataset`].
#[derive(Debug)]
pub enum CsvDataset {}

impl CsvDataset {
    /// Finds the columns and their types, and compiles the parser of the rows. Calls `interrupt` before it opens a file
    /// and while it reads records to infer types.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; a record that is read to infer types is invalid; columns, schema
    /// and tensors do not fit each other; the index does not belong to these files; `interrupt` returned true.
    pub fn open(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: CsvDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let CsvDatasetOptions {
            tensors,
            dialect,
            names,
            schema,
            raw,
            sample,
            columns,
            chunk_bytes,
            limits,
            index,
        } = options;
        let all_columns = columns.is_some();
        let options = CsvOptions { dialect, names, schema, raw, sample, columns, chunk_bytes, limits };
        let files = CsvFormat::files(sources.into_iter().map(Into::into), options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}

/// Options for reading JSON lines files as a dataset.
#[derive(Debug, Clone)]
pub struct JsonLinesDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// See [`JsonLinesOptions::schema`]. `None`: all keys, with inferred types.
    pub schema: Option<SchemaRef>,
    /// See [`JsonLinesOptions::sample`]. `None`: all records of all files.
    pub sample: Option<u64>,
    /// Names of columns to read. `None`: only those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// See [`JsonLinesOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// See [`JsonLinesOptions::limits`].
    pub limits: Limits,
    /// As in [`CsvDatasetOptions`].
    pub index: Option<PathBuf>,
}

impl Default for JsonLinesDatasetOptions {
    fn default() -> Self {
        let JsonLinesOptions { schema, sample, columns, chunk_bytes, limits } = JsonLinesOptions::default();
        Self { tensors: None, schema, sample, columns, chunk_bytes, limits, index: None }
    }
}

/// Opens JSON lines files as a [`Dataset`].
#[derive(Debug)]
pub enum JsonLinesDataset {}

impl JsonLinesDataset {
    /// Finds the columns and their types, and compiles the parser of the rows. Calls `interrupt` before it opens a file
    /// and while it reads records to infer types.
    ///
    /// # Errors
    /// As [`CsvDataset::open`].
    pub fn open(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: JsonLinesDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let JsonLinesDatasetOptions { tensors, schema, sample, columns, chunk_bytes, limits, index } =
            options;
        let all_columns = columns.is_some();
        let options = JsonLinesOptions { schema, sample, columns, chunk_bytes, limits };
        let files = JsonLinesFormat::files(sources.into_iter().map(Into::into), options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
