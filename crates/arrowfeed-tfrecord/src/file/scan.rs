//! Scans of the chunks of a file.

use std::io::BufReader;
use std::sync::Arc;

use arrowfeed_source::format::{Chunk, ChunkScan};
use arrowfeed_source::io::{ByteSource, SequentialReader};
use arrowfeed_source::{Check, FeedError};

use super::frames::Frames;
use crate::Records;

/// Bytes per read. Only the header of a long record is needed.
const READ_BYTES: usize = 64 << 10;

/// Cost of scanning a record, as the number of bytes that take as long to decode.
const LOOK: usize = 64;

/// A scan of the chunks of an uncompressed file. It reads only the lengths of the records.
#[derive(Debug)]
pub(super) struct RecordScan {
    frames: Frames,
    len: u64,
    cell_bytes: u64,
    /// Number and offset of the next chunk.
    number: u64,
    offset: u64,
    failed: Option<FeedError>,
}

/// A run of contiguous records.
struct Run {
    end: u64,
    records: u64,
    /// The fault at which the run ends before the end of its cell.
    fault: Option<FeedError>,
}

impl RecordScan {
    pub(super) fn new(source: Arc<dyn ByteSource>, len: u64, cell_bytes: u64) -> Self {
        Self {
            frames: Frames::new(source, len, READ_BYTES),
            len,
            cell_bytes,
            number: 0,
            offset: 0,
            failed: None,
        }
    }

    /// Scans the records from `offset` to the end of its cell.
    fn run(&mut self, offset: u64, check: &Check<'_>) -> Result<Run, FeedError> {
        let (mut end, mut records) = (offset, 0);
        while end < self.len && end / self.cell_bytes == offset / self.cell_bytes {
            check.after(LOOK)?;
            match self.frames.end(end) {
                Ok(next) => (end, records) = (next, records + 1),
                Err(error) if error.is_of_the_file() && error.io_error().is_none() => {
                    return Ok(Run { end, records, fault: Some(error.at_offset(end)) });
                }
                Err(error) => return Err(error.at_offset(end)),
            }
        }
        Ok(Run { end, records, fault: None })
    }
}

impl ChunkScan for RecordScan {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        if let Some(error) = &self.failed {
            return Err(error.again());
        }
        if self.offset >= self.len {
            return Ok(None);
        }
        let (number, offset) = (self.number, self.offset);
        let Run { end, records: rows, fault } = self.run(offset, check)?;
        if let Some(fault) = fault.filter(|_| rows == 0) {
            let error = fault.in_block(number, offset);
            self.failed = Some(error.again());
            return Err(error);
        }
        (self.number, self.offset) = (number + 1, end);
        Ok(Some(Chunk { number, offset, end, rows }))
    }

    fn seek(&mut self, offset: u64, number: u64) {
        (self.offset, self.number, self.failed) = (offset, number, None);
    }

    /// The search starts at the start of the cell, because chunk boundaries are known only from there on. It skips the chunk
    /// that contains `from`.
    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let mut at = from - from % self.cell_bytes;
        while let Some(start) = self.frames.find(at, check)? {
            if start >= from {
                return Ok(Some(start));
            }
            let Run { end, fault, .. } = self.run(start, check)?;
            at = match fault {
                Some(_) => end + 1,
                None if end >= self.len => break,
                None => end,
            };
        }
        Ok(None)
    }
}

/// A scan of the only chunk of a compressed file. It reads the whole file to count the rows.
#[derive(Debug)]
pub(super) struct CompressedScan {
    /// All records; `None` after they were counted.
    records: Option<Records<BufReader<SequentialReader>>>,
    len: u64,
    /// The fault after the last readable row.
    fault: Option<FeedError>,
}

impl CompressedScan {
    /// Creates a scan of a file of `len` bytes with these records.
    pub(super) fn new(records: Records<BufReader<SequentialReader>>, len: u64) -> Self {
        Self { records: Some(records), len, fault: None }
    }
}

impl ChunkScan for CompressedScan {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        if let Some(fault) = &self.fault {
            return Err(fault.again());
        }
        let Some(mut records) = self.records.take() else { return Ok(None) };
        let mut rows = 0;
        loop {
            match records.advance() {
                Ok(true) => rows += 1,
                Ok(false) => break,
                Err(error) if error.io_error().is_some() => return Err(error),
                Err(error) => {
                    self.fault = Some(error.in_numbered_block(u64::from(rows > 0)));
                    break;
                }
            }
            check.after(records.len() + LOOK)?;
        }
        match &self.fault {
            Some(fault) if rows == 0 => Err(fault.again()),
            _ => Ok((rows > 0).then_some(Chunk { number: 0, offset: 0, end: self.len, rows })),
        }
    }

    fn seek(&mut self, offset: u64, _number: u64) {
        if offset > 0 {
            (self.records, self.fault) = (None, None);
        }
    }

    fn find(&mut self, from: u64, _check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        Ok((from == 0 && self.len > 0).then_some(0))
    }
}
