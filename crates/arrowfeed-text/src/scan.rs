//! Scans of the chunks of a file.

use std::ops::Range;

use arrowfeed_source::format::{Chunk, ChunkScan};
use arrowfeed_source::{Check, FeedError};

use crate::format::TextFormat;
use crate::framing::Framing;
use crate::records::{Found, Records};

/// Fixed cost of scanning a record, as the number of bytes that take as long to scan.
const LOOK: usize = 16;

/// A scan of the chunks of an uncompressed file. It finds only the ends of records.
#[derive(Debug)]
pub(crate) struct TextScan {
    records: Records,
    format: TextFormat,
    body: Range<u64>,
    /// Number and offset of the next chunk.
    number: u64,
    offset: u64,
    failed: Option<FeedError>,
}

impl TextScan {
    /// Creates a scan of the chunks in `body`. `records` must start there.
    pub(crate) fn new(records: Records, format: TextFormat, body: Range<u64>) -> Self {
        Self { records, format, number: 0, offset: body.start, body, failed: None }
    }

    /// Skips the records that start in a cell, and returns the number of rows.
    fn pass(&mut self, cell: u64, check: &Check<'_>) -> Result<u64, FeedError> {
        let mut rows = 0;
        while self.records.offset() < self.body.end && self.format.cell(self.records.offset()) == cell {
            rows += u64::from(self.pass_record(check)?);
        }
        Ok(rows)
    }

    /// Skips a record. Returns whether it is a row.
    fn pass_record(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        check.after(LOOK)?;
        let offset = self.records.offset();
        let found = self.records.advance(check).map_err(|error| error.at_offset(offset))?;
        if found.is_none() {
            // The file was truncated. The decoder reports that.
            self.records.seek(self.body.end);
        }
        Ok(found.is_some_and(|found| is_row(&found, &self.format)))
    }

    /// Moves to the first record that starts in or after a cell.
    fn enter(&mut self, cell: u64, check: &Check<'_>) -> Result<(), FeedError> {
        let start = self.format.cell_start(cell);
        if start <= self.body.start {
            self.records.seek(self.body.start);
            return Ok(());
        }
        match self.format.framing() {
            // Skips the rest of the line that contains the byte before the cell.
            Framing::Lines => {
                self.records.seek(start - 1);
                self.records.advance(check).map_err(|error| error.at_offset(start))?;
            }
            Framing::Csv { quote, .. } => {
                if self.records.offset() > start {
                    self.records.seek(self.body.start);
                }
                let start = start.min(self.body.end);
                while self.records.offset() < start {
                    let offset = self.records.offset();
                    let skipped = self.records.skip_unquoted(quote, start, check);
                    if !skipped.map_err(|error| error.at_offset(offset))? {
                        self.pass_record(check)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether a record is a row.
pub(crate) fn is_row(found: &Found, format: &TextFormat) -> bool {
    !found.is_blank || format.counts_blank_lines()
}

impl ChunkScan for TextScan {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        if let Some(error) = &self.failed {
            return Err(error.again());
        }
        let (number, offset) = (self.number, self.offset);
        if offset >= self.body.end {
            return Ok(None);
        }
        self.records.seek(offset);
        let rows = self.pass(self.format.cell(offset), check).map_err(|error| {
            let error = error.in_block(number, offset);
            if !check.has_stopped() {
                self.failed = Some(error.again());
            }
            error
        })?;
        let end = self.records.offset().min(self.body.end);
        (self.number, self.offset) = (number + 1, end);
        Ok(Some(Chunk { number, offset, end, rows }))
    }

    fn seek(&mut self, offset: u64, number: u64) {
        (self.offset, self.number, self.failed) = (offset, number, None);
    }

    /// CSV records are scanned from the start of the file, or from the current record, because the quotes before an offset
    /// decide whether a line end after it ends a record.
    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let cell = self.format.cell(from);
        self.enter(cell, check)?;
        if self.records.offset() < from.min(self.body.end) {
            self.enter(cell + 1, check)?;
        }
        let found = self.records.offset();
        Ok((found < self.body.end).then_some(found))
    }
}

/// A scan of the only chunk of a compressed file. It reads the whole file to count the rows.
#[derive(Debug)]
pub(crate) struct CompressedScan {
    /// All records; `None` after they were counted.
    records: Option<Records>,
    format: TextFormat,
    len: u64,
    /// The fault after the last readable row.
    fault: Option<FeedError>,
}

impl CompressedScan {
    /// Creates a scan of a file of `len` bytes with these records.
    pub(crate) fn new(records: Records, format: TextFormat, len: u64) -> Self {
        Self { records: Some(records), format, len, fault: None }
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
            match records.advance(check) {
                Ok(Some(found)) => rows += u64::from(is_row(&found, &self.format)),
                Ok(None) => break,
                Err(error) if check.has_stopped() || error.io_error().is_some() => return Err(error),
                Err(error) => {
                    self.fault = Some(error.in_numbered_block(u64::from(rows > 0)));
                    break;
                }
            }
            check.after(LOOK)?;
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
