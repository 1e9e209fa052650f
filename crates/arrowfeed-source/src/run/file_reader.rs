//! A simple reader that returns the batches of files, one file after the other.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed_predicate::Predicate;

use super::file_batch::Polled;
use super::file_set::FileSet;
use super::full_batches::FullBatches;
use super::part::Part;
use super::part_reader::{PartOptions, PartReader, READER_PREFETCH_BYTES, Workers, check_batch_size};
use super::parts::BatchBoundaries;
use crate::format::FormatFile;
use crate::stats::{Meter, Stats};
use crate::{
    Check, FeedError, Interrupt, OnError, Report, SchemaMerge, Skipped, check_threads, thread_count,
};

/// A single file smaller than this many bytes is decoded in the caller's thread: it is one unit of work, and to start two threads takes
/// 250 µs, where the example file of three rows takes 150 µs.
const WORTH_THREADS: u64 = 1 << 20;

/// Options for reading files one after the other.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
#[derive(Clone, Default)]
pub struct ReadOptions {
    /// Rows per batch, at least 1. The last batch of a file may have fewer. Default `None`:
    /// [`DEFAULT_BATCH_ROWS`](super::DEFAULT_BATCH_ROWS), or fewer for many columns and, in Avro files, for long rows: the least
    /// power of two from 256 on whose batch has 2 MiB, or 2 KiB for each column if that is more. The columns and the first
    /// file that can be opened determine the number.
    pub batch_size: Option<usize>,
    /// Number of threads that decode. `None`: one for each core that the process may use. 1: the caller's thread, which also decodes
    /// a single file that is smaller than 1 MiB.
    pub threads: Option<NonZeroUsize>,
    /// The reaction to data that cannot be decoded.
    pub on_error: OnError,
    /// The predicate that the rows must pass. Its columns need not be read. Each batch but the last one of all files then has
    /// `batch_size` rows, or as many as one batch may have. Default `None`: all rows.
    pub filter: Option<Predicate>,
    /// Called before each file and chunk, inside long ones, and while the caller waits. Returning true cancels the reading.
    pub interrupt: Option<Interrupt>,
}

impl fmt::Debug for ReadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadOptions")
            .field("batch_size", &self.batch_size)
            .field("threads", &self.threads)
            .field("on_error", &self.on_error)
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}

impl ReadOptions {
    /// Checks the options without reading a file.
    ///
    /// # Errors
    /// An option is invalid.
    pub fn check(&self) -> Result<(), FeedError> {
        check_batch_size(self.batch_size)?;
        check_threads(self.threads)
    }
}

impl FileSet {
    /// Reads the files one after the other.
    ///
    /// # Errors
    /// An option is invalid. Errors of a file are returned when its turn comes.
    pub fn read_files(self, mut options: ReadOptions) -> Result<FileReader, FeedError> {
        let files = match options.filter.take() {
            Some(filter) => self.filtered(filter)?,
            None => self,
        };
        let is_stored = files.path(0).is_some() && !files.is_object(0);
        let len = if is_stored { files.file_len(0, &Check::never()).ok() } else { None };
        files.read_from((0, len), options)
    }

    /// Like [`read_files`](Self::read_files), from a file that is already open. The set must have the columns of the filter. The report
    /// has the files before it, which could not be opened.
    ///
    /// # Errors
    /// As [`read_files`](Self::read_files).
    pub fn read_opened(self, opened: OpenedFile, options: ReadOptions) -> Result<FileReader, FeedError> {
        let OpenedFile { number, file, failed } = opened;
        // The filter is that of the set.
        let options = ReadOptions { filter: None, ..options };
        let skipped = failed.iter().enumerate().map(|(file, error)| Skipped::file(self.name(file), error));
        let report = Report { skipped: skipped.collect(), ..Report::default() };
        let file = self.wrapped(number, file);
        let body = file.body();
        let reader = self.read_from((number, Some(body.end - body.start)), options)?;
        Ok(FileReader { parts: reader.parts.with_open(number, file).with_report(report), ..reader })
    }

