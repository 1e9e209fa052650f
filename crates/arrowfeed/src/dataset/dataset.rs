//! The type `Dataset`, independent of the file format.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_predicate::Predicate;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileReader, FileSet, RangeOptions, Split};
use arrowfeed_source::stats::Stats;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits, Report, SchemaMerge, printable};
use arrowfeed_tensor::{TensorAdapter, TensorSpec, Tensors};

use super::batches::{BatchIterator, Batches, TensorIterator};
use super::conversion::{Conversion, ToTensors, Unchanged};
use super::files::indexed::{Indexed, SelectedFiles};
use super::files::saved_index;
use super::files::selection::{RowRestriction, RowSplit};
use super::global::rows::GlobalRows;
use super::history::History;
use super::length::rows::LengthRows;
use super::mapped::{BatchMap, Mapped, MappedRows, has_columns_of};
use super::numbered::row_reader::{RowOptions, RowReader};
use super::options::{ALL_ROWS, IterationOptions};
use super::rows::file_rows::FileRows;
use super::rows::mixed_rows::MixedRows;
use super::rows::source::RowSource;
use super::sources::Sources;
use super::tensor_definitions::TensorDefinitions;
use super::traced;
use crate::error::DatasetError;

/// Options of [`Dataset::open`].
#[derive(Clone, Default)]
pub struct DatasetOptions {
    /// Definitions of the tensors. `None`: inferred by [`infer_representations`](crate::tensor::infer_representations).
    pub tensors: Option<TensorDefinitions>,
    /// An index that [`Dataset::save_index`] wrote for these files, see [`Dataset::with_index`]. Default: none; the files
    /// are scanned when the index is needed.
    pub index: Option<PathBuf>,
    /// Called while the index is read; reading stops when the function returns true. Default: none.
    pub interrupt: Option<Interrupt>,
}

impl fmt::Debug for DatasetOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetOptions")
            .field("tensors", &self.tensors)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

/// Files of one format, or several datasets that are mixed, with the definitions of their tensors.
#[derive(Debug, Clone)]
pub struct Dataset {
    sources: Sources,
    definitions: TensorDefinitions,
    adapter: TensorAdapter,
    /// The functions of [`map`](Self::map), in order.
    maps: Vec<Mapped>,
    /// Shared with the datasets that are made of this one.
    history: History,
}

/// Datasets, and what they read.
impl Dataset {
    /// Makes a dataset of files of a format. It reads the columns that were selected when the files were opened, or if
    /// none were selected, only those that the tensors need.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
    ///
    /// let options = AvroOptions { columns: Some(vec!["id".to_owned()]), ..Default::default() };
    /// let dataset = Dataset::open(AvroFormat::files([path], options, None)?, DatasetOptions::default())?;
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
    ///
    /// # Errors
    /// Columns and tensors do not fit each other; the index cannot be read or does not belong to these files; or
    /// `interrupt` returned true.
    pub fn open(files: FileSet, options: DatasetOptions) -> Result<Self, DatasetError> {
        let DatasetOptions { tensors, index, interrupt } = options;
        let recursion_error = files.format().check_complete().err();
        let definitions =
            TensorDefinitions::given_or_inferred(tensors, files.schema(), recursion_error.as_ref())?;
        let columns = match files.selects_columns() {
            true => Vec::new(),
            false => definitions.needed_columns(
                files.schema(),
                files.format().limits().batch_bytes,
                recursion_error,
            )?,
        };
        let files = if columns.is_empty() { files } else { files.with_columns(&columns)? };
        let dataset = Self::of(Sources::of_files(Indexed::new(files)?), definitions)?;
        Ok(match index {
            Some(index) => dataset.with_index(index, interrupt.as_ref())?,
            None => dataset,
        })
    }

