//! Files as a dataset, whatever their format.

use std::path::Path;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileReader, FileSet, RangeOptions, Split};
use arrowfeed_source::{Check, FeedError, Interrupt, Limits, printable};
use arrowfeed_tensor::{Adapter, TensorSpec};

use super::batches::BatchIterator;
use super::indexed::Indexed;
use super::options::IterationOptions;
use super::saved_index;
use super::source::TensorDefinitions;
use super::tensors::TensorIterator;
use crate::error::DatasetError;

/// Files of one format, the tensors that are made of them, and all that can be known of both before any row is read. Made
/// by the constructor of a format, such as [`AvroDataset::open`](crate::AvroDataset::open).
#[derive(Debug, Clone)]
pub struct Dataset {
    files: Arc<Indexed>,
    definitions: TensorDefinitions,
    adapter: Adapter,
}

impl Dataset {
    /// A dataset of files. `tensors`: what the tensors are made of; `None`: what
    /// [`infer_representations`](crate::tensor::infer_representations) finds. No more columns are read than the tensors
    /// need, unless `all_columns`.
    ///
    /// # Errors
    /// Columns and tensors do not fit each other.
    pub fn new(
        files: FileSet,
        tensors: Option<TensorDefinitions>,
        all_columns: bool,
    ) -> Result<Self, DatasetError> {
        Self::of_chosen(files, tensors, all_columns, None)
    }

    /// As [`new`](Self::new). With `endless`, not all columns of the files can be read, for this reason.
    pub(crate) fn of_chosen(
        files: FileSet,
        tensors: Option<TensorDefinitions>,
        all_columns: bool,
        endless: Option<FeedError>,
    ) -> Result<Self, DatasetError> {
        let definitions = TensorDefinitions::given_or_inferred(tensors, files.schema(), endless.as_ref())?;
        let columns = match all_columns {
            true => Vec::new(),
            false => {
                definitions.needed_columns(files.schema(), files.format().limits().batch_bytes, endless)?
            }
        };
        Self::of(Indexed::new(files), definitions, &columns)
    }

    /// Reads `columns` only, unless there are none.
    fn of(files: Indexed, definitions: TensorDefinitions, columns: &[String]) -> Result<Self, DatasetError> {
        let files = if columns.is_empty() { files } else { files.with_columns(columns)? };
        let limits = files.files.format().limits();
        let adapter = definitions.adapter_within(files.files.schema().clone(), limits.batch_bytes)?;
        Ok(Self { files: Arc::new(files), definitions, adapter })
    }

    /// Writes where all chunks of all files are to a file, for [`with_index`](Self::with_index). It appears under its name
    /// when it is whole; one that was there is replaced. Scans the files, unless that has been done. `interrupt` may stop it.
    ///
    /// # Errors
    /// A chunk of a file has a fault; a file cannot be read, or the index cannot be written; or the caller wants to stop.
    pub fn save_index(&self, path: impl AsRef<Path>, interrupt: Option<Interrupt>) -> Result<(), FeedError> {
        let options = IterationOptions { interrupt: interrupt.clone(), ..Default::default() };
        let (index, _) = self.files.index(&options)?;
        saved_index::save(path.as_ref(), &self.files.files, &index, &Check::of(interrupt.as_ref()))
    }

    /// The same dataset with an index that [`save_index`](Self::save_index) wrote: the files are not scanned. No file is
    /// opened; when one is, it must be the file that the index was made of. `interrupt` may stop it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// # let index = std::env::temp_dir().join(format!("arrowfeed-doc-{}.index.json", std::process::id()));
    /// use arrowfeed::{AvroDataset, AvroDatasetOptions};
    ///
    /// let dataset = AvroDataset::open([path.as_path().into()], AvroDatasetOptions::default())?;
    /// dataset.save_index(&index, None)?;
    /// let options = AvroDatasetOptions { index: Some(index.clone()), ..Default::default() };
    /// let dataset = AvroDataset::open([path.into()], options)?;
    /// assert_eq!(dataset.num_rows()?, 3);
    /// # std::fs::remove_file(index)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The index cannot be read, or its contents are wrong; it is an index of other files, or a file has another length now
    /// ([`Changed`](arrowfeed_source::FeedErrorKind::Changed)); or the caller wants to stop.
    pub fn with_index(
        mut self,
        path: impl AsRef<Path>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Self, FeedError> {
        let files = saved_index::load(path.as_ref(), &self.files.files, &Check::of(interrupt))?;
        self.files = Arc::new(files);
        Ok(self)
    }

    /// The same dataset, with the index that a constructor was given.
    pub(crate) fn indexed(
        self,
        path: Option<&Path>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Self, FeedError> {
        match path {
            Some(path) => self.with_index(path, interrupt),
            None => Ok(self),
        }
    }

    /// The schema of the record batches.
    pub fn arrow_schema(&self) -> &SchemaRef {
        self.files.files.schema()
    }

    /// What a file may ask for.
    pub fn limits(&self) -> &Limits {
        self.files.files.format().limits()
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
        Ok(self.files.index(&options)?.0.rows())
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
        let columns = definitions.columns(&adapter, self.arrow_schema());
        Self::of((*self.files).clone(), definitions, &columns)
    }

    /// Byte ranges of about `target_bytes` each that cover the files, in their order, so that several processes can read them
    /// with [`read_split`](Self::read_split). Opens each file; `interrupt` may stop it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::source::run::RangeOptions;
    /// use arrowfeed::{AvroDataset, AvroDatasetOptions};
    ///
    /// let dataset = AvroDataset::open([path.into()], AvroDatasetOptions::default())?;
    /// let mut rows = 0;
    /// for split in dataset.plan_splits(64, None)? {
    ///     for batch in dataset.read_split(&split, None, RangeOptions::default())? {
    ///         rows += batch?.num_rows() as u64;
    ///     }
    /// }
    /// assert_eq!(rows, dataset.num_rows()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A file has no path; it cannot be opened, or is not of the format; the caller wants to stop.
    pub fn plan_splits(
        &self,
        target_bytes: u64,
        interrupt: Option<&Interrupt>,
    ) -> Result<Vec<Split>, FeedError> {
        self.files.files.splits(target_bytes, interrupt)
    }

    /// The record batches of a split of one of the files, see [`FileSet::read_split`].
    ///
    /// # Errors
    /// As there.
    pub fn read_split(
        &self,
        split: &Split,
        source: Option<FileSource>,
        options: RangeOptions,
    ) -> Result<FileReader, FeedError> {
        self.files.files.read_split(split, source, options)
    }

    /// Record batches.
    ///
    /// # Errors
    /// An option that makes no sense. What is wrong with files comes in its turn.
    pub fn record_batches(&self, options: IterationOptions) -> Result<BatchIterator, DatasetError> {
        Ok(BatchIterator::new(self.files.clone(), options)?)
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
        if let Some(cost) = self.files.scan_cost() {
            text.push_str(&format!("\nindex: {cost}"));
        }
        for tensor in self.adapter.explain() {
            text.push('\n');
            text.push_str(&tensor.to_string());
        }
        text
    }
}
