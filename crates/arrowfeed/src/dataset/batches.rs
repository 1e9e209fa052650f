//! The public iterator over a dataset, as record batches or as tensors.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::stats::{Meter, Stats};
use arrowfeed_source::{Report, Skipped};

use super::conversion::{Conversion, ToTensors, Unchanged};
use super::history::History;
use super::iteration::Iteration;
use super::options::FileMatch;
use super::rows::source::RowSource;
use super::state::reported::Counted;
use crate::error::DatasetError;

/// Iterator over the record batches of a dataset. Created by
/// [`Dataset::record_batches`](super::Dataset::record_batches).
pub type BatchIterator = Batches<Unchanged>;

/// Iterator over the tensors of a dataset, batch by batch. Created by [`Dataset::tensors`](super::Dataset::tensors).
pub type TensorIterator = Batches<ToTensors>;

/// Iterator over the batches of a dataset, as record batches ([`BatchIterator`]) or as tensors ([`TensorIterator`]).
///
/// After an error, the iterator ends, and [`state`](Self::state) returns the position after the last batch that was
/// yielded.
///
/// [`IterationOptions`](crate::IterationOptions) has an example.
pub struct Batches<C: Conversion> {
    iteration: Iteration<dyn RowSource, C>,
    history: History,
    /// The counts in the history: of the rows, and of each dataset of the iteration.
    rows: u64,
    counted: Vec<Counted>,
    first_skipped: Vec<Skipped>,
    meter: Arc<Meter>,
    /// What was read since the meter started.
    read: Report,
    has_begun: bool,
}

impl<C: Conversion> Batches<C> {
    pub(crate) fn new(rows: Box<dyn RowSource>, conversion: C, history: History) -> Self {
        let options = rows.options();
        let meter = Meter::new(options.thread_count(), options.shard, rows.formats());
        let meter = Arc::new(meter.with_budget(options.prefetch_bytes));
        Self {
            iteration: Iteration::new(rows, conversion),
            history,
            rows: 0,
            counted: Vec::new(),
            first_skipped: Vec::new(),
            meter,
            read: Report::default(),
            has_begun: false,
        }
    }

    /// The schema of every record batch.
    pub fn schema(&self) -> SchemaRef {
        self.iteration.rows.schema()
    }

    /// Counts of the rows, blocks and bytes read so far, including the counts of a loaded state, and the skipped parts.
    /// `rows` counts the rows of the batches that were yielded. Each skipped block or file is listed once.
    pub fn report(&self) -> Report {
        self.iteration.rows.report()
    }

    /// The figures of the iteration since it began or was resumed.
    pub fn stats(&self) -> Stats {
        self.meter.stats()
    }

    /// The meter of the iteration, for [`stats`](Meter::stats) on another thread.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Takes the first skipped part of each file of which no iteration of the dataset had skipped anything before, for
    /// warnings. [`Dataset::report`](super::Dataset::report) lists all parts.
    pub fn take_first_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.first_skipped)
    }

    /// Stops the iteration and its threads.
    pub fn close(&mut self) {
        self.iteration.close();
        self.meter.close();
    }

    /// The position of the iteration after the last batch that was yielded, as JSON.
    ///
    /// # Errors
    /// The length of a file cannot be determined.
    pub fn state(&mut self) -> Result<String, DatasetError> {
        Ok(self.iteration.rows.checkpoint(false)?.to_json())
    }

    /// Starts at the first row of epoch number `epoch`. The option [`epochs`](super::IterationOptions::epochs) also
    /// counts the epochs from [`start_epoch`](super::IterationOptions::start_epoch) on that are before this one.
    pub fn start_at_epoch(&mut self, epoch: u64) {
        self.iteration.start_at_epoch(epoch);
        self.reset_stats();
    }

    /// Resumes after the last batch that was yielded before [`state`](Self::state) was called. The current position of
    /// this iterator has no effect. The option [`file_match`](super::IterationOptions::file_match) says how files are compared.
    ///
    /// The number of epochs may differ, if the position lies within them.
    ///
    /// # Errors
    /// The state is invalid, or belongs to other files, to other options or to another seed. An error leaves the
    /// iterator unchanged.
    pub fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.load_state_matching(state, self.iteration.rows.options().file_match)
    }

    /// Like [`load_state`](Self::load_state), with another comparison of files.
    ///
    /// # Errors
    /// As [`load_state`](Self::load_state).
    pub fn load_state_matching(&mut self, state: &str, how: FileMatch) -> Result<(), DatasetError> {
        self.iteration.load_state(state, how)?;
        // Another iteration has read the rows, blocks and bytes. This iteration does not list the skipped parts again.
        self.counted.clear();
        let Report { rows, skipped, .. } = self.iteration.rows.uncounted(&mut self.counted);
        self.rows = rows;
        self.first_skipped.extend(self.history.add(Report { skipped, ..Report::default() }));
        self.reset_stats();
        Ok(())
    }

    fn reset_stats(&mut self) {
        self.read = Report::default();
        self.meter.reset();
    }
}

impl<C: Conversion> Iterator for Batches<C> {
    type Item = Result<C::Output, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { iteration, meter, .. } = self;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.history.begin(meter);
        }
        let next = meter.next(|| iteration.next(), |next| matches!(next, Some(Ok(_))));
        let total = self.iteration.rows.uncounted(&mut self.counted);
        let rows = total.rows.saturating_sub(self.rows);
        self.rows = total.rows;
        let Report { rejected, blocks, bytes, requests, .. } = total;
        self.read.add(Report { rows, rejected, blocks, bytes, requests, skipped: Vec::new() });
        self.first_skipped.extend(self.history.add(Report { rows, ..total }));
        let (batches, bytes) = self.iteration.started();
        self.meter.set_counts(&self.read);
        self.meter.set_started(batches, bytes);
        next
    }
}

impl<C: Conversion> fmt::Debug for Batches<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches")
            .field("options", self.iteration.rows.options())
            .field("epoch", &self.iteration.rows.epoch())
            .finish_non_exhaustive()
    }
}