    /// Mixes the rows of datasets at random. For each row of an iteration, a random number chooses the dataset, with a
    /// probability proportional to its weight. The rows of each dataset have the same order as in an iteration over
    /// that dataset alone. A dataset whose rows are used up is not chosen any more; the iteration ends after the last
    /// row of the last dataset. To keep the ratio of the weights, iterate with [`epochs`](IterationOptions::epochs) of
    /// `None`, and stop after some batches.
    ///
    /// The options of an iteration, such as the shuffle, the shard and the number of epochs, apply to each dataset. A
    /// batch may have rows of several epochs. The order depends only on the files, the options and the seed; a state
    /// resumes the iteration exactly.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
    ///
    /// let clicks = AvroFormat::files([path.as_path()], AvroOptions::default(), None)?;
    /// let clicks = Dataset::open(clicks, DatasetOptions::default())?;
    /// let views = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let views = Dataset::open(views, DatasetOptions::default())?;
    /// let mixed = Dataset::mixed([(clicks, 0.7), (views, 0.3)])?;
    /// assert_eq!(mixed.num_rows()?, 6);
    /// let options = IterationOptions { seed: Some(42), ..Default::default() };
    /// for batch in mixed.record_batches(options)? {
    ///     assert_eq!(batch?.num_rows(), 6);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no dataset; a weight is not a number greater than 0; a dataset is itself mixed; or the columns, their
    /// types or the tensors of the datasets differ.
    pub fn mixed(datasets: impl IntoIterator<Item = (Self, f64)>) -> Result<Self, DatasetError> {
        let (datasets, weights): (Vec<Self>, Vec<f64>) = datasets.into_iter().unzip();
        let sources = datasets.iter().map(|dataset| {
            dataset.check_unmapped("datasets")?;
            Ok((dataset.sources.files("datasets")?.clone(), dataset.tensor_definitions()))
        });
        let sources = Sources::mixed(sources, weights)?;
        Self::of(sources, datasets[0].definitions.clone())
    }

    fn of(sources: Sources, definitions: TensorDefinitions) -> Result<Self, DatasetError> {
        let adapter = definitions.adapter_within(sources.schema.clone(), sources.limits().batch_bytes)?;
        Ok(Self { sources, definitions, adapter, maps: Vec::new(), history: History::default() })
    }

    /// Checks that the dataset has no function of [`map`](Self::map). `method` is the method of the caller.
    pub(crate) fn check_unmapped(&self, method: &str) -> Result<(), FeedError> {
        if self.maps.is_empty() {
            return Ok(());
        }
        let message = format!("{method}: expected a dataset without map, found one with it: call map last");
        Err(FeedError::new(FeedErrorKind::Options, message))
    }

    /// Calls a function for each batch, in the thread that requests batches. Its batches have the columns of `schema`, and any
    /// number of rows. The tensors are `tensors`; `None`: those of this dataset if the columns are the same, otherwise those that
    /// [`infer_representations`](crate::tensor::infer_representations) finds.
    ///
    /// The order, the position, the numbers of rows and [`report`](Self::report) are those of the rows before the function.
    /// [`take`](Self::take), [`skip`](Self::skip) and [`split`](Self::split) select these rows too; a
    /// [projection](Self::project) selects tensors of the result.
    ///
    /// # Errors
    /// A tensor cannot be made from the columns.
    pub fn map(
        &self,
        function: Arc<dyn BatchMap>,
        schema: SchemaRef,
        tensors: Option<TensorDefinitions>,
    ) -> Result<Self, DatasetError> {
        let definitions = match tensors {
            Some(tensors) => tensors,
            None if has_columns_of(&schema, self.arrow_schema()) => self.definitions.clone(),
            None => TensorDefinitions::inferred(&schema),
        };
        let adapter = definitions.adapter_within(schema.clone(), self.limits().batch_bytes)?;
        let maps = self.maps.iter().cloned().chain([Mapped { function, schema }]).collect();
        Ok(Self { definitions, adapter, maps, ..self.clone() })
    }

