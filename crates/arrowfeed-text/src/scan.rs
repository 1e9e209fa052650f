//! The chunks of a file.

use std::ops::Range;

use arrowfeed_source::format::{Chunk, ChunkScan};
use arrowfeed_source::{Check, FeedError};

use crate::format::TextFormat;
use crate::framing::Framing;
use crate::records::{Found, Records};

/// Work of a record beside its bytes, in bytes that take as long to look at.
const LOOK: usize = 16;

/// The chunks of a file that is not compressed, from the ends of its records.
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
    /// A scan of the chunks in `body`, where `records` begin.
    pub(crate) fn new(records: Records, format: TextFormat, body: Range<u64>) -> Self {
        Self { records, format, number: 0, offset: body.start, body, failed: None }
    }

    /// Passes the records that start in a cell. Returns their number.
    fn pass(&mut self, cell: u64, check: &Check<'_>) -> Result<u64, FeedError> {
        let mut rows = 0;
        while self.records.offset() < self.body.end && self.format.cell(self.records.offset()) == cell {
            check.after(LOOK)?;
            let offset = self.records.offset();
            match self.records.advance(check).map_err(|error| error.at_offset(offset))? {
                Some(found) => rows += u64::from(is_row(&found, &self.format)),
                // The file has become shorter: who decodes it says so.
                None => self.records.seek(self.body.end),
            }
        }
        Ok(rows)
    }

    /// Goes to the first record that starts in a cell or behind it.
    fn enter(&mut self, cell: u64, check: &Check<'_>) -> Result<(), FeedError> {
        let start = self.format.cell_start(cell);
        if start <= self.body.start {
            self.records.seek(self.body.start);
            return Ok(());
        }
        match self.format.framing() {
            // A line that ends in the byte before the cell, or goes on into it.
            Framing::Lines => {
                self.records.seek(start - 1);
                self.records.advance(check).map_err(|error| error.at_offset(start))?;
            }
            Framing::Csv { .. } => {
                if self.records.offset() > start {
                    self.records.seek(self.body.start);
                }
                while self.records.offset() < start.min(self.body.end) {
                    self.pass(self.format.cell(self.records.offset()), check)?;
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

    /// The records of CSV are counted from the start of the file, or from the last record that was found, since a quote before an
    /// offset decides whether a line end behind it ends a record.
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

/// The only chunk of a compressed file. Its rows are counted, for which the whole file is read.
#[derive(Debug)]
pub(crate) struct CompressedScan {
    /// `None`: they were counted.
    records: Option<Records>,
    format: TextFormat,
    len: u64,
    /// Behind the rows that can be read.
    fault: Option<FeedError>,
}

impl CompressedScan {
    /// The scan of a file of `len` bytes, which has these records.
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
