//! The type `Dataset`, independent of the file format.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_predicate::Predicate;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileReader, FileSet, RangeOptions, Split};
use arrowfeed_source::stats::Stats;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits, Report, SchemaMerge, printable};
use arrowfeed_tensor::{TensorAdapter, TensorSpec};

use super::batches::{BatchIterator, Batches, TensorIterator};
use super::conversion::{Conversion, ToTensors, Unchanged};
use super::global_rows::GlobalRows;
use super::history::History;
use super::indexed::Indexed;
use super::iteration::BatchRows;
use super::length_rows::LengthRows;
use super::mapped::{BatchMap, Mapped, MappedRows, has_columns_of};
use super::mixed::Mixed;
use super::mixed_rows::MixedRows;
use super::options::{ALL_ROWS, IterationOptions};
use super::saved_index;
use super::selected_files::SelectedFiles;
use super::tensor_definitions::{TensorDefinitions, file_paths};
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
    pub(super) content: Content,
    pub(super) definitions: TensorDefinitions,
    pub(super) adapter: TensorAdapter,
    /// The predicate of [`filter`](Self::filter) of a mixed dataset.
    pub(super) filters: Option<Predicate>,
    /// The rows that [`take`](Self::take) and [`skip`](Self::skip) have selected, in file order.
    pub(super) rows: Range<u64>,
    /// The functions of [`map`](Self::map), in order.
    pub(super) maps: Vec<Mapped>,
    /// Shared with the datasets that are made of this one.
    pub(super) history: History,
}

