//! The type `Dataset`, independent of the file format.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileReader, FileSet, RangeOptions, Split};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits, printable};
use arrowfeed_tensor::{Adapter, TensorSpec};

use super::batches::BatchIterator;
use super::indexed::Indexed;
use super::options::{ALL_ROWS, IterationOptions, shown_rows};
use super::saved_index;
use super::source::TensorDefinitions;
use super::tensors::TensorIterator;
use crate::error::DatasetError;

/// Files of one format, the tensors that are made from them, and everything that is known of both before a row is read.
/// Created by the constructor of a format, such as [`AvroDataset::open`](crate::AvroDataset::open).
#[derive(Debug, Clone)]
pub struct Dataset {
    files: Arc<Indexed>,
    definitions: TensorDefinitions,
    adapter: Adapter,
    /// The rows that [`take`](Self::take) and [`skip`](Self::skip) have selected, in file order.
    rows: Range<u64>,
}

impl Dataset {
    /// Makes a dataset from files. If `tensors` is `None`, they are inferred by
    /// [`infer_representations`](crate::tensor::infer_representations). Unless `all_columns` is set, only the columns
    /// that the tensors need are read.
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

    /// Like [`new`](Self::new). `recursion_error` is set if the schema lacks recursive columns, and is the error that names
    /// them.
    pub(crate) fn of_chosen(
        files: FileSet,
        tensors: Option<TensorDefinitions>,
        all_columns: bool,
        recursion_error: Option<FeedError>,
    ) -> Result<Self, DatasetError> {
        let definitions =
            TensorDefinitions::given_or_inferred(tensors, files.schema(), recursion_error.as_ref())?;
        let columns = match all_columns {
            true => Vec::new(),
            false => definitions.needed_columns(
                files.schema(),
                files.format().limits().batch_bytes,
                recursion_error,
            )?,
        };
        Self::of(Indexed::new(files), definitions, &columns)
    }

    /// Reads only `columns`, or all columns if it is empty.
    fn of(files: Indexed, definitions: TensorDefinitions, columns: &[String]) -> Result<Self, DatasetError> {
        let files = if columns.is_empty() { files } else { files.with_columns(columns)? };
        let limits = files.files.format().limits();
        let adapter = definitions.adapter_within(files.files.schema().clone(), limits.batch_bytes)?;
        Ok(Self { files: Arc::new(files), definitions, adapter, rows: ALL_ROWS })
    }

    /// Writes the index of all chunks to a file, for [`with_index`](Self::with_index). The file appears under its name
    /// only when it is complete, and replaces an existing one. Scans the files unless that has been done before.
    /// `interrupt` can stop it.
    ///
    /// # Errors
    /// A chunk of a file is corrupt; a file cannot be read; the index cannot be written; or `interrupt` returned true.
    pub fn save_index(&self, path: impl AsRef<Path>, interrupt: Option<Interrupt>) -> Result<(), FeedError> {
        let options = IterationOptions { interrupt: interrupt.clone(), ..Default::default() };
        let (index, _) = self.files.index(&options)?;
        saved_index::save(path.as_ref(), &self.files.files, &index, &Check::of(interrupt.as_ref()))
    }

    /// Uses an index that [`save_index`](Self::save_index) wrote, so that the files are not scanned. No file is opened
    /// now; a file that is opened later must be the one that the index was made from. `interrupt` can stop it.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// # let index = std::env::temp_dir().join(format!("arrowfeed-doc-{}.index.json", std::process::id()));
    /// use arrowfeed::{AvroDataset, AvroDatasetOptions};
    ///
    /// let dataset = AvroDataset::open([path.as_path()], AvroDatasetOptions::default())?;
    /// dataset.save_index(&index, None)?;
    /// let options = AvroDatasetOptions { index: Some(index.clone()), ..Default::default() };
    /// let dataset = AvroDataset::open([path], options)?;
    /// assert_eq!(dataset.num_rows()?, 3);
    /// # std::fs::remove_file(index)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The index cannot be read or is invalid; it belongs to other files, or the length of a file has changed
    /// ([`Changed`](arrowfeed_source::FeedErrorKind::Changed)); or `interrupt` returned true.
    pub fn with_index(
        mut self,
        path: impl AsRef<Path>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Self, FeedError> {
        let files = saved_index::load(path.as_ref(), &self.files.files, &Check::of(interrupt))?;
        self.files = Arc::new(files);
        Ok(self)
    }

    /// Uses the index that was passed to a constructor, if any.
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

    /// Limits on the resources that a file may use.
    pub fn limits(&self) -> &Limits {
        self.files.files.format().limits()
    }

    /// The definitions of the tensors.
    pub fn tensor_definitions(&self) -> &TensorDefinitions {
        &self.definitions
    }

    /// The name and the spec of each tensor, in order.
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        self.adapter.specs()
    }

