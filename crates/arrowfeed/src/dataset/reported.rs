//! What an iteration has read and what it has left out, over all its epochs.

use std::collections::{HashMap, HashSet};

use arrowfeed_source::{Report, Skipped};

/// A report that has what was left out once, however many epochs come upon it.
#[derive(Debug, Clone, Default)]
pub(super) struct Reported {
    report: Report,
    /// Offsets of what the report has left out, by file.
    known: HashMap<String, HashSet<Option<u64>>>,
}

impl Reported {
    pub(super) fn add(&mut self, other: Report) {
        self.report.blocks += other.blocks;
        self.report.bytes += other.bytes;
        self.leave_out(other.skipped);
    }

    pub(super) fn leave_out(&mut self, skipped: Vec<Skipped>) {
        for skipped in skipped {
            let offsets = match self.known.get_mut(&skipped.path) {
                Some(offsets) => offsets,
                None => self.known.entry(skipped.path.clone()).or_default(),
            };
            if offsets.insert(skipped.offset) {
                self.report.skipped.push(skipped);
            }
        }
    }

    /// The report of an iterator that has given so many rows.
    pub(super) fn of_rows(self, rows: u64) -> Report {
        Report { rows, ..self.report }
    }
}
