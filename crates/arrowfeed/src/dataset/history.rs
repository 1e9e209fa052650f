//! Counts of all iterations of a dataset in this process.

use std::sync::Arc;

use arrowfeed_source::{ForkLock, Report, Skipped};

use super::any_iteration::AnyIteration;
use super::iteration::Conversion;
use super::reported::{Counted, ReportLog};
use crate::error::DatasetError;

/// Counts of the iterations of a dataset and its clones.
#[derive(Debug, Clone, Default)]
pub(super) struct History(Arc<ForkLock<Total>>);

#[derive(Default)]
struct Total {
    rows: u64,
    log: ReportLog,
}

impl History {
    /// The sum of the counts so far. Each skipped part is listed once.
    pub(super) fn report(&self) -> Report {
        self.0.with(|total| total.log.up_to(&total.log.counted(), total.rows)).unwrap_or_default()
    }

    /// Adds counts. Returns the first skipped part of each file of which nothing was skipped before.
    fn add(&self, counts: Report) -> Vec<Skipped> {
        let add = |total: &mut Total| {
            total.rows += counts.rows;
            total.log.add(counts)
        };
        self.0.with(add).unwrap_or_default()
    }
}

/// An iteration whose counts are added to the history of its dataset.
pub(super) struct Recorded<C: Conversion> {
    pub(super) iteration: AnyIteration<C>,
    history: History,
    /// The counts in the history: of the rows, and of each dataset of the iteration.
    rows: u64,
    counted: Vec<Counted>,
    /// See [`take_first_skipped`](Self::take_first_skipped).
    first_skipped: Vec<Skipped>,
}

impl<C: Conversion> Recorded<C> {
    pub(super) fn new(iteration: AnyIteration<C>, history: History) -> Self {
        Self { iteration, history, rows: 0, counted: Vec::new(), first_skipped: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Option<Result<C::Output, DatasetError>> {
        let next = self.iteration.next();
        let total = self.iteration.uncounted(&mut self.counted);
        let rows = total.rows.saturating_sub(self.rows);
        self.rows = total.rows;
        self.first_skipped.extend(self.history.add(Report { rows, ..total }));
        next
    }

    /// Loads a state. Its rows, blocks and bytes were read by another iteration. Its skipped parts are listed as the
    /// iteration does not list them again.
    pub(super) fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.iteration.load_state(state)?;
        self.counted.clear();
        let Report { rows, skipped, .. } = self.iteration.uncounted(&mut self.counted);
        self.rows = rows;
        self.first_skipped.extend(self.history.add(Report { skipped, ..Report::default() }));
        Ok(())
    }

    /// Takes the first skipped part of each file of which no iteration of the dataset had skipped anything before.
    pub(super) fn take_first_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.first_skipped)
    }
}