    /// The adapter that makes tensors from the record batches.
    pub fn tensor_adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Number of rows of the dataset, as declared by the headers of the blocks of its files.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn num_rows(&self) -> Result<u64, FeedError> {
        self.num_rows_with(None)
    }

    /// Like [`num_rows`](Self::num_rows), which opens every file at the first call. `interrupt` can stop it.
    ///
    /// # Errors
    /// A file cannot be read, or `interrupt` returned true.
    pub fn num_rows_with(&self, interrupt: Option<Interrupt>) -> Result<u64, FeedError> {
        let options = IterationOptions { interrupt, ..Default::default() };
        let options = self.of_files(options);
        let rows = options.selected_rows(self.files.index(&options)?.0.rows());
        Ok(rows.end - rows.start)
    }

    /// Number of batches of an iteration with these options, if no row is skipped. `None`: infinite.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::{AvroDataset, AvroDatasetOptions, IterationOptions};
    ///
    /// let dataset = AvroDataset::open([path], AvroDatasetOptions::default())?;
    /// let options = IterationOptions { batch_size: 2, ..Default::default() };
    /// assert_eq!(dataset.num_batches(&options)?, Some(2));
    /// assert_eq!(dataset.record_batches(options)?.count(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An option is invalid, a file cannot be read, or the interrupt of the options returned true.
    pub fn num_batches(&self, options: &IterationOptions) -> Result<Option<u64>, FeedError> {
        options.check()?;
        let scan = IterationOptions { interrupt: options.interrupt.clone(), ..Default::default() };
        Ok(self.of_files(options.clone()).num_batches(self.files.index(&scan)?.0.rows()))
    }

    /// Like [`num_batches`](Self::num_batches), but does not scan files for the number alone: the outer `None` means
    /// unknown. The number is known if the iteration scans the files anyway, if an earlier call has, or if the files
    /// are local and small: at most 100 files and 64 MiB.
    ///
    /// # Errors
    /// As [`num_batches`](Self::num_batches).
    pub fn known_num_batches(&self, options: &IterationOptions) -> Result<Option<Option<u64>>, FeedError> {
        let scans = self.of_files(options.clone()).needs_index();
        match scans || self.files.is_scan_cheap(options.interrupt.as_ref()) {
            true => self.num_batches(options).map(Some),
            false => Ok(None),
        }
    }

    /// Checksum of the names and lengths of the files, of the batch schema, and of the rows if they are restricted, as
    /// 16 hexadecimal digits.
    ///
    /// # Errors
    /// The length of a file cannot be determined.
    pub fn fingerprint(&self) -> Result<String, FeedError> {
        self.fingerprint_with(None)
    }

    /// Like [`fingerprint`](Self::fingerprint), but stops when `interrupt`, which is called for each file, returns
    /// true.
    ///
    /// # Errors
    /// As [`fingerprint`](Self::fingerprint); or `interrupt` returned true.
    pub fn fingerprint_with(&self, interrupt: Option<&Interrupt>) -> Result<String, FeedError> {
        let mut content = format!("{:?}", self.arrow_schema());
        if self.rows != ALL_ROWS {
            content.push_str(&format!("{:?}", self.rows));
        }
        let content = crc32fast::hash(content.as_bytes());
        Ok(format!("{:08x}{content:08x}", self.files.marks(interrupt)?.digest()))
    }

