//! Scans of the chunks of a file.

use std::ops::Range;

use super::RecordReader;
use crate::format::{Chunk, ChunkScan};
use crate::{Check, FeedError};

/// Cost of scanning a record, as the number of bytes that take as long to decode.
const LOOK: usize = 64;

/// A scan of the chunks of an uncompressed file. It finds only the ends of records.
#[derive(Debug)]
pub(super) struct RecordScan<R> {
    reader: R,
    body: Range<u64>,
    chunk_bytes: u64,
    /// Number and offset of the next chunk.
    number: u64,
    offset: u64,
    failed: Option<FeedError>,
}

/// A run of contiguous records of one cell.
struct Run {
    end: u64,
    rows: u64,
    /// The error at which the run ends before the end of its cell.
    damage: Option<FeedError>,
}

impl<R: RecordReader> RecordScan<R> {
    pub(super) fn new(reader: R, body: Range<u64>, chunk_bytes: u64) -> Self {
        Self { reader, chunk_bytes, number: 0, offset: body.start, body, failed: None }
    }

    /// Scans the records from `offset` to the end of its cell.
    fn run(&mut self, offset: u64, check: &Check<'_>) -> Result<Run, FeedError> {
        self.reader.begin(offset..self.body.end);
        let cell_end = cell_end(offset, self.chunk_bytes).min(self.body.end);
        let mut rows = 0;
        loop {
            let end = self.reader.offset();
            if end >= cell_end {
                return Ok(Run { end: end.min(self.body.end), rows, damage: None });
            }
            check.after(LOOK)?;
            match self.reader.advance(check) {
                Ok(Some(record)) => rows += u64::from(record.is_row),
                // The file was truncated. The decoder reports that.
                Ok(None) => return Ok(Run { end: self.body.end, rows, damage: None }),
                Err(error) if error.is_damage() => {
                    return Ok(Run { end, rows, damage: Some(error.at_offset(end)) });
                }
                Err(error) => return Err(error.at_offset(end)),
            }
        }
    }
}

impl<R: RecordReader> ChunkScan for RecordScan<R> {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        if let Some(error) = &self.failed {
            return Err(error.clone_without_source());
        }
        let (number, offset) = (self.number, self.offset);
        if offset >= self.body.end {
            return Ok(None);
        }
        let run = self.run(offset, check).and_then(|run| match run.damage {
            Some(damage) if run.end == offset => Err(damage),
            _ => Ok((run.end, run.rows)),
        });
        let (end, rows) = run.map_err(|error| {
            let error = error.in_block(number, offset);
            if !check.has_stopped() {
                self.failed = Some(error.clone_without_source());
            }
            error
        })?;
        (self.number, self.offset) = (number + 1, end);
        Ok(Some(Chunk { number, offset, end, rows }))
    }

    fn seek(&mut self, offset: u64, number: u64) {
        (self.offset, self.number, self.failed) = (offset, number, None);
    }

    /// The search starts at the start of the cell, because chunk boundaries are known only from there on. It skips the chunks
    /// that start before `from`.
    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let mut at = from - from % self.chunk_bytes;
        while at < self.body.end
            && let Some(start) = self.reader.find(at, check)?
        {
            if start >= from {
                return Ok(Some(start).filter(|start| *start < self.body.end));
            }
            at = if R::FINDS_AFTER_DAMAGE {
                let run = self.run(start, check)?;
                if run.damage.is_some() { run.end + 1 } else { run.end }
            } else {
                cell_end(start, self.chunk_bytes)
            };
        }
        Ok(None)
    }
}

/// Offset of the end of the cell that contains `offset`.
pub(super) fn cell_end(offset: u64, chunk_bytes: u64) -> u64 {
    (offset - offset % chunk_bytes).saturating_add(chunk_bytes)
}

/// A scan of the only chunk of a compressed file. It reads the whole file to count the rows.
#[derive(Debug)]
pub(super) struct CompressedScan<R> {
    /// All records; `None` after they were counted.
    reader: Option<R>,
    len: u64,
    /// The error after the last readable row.
    damage: Option<FeedError>,
}

impl<R: RecordReader> CompressedScan<R> {
    /// Creates a scan of a file of `len` bytes with the records of this reader.
    pub(super) fn new(reader: R, len: u64) -> Self {
        Self { reader: Some(reader), len, damage: None }
    }
}

impl<R: RecordReader> ChunkScan for CompressedScan<R> {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        if let Some(damage) = &self.damage {
            return Err(damage.clone_without_source());
        }
        let Some(mut reader) = self.reader.take() else { return Ok(None) };
        let mut rows = 0;
        loop {
            match reader.advance(check) {
                Ok(Some(record)) => {
                    rows += u64::from(record.is_row);
                    check.after(LOOK.saturating_add(record.bytes))?;
                }
                Ok(None) => break,
                Err(error) if error.is_damage() => {
                    self.damage = Some(error.in_numbered_block(u64::from(rows > 0)));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        match &self.damage {
            Some(damage) if rows == 0 => Err(damage.clone_without_source()),
            _ => Ok((rows > 0).then_some(Chunk { number: 0, offset: 0, end: self.len, rows })),
        }
    }

    fn seek(&mut self, offset: u64, _number: u64) {
        if offset > 0 {
            (self.reader, self.damage) = (None, None);
        }
    }

    fn find(&mut self, from: u64, _check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        Ok((from == 0 && self.len > 0).then_some(0))
    }
}