    /// Returns a dataset of some of the tensors, which reads only the columns that these tensors need. The specs of the
    /// tensors do not change.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn project(&self, names: &[&str]) -> Result<Self, DatasetError> {
        // The functions have all of their columns.
        let adapter = self.adapter.project(names)?;
        let definitions = self.definitions.chosen(names);
        if !self.maps.is_empty() {
            return Ok(Self { adapter, definitions, ..self.clone() });
        }
        let sources = self.sources.project(&self.definitions, names)?;
        Ok(Self { history: self.history.clone(), ..Self::of(sources, definitions)? })
    }

    /// The schema of the record batches.
    pub fn arrow_schema(&self) -> &SchemaRef {
        self.maps.last().map_or(&self.sources.schema, |map| &map.schema)
    }

    /// The result of the merge that made the schema. `None`: there was none, or the dataset is a mixed one.
    pub fn merge(&self) -> Option<&SchemaMerge> {
        self.sources.only_files()?.files.files.merge().map(Arc::as_ref)
    }

    /// The schema of all columns of the files, also of those that are not read. A mixed dataset has those of its first dataset.
    ///
    /// # Errors
    /// The columns form no schema.
    pub fn all_columns(&self) -> Result<SchemaRef, DatasetError> {
        Ok(self.sources.datasets[0].files.files.all_columns()?)
    }

    /// Limits on the resources that a file may use. A mixed dataset has the limits of its first dataset.
    pub fn limits(&self) -> &Limits {
        self.sources.limits()
    }

    /// The definitions of the tensors.
    pub fn tensor_definitions(&self) -> &TensorDefinitions {
        &self.definitions
    }

    /// The name and the spec of each tensor, in order.
    pub fn specs(&self) -> &[(String, TensorSpec)] {
        self.adapter.specs()
    }

    /// The adapter that converts the record batches to tensors.
    pub fn tensor_adapter(&self) -> &TensorAdapter {
        &self.adapter
    }

    /// Checksum of the names and lengths of the files, of the batch schema, and of the selected rows, as 16 hexadecimal
    /// digits.
    ///
    /// # Errors
    /// The length of a file cannot be determined.
    pub fn fingerprint(&self) -> Result<String, FeedError> {
        self.fingerprint_with(None)
    }

    /// Like [`fingerprint`](Self::fingerprint). Calls `interrupt` for each file, and stops when it returns true.
    ///
    /// # Errors
    /// As [`fingerprint`](Self::fingerprint); or `interrupt` returned true.
    pub fn fingerprint_with(&self, interrupt: Option<&Interrupt>) -> Result<String, FeedError> {
        self.sources.fingerprint(interrupt)
    }

    /// Describes the files and columns that are read and, for each tensor, which memory is shared with the record
    /// batches, which is copied, and why.
    pub fn explain(&self) -> String {
        let mut text = self.sources.explain();
        for map in &self.maps {
            let columns = map.schema.fields().iter().map(|field| printable(field.name()));
            text.push_str(&format!("\nmap to columns: {}", columns.collect::<Vec<_>>().join(", ")));
        }
        for tensor in self.adapter.explain() {
            text.push('\n');
            text.push_str(&tensor.to_string());
        }
        text
    }
}

/// Some of the rows.
impl Dataset {
    /// Returns a dataset of the rows for which `predicate` is true. Its columns need not be among those that are read. The
    /// rows of a filtered dataset must pass both predicates. Each dataset of a [`mixed`](Self::mixed) one is filtered.
    ///
    /// An iteration in file order filters while it reads. The first shuffle, shard, global batch or number of rows first reads
    /// the columns of the predicate of all files, to count the rows that pass. Files that the predicate rules out by their added
    /// columns are not opened, unless rows were selected before the filter.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::predicate::col;
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
    /// let (few, none) = (dataset.filter(&col("id").lt(2))?, dataset.filter(&"id > 1000".parse()?)?);
    /// assert_eq!(few.num_rows()?, 1);
    /// assert_eq!(none.num_rows()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The predicate names a column that does not exist, or compares one with a value of another type; or this is a
    /// [`mixed`](Self::mixed) dataset after [`take`](Self::take) or [`skip`](Self::skip).
    pub fn filter(&self, predicate: &Predicate) -> Result<Self, DatasetError> {
        self.check_unmapped("filter")?;
        Ok(Self { sources: self.sources.filtered(predicate)?, ..self.clone() })
    }

    /// The predicate of the last filters: those after the last [`take`](Self::take), [`skip`](Self::skip) or
    /// [`split`](Self::split) before a filter. `None`: the dataset is not filtered.
    pub fn predicate(&self) -> Option<&Predicate> {
        self.sources.predicate()
    }

    /// The calls that restricted the dataset to some of its rows, in order. Those of a mixed dataset do not contain those of
    /// the datasets that are mixed.
    pub fn restrictions(&self) -> Vec<RowRestriction> {
        self.sources.restrictions()
    }