/// The source of the rows.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Files(Arc<Indexed>),
    Mixed(Arc<Mixed>),
}

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
        let dataset = Self::with_columns(Indexed::new(files)?, definitions, &columns)?;
        Ok(match index {
            Some(index) => dataset.with_index(index, interrupt.as_ref())?,
            None => dataset,
        })
    }

    /// Reads only `columns`, or all columns if it is empty.
    fn with_columns(
        files: Indexed,
        definitions: TensorDefinitions,
        columns: &[String],
    ) -> Result<Self, DatasetError> {
        let files = if columns.is_empty() { files } else { files.with_columns(columns)? };
        let limits = files.files.format().limits();
        let adapter = definitions.adapter_within(files.files.schema().clone(), limits.batch_bytes)?;
        Ok(Self::of(Content::Files(Arc::new(files)), definitions, adapter))
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
            let files = dataset.selected(dataset.files("datasets")?);
            Ok((files, dataset.tensor_definitions()))
        });
        let mixed = Mixed::new(sources, weights)?;
        Self::of_mixed(mixed, datasets[0].definitions.clone())
    }

    /// `mixed` has at least one dataset.
    fn of_mixed(mixed: Mixed, definitions: TensorDefinitions) -> Result<Self, DatasetError> {
        let batch_bytes = mixed.datasets[0].limits().batch_bytes;
        let adapter = definitions.adapter_within(mixed.schema.clone(), batch_bytes)?;
        Ok(Self::of(Content::Mixed(Arc::new(mixed)), definitions, adapter))
    }

    fn of(content: Content, definitions: TensorDefinitions, adapter: TensorAdapter) -> Self {
        let (filters, rows, maps, history) = (None, ALL_ROWS, Vec::new(), History::default());
        Self { content, definitions, adapter, filters, rows, maps, history }
    }

    /// The rows of files that belong to this dataset.
    pub(super) fn selected(&self, files: &Arc<Indexed>) -> SelectedFiles {
        SelectedFiles { files: files.clone(), rows: self.rows.clone() }
    }

    /// The files of the dataset.
    ///
    /// # Errors
    /// The dataset is a mixed one. `method` is the method of the caller.
    pub(super) fn files(&self, method: &str) -> Result<&Arc<Indexed>, FeedError> {
        match &self.content {
            Content::Files(files) => Ok(files),
            Content::Mixed(_) => {
                let message = format!(
                    "{method}: expected a dataset of files, found a mixed dataset: use the datasets that are mixed"
                );
                Err(FeedError::new(FeedErrorKind::Options, message))
            }
        }
    }

    /// Checks that the dataset has no function of [`map`](Self::map). `method` is the method of the caller.
    pub(super) fn check_unmapped(&self, method: &str) -> Result<(), FeedError> {
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
        let files = self.files("save_index")?;
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
        let own = self.files("with_index")?;
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
        self.content = Content::Files(Arc::new(files));
        Ok(self)
    }

    /// The schema of the record batches.
    pub fn arrow_schema(&self) -> &SchemaRef {
        match (self.maps.last(), &self.content) {
            (Some(map), _) => &map.schema,
            (None, Content::Files(files)) => files.files.schema(),
            (None, Content::Mixed(mixed)) => &mixed.schema,
        }
    }

    /// The result of the merge that made the schema. `None`: there was none, or the dataset is a mixed one.
    pub fn merge(&self) -> Option<&SchemaMerge> {
        match &self.content {
            Content::Files(files) => files.files.merge().map(Arc::as_ref),
            Content::Mixed(_) => None,
        }
    }

    /// The schema of all columns of the files, also of those that are not read. A mixed dataset has those of its first dataset.
    ///
    /// # Errors
    /// The columns form no schema.
    pub fn all_columns(&self) -> Result<SchemaRef, DatasetError> {
        let files = match &self.content {
            Content::Files(files) => files,
            Content::Mixed(mixed) => &mixed.datasets[0].files,
        };
        Ok(files.files.all_columns()?)
    }

    /// Limits on the resources that a file may use. A mixed dataset has the limits of its first dataset.
    pub fn limits(&self) -> &Limits {
        match &self.content {
            Content::Files(files) => files.files.format().limits(),
            Content::Mixed(mixed) => mixed.datasets[0].limits(),
        }
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
        match &self.content {
            Content::Files(files) => self.selected(files).fingerprint(interrupt),
            Content::Mixed(mixed) => mixed.fingerprint(interrupt),
        }
    }

    /// Returns a dataset of some of the tensors, which reads only the columns that these tensors need. The specs of the
    /// tensors do not change.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn project(&self, names: &[&str]) -> Result<Self, DatasetError> {
        if !self.maps.is_empty() {
            // The functions have all of their columns.
            let (adapter, definitions) = (self.adapter.project(names)?, self.definitions.chosen(names));
            return Ok(Self { adapter, definitions, ..self.clone() });
        }
        let (filters, rows, history) = (self.filters.clone(), self.rows.clone(), self.history.clone());
        let files = match &self.content {
            Content::Files(files) => files,
            Content::Mixed(mixed) => {
                let mixed = mixed.project(&self.definitions, names)?;
                return Ok(Self {
                    filters,
                    rows,
                    history,
                    ..Self::of_mixed(mixed, self.definitions.chosen(names))?
                });
            }
        };
        let adapter = self.adapter.project(names)?;
        let definitions = self.definitions.chosen(names);
        let columns = file_paths(&adapter, self.arrow_schema());
        Ok(Self { filters, rows, history, ..Self::with_columns((**files).clone(), definitions, &columns)? })
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
        let files = self.files(method)?;
        if !self.selected(files).is_whole() || files.base.as_ref().is_some_and(|base| !base.is_whole()) {
            let message =
                format!("{method}: expected a dataset of all rows, found one after take, skip or split");
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        Ok(&files.files)
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
    ) -> Result<Box<dyn BatchRows>, DatasetError> {
        Ok(match (&self.content, options.global) {
            (Content::Files(files), Some(global)) => {
                Box::new(GlobalRows::of_files(self.selected(files), options, global)?)
            }
            (Content::Mixed(mixed), Some(global)) => {
                Box::new(GlobalRows::mixed(mixed, options.in_file_rows(&self.rows), global)?)
            }
            (Content::Files(files), None) => Box::new(self.selected(files).batch_rows(options, converts)?),
            (Content::Mixed(mixed), None) => {
                Box::new(MixedRows::new(mixed.clone(), options.in_file_rows(&self.rows), is_shared)?)
            }
        })
    }

    /// Describes the files and columns that are read and, for each tensor, which memory is shared with the record
    /// batches, which is copied, and why.
    pub fn explain(&self) -> String {
        let mut text = match &self.content {
            Content::Files(files) => self.selected(files).explain(),
            Content::Mixed(mixed) => mixed.explain(),
        };
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
