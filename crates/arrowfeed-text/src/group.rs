//! Records that are parsed together, and the search for invalid records.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrowfeed_source::FeedError;

use crate::parser::Parser;

/// Concatenated records. Each ends with a line end.
#[derive(Debug, Default)]
pub(crate) struct Group {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// Consecutive records of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slice<'a> {
    bytes: &'a [u8],
    /// The first byte of the first record.
    start: usize,
    ends: &'a [usize],
}

impl Group {
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        if !matches!(record.last(), Some(b'\n' | b'\r')) {
            self.bytes.push(b'\n');
        }
        self.ends.push(self.bytes.len());
    }

    /// Number of records.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all records.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(crate) fn slice(&self, records: Range<usize>) -> Slice<'_> {
        let start = records.start.checked_sub(1).map_or(0, |last| self.ends[last]);
        Slice { bytes: &self.bytes, start, ends: &self.ends[records] }
    }

    /// Parses all records in order, and returns the rows of consecutive records, and the error of each invalid record. A range
    /// with an invalid record is halved until the record is found. If `ends_at_error` is true, parsing ends at the first invalid
    /// record.
    pub(crate) fn parse(&self, parser: &Parser, ends_at_error: bool) -> Vec<Result<RecordBatch, FeedError>> {
        let all = 0..self.len();
        let (mut out, mut left) = (Vec::new(), vec![all]);
        while let Some(range) = left.pop().filter(|range| !range.is_empty()) {
            let slice = self.slice(range.clone());
            match parser.parse(slice) {
                Ok(Some(batch)) => out.push(Ok(batch)),
                found if range.len() == 1 => {
                    let error = found.err().unwrap_or_else(|| parser.explain(slice));
                    out.push(Err(error));
                    if ends_at_error {
                        break;
                    }
                }
                _ => {
                    let middle = range.start + range.len() / 2;
                    left.extend([middle..range.end, range.start..middle]);
                }
            }
        }
        out
    }
}

/// Finds the first column for which `takes` is false, by halving the range. `takes` must be true for every range of valid
/// columns. `None`: all columns are valid.
#[cold]
pub(crate) fn first_wrong(columns: usize, takes: impl Fn(Range<usize>) -> bool) -> Option<usize> {
    if columns == 0 || takes(0..columns) {
        return None;
    }
    let (mut start, mut end) = (0, columns);
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        if takes(start..middle) { start = middle } else { end = middle }
    }
    Some(start)
}

impl<'a> Slice<'a> {
    /// Number of records.
    pub(crate) fn len(self) -> usize {
        self.ends.len()
    }

    /// The bytes of all records.
    pub(crate) fn bytes(self) -> &'a [u8] {
        &self.bytes[self.start..self.ends.last().copied().unwrap_or(self.start)]
    }

    /// The records, with their line ends.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        self.ends.iter().scan(self.start, move |start, end| {
            let record = &self.bytes[*start..*end];
            *start = *end;
            Some(record)
        })
    }
}
