//! The public iterator over a dataset, as record batches or as tensors.

use std::fmt;

use arrow_schema::SchemaRef;
use arrowfeed_source::{Report, Skipped};

use super::conversion::{Conversion, ToTensors, Unchanged};
use super::history::History;
use super::iteration::{BatchRows, Iteration};
use super::reported::Counted;
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
pub struct Batches<C: Conversion> {
    iteration: Iteration<dyn BatchRows, C>,
    history: History,
    /// The counts in the history: of the rows, and of each dataset of the iteration.
    rows: u64,
    counted: Vec<Counted>,
    first_skipped: Vec<Skipped>,
}

impl<C: Conversion> Batches<C> {
    pub(super) fn new(rows: Box<dyn BatchRows>, conversion: C, history: History) -> Self {
        let iteration = Iteration::new(rows, conversion);
        Self { iteration, history, rows: 0, counted: Vec::new(), first_skipped: Vec::new() }
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

    /// Takes the first skipped part of each file of which no iteration of the dataset had skipped anything before, for
    /// warnings. [`Dataset::report`](super::Dataset::report) lists all parts.
    pub fn take_first_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.first_skipped)
    }

    /// Stops the iteration and its threads.
    pub fn close(&mut self) {
        self.iteration.close();
    }

    /// The position of the iteration after the last batch that was yielded, as JSON.
    ///
    /// # Errors
    /// The length of a file cannot be determined.
    pub fn state(&mut self) -> Result<String, DatasetError> {
        self.iteration.rows.state()
    }

    /// Starts at the first row of epoch number `epoch`. The option [`epochs`](super::IterationOptions::epochs) also
    /// counts the epochs from [`start_epoch`](super::IterationOptions::start_epoch) on that are before this one.
    pub fn start_at_epoch(&mut self, epoch: u64) {
        self.iteration.start_at_epoch(epoch);
    }

    /// Resumes after the last batch that was yielded before [`state`](Self::state) was called. The current position of
    /// this iterator has no effect.
    ///
    /// # Errors
    /// The state is invalid, or belongs to other files, to other options or to another seed. An error leaves the
    /// iterator unchanged.
    pub fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.iteration.load_state(state)?;
        // Another iteration has read the rows, blocks and bytes. This iteration does not list the skipped parts again.
        self.counted.clear();
        let Report { rows, skipped, .. } = self.iteration.rows.uncounted(&mut self.counted);
        self.rows = rows;
        self.first_skipped.extend(self.history.add(Report { skipped, ..Report::default() }));
        Ok(())
    }
}

impl<C: Conversion> Iterator for Batches<C> {
    type Item = Result<C::Output, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.iteration.next();
        let total = self.iteration.rows.uncounted(&mut self.counted);
        let rows = total.rows.saturating_sub(self.rows);
        self.rows = total.rows;
        self.first_skipped.extend(self.history.add(Report { rows, ..total }));
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