    /// Reads from the file with number `first` on, whose length is `len` bytes if it is known.
    fn read_from(
        self,
        (first, len): (usize, Option<u64>),
        options: ReadOptions,
    ) -> Result<FileReader, FeedError> {
        options.check()?;
        let ReadOptions { batch_size, threads, on_error, interrupt, filter: _ } = options;
        let is_small = self.len() == 1 && len.is_some_and(|len| len < WORTH_THREADS);
        let threads = if is_small { 1 } else { thread_count(threads) };
        let options = PartOptions {
            batch_size,
            boundaries: BatchBoundaries::PerPart,
            on_error,
            workers: Workers::Own(threads),
            prefetch_bytes: READER_PREFETCH_BYTES,
            interrupt,
            claim: None,
        };
        let files: Vec<usize> = (first..self.len()).filter(|file| !self.is_pruned(*file)).collect();
        let (schema, parts) = (self.schema().clone(), files.into_iter().map(Part::whole));
        Ok(FileReader::new(schema, PartReader::new(Arc::new(self), parts, options)?))
    }
}

/// The first file of a set that could be opened.
#[derive(Debug)]
pub struct OpenedFile {
    /// The number of the file.
    pub number: usize,
    /// The file.
    pub file: Arc<dyn FormatFile>,
    /// The errors of the files before it.
    pub failed: Vec<FeedError>,
}

/// A reader of RecordBatches of one schema, in file order.
///
/// Rows before an error are returned first, then the error. After an error the reader returns `None`.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
pub struct FileReader {
    schema: SchemaRef,
    parts: PartReader,
    /// Present if the rows are filtered.
    full: Option<FullBatches>,
    meter: Arc<Meter>,
}

impl FileReader {
    /// Creates a reader from `parts`, whose batches have this schema.
    pub fn new(schema: SchemaRef, parts: PartReader) -> Self {
        let full = parts.is_filtered().then(FullBatches::default);
        let meter = Arc::new(parts.new_meter());
        Self { schema, parts, full, meter }
    }

    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The counts of the data that was read and skipped so far.
    pub fn report(&self) -> Report {
        self.parts.report().clone()
    }

    /// The result of the merge that made the schema, if there was one.
    pub fn merge(&self) -> Option<&Arc<SchemaMerge>> {
        self.parts.files().merge()
    }

    /// The figures of the reading so far.
    pub fn stats(&self) -> Stats {
        self.meter.stats()
    }

    /// The meter of the reading, for [`stats`](Meter::stats) on another thread.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// The parts that were skipped so far, as in the report.
    pub fn skipped(&self) -> &[Skipped] {
        &self.parts.report().skipped
    }

    /// Returns the next batch, as [`PartReader::poll`].
    pub(super) fn poll(&mut self, wait: bool) -> Result<Polled<RecordBatch>, FeedError> {
        let Self { parts, full, meter, .. } = self;
        let polled = match full {
            Some(full) => full.poll(parts, wait),
            None => parts.poll(wait).map(|polled| polled.map(|found| found.batch)),
        };
        meter.set_counts(parts.report());
        polled
    }

    pub(super) fn counts(&self) -> &Report {
        self.parts.report()
    }

    pub(super) fn parts(&mut self) -> &mut PartReader {
        &mut self.parts
    }

    /// Ends the reading and stops its threads. Dropping the reader does the same.
    pub fn close(&mut self) {
        self.parts.close();
        self.meter.close();
    }

    /// Converts the reader into an Arrow [`RecordBatchReader`]. Its errors are [`ArrowError::ExternalError`].
    pub fn into_arrow(self) -> impl RecordBatchReader + Send {
        let schema = self.schema();
        RecordBatchIterator::new(self.map(|batch| batch.map_err(ArrowError::from)), schema)
    }
}

impl Iterator for FileReader {
    type Item = Result<RecordBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        let meter = self.meter.clone();
        let next = || loop {
            match self.poll(true) {
                Ok(Polled::Batch(batch)) => return Some(Ok(batch)),
                Ok(Polled::Pending) => {}
                Ok(Polled::End) => return None,
                Err(error) => return Some(Err(error)),
            }
        };
        meter.next(next, |next| matches!(next, Some(Ok(_))))
    }
}

impl fmt::Debug for FileReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileReader")
            .field("schema", &self.schema)
            .field("report", &self.report())
            .finish_non_exhaustive()
    }
}
