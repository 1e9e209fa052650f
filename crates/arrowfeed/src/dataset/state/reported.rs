//! Counts of what an iteration has read and skipped, over all its epochs.

use std::collections::{HashMap, HashSet};

use arrowfeed_source::{Report, Requests, Skipped};

/// A report that lists each skipped block or file once, even if several epochs skip it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReportLog {
    report: Report,
    /// The locations of the skipped items in the report, by file.
    known: HashMap<String, HashSet<SkipLocation>>,
}

/// Location of a skipped item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum SkipLocation {
    File,
    Offset(u64),
    /// In a compressed file: the error message, which has the number of the record.
    Text(String),
}

impl SkipLocation {
    fn of(skipped: &Skipped) -> Self {
        match (skipped.block, skipped.offset) {
            (_, Some(offset)) => Self::Offset(offset),
            (None, None) => Self::File,
            (Some(_), None) => Self::Text(skipped.error.clone()),
        }
    }
}

/// Counts of a report at one moment. Skipped items are never removed from a report, so their number identifies them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportMark {
    rejected: u64,
    blocks: u64,
    bytes: u64,
    skipped: usize,
}

impl ReportMark {
    pub(crate) const NONE: Self = Self { rejected: 0, blocks: 0, bytes: 0, skipped: 0 };
}

/// The part of a report that was counted already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    mark: ReportMark,
    requests: Requests,
}

impl Default for Counted {
    fn default() -> Self {
        Self { mark: ReportMark::NONE, requests: Requests::default() }
    }
}

impl ReportLog {
    /// Adds counts. Returns the first skipped part of each file of which the log had none.
    pub(crate) fn add(&mut self, other: Report) -> Vec<Skipped> {
        self.report.rejected += other.rejected;
        self.report.blocks += other.blocks;
        self.report.bytes += other.bytes;
        self.add_requests(other.requests);
        self.leave_out(other.skipped)
    }

    /// Adds requests to stores. They are counted as of now, not as of the last batch yielded.
    pub(crate) fn add_requests(&mut self, requests: Requests) {
        self.report.requests.add(requests);
    }

    /// Adds skipped parts. Returns as [`add`](Self::add).
    pub(crate) fn leave_out(&mut self, skipped: Vec<Skipped>) -> Vec<Skipped> {
        let mut first = Vec::new();
        for skipped in skipped {
            let places = match self.known.get_mut(&skipped.path) {
                Some(places) => places,
                None => {
                    first.push(skipped.clone());
                    self.known.entry(skipped.path.clone()).or_default()
                }
            };
            if places.insert(SkipLocation::of(&skipped)) {
                self.report.skipped.push(skipped);
            }
        }
        first
    }

    /// Number of rows that a filter left out.
    pub(crate) fn rejected(&self) -> u64 {
        self.report.rejected
    }

    /// Whether blocks or files were skipped.
    pub(crate) fn has_skipped(&self) -> bool {
        !self.report.skipped.is_empty()
    }

    /// The current counts.
    pub(crate) fn counted(&self) -> ReportMark {
        let Report { rejected, blocks, bytes, ref skipped, .. } = self.report;
        ReportMark { rejected, blocks, bytes, skipped: skipped.len() }
    }

    /// The report as of `mark`, without rows and without the part that is `counted`, which is updated.
    pub(crate) fn uncounted(&self, mark: &ReportMark, counted: &mut Counted) -> Report {
        let requests = self.report.requests;
        let before = std::mem::replace(counted, Counted { mark: *mark, requests });
        let skipped = self.report.skipped.get(before.mark.skipped..mark.skipped).unwrap_or_default();
        Report {
            rows: 0,
            rejected: mark.rejected.saturating_sub(before.mark.rejected),
            blocks: mark.blocks.saturating_sub(before.mark.blocks),
            bytes: mark.bytes.saturating_sub(before.mark.bytes),
            skipped: skipped.to_vec(),
            requests: requests.since(before.requests),
        }
    }

    /// The report as of `counted`, for an iterator that has yielded `rows` rows.
    pub(crate) fn up_to(&self, counted: &ReportMark, rows: u64) -> Report {
        let ReportMark { rejected, blocks, bytes, skipped } = *counted;
        let (skipped, requests) = (self.report.skipped[..skipped].to_vec(), self.report.requests);
        Report { rows, rejected, blocks, bytes, skipped, requests }
    }
}
