//! The record batches of a dataset.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::{FeedError, Report};

use super::indexed::Indexed;
use super::iteration::{Conversion, Iteration};
use super::options::IterationOptions;
use crate::error::DatasetError;

/// Batches of a dataset. Made by [`Dataset::record_batches`](super::Dataset::record_batches).
///
/// After an error there are no more batches, and [`state`](Self::state) is that of the last one.
pub struct BatchIterator(Iteration<AsTheyAre>);

/// Batches as they are.
struct AsTheyAre;

impl Conversion for AsTheyAre {
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
    pub(super) fn new(files: Arc<Indexed>, options: IterationOptions) -> Result<Self, FeedError> {
        Ok(Self(Iteration::new(files, options, AsTheyAre)?))
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// What has been read and what was left out so far, also before a state that was loaded. `rows` are those of the
    /// batches given; what is left out is counted once.
    pub fn report(&self) -> Report {
        self.0.report()
    }

    /// Ends the iteration, and its threads with it.
    pub fn close(&mut self) {
        self.0.close();
    }

    /// Where the iteration stands after the last batch that was given, as JSON.
    ///
    /// # Errors
    /// The system does not tell how long a file is.
    pub fn state(&mut self) -> Result<String, DatasetError> {
        self.0.state()
    }

    /// Begins with the first row of this epoch, the first one being 0. [`epochs`](super::IterationOptions::epochs) counts those
    /// before it too.
    pub fn start_at_epoch(&mut self, epoch: u64) {
        self.0.start_at_epoch(epoch);
    }

    /// Goes on after the last batch before [`state`](Self::state) was asked, whatever this iterator gave so far.
    ///
    /// # Errors
    /// The state is none, or of other files, options, or another seed. The iterator stays as it was.
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
            .field("options", &self.0.options())
            .field("epoch", &self.0.epoch())
            .finish_non_exhaustive()
    }
}
