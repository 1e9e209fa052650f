//! Counts of all iterations of a dataset in this process.

use std::sync::Arc;

use arrowfeed_source::{ForkLock, Report, Skipped};

use super::reported::ReportLog;

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
    pub(super) fn add(&self, counts: Report) -> Vec<Skipped> {
        let add = |total: &mut Total| {
            total.rows += counts.rows;
            total.log.add(counts)
        };
        self.0.with(add).unwrap_or_default()
    }
}
