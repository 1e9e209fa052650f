//! `RowSource`: the rows of one batch after another, where they came from, and how they go on from a position.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::run::Pool;
use arrowfeed_source::{FeedError, Report};

use super::gather::Rows;
use crate::dataset::files::counted_files::CountedFiles;
use crate::dataset::options::IterationOptions;
use crate::dataset::state::checkpoint::Checkpoint;
use crate::dataset::state::reported::Counted;
use crate::error::DatasetError;

/// The rows of one batch after another. Keeps the positions after the batches that were started, and after the last batch that
/// was yielded.
pub(crate) trait RowSource: Send {
    /// The schema of every batch.
    fn schema(&self) -> SchemaRef;

    fn options(&self) -> &IterationOptions;

    /// The names of the formats of the files.
    fn formats(&self) -> Vec<&'static str>;

    /// Epoch of the last batch that was yielded. Mixed datasets have none in common.
    fn epoch(&self) -> Option<u64>;

    /// The seed of the order, once it is known: set by the caller, by a loaded state, or drawn with the first batch.
    fn seed(&self) -> Option<u64>;

    /// Number of rows of a full batch, as far as it is known.
    fn batch_rows(&self) -> usize {
        self.options().batch_size
    }

    /// Whether making a batch of its rows takes enough work to run on a worker.
    fn gathers(&self) -> bool;

    /// The worker threads.
    fn pool(&mut self) -> Result<Arc<Pool>, FeedError>;

    /// Starts the next batch, if its rows are available or if `wait` is set.
    fn start(&mut self, wait: bool) -> Result<Started, DatasetError>;

    /// Moves the yielded position to the next started batch.
    fn yield_started(&mut self);

    /// Ends the rows, after the last batch or after an error.
    fn end(&mut self, is_over: bool);

    /// Ends the threads that read.
    fn close(&mut self);

    /// Counts of what was read and skipped up to the last batch that was yielded.
    fn report(&self) -> Report;

    /// The report without the parts that are `counted`, which are updated, but with all rows.
    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report;

    /// The files on which the order depends, of each dataset.
    fn files(&self) -> Vec<CountedFiles<'_>>;

    /// The position after the last batch that was yielded. `reads_contents`: see
    /// [`Indexed::saved_files`](crate::dataset::files::indexed::Indexed::saved_files).
    fn checkpoint(&mut self, reads_contents: bool) -> Result<Checkpoint, DatasetError>;

    /// Resumes after the last batch before a checkpoint was taken, whose options and files are known to be those of this
    /// iteration. An error changes nothing. Keeps no threads: the next batch may be requested much later.
    fn resume(&mut self, at: &Checkpoint) -> Result<(), DatasetError>;

    /// Starts at the first row of an epoch. Keeps no threads.
    fn start_at_epoch(&mut self, epoch: u64);
}

/// Result of starting the next batch.
pub(crate) enum Started {
    Batch(Rows),
    /// Its rows are not available yet.
    Pending,
    /// There are no more batches.
    Over,
}

/// The threads of an iteration, which the first call starts.
pub(crate) fn pool_of(
    pool: &mut Option<Arc<Pool>>,
    options: &IterationOptions,
) -> Result<Arc<Pool>, FeedError> {
    if let Some(pool) = pool {
        return Ok(pool.clone());
    }
    Ok(pool.insert(Arc::new(Pool::start(options.thread_count())?)).clone())
}

/// The positions of a source whose batches are started before they are yielded.
#[derive(Debug)]
pub(crate) struct Ledger<P> {
    /// After the last batch that was started.
    pub(crate) started: P,
    /// After each batch that was started but not yielded yet.
    in_flight: VecDeque<P>,
    /// After the last batch that was yielded.
    pub(crate) yielded: P,
}

impl<P: Clone> Ledger<P> {
    pub(crate) fn new(at: P) -> Self {
        Self { started: at.clone(), in_flight: VecDeque::new(), yielded: at }
    }

    /// Counts a batch before the started position as started.
    pub(crate) fn start_batch(&mut self) {
        self.in_flight.push_back(self.started.clone());
    }

    /// Moves the yielded position to the next started batch.
    pub(crate) fn yield_batch(&mut self) {
        if let Some(position) = self.in_flight.pop_front() {
            self.yielded = position;
        }
    }

    /// Forgets the batches that were started but not yielded.
    pub(crate) fn discard(&mut self) {
        self.in_flight.clear();
    }

    /// Moves the yielded position to the started one, after the last batch.
    pub(crate) fn end(&mut self) {
        self.yielded = self.started.clone();
    }
}