    /// Returns a dataset of the first `count` rows, in file order. An iteration in file order stops after these rows; a
    /// shuffled or sharded iteration first scans the files, and shuffles or divides only these rows. An iteration over
    /// a [`mixed`](Self::mixed) dataset after `take` is an error: take the rows before you mix the datasets.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
    /// assert_eq!(dataset.num_rows()?, 3);
    /// assert_eq!(dataset.take(2).num_rows()?, 2);
    /// assert_eq!(dataset.skip(2).row_range(), 2..u64::MAX);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn take(&self, count: u64) -> Self {
        let Range { start, end } = *self.sources.rows();
        self.of_rows(start..start.saturating_add(count).min(end))
    }

    /// Returns a dataset of the rows after the first `count` rows, in file order. An iteration first scans the files,
    /// and does not decode the blocks before its first row. An iteration over a [`mixed`](Self::mixed) dataset after
    /// `skip` is an error.
    #[must_use]
    pub fn skip(&self, count: u64) -> Self {
        let Range { start, end } = *self.sources.rows();
        self.of_rows(start.saturating_add(count).min(end)..end)
    }

    fn of_rows(&self, rows: Range<u64>) -> Self {
        let mut dataset = self.clone();
        dataset.sources.select_rows(rows);
        dataset
    }

    /// Checks that the rows can be read, without reading them.
    ///
    /// # Errors
    /// This is a [`mixed`](Self::mixed) dataset after [`take`](Self::take) or [`skip`](Self::skip).
    pub fn check_rows(&self) -> Result<(), FeedError> {
        self.sources.check_rows()
    }

    /// The rows of the files that belong to the dataset, in file order: `0..u64::MAX`, unless [`take`](Self::take) or
    /// [`skip`](Self::skip) have restricted them. After a [`split`](Self::split), only the rows of its part have numbers.
    pub fn row_range(&self) -> Range<u64> {
        self.sources.rows().clone()
    }

    /// Divides the rows at random into two datasets. Each row belongs to the first dataset with the probability
    /// `fraction`, and otherwise to the second. The division depends only on `seed` and the files: it is the same in
    /// each run, for any shuffle, shard and batch size. Both datasets keep the order of the files.
    ///
    /// An iteration first scans the files. It decodes all rows of a block, and drops the rows of the other dataset.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
    /// let (train, test) = dataset.split(0.9, 42)?;
    /// assert_eq!(train.num_rows()? + test.num_rows()?, dataset.num_rows()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `fraction` is not a number from 0 to 1, or the dataset is [`mixed`](Self::mixed).
    pub fn split(&self, fraction: f64, seed: u64) -> Result<(Self, Self), FeedError> {
        let SelectedFiles { files, rows } = self.sources.files("split")?;
        let part = |is_rest| {
            let split = RowSplit { rows: rows.clone(), fraction, seed, is_rest };
            split.check()?;
            Ok::<_, FeedError>(Self { sources: Sources::of_files(files.with_split(split)), ..self.clone() })
        };
        Ok((part(false)?, part(true)?))
    }

    /// Number of rows of the dataset, as declared by the headers of the blocks of its files.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn num_rows(&self) -> Result<u64, FeedError> {
        self.num_rows_with(None)
    }

    /// Like [`num_rows`](Self::num_rows). The first call opens every file. Stops when `interrupt` returns true.
    ///
    /// # Errors
    /// A file cannot be read, or `interrupt` returned true.
    pub fn num_rows_with(&self, interrupt: Option<Interrupt>) -> Result<u64, FeedError> {
        self.sources.num_rows(interrupt)
    }
}

/// Iterations.
impl Dataset {
    /// Iterates over the record batches.
    ///
    /// # Errors
    /// An option is invalid. The iterator returns the errors of files.
    pub fn record_batches(&self, options: IterationOptions) -> Result<BatchIterator, DatasetError> {
        self.batches(options, Unchanged)
    }

    /// Iterates over the tensors of each batch, by name.
    ///
    /// # Errors
    /// As [`record_batches`](Self::record_batches).
    pub fn tensors(&self, options: IterationOptions) -> Result<TensorIterator, DatasetError> {
        self.batches(options, ToTensors(self.adapter.clone()))
    }

    /// Iterates over the batches with a conversion of each of them.
    fn batches<C: Conversion>(
        &self,
        options: IterationOptions,
        conversion: C,
    ) -> Result<Batches<C>, DatasetError> {
        options.check()?;
        let rows = match options.by_length.clone() {
            None => self.batch_rows(options, C::TAKES_WORK, false)?,
            Some(by_length) => {
                let windows = self.batch_rows(by_length.windows(&options), true, by_length.takes_turns)?;
                Box::new(LengthRows::new(windows, options, by_length)?)
            }
        };
        let rows = self.maps.iter().fold(rows, |rows, map| Box::new(MappedRows::new(rows, map.clone())));
        Ok(Batches::new(rows, conversion, self.history.clone()))
    }

