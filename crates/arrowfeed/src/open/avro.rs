//! Avro files as a dataset.

use std::path::PathBuf;

use arrowfeed_avro::{AvroFormat, AvroSchema, AvroSource, Encoding, ReadOptions};
use arrowfeed_source::{Interrupt, Limits};

use crate::dataset::{Dataset, TensorDefinitions};
use crate::error::DatasetError;

/// How the files of a dataset are read.
#[derive(Debug, Clone, Default)]
pub struct AvroDatasetOptions {
    /// What the tensors are made of. `None`: what [`infer_representations`](crate::tensor::infer_representations) finds.
    pub tensors: Option<TensorDefinitions>,
    /// Field paths to read, see [`ReadOptions::columns`]. `None`: those that the tensors need.
    pub columns: Option<Vec<String>>,
    /// The schema that all files are read as; needed where they have different ones.
    pub reader_schema: Option<AvroSchema>,
    /// Default [`Encoding::Native`].
    pub encoding: Encoding,
    /// See [`ReadOptions::double_as_float`].
    pub double_as_float: bool,
    /// See [`ReadOptions::raw`].
    pub raw: bool,
    /// See [`Limits`].
    pub limits: Limits,
    /// An index of the files that [`Dataset::save_index`] wrote, see [`Dataset::with_index`]. Default: none; the files are
    /// scanned when that is needed.
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
/// let dataset = AvroDataset::open([path.into()], options)?;
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
    /// Opens the first file for its schema, and compiles what is to be done with the rows.
    ///
    /// # Errors
    /// No file can be opened; a source can be read only once; columns, schemas and tensors do not fit each other; or the
    /// index is not one of these files.
    pub fn open(
        sources: impl IntoIterator<Item = AvroSource>,
        options: AvroDatasetOptions,
    ) -> Result<Dataset, DatasetError> {
        Self::open_with(sources, options, None)
    }

    /// As [`open`](Self::open), until `interrupt`, which is asked before each file is opened, says to stop.
    ///
    /// # Errors
    /// As [`open`](Self::open); or the caller wants to stop.
    pub fn open_with(
        sources: impl IntoIterator<Item = AvroSource>,
        options: AvroDatasetOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<Dataset, DatasetError> {
        let AvroDatasetOptions {
            tensors,
            columns,
            reader_schema,
            encoding,
            double_as_float,
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
            raw,
            limits,
            ..Default::default()
        };
        let (files, endless) = AvroFormat::files_ending(sources, reading, interrupt)?;
        let dataset = Dataset::of_chosen(files, tensors, all_columns, endless)?;
        Ok(dataset.indexed(index.as_deref(), interrupt)?)
    }
}