    /// Restricts the dataset to some of its tensors and to the columns that they need. The specs of these tensors do
    /// not change.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn project(&self, names: &[&str]) -> Result<Self, DatasetError> {
        let adapter = self.adapter.project(names)?;
        let definitions = self.definitions.chosen(names);
        let columns = definitions.columns(&adapter, self.arrow_schema());
        let rows = self.rows.clone();
        Ok(Self { rows, ..Self::of((*self.files).clone(), definitions, &columns)? })
    }

    /// Restricts the dataset to its first `count` rows, in file order. An iteration in file order stops after them; a
    /// shuffle or a shard first scans the files, and orders or divides only these rows.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::{AvroDataset, AvroDatasetOptions};
    ///
    /// let dataset = AvroDataset::open([path], AvroDatasetOptions::default())?;
    /// assert_eq!(dataset.num_rows()?, 3);
    /// assert_eq!(dataset.take(2).num_rows()?, 2);
    /// assert_eq!(dataset.skip(2).rows(), 2..u64::MAX);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn take(&self, count: u64) -> Self {
        let end = self.rows.start.saturating_add(count).min(self.rows.end);
        Self { rows: self.rows.start..end, ..self.clone() }
    }

    /// Restricts the dataset to the rows after its first `count` rows, in file order. An iteration first scans the
    /// files, and does not decode the blocks of the skipped rows.
    #[must_use]
    pub fn skip(&self, count: u64) -> Self {
        let start = self.rows.start.saturating_add(count).min(self.rows.end);
        Self { rows: start..self.rows.end, ..self.clone() }
    }

    /// The rows of the files that belong to the dataset, in file order: `0..u64::MAX`, unless [`take`](Self::take) or
    /// [`skip`](Self::skip) have restricted them.
    pub fn rows(&self) -> Range<u64> {
        self.rows.clone()
    }

    /// The options of the caller, whose rows are numbered from the first row of this dataset.
    fn of_files(&self, options: IterationOptions) -> IterationOptions {
        let row = |row: u64| self.rows.start.saturating_add(row).min(self.rows.end);
        IterationOptions { rows: row(options.rows.start)..row(options.rows.end), ..options }
    }

    /// Divides the files into byte ranges of about `target_bytes` each, in file order, which several processes can read
    /// with [`read_split`](Self::read_split). Opens each file. `interrupt` can stop it.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::source::run::RangeOptions;
    /// use arrowfeed::{AvroDataset, AvroDatasetOptions};
    ///
    /// let dataset = AvroDataset::open([path], AvroDatasetOptions::default())?;
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
    /// A file has no path; it cannot be opened, or does not have the format; the dataset is one after
    /// [`take`](Self::take) or [`skip`](Self::skip); `interrupt` returned true.
    pub fn plan_splits(
        &self,
        target_bytes: u64,
        interrupt: Option<&Interrupt>,
    ) -> Result<Vec<Split>, FeedError> {
        if self.rows != ALL_ROWS {
            let message = "plan_splits: expected a dataset of all rows, found one after take or skip";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        self.files.files.splits(target_bytes, interrupt)
    }

    /// Reads the record batches of a split of one of the files, see [`FileSet::read_split`].
    ///
    /// # Errors
    /// As [`FileSet::read_split`].
    pub fn read_split(
        &self,
        split: &Split,
        source: Option<FileSource>,
        options: RangeOptions,
    ) -> Result<FileReader, FeedError> {
        self.files.files.read_split(split, source, options)
    }

    /// Iterates over the record batches.
    ///
    /// # Errors
    /// An option is invalid. Errors of files are returned by the iterator.
    pub fn record_batches(&self, options: IterationOptions) -> Result<BatchIterator, DatasetError> {
        Ok(BatchIterator::new(self.files.clone(), self.of_files(options))?)
    }

    /// Iterates over the tensors of each batch, by name.
    ///
    /// # Errors
    /// As [`record_batches`](Self::record_batches).
    pub fn tensors(&self, options: IterationOptions) -> Result<TensorIterator, DatasetError> {
        Ok(TensorIterator::new(self.files.clone(), self.of_files(options), self.adapter.clone())?)
    }

    /// Describes the files and columns that are read, and for each tensor what it shares with the record batches, what
    /// is copied, and why.
    pub fn explain(&self) -> String {
        let columns: Vec<String> =
            self.arrow_schema().fields().iter().map(|field| printable(field.name())).collect();
        let files = match self.files.files.len() {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        let mut text = format!("{files}, columns: {}", columns.join(", "));
        if self.rows != ALL_ROWS {
            text.push_str(&format!("\n{}", shown_rows(&self.rows)));
        }
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
