//! Counts of all iterations of a dataset in this process.

use std::sync::Arc;

use arrowfeed_source::stats::Meter;
use arrowfeed_source::{ForkLock, Report, Skipped};

use super::state::reported::ReportLog;

/// Counts of the iterations of a dataset and its clones.
#[derive(Debug, Clone)]
pub(crate) struct History {
    total: Arc<ForkLock<Total>>,
    /// The process that made it, in which no count is lost. A forked child may lose those of its copy.
    process: u32,
}

impl Default for History {
    fn default() -> Self {
        Self { total: Arc::default(), process: std::process::id() }
    }
}

#[derive(Default)]
struct Total {
    rows: u64,
    log: ReportLog,
    /// The meter of the iteration that began last.
    latest: Option<Arc<Meter>>,
}

impl History {
    /// The sum of the counts so far. Each skipped part is listed once.
    pub(crate) fn report(&self) -> Report {
        self.total
            .with_in(self.process, |total| total.log.up_to(&total.log.counted(), total.rows))
            .unwrap_or_default()
    }

    /// The meter of the iteration that began last.
    pub(crate) fn latest(&self) -> Option<Arc<Meter>> {
        self.total.with_in(self.process, |total| total.latest.clone()).flatten()
    }

    /// Notes that an iteration begins.
    pub(crate) fn begin(&self, meter: &Arc<Meter>) {
        self.total.with_in(self.process, |total| total.latest = Some(meter.clone()));
    }

    /// Adds counts. Returns the first skipped part of each file of which nothing was skipped before.
    pub(crate) fn add(&self, counts: Report) -> Vec<Skipped> {
        let add = |total: &mut Total| {
            total.rows += counts.rows;
            total.log.add(counts)
        };
        self.total.with_in(self.process, add).unwrap_or_default()
    }
}
