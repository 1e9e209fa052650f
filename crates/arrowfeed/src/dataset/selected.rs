//! The rows of a dataset: restrictions to some of them, and their number.

use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt};

use super::dataset::{Content, Dataset};
use super::global_rows::GlobalRows;
use super::mixed::check_mixed_rows;
use super::options::{ALL_ROWS, GlobalBatches, IterationOptions};
use super::selection::RowSplit;

impl Dataset {
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
        match &self.content {
            Content::Files(files) => {
                self.selected(files).num_rows(&IterationOptions { interrupt, ..Default::default() })
            }
            Content::Mixed(mixed) => {
                check_mixed_rows(&self.rows)?;
                mixed.num_rows(interrupt.as_ref())
            }
        }
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
        if let Some(global) = options.global {
            return self.num_own_batches(options, global);
        }
        match &self.content {
            Content::Files(files) => {
                let rows = self.selected(files).num_rows(options)?;
                Ok(options.num_batches_of(rows, options.across_epochs))
            }
            Content::Mixed(mixed) => {
                check_mixed_rows(&options.clone().in_file_rows(&self.rows).rows)?;
                mixed.num_batches(options)
            }
        }
    }

    /// Number of global batches of which this shard has rows.
    fn num_own_batches(
        &self,
        options: &IterationOptions,
        global: GlobalBatches,
    ) -> Result<Option<u64>, FeedError> {
        let rows = match &self.content {
            Content::Files(files) => GlobalRows::of_files(self.selected(files), options.clone(), global),
            Content::Mixed(mixed) => {
                GlobalRows::mixed(mixed, options.clone().in_file_rows(&self.rows), global)
            }
        };
        rows?.num_batches()
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
        match options.by_length.is_none() && self.is_known(options) {
            true => self.num_batches(options).map(Some),
            false => Ok(None),
        }
    }

    fn is_known(&self, options: &IterationOptions) -> bool {
        match &self.content {
            Content::Files(files) => self.selected(files).is_known(options),
            Content::Mixed(mixed) => mixed.is_known(options),
        }
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
        let end = self.rows.start.saturating_add(count).min(self.rows.end);
        Self { rows: self.rows.start..end, ..self.clone() }
    }

    /// Returns a dataset of the rows after the first `count` rows, in file order. An iteration first scans the files,
    /// and does not decode the blocks before its first row. An iteration over a [`mixed`](Self::mixed) dataset after
    /// `skip` is an error.
    #[must_use]
    pub fn skip(&self, count: u64) -> Self {
        let start = self.rows.start.saturating_add(count).min(self.rows.end);
        Self { rows: start..self.rows.end, ..self.clone() }
    }

    /// Checks that the rows can be read, without reading them.
    ///
    /// # Errors
    /// This is a [`mixed`](Self::mixed) dataset after [`take`](Self::take) or [`skip`](Self::skip).
    pub fn check_rows(&self) -> Result<(), FeedError> {
        match &self.content {
            Content::Files(_) => Ok(()),
            Content::Mixed(_) => check_mixed_rows(&self.rows),
        }
    }

    /// The rows of the files that belong to the dataset, in file order: `0..u64::MAX`, unless [`take`](Self::take) or
    /// [`skip`](Self::skip) have restricted them. After a [`split`](Self::split), only the rows of its part have numbers.
    pub fn row_range(&self) -> Range<u64> {
        self.rows.clone()
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
        let files = self.files("split")?;
        let part = |is_rest| {
            let split = RowSplit { rows: self.rows.clone(), fraction, seed, is_rest };
            split.check()?;
            let content = Content::Files(Arc::new(files.with_split(split)));
            Ok::<_, FeedError>(Self { content, rows: ALL_ROWS, ..self.clone() })
        };
        Ok((part(false)?, part(true)?))
    }
}
