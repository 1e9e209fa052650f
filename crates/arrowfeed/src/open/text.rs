//! CSV files and files of JSON lines as datasets.

use std::path::PathBuf;

use arrow_schema::SchemaRef;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::{Interrupt, Limits};
use arrowfeed_text::{CsvDialect, CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// How the CSV files of a dataset are read.
#[derive(Debug, Clone)]
pub struct CsvDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// See [`CsvOptions::dialect`].
    pub dialect: CsvDialect,
    /// See [`CsvOptions::names`].
    pub names: Option<Vec<String>>,
    /// See [`CsvOptions::schema`]. `None`: all columns, whose types are inferred.
    pub schema: Option<SchemaRef>,
    /// See [`CsvOptions::raw`]. Default false.
    pub raw: bool,
    /// See [`CsvOptions::sample`]. `None`: all records of all files.
    pub sample: Option<u64>,
    /// Names of columns to read. `None`: those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// See [`CsvOptions::chunk_bytes`]. Default 256 KiB.
    pub chunk_bytes: u64,
    /// See [`CsvOptions::limits`].
    pub limits: Limits,
    /// An index of the files that [`Dataset::save_index`] wrote, see [`Dataset::with_index`]. Default: none; the files are read
    /// for the ends of their records where the index is needed.
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
    /// Finds the columns and their types, and compiles what is to be done with the rows. `interrupt` is asked before each file is
    /// opened, and while records are read for their types.
    ///
    /// # Errors
    /// No file can be opened; a source is a stream; a record that is read for its types is wrong; columns, schema and tensors do not
    /// fit each other; the index is not one of these files; the caller wants to stop.
    pub fn open(
        sources: impl IntoIterator<Item = FileSource>,
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
        let files = CsvFormat::files(sources, options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}

/// How the files of JSON lines of a dataset are read.
#[derive(Debug, Clone)]
pub struct JsonLinesDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// See [`JsonLinesOptions::schema`]. `None`: all keys, whose types are inferred.
    pub schema: Option<SchemaRef>,
    /// See [`JsonLinesOptions::sample`]. `None`: all records of all files.
    pub sample: Option<u64>,
    /// Names of columns to read. `None`: those that the tensors need.
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

/// Opens files of JSON lines as a [`Dataset`].
#[derive(Debug)]
pub enum JsonLinesDataset {}

impl JsonLinesDataset {
    /// Finds the columns and their types, and compiles what is to be done with the rows. `interrupt` is asked before each file is
    /// opened, and while records are read for their types.
    ///
    /// # Errors
    /// As [`CsvDataset::open`].
    pub fn open(
        sources: impl IntoIterator<Item = FileSource>,
        options: JsonLinesDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let JsonLinesDatasetOptions { tensors, schema, sample, columns, chunk_bytes, limits, index } =
            options;
        let all_columns = columns.is_some();
        let options = JsonLinesOptions { schema, sample, columns, chunk_bytes, limits };
        let files = JsonLinesFormat::files(sources, options, interrupt)?;
        let dataset = Dataset::new(files, tensors, all_columns)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
