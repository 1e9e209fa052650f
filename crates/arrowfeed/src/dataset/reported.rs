//! What an iteration has read and what it has left out, over all its epochs.

use std::collections::{HashMap, HashSet};

use arrowfeed_source::{Report, Requests, Skipped};

/// A report that has what was left out once, however many epochs come upon it.
#[derive(Debug, Clone, Default)]
pub(super) struct Reported {
    report: Report,
    /// The places of what the report has left out, by file.
    known: HashMap<String, HashSet<Place>>,
}

/// Where something is that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Place {
    File,
    Offset(u64),
    /// Of a compressed file: what the error says, with the number of the record.
    Text(String),
}

impl Place {
    fn of(skipped: &Skipped) -> Self {
        match (skipped.block, skipped.offset) {
            (_, Some(offset)) => Self::Offset(offset),
            (None, None) => Self::File,
            (Some(_), None) => Self::Text(skipped.error.clone()),
        }
    }
}

/// How much a report has counted. What was left out is never taken back, so that its number says what it was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    blocks: u64,
    bytes: u64,
    skipped: usize,
}

impl Counted {
    pub(super) const NONE: Self = Self { blocks: 0, bytes: 0, skipped: 0 };
}

impl Reported {
    pub(super) fn add(&mut self, other: Report) {
        self.report.blocks += other.blocks;
        self.report.bytes += other.bytes;
        self.add_requests(other.requests);
        self.leave_out(other.skipped);
    }

    /// Counts requests to stores. They are those of the iterator so far, whatever it has given.
    pub(super) fn add_requests(&mut self, requests: Requests) {
        self.report.requests.add(requests);
    }

    pub(super) fn leave_out(&mut self, skipped: Vec<Skipped>) {
        for skipped in skipped {
            let places = match self.known.get_mut(&skipped.path) {
                Some(places) => places,
                None => self.known.entry(skipped.path.clone()).or_default(),
            };
            if places.insert(Place::of(&skipped)) {
                self.report.skipped.push(skipped);
            }
        }
    }

    /// How much it has counted.
    pub(super) fn counted(&self) -> Counted {
        let Report { blocks, bytes, ref skipped, .. } = self.report;
        Counted { blocks, bytes, skipped: skipped.len() }
    }

    /// The report as it was when it had counted so much, of an iterator that has given so many rows.
    pub(super) fn up_to(&self, counted: &Counted, rows: u64) -> Report {
        let Counted { blocks, bytes, skipped } = *counted;
        let (skipped, requests) = (self.report.skipped[..skipped].to_vec(), self.report.requests);
        Report { rows, blocks, bytes, skipped, requests }
    }
}