    /// The rows of each batch. `converts`: each batch is converted with enough work to run on a worker. `is_shared`: other
    /// processes read the same rows.
    fn batch_rows(
        &self,
        options: IterationOptions,
        converts: bool,
        is_shared: bool,
    ) -> Result<Box<dyn RowSource>, DatasetError> {
        Ok(match (options.global, self.sources.only_files()) {
            (Some(global), _) => Box::new(GlobalRows::new(self.sources.clone(), options, global)?),
            (None, Some(dataset)) => {
                Box::new(FileRows::new(dataset.files.clone(), dataset.in_file_rows(options), converts)?)
            }
            (None, None) => Box::new(MixedRows::new(self.sources.clone(), options, is_shared)?),
        })
    }

    /// Number of batches of an iteration with these options, if no row is skipped. `None`: infinite.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
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
        if options.by_length.is_some() {
            let message = "num_batches: expected batches of one size, found batches by length: their number depends on the \
                           lengths of all rows";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        match options.global {
            Some(global) => GlobalRows::new(self.sources.clone(), options.clone(), global)?.num_batches(),
            None => self.sources.num_batches(options),
        }
    }

    /// Like [`num_batches`](Self::num_batches), but does not scan files only for this number: the outer `None` means
    /// unknown. The number is known if the iteration scans the files anyway, if an earlier call has scanned them, or for
    /// at most 100 local files that have at most 64 MiB together. Parquet files may have any size.
    ///
    /// # Errors
    /// As [`num_batches`](Self::num_batches).
    // For the cardinality of datasets in TensorFlow and for progress bars.
    #[doc(hidden)]
    pub fn known_num_batches(&self, options: &IterationOptions) -> Result<Option<Option<u64>>, FeedError> {
        match options.by_length.is_none() && self.sources.is_known(options) {
            true => self.num_batches(options).map(Some),
            false => Ok(None),
        }
    }

    /// Sums the counts of all iterations of this process over the dataset, and over the datasets that
    /// [`project`](Self::project), [`take`](Self::take), [`skip`](Self::skip) and [`split`](Self::split) made of it or from
    /// which it was made. Each skipped part is listed once. The rows of a loaded state are not counted, because another
    /// iteration has read them; its skipped parts are listed. Splits are not counted.
    pub fn report(&self) -> Report {
        self.history.report()
    }

    /// The figures of the iteration of this process that began last, of those that [`report`](Self::report) counts. `None`: no
    /// iteration has begun.
    pub fn stats(&self) -> Option<Stats> {
        Some(self.history.latest()?.stats())
    }

    /// The file and the number of each row of some batches, without decoding the other columns. The batches have the numbers that
    /// [`enumerate`](Iterator::enumerate) gives them in an iteration with these options, which begins with
    /// [`start_epoch`](IterationOptions::start_epoch). With a [shard](IterationOptions::shard), they are the batches of this shard.
    ///
    /// The result has the columns `batch` (Int64), `file` (a dictionary of Utf8) and `row` (Int64), in the order of the batches.
    /// Files and rows are those of [`AddedColumns`](crate::source::run::AddedColumns): a row is counted from the first row of its
    /// file, and filters, splits and skipped blocks do not change its number. After [`map`](Self::map), the rows are those that the
    /// function receives. Damaged values, and files with other columns, may not be noticed, because no values are decoded. An
    /// iteration that skips them ([`on_error`](IterationOptions::on_error)) then has other rows in the batches after them.
    ///
    /// The batches of a mixture, and batches by length that [take turns](crate::dataset::LengthBatches::takes_turns), go on from one
    /// epoch to the next: give the [`epochs`](IterationOptions::epochs) of the iteration, and not a later `start_epoch`.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::IterationOptions;
    /// use arrowfeed::arrow::array::Int64Array;
    ///
    /// let dataset = arrowfeed::open(&path).dataset()?;
    /// let options = IterationOptions { batch_size: 2, ..Default::default() };
    /// let found = dataset.rows_of(&[1], options)?;
    /// assert_eq!(found["row"].as_ref(), &Int64Array::from(vec![2]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no such batch; an option is invalid; the order is random, and there is no [seed](IterationOptions::seed); or a file
    /// cannot be read.
    pub fn rows_of(&self, batches: &[u64], options: IterationOptions) -> Result<RecordBatch, DatasetError> {
        traced::rows_of(batches, self.traced(&options)?.record_batches(options)?)
    }

