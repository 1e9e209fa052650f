//! Iteration over a dataset as record batches.

use std::fmt;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::{Report, Skipped};

use super::history::Recorded;
use super::iteration::Conversion;
use crate::error::DatasetError;

/// Iterator over the record batches of a dataset. Created by
/// [`Dataset::record_batches`](super::Dataset::record_batches).
///
/// After an error, the iterator ends, and [`state`](Self::state) returns the position after the last batch that was
/// yielded.
pub struct BatchIterator(Recorded<Unchanged>);

/// Identity conversion.
pub(super) struct Unchanged;

impl Conversion for Unchanged {
    type Output = RecordBatch;

    const TAKES_WORK: bool = false;

    fn convert(&self, batch: RecordBatch) -> Result<RecordBatch, DatasetError> {
        Ok(batch)
    }

    fn bytes(output: &RecordBatch) -> usize {
        output.get_array_memory_size()
    }
}

impl BatchIterator {
    pub(super) fn new(iteration: Recorded<Unchanged>) -> Self {
        Self(iteration)
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.0.iteration.schema()
    }

    /// Counts of the rows, blocks and bytes read so far, including the counts of a loaded state, and the skipped parts.
    /// `rows` counts the rows of the batches that were yielded. Each skipped block or file is listed once.
    pub fn report(&self) -> Report {
        self.0.iteration.report()
    }

    /// Takes the first skipped part of each file of which no iteration of the dataset had skipped anything before, for
    /// warnings. [`Dataset::report`](super::Dataset::report) lists all parts.
    pub fn take_first_skipped(&mut self) -> Vec<Skipped> {
        self.0.take_first_skipped()
    }

    /// Stops the iteration and its threads.
    pub fn close(&mut self) {
        self.0.iteration.close();
    }

    /// The position of the iteration after the last batch that was yielded, as JSON.
    ///
    /// # Errors
    /// The length of a file cannot be determined.
    pub fn state(&mut self) -> Result<String, DatasetError> {
        self.0.iteration.state()
    }

    /// Starts at the first row of epoch number `epoch`. The option [`epochs`](super::IterationOptions::epochs) also
    /// counts the epochs from [`start_epoch`](super::IterationOptions::start_epoch) on that are before this one.
    pub fn start_at_epoch(&mut self, epoch: u64) {
        self.0.iteration.start_at_epoch(epoch);
    }

    /// Resumes after the last batch that was yielded before [`state`](Self::state) was called. The current position of
    /// this iterator has no effect.
    ///
    /// # Errors
    /// The state is invalid, or belongs to other files, to other options or to another seed. An error leaves the
    /// iterator unchanged.
    pub fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.0.load_state(state)
    }
}

impl Iterator for BatchIterator {
    type Item = Result<RecordBatch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl fmt::Debug for BatchIterator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchIterator")
            .field("options", &self.0.iteration.options())
            .field("epoch", &self.0.iteration.epoch())
            .finish_non_exhaustive()
    }
}
