//! Sampling of the records from which column types are inferred.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, Polled, Workers};
use arrowfeed_source::{FeedError, Interrupt, OnError};

/// Records per batch of the sample.
const TOGETHER: usize = 1024;

/// An iterator over the first records of files.
pub(crate) struct Sample {
    files: Arc<FileSet>,
    reader: PartReader,
    /// Number of records that remain.
    left: u64,
}

/// Some records of one file.
#[derive(Debug)]
pub(crate) struct Sampled {
    pub(crate) batch: RecordBatch,
    origins: Vec<RowOrigin>,
    file: String,
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sample").field("left", &self.left).finish_non_exhaustive()
    }
}

impl Sample {
    /// Starts reading the first `sample` records of the files that give the schema; `None`: all records.
    ///
    /// # Errors
    /// The system reports an error.
    pub(crate) fn new(
        files: FileSet,
        sample: Option<u64>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Self, FeedError> {
        let options = PartOptions {
            batch_size: Some(TOGETHER),
            boundaries: BatchBoundaries::PerPart,
            on_error: OnError::Raise,
            workers: Workers::Caller,
            prefetch_bytes: 0,
            interrupt: interrupt.cloned(),
            claim: None,
        };
        let files = Arc::new(files);
        let reader =
            PartReader::new(files.clone(), files.schema_files().into_iter().map(Part::whole), options)?;
        Ok(Self { files, reader, left: sample.unwrap_or(u64::MAX) })
    }

    /// Returns the next records; `None` at the end.
    ///
    /// # Errors
    /// A record cannot be read; the caller cancels.
    pub(crate) fn next(&mut self) -> Result<Option<Sampled>, FeedError> {
        if self.left == 0 {
            return Ok(None);
        }
        let Polled::Batch(found) = self.reader.poll(true)? else { return Ok(None) };
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(found.batch.num_rows());
        self.left -= most as u64;
        let file = self.files.name(found.file).to_owned();
        Ok(Some(Sampled { batch: found.batch.slice(0, most), origins: found.origins, file }))
    }
}

impl Sampled {
    /// Adds the location of a record to an error.
    #[cold]
    pub(crate) fn located(&self, row: usize, error: FeedError) -> FeedError {
        let error = match self.block_and_record(row) {
            Some((block, record)) => error.with_record(record).in_numbered_block(block),
            None => error,
        };
        error.in_file(&self.file)
    }

    /// The name of a record in messages.
    pub(crate) fn record_name(&self, row: usize) -> String {
        match self.block_and_record(row) {
            Some((block, record)) => format!("record {record} of block {block} of {}", self.file),
            None => format!("a record of {}", self.file),
        }
    }

    fn block_and_record(&self, row: usize) -> Option<(u64, u64)> {
        let origin = self.origins.iter().rfind(|origin| origin.row <= row)?;
        Some((origin.chunk, origin.before + (row - origin.row) as u64))
    }
}