    /// The batches that have some of the rows of a file, in each of the [`epochs`](IterationOptions::epochs) from
    /// [`start_epoch`](IterationOptions::start_epoch) on. It is the reverse of [`rows_of`](Self::rows_of): did a model see this row,
    /// and when?
    ///
    /// The result has the columns `epoch`, `batch` and `row` (Int64), in the order of the batches. The batches of each epoch are
    /// numbered from 0. A row that no batch has is not in the result, such as a row that a filter leaves out, or a row of another shard.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::IterationOptions;
    /// use arrowfeed::arrow::array::Int64Array;
    ///
    /// let dataset = arrowfeed::open(&path).dataset()?;
    /// let options = IterationOptions { batch_size: 2, ..Default::default() };
    /// let found = dataset.batches_of(path.to_str().unwrap(), &[0, 2], options)?;
    /// assert_eq!(found["batch"].as_ref(), &Int64Array::from(vec![0, 1]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The dataset does not have the file; `epochs` is infinite; batches have rows of several epochs
    /// ([`across_epochs`](IterationOptions::across_epochs), and several epochs of a mixture or of batches by length that take turns); or
    /// as [`rows_of`](Self::rows_of).
    pub fn batches_of(
        &self,
        file: &str,
        rows: &[u64],
        options: IterationOptions,
    ) -> Result<RecordBatch, DatasetError> {
        options.check()?;
        let epochs = traced::epochs_of(&self.sources, file, &options)?;
        let traced = self.traced(&options)?;
        traced::batches_of(file, rows, &options, epochs, |options| traced.record_batches(options))
    }

    /// The same rows in the order of an iteration, with the name of the file and the number of the row as the last two columns.
    fn traced(&self, options: &IterationOptions) -> Result<Self, DatasetError> {
        let sources = traced::sources(&self.sources, options)?;
        Ok(Self { sources, maps: Vec::new(), history: History::default(), ..self.clone() })
    }
}

/// Rows by number, byte ranges of files, and the index of all chunks.
impl Dataset {
    /// Reads rows by their numbers, in the order of `numbers`. Number 0 is the first row of the dataset in file order, and -1
    /// the last one. A number may occur several times. Decodes each chunk that has some of the rows once. The first call scans
    /// the files, unless their index is known.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions, RowOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
    /// let batch = dataset.rows(&[2, 0, -1], &RowOptions::default())?;
    /// assert_eq!(batch.num_rows(), 3);
    /// let error = dataset.rows(&[3], &RowOptions::default()).unwrap_err();
    /// assert!(error.to_string().ends_with("found 3"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A number is out of range ([`RowNumber`](DatasetError::RowNumber)); a file cannot be read, or has changed; a chunk with some
    /// of the rows is corrupt; the dataset is [`mixed`](Self::mixed); or the interrupt of the options returned true.
    pub fn rows(&self, numbers: &[i64], options: &RowOptions) -> Result<RecordBatch, DatasetError> {
        self.row_reader(0)?.rows(numbers, options)
    }

    /// Like [`rows`](Self::rows), as tensors by name.
    ///
    /// # Errors
    /// As [`rows`](Self::rows); or a row does not fit its tensor.
    pub fn row_tensors(&self, numbers: &[i64], options: &RowOptions) -> Result<Tensors, DatasetError> {
        self.row_reader(0)?.row_tensors(numbers, options)
    }

    /// Returns a reader of rows by number for many calls. It keeps decoded chunks that take at most `cache_bytes`, such as
    /// [`ROW_CACHE_BYTES`](super::ROW_CACHE_BYTES), and drops those that were not used for the longest time. A chunk that takes more is not kept.
    ///
    /// # Errors
    /// The dataset is [`mixed`](Self::mixed), or has a function of [`map`](Self::map).
    pub fn row_reader(&self, cache_bytes: usize) -> Result<RowReader, FeedError> {
        self.check_unmapped("rows by number")?;
        let files = self.sources.files("rows by number")?.clone();
        Ok(RowReader::new(files, self.adapter.clone(), cache_bytes))
    }

