//! Datasets of Avro files.

use std::path::PathBuf;

use arrowfeed_avro::{AvroFormat, AvroSchema, AvroSource, Encoding, ReadOptions, Unions};
use arrowfeed_source::{Interrupt, Limits};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// Options for reading Avro files as a dataset.
#[derive(Debug, Clone, Default)]
pub struct AvroDatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// Field paths to read, see [`ReadOptions::columns`]. `None`: only those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// The reader schema of all files. Required if the schemas of the files differ.
    pub reader_schema: Option<AvroSchema>,
    /// The Arrow types of Avro values. Default [`Encoding::Native`].
    pub encoding: Encoding,
    /// See [`ReadOptions::double_as_float`].
    pub double_as_float: bool,
    /// See [`ReadOptions::unions`].
    pub unions: Unions,
    /// See [`ReadOptions::raw`].
    pub raw: bool,
    /// Limits on the resources that a file may use.
    pub limits: Limits,
    /// An index that [`Dataset::save_index`] wrote for these files, see [`Dataset::with_index`]. Default: none; the
    /// files are scanned when the index is needed.
    pub index: Option<PathBuf>,
}

/// Opens Avro files as a [`Dataset`].
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed::{AvroDataset, AvroDatasetOptions, IterationOptions};
///
/// let options = AvroDatasetOptions { columns: Some(vec!["id".to_owned()]), ..Default::default() };
/// let dataset = AvroDataset::open([path], options)?;
/// assert_eq!(dataset.num_rows()?, 3);
/// let mut batches = dataset.tensors(IterationOptions { batch_size: 2, ..Default::default() })?;
/// let first = batches.next().unwrap()?;
/// assert_eq!(first[0].0, "id");
/// let state = batches.state()?;
/// let mut resumed = dataset.tensors(IterationOptions { batch_size: 2, ..Default::default() })?;
/// resumed.load_state(&state)?;
/// assert_eq!(resumed.count(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum AvroDataset {}

impl AvroDataset {
    /// Opens the first file, reads its schema and compiles the decoder of the rows.
    ///
    /// # Errors
    /// No file can be opened; a source can be read only once; columns, schemas and tensors do not fit each other; or
    /// the index does not belong to these files.
    pub fn open(
        sources: impl IntoIterator<Item: Into<AvroSource>>,
        options: AvroDatasetOptions,
    ) -> Result<Dataset, DatasetError> {
        Self::open_with(sources, options, None)
    }

    /// Like [`open`](Self::open). Calls `interrupt` before it opens a file, and stops when `interrupt` returns true.
    ///
    /// # Errors
    /// As [`open`](Self::open); or `interrupt` returned true.
    pub fn open_with(
        sources: impl IntoIterator<Item: Into<AvroSource>>,
        options: AvroDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let AvroDatasetOptions {
            tensors,
            columns,
            reader_schema,
            encoding,
            double_as_float,
            unions,
            raw,
            limits,
            index,
        } = options;
        let all_columns = columns.is_some();
        let reading = ReadOptions {
            columns,
            reader_schema,
            encoding,
            double_as_float,
            unions,
            raw,
            limits,
            ..Default::default()
        };
        let (files, recursion_error) =
            AvroFormat::files_nonrecursive(sources.into_iter().map(Into::into), reading, interrupt)?;
        let dataset = Dataset::of_chosen(files, tensors, all_columns, recursion_error)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
