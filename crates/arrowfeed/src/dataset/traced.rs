//! The rows of the batches of an iteration, and the batches of rows, without their values.
//!
//! Iterates over the same rows, but reads only the names of their files and their numbers.

use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroU64;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, FeedErrorKind, quoted, thousands};

use super::dataset::{Content, Dataset};
use super::history::History;
use super::mixed::Mixed;
use super::options::IterationOptions;
use super::row_lengths::LengthColumn;
use super::selected_files::SelectedFiles;
use crate::error::DatasetError;

impl Dataset {
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
        let wanted: BTreeSet<u64> = batches.iter().copied().collect();
        let (mut numbers, mut files, mut rows) =
            (Vec::new(), StringDictionaryBuilder::<Int32Type>::new(), Vec::new());
        let mut traced = self.traced(&options)?.record_batches(options)?;
        let last = wanted.last().copied();
        for number in 0..last.map_or(0, |last| last.saturating_add(1)) {
            let Some(batch) = traced.next().transpose()? else {
                let last = thousands(last.unwrap_or_default());
                let message = match number {
                    0 => format!("batches: expected no numbers, because there is no batch, found {last}"),
                    count => format!(
                        "batches: expected numbers below {}, the number of batches, found {last}",
                        thousands(count)
                    ),
                };
                return Err(refused(message).into());
            };
            if wanted.contains(&number) {
                let (names, of_batch) = columns(&batch);
                numbers.extend(std::iter::repeat_n(number as i64, of_batch.len()));
                files.extend(names);
                rows.extend_from_slice(of_batch);
            }
        }
        let files: ArrayRef = Arc::new(files.finish());
        let columns = [("batch", integers(numbers)), ("file", files), ("row", integers(rows))];
        RecordBatch::try_from_iter(columns).map_err(defect)
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
        let is_known = |files: &FileSet| (0..files.len()).any(|number| files.name(number) == file);
        if !self.sources().any(|source| is_known(&source.files.files)) {
            let message = format!("file: expected the name of a file of the dataset, found {}", quoted(file));
            return Err(refused(message).into());
        }
        if options.across_epochs {
            let message = "across_epochs: expected batches of one epoch each, found batches across epochs";
            return Err(refused(message.to_owned()).into());
        }
        let Some(end) = options.end_epoch() else {
            return Err(refused("epochs: expected a number of epochs, found none".to_owned()).into());
        };
        if i64::try_from(end).is_err() {
            let message = format!(
                "start_epoch: expected epochs up to {}, found later ones",
                thousands(i64::MAX as u64)
            );
            return Err(refused(message).into());
        }
        let going_on = match takes_turns(&options) {
            true => Some("batches that shards take in turn"),
            false => self.is_mixed().then_some("a mixture"),
        };
        if let (Some(what), epochs @ 2..) = (going_on, end - options.start_epoch) {
            let found = thousands(epochs);
            let message = format!(
                "epochs: expected 1 for {what}, whose batches go on from one epoch to the next, found {found}: use rows_of"
            );
            return Err(refused(message).into());
        }
        let wanted: HashSet<i64> = rows.iter().filter_map(|row| i64::try_from(*row).ok()).collect();
        let (mut epochs, mut batches, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let traced = self.traced(&options)?;
        for epoch in options.start_epoch..end {
            let options =
                IterationOptions { start_epoch: epoch, epochs: Some(NonZeroU64::MIN), ..options.clone() };
            let mut has_batches = false;
            for (number, batch) in traced.record_batches(options)?.enumerate() {
                let batch = batch?;
                has_batches = true;
                let (names, of_batch) = columns(&batch);
                let found = of_batch.iter().enumerate().filter(|(_, row)| wanted.contains(row));
                for (_, row) in found.filter(|(at, _)| names.value(*at) == file) {
                    epochs.push(epoch as i64);
                    batches.push(number as i64);
                    rows.push(*row);
                }
            }
            if !has_batches {
                // No later epoch has some either.
                break;
            }
        }
        let columns = [("epoch", epochs), ("batch", batches), ("row", rows)];
        let columns = columns.map(|(name, numbers)| (name, integers(numbers)));
        RecordBatch::try_from_iter(columns).map_err(defect)
    }

    /// The files of the dataset, or of each dataset of a mixture.
    fn sources(&self) -> impl Iterator<Item = SelectedFiles> + '_ {
        let (files, mixed) = match &self.content {
            Content::Files(files) => (Some(self.selected(files)), [].as_slice()),
            Content::Mixed(mixed) => (None, mixed.datasets.as_slice()),
        };
        files.into_iter().chain(mixed.iter().cloned())
    }

    fn is_mixed(&self) -> bool {
        matches!(self.content, Content::Mixed(_))
    }

    /// The same rows in the order of an iteration, with the name of the file and the number of the row as the last two columns.
    fn traced(&self, options: &IterationOptions) -> Result<Self, DatasetError> {
        options.check()?;
        let shares_seed = options.global.is_some() || takes_turns(options);
        if options.seed.is_none() && (options.shuffles() || self.is_mixed() && !shares_seed) {
            let message = "seed: expected the seed of the order, which is random without one, found none";
            return Err(refused(message.to_owned()).into());
        }
        let kept: Vec<String> = options.by_length.iter().map(|batches| batches.column.clone()).collect();
        let names = self.unused_names()?;
        let numbered = |files: &SelectedFiles| {
            if let Some(column) = kept.first() {
                // Only columns that the dataset reads have lengths.
                LengthColumn::find(column, files.schema())?;
            }
            let in_files = files.in_file_rows(options.clone());
            if files.files.needs_index(&in_files) {
                // The files of this dataset keep the index.
                files.files.index(&in_files)?;
            }
            let traced = files.files.traced([&names[0], &names[1]], &kept)?;
            Ok::<_, FeedError>(SelectedFiles { files: Arc::new(traced), rows: files.rows.clone() })
        };
        let content = match &self.content {
            Content::Files(files) => Content::Files(numbered(&self.selected(files))?.files),
            Content::Mixed(mixed) => {
                let datasets =
                    mixed.datasets.iter().map(|dataset| Ok((numbered(dataset)?, &self.definitions)));
                Content::Mixed(Arc::new(Mixed::new(datasets, mixed.weights.clone())?))
            }
        };
        let (maps, history) = (Vec::new(), History::default());
        Ok(Self { content, maps, history, ..self.clone() })
    }

    /// Names of two columns that no column of the files has.
    fn unused_names(&self) -> Result<[String; 2], FeedError> {
        let mut taken = HashSet::new();
        for files in self.sources() {
            taken.extend(files.files.files.column_names()?);
        }
        Ok(["file", "row"].map(|name| {
            let mut name = name.to_owned();
            while taken.contains(&name) {
                name.insert(0, '_');
            }
            name
        }))
    }
}

/// Whether batches by length are divided among the shards, and go on from one epoch to the next.
fn takes_turns(options: &IterationOptions) -> bool {
    options.by_length.as_ref().is_some_and(|batches| batches.takes_turns)
}

/// The names of the files and the numbers of the rows of a batch.
fn columns(batch: &RecordBatch) -> (&StringArray, &[i64]) {
    let (files, rows) = (batch.num_columns() - 2, batch.num_columns() - 1);
    (batch.column(files).as_string::<i32>(), batch.column(rows).as_primitive::<Int64Type>().values())
}

fn integers(numbers: Vec<i64>) -> ArrayRef {
    Arc::new(Int64Array::from(numbers))
}

fn defect(error: ArrowError) -> DatasetError {
    FeedError::defect(error.to_string()).into()
}

fn refused(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}
