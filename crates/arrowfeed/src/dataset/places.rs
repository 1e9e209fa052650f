//! The rows of the batches of an iteration, and the batches of rows, without their values.
//!
//! The order is that of an iteration, because it is one: over the same rows, of which only the places are read.

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

use super::batches::BatchIterator;
use super::dataset::{Content, Dataset};
use super::history::History;
use super::mixed::Mixed;
use super::options::IterationOptions;
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
    /// function receives.
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
        let (mut places, mut count) = (self.places(options)?, 0);
        while let Some(last) = wanted.last().filter(|last| count <= **last) {
            let Some(batch) = places.next().transpose()? else {
                let (last, count) = (thousands(*last), thousands(count));
                let message =
                    format!("batches: expected numbers below {count}, the number of batches, found {last}");
                return Err(refused(message).into());
            };
            if wanted.contains(&count) {
                let (names, of_batch) = columns(&batch);
                numbers.extend(std::iter::repeat_n(count as i64, of_batch.len()));
                files.extend(names);
                rows.extend_from_slice(of_batch);
            }
            count += 1;
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
    /// ([`across_epochs`](IterationOptions::across_epochs)); or as [`rows_of`](Self::rows_of).
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
        let wanted: HashSet<i64> = rows.iter().filter_map(|row| i64::try_from(*row).ok()).collect();
        let (mut epochs, mut batches, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for epoch in options.start_epoch..end {
            let options =
                IterationOptions { start_epoch: epoch, epochs: Some(NonZeroU64::MIN), ..options.clone() };
            for (number, batch) in self.places(options)?.enumerate() {
                let batch = batch?;
                let (names, of_batch) = columns(&batch);
                let found = of_batch.iter().enumerate().filter(|(_, row)| wanted.contains(row));
                for (_, row) in found.filter(|(at, _)| names.value(*at) == file) {
                    epochs.push(epoch as i64);
                    batches.push(number as i64);
                    rows.push(*row);
                }
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

    /// An iteration whose batches have the file name and the row number as their last two columns.
    fn places(&self, options: IterationOptions) -> Result<BatchIterator, DatasetError> {
        options.check()?;
        let is_mixed = matches!(self.content, Content::Mixed(_));
        let shares_seed =
            options.global.is_some() || options.by_length.as_ref().is_some_and(|batches| batches.takes_turns);
        if options.seed.is_none() && (options.shuffles() || is_mixed && !shares_seed) {
            let message = "seed: expected the seed of the order, which is random without one, found none";
            return Err(refused(message.to_owned()).into());
        }
        let kept: Vec<String> = options.by_length.iter().map(|batches| batches.column.clone()).collect();
        let names = self.unused_names()?;
        let numbered = |files: &SelectedFiles| {
            let scan = IterationOptions { interrupt: options.interrupt.clone(), ..Default::default() };
            if files.files.needs_index(&files.in_file_rows(options.clone())) {
                // The files of this dataset keep the index.
                files.files.index(&scan)?;
            }
            let places = files.files.places([&names[0], &names[1]], &kept)?;
            Ok::<_, FeedError>(SelectedFiles { files: Arc::new(places), rows: files.rows.clone() })
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
        Self { content, maps, history, ..self.clone() }.record_batches(options)
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

/// The last two columns of a batch of places.
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