    /// Divides the files into byte ranges of about `target_bytes` each, in file order, which several processes can read
    /// with [`read_split`](Self::read_split). Opens each file. Stops when `interrupt` returns true.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::source::run::RangeOptions;
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
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
    /// A file has no path, cannot be opened, or does not have the format; two URLs differ only in their queries; the
    /// dataset is mixed, or is the result of [`take`](Self::take), [`skip`](Self::skip) or [`split`](Self::split);
    /// `interrupt` returned true.
    pub fn plan_splits(
        &self,
        target_bytes: u64,
        interrupt: Option<&Interrupt>,
    ) -> Result<Vec<Split>, FeedError> {
        self.whole_files("plan_splits")?.splits(target_bytes, interrupt)
    }

    /// Reads the record batches of a split, see [`FileSet::read_split`].
    ///
    /// # Errors
    /// As [`FileSet::read_split`]; the dataset is one after [`take`](Self::take), [`skip`](Self::skip) or
    /// [`split`](Self::split).
    pub fn read_split(
        &self,
        split: &Split,
        source: Option<FileSource>,
        options: RangeOptions,
    ) -> Result<FileReader, FeedError> {
        self.whole_files("read_split")?.read_split(split, source, options)
    }

    /// Returns the files of the dataset, of which it has all rows.
    fn whole_files(&self, method: &str) -> Result<&FileSet, FeedError> {
        self.check_unmapped(method)?;
        let selected = self.sources.files(method)?;
        if !selected.is_whole() || selected.files.base.as_ref().is_some_and(|base| !base.is_whole()) {
            let message =
                format!("{method}: expected a dataset of all rows, found one after take, skip or split");
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        Ok(&selected.files.files)
    }

    /// Writes the index of all chunks to a file, for [`with_index`](Self::with_index). The file appears under its name
    /// when it is complete, and replaces an existing file. Scans the files, unless an earlier call has scanned them.
    /// The index of a [filtered](Self::filter) dataset also has the number of rows of each chunk that pass, unless other rows
    /// were selected before the filter. A dataset with the index knows them if it is filtered by an equal predicate. Stops when
    /// `interrupt` returns true.
    ///
    /// # Errors
    /// A chunk of a file is corrupt; a file cannot be read; the index cannot be written; the dataset is mixed; or
    /// `interrupt` returned true.
    pub fn save_index(&self, path: impl AsRef<Path>, interrupt: Option<Interrupt>) -> Result<(), FeedError> {
        let options = IterationOptions { interrupt: interrupt.clone(), ..Default::default() };
        let files = &self.sources.files("save_index")?.files;
        let all = files.unfiltered();
        let (index, _) = all.whole_index(&options)?;
        let passing = files.passing_rows(&index, &options)?;
        saved_index::save(path.as_ref(), &all.files, &index, &passing, &Check::of(interrupt.as_ref()))
    }

    /// Returns the dataset with an index that [`save_index`](Self::save_index) wrote, so that an iteration does not
    /// scan the files. This call opens no file of the dataset; a file that is opened later must match its entry in the
    /// index. Stops when `interrupt` returns true.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// # let index = std::env::temp_dir().join(format!("arrowfeed-doc-{}.index.json", std::process::id()));
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed::{Dataset, DatasetOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// Dataset::open(files.clone(), DatasetOptions::default())?.save_index(&index, None)?;
    /// let options = DatasetOptions { index: Some(index.clone()), ..Default::default() };
    /// let dataset = Dataset::open(files, options)?;
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
        let own = &self.sources.files("with_index")?.files;
        if own.base.is_some() && own.files.only_choice().is_none() {
            let message = "with_index: expected a dataset of all rows, found a filtered one: filter the result of with_index";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        let mut files = saved_index::load(path.as_ref(), &own.unfiltered().files, &Check::of(interrupt))?;
        if own.base.is_some() {
            let all = SelectedFiles { files: Arc::new(files), rows: ALL_ROWS };
            files = Indexed::filtered(all, (*own.files).clone());
        }
        files.splits = own.splits.clone();
        self.sources = self.sources.with_files(files);
        Ok(self)
    }
}
