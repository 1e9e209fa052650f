//! Avro files as a dataset.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_avro::{AvroFiles, AvroSource, Encoding, ReadOptions};
use arrowfeed_source::{FeedError, Limits, printable};
use arrowfeed_tensor::{Adapter, TensorSpec};

use super::indexed::Indexed;
use super::iterator::BatchIterator;
use super::options::IterationOptions;
use super::source::TensorDefinitions;
use super::tensors::TensorIterator;
use crate::avro::{AvroSchema, Interrupt};
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
    /// See [`Limits`].
    pub limits: Limits,
}

/// Avro files, the tensors that are made of them, and all that can be known of both before any row is read.
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
#[derive(Debug, Clone)]
pub struct AvroDataset {
    files: Arc<Indexed>,
    definitions: TensorDefinitions,
    adapter: Adapter,
}

impl AvroDataset {
    /// Opens the first file for its schema, and compiles what is to be done with the rows.
    ///
    /// # Errors
    /// No file can be opened; a source can be read only once; or columns, schemas and tensors do not fit each other.
    pub fn open(
        sources: impl IntoIterator<Item = AvroSource>,
        options: AvroDatasetOptions,
    ) -> Result<Self, DatasetError> {
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
    ) -> Result<Self, DatasetError> {
        let AvroDatasetOptions { tensors, columns, reader_schema, encoding, double_as_float, limits } =
            options;
        let given = columns.is_some();
        let reading =
            ReadOptions { columns, reader_schema, encoding, double_as_float, limits, ..Default::default() };
        let (files, endless) = AvroFiles::open_ending(sources, reading, interrupt)?;
        let files = Arc::new(files);
        let Some(endless) = endless else {
            let definitions = tensors.unwrap_or_else(|| TensorDefinitions::inferred(files.schema()));
            let adapter =
                definitions.adapter_within(files.schema().clone(), files.options().limits.batch_bytes)?;
            return Self::of(files, definitions, adapter, given);
        };
        // What contains itself is an error for those who read it: without tensors, or with one that is not there.
        let Some(definitions) = tensors else { return Err(endless.into()) };
        let adapter =
            definitions.adapter_within(files.schema().clone(), files.options().limits.batch_bytes).ok();
        match adapter.filter(|adapter| !definitions.columns(adapter, files.schema()).is_empty()) {
            Some(adapter) => Self::of(files, definitions, adapter, given),
            None => Err(endless.into()),
        }
    }

    /// Reads no more than the tensors need, unless the caller has chosen the columns.
    fn of(
        files: Arc<AvroFiles>,
        definitions: TensorDefinitions,
        adapter: Adapter,
        given: bool,
    ) -> Result<Self, DatasetError> {
        let columns = definitions.columns(&adapter, files.schema());
        if given || columns.is_empty() {
            return Ok(Self { files: Arc::new(Indexed::new(files)), definitions, adapter });
        }
        let files = Arc::new(files.with_columns(columns)?);
        let adapter =
            definitions.adapter_within(files.schema().clone(), files.options().limits.batch_bytes)?;
        Ok(Self { files: Arc::new(Indexed::new(files)), definitions, adapter })
    }

    /// The schema of the record batches.
    pub fn arrow_schema(&self) -> &SchemaRef {
        self.files.files.schema()
    }

    /// What a file may ask for.
    pub fn limits(&self) -> &Limits {
        &self.files.files.options().limits
    }

    /// What the tensors are made of.
    pub fn tensor_definitions(&self) -> &TensorDefinitions {
        &self.definitions
    }

    /// What is known of each tensor, by name, in order.
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        self.adapter.specs()
    }

    /// What makes tensors of the record batches.
    pub fn tensor_adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Rows of all files, as the heads of their blocks declare them.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn num_rows(&self) -> Result<u64, FeedError> {
        self.num_rows_with(None)
    }

    /// As [`num_rows`](Self::num_rows), which opens every file the first time: `interrupt` may stop it.
    ///
    /// # Errors
    /// A file cannot be read, or the caller wants to stop.
    pub fn num_rows_with(&self, interrupt: Option<Interrupt>) -> Result<u64, FeedError> {
        let options = IterationOptions { interrupt, ..Default::default() };
        Ok(self.files.index(&options)?.rows())
    }

    /// Of the names and lengths of the files, and of the schema of the batches: 16 hexadecimal digits.
    ///
    /// # Errors
    /// The system does not tell how long a file is.
    pub fn fingerprint(&self) -> Result<String, FeedError> {
        self.fingerprint_with(None)
    }

    /// As [`fingerprint`](Self::fingerprint), until `interrupt`, which is asked for each file, says to stop.
    ///
    /// # Errors
    /// As [`fingerprint`](Self::fingerprint); or the caller wants to stop.
    pub fn fingerprint_with(&self, interrupt: Option<&Interrupt>) -> Result<String, FeedError> {
        let schema = crc32fast::hash(format!("{:?}", self.arrow_schema()).as_bytes());
        Ok(format!("{:08x}{schema:08x}", self.files.marks(interrupt)?.digest()))
    }

    /// The dataset of some of the tensors; no other columns are read. Their specs stay as they are.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn project(&self, names: &[&str]) -> Result<Self, DatasetError> {
        let adapter = self.adapter.project(names)?;
        let definitions = self.definitions.chosen(names);
        Self::of(self.files.files.clone(), definitions, adapter, false)
    }

    /// Record batches.
    ///
    /// # Errors
    /// An option that makes no sense. What is wrong with files comes in its turn.
    pub fn record_batches(&self, options: IterationOptions) -> Result<BatchIterator, DatasetError> {
        Ok(BatchIterator::new(self.files.clone(), options, None)?)
    }

    /// Tensors, by name.
    ///
    /// # Errors
    /// As [`record_batches`](Self::record_batches).
    pub fn tensors(&self, options: IterationOptions) -> Result<TensorIterator, DatasetError> {
        Ok(TensorIterator::new(self.files.clone(), options, self.adapter.clone())?)
    }

    /// What is read, and of each tensor what is shared with the record batches and what is copied, and why.
    pub fn explain(&self) -> String {
        let columns: Vec<String> =
            self.arrow_schema().fields().iter().map(|field| printable(field.name())).collect();
        let files = match self.files.files.len() {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        let mut text = format!("{files}, columns: {}", columns.join(", "));
        for tensor in self.adapter.explain() {
            text.push('\n');
            text.push_str(&tensor.to_string());
        }
        text
    }
}
