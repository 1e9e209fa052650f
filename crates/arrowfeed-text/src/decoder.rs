//! Decodes the rows of a unit, record by record.
//!
//! Only the bytes of a record decide whether it is valid. All readers therefore skip the same records, whichever rows of a
//! chunk they read.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_select::concat_batches;
use arrowfeed_source::format::{
    ChunkRun, Claim, DecodeOptions, FileFormat, LocatedBatch, RowOrigin, Unit, UnitDecoder,
};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, OnError, Report, Skipped, thousands};

use crate::file::TextFile;
use crate::group::{Group, Parsed};
use crate::records::{Found, Records};
use crate::scan::is_row;

/// Number of bytes from which on a group of records is parsed.
const GROUP_BYTES: usize = 1 << 20;

/// Fixed cost of a record, as the number of bytes that take as long to decode.
const RECORD_WORK: usize = 64;

/// Decodes one unit into batches.
pub(crate) struct TextDecoder {
    file: Arc<TextFile>,
    on_error: OnError,
    records: Records,
    /// Offset at which the current run ends.
    run_end: u64,
    /// Runs that have not been started.
    runs: VecDeque<ChunkRun>,
    chunk: Option<OpenChunk>,
    /// Number of the next chunk.
    number: u64,
    dropped: u64,
    kept: u64,
    /// Records that were read but not parsed, and their locations.
    group: Group,
    places: Vec<RecordLocation>,
    /// Rows of the batch so far.
    parts: Vec<RecordBatch>,
    rows: usize,
    origins: Vec<RowOrigin>,
    batch_size: u64,
    /// Rows left until the batch ends. Skipped rows count too, so this follows the row counts that chunks declare.
    window_left: u64,
    /// Upper bound of the memory that the batch takes, in bytes.
    bytes: usize,
    claim: Option<Claim>,
    /// An error that is returned after the batch before it.
    failure: Option<FeedError>,
    ended: bool,
    report: Report,
}

/// The current chunk.
struct OpenChunk {
    number: u64,
    offset: u64,
    /// Number of its rows that were read.
    row: u64,
}

/// The location of a record.
#[derive(Clone, Copy)]
struct RecordLocation {
    chunk: u64,
    chunk_offset: u64,
    row: u64,
    offset: u64,
}

/// The result of one step.
enum Step {
    Record,
    /// All rows were decoded, or the caller declined a chunk.
    End,
}

impl TextDecoder {
    pub(crate) fn new(
        file: Arc<TextFile>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Self {
        let batch_size = options.batch_size as u64;
        let mut decoder = Self {
            records: file.records(),
            file,
            on_error: options.on_error,
            run_end: 0,
            runs: unit.runs,
            chunk: None,
            number: 0,
            dropped: unit.dropped,
            kept: unit.kept,
            group: Group::default(),
            places: Vec::new(),
            parts: Vec::new(),
            rows: 0,
            origins: Vec::new(),
            batch_size,
            window_left: unit.first_batch.unwrap_or(batch_size).max(1),
            bytes: 0,
            claim,
            failure: None,
            ended: false,
            report: Report::default(),
        };
        decoder.ended = !decoder.begin_run();
        decoder
    }

    /// Starts the next run. Returns false if there is none.
    fn begin_run(&mut self) -> bool {
        let Some(run) = self.runs.pop_front() else { return false };
        self.end_chunk();
        self.number = run.first_number;
        if self.file.is_gzip() {
            // The only chunk starts at offset 0.
            self.run_end = if run.range.contains(&0) { u64::MAX } else { 0 };
        } else {
            self.records.begin(&run.range);
            self.run_end = run.range.end;
        }
        true
    }

    /// Decodes rows until the batch is full. Returns false at the end of the unit.
    fn fill(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        let most = self.file.format().parser().most_records();
        let goes_on = loop {
            if self.window_left == 0 || self.bytes > self.file.limits().batch_bytes {
                break Ok(true);
            }
            match self.step(check) {
                Ok(Step::Record) => {}
                Ok(Step::End) => break Ok(false),
                Err(error) => break Err(error),
            }
            if self.group.len() >= most || self.group.bytes() >= GROUP_BYTES {
                self.parse()?;
            }
        };
        if check.has_stopped() {
            return goes_on;
        }
        // The records before an error are returned first.
        self.parse()?;
        goes_on
    }

    /// Reads one record, and adds it to the group if this unit keeps it.
    fn step(&mut self, check: &Check<'_>) -> Result<Step, FeedError> {
        if self.kept == 0 {
            return Ok(Step::End);
        }
        let offset = self.records.offset();
        let found = if offset < self.run_end { self.records.advance(check) } else { Ok(None) };
        let found = match found {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(if self.begin_run() { Step::Record } else { Step::End }),
            Err(error) => return self.end_run_at(error, offset, check),
        };
        let cell = |offset| if self.file.is_gzip() { 0 } else { self.file.format().cell(offset) };
        if self.chunk.as_ref().is_none_or(|chunk| cell(chunk.offset) != cell(found.offset))
            && !self.begin_chunk(if self.file.is_gzip() { 0 } else { offset }, check)?
        {
            return Ok(Step::End);
        }
        check.after(RECORD_WORK.saturating_add(found.length as usize))?;
        if !is_row(&found, self.file.format()) {
            return Ok(Step::Record);
        }
        let Some(chunk) = &mut self.chunk else { return Ok(Step::Record) };
        let place =
            RecordLocation { chunk: chunk.number, chunk_offset: chunk.offset, row: chunk.row, offset };
        chunk.row += 1;
        if self.dropped > 0 {
            self.dropped -= 1;
            return Ok(Step::Record);
        }
        self.kept -= 1;
        self.window_left -= 1;
        self.push(found, place)?;
        Ok(Step::Record)
    }

    fn push(&mut self, found: Found, place: RecordLocation) -> Result<(), FeedError> {
        if let Some(fault) = found.fault {
            self.parse()?;
            let most_bytes = self.file.limits().decoded_block_bytes;
            return self.skip_record(fault.error(found.length, "decoded_block_bytes", most_bytes), place);
        }
        let parser = self.file.format().parser();
        let record = if found.is_blank { parser.blank_record() } else { self.records.bytes() };
        let (beside, most) = (parser.overhead_bytes(record), self.file.limits().batch_bytes);
        if beside > most {
            let (most, found) = (thousands(most as u64), thousands(beside as u64));
            let message = format!("expected objects with at most {most} bytes of nulls, found up to {found}");
            self.parse()?;
            return self.skip_record(FeedError::limit_reached("batch_bytes", message), place);
        }
        if self.bytes == 0 {
            self.bytes = parser.fixed_bytes();
        }
        self.bytes = self.bytes.saturating_add(parser.most_bytes(record));
        self.group.push(record);
        self.places.push(place);
        if !self.file.is_gzip() {
            self.report.bytes += found.length;
        }
        Ok(())
    }

    /// Parses the records of the group. After an error, the rows before the invalid record are part of the batch.
    fn parse(&mut self) -> Result<(), FeedError> {
        let parsed = self.group.parse(self.file.format().parser(), self.on_error != OnError::SkipBlock);
        let places = std::mem::take(&mut self.places);
        self.group.clear();
        for part in parsed {
            match part {
                Parsed::Rows(range, batch) => self.add(&places, range, batch),
                Parsed::Wrong(record, error) => {
                    let error = self.file.format().explained(error);
                    self.skip_record(error, places[record])?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, places: &[RecordLocation], range: Range<usize>, batch: RecordBatch) {
        for (row, place) in (self.rows..).zip(&places[range]) {
            let follows = self.origins.last().is_some_and(|last| {
                last.chunk == place.chunk && last.before + (row - last.row) as u64 == place.row
            });
            if !follows {
                let RecordLocation { chunk, chunk_offset, row: before, .. } = *place;
                self.origins.push(RowOrigin { row, chunk, offset: chunk_offset, before });
            }
        }
        self.rows += batch.num_rows();
        self.parts.push(batch);
    }

    /// Ends the current chunk. Only the first chunk of a unit has rows of another unit.
    fn end_chunk(&mut self) {
        if self.chunk.take().is_some() {
            self.dropped = 0;
        }
    }

    /// Starts a chunk. Returns false if the caller declines it.
    fn begin_chunk(&mut self, offset: u64, check: &Check<'_>) -> Result<bool, FeedError> {
        check.now()?;
        if let Some(claim) = &mut self.claim {
            let claimed = claim(offset).map_err(|failure| {
                let message = format!("expected a result of the claim function, found an error: {failure}");
                FeedError::new(FeedErrorKind::Interrupted, message).with_source(failure)
            })?;
            if !claimed {
                return Ok(false);
            }
        }
        self.end_chunk();
        // The unit that has the first row of a chunk counts it.
        if self.dropped == 0 {
            self.report.blocks += 1;
            if self.file.is_gzip() {
                self.report.bytes += self.file.len();
            }
        }
        self.chunk = Some(OpenChunk { number: self.number, offset, row: 0 });
        self.number += 1;
        Ok(true)
    }

    /// Skips a record that cannot be decoded, or returns its error.
    #[cold]
    fn skip_record(&mut self, error: FeedError, place: RecordLocation) -> Result<(), FeedError> {
        let error = error.with_record(place.row);
        let error = if self.file.is_gzip() {
            error.in_numbered_block(place.chunk)
        } else {
            error.in_block(place.chunk, place.offset)
        };
        self.skip_or_fail(error, Some(1))
    }

    /// Ends a run at bytes that cannot be read or decompressed, or returns their error.
    #[cold]
    fn end_run_at(&mut self, error: FeedError, offset: u64, check: &Check<'_>) -> Result<Step, FeedError> {
        if check.has_stopped() {
            return Err(error);
        }
        let error = if self.file.is_gzip() {
            error.in_numbered_block(self.number)
        } else {
            error.in_block(self.number, offset)
        };
        self.parse()?;
        self.skip_or_fail(error, None)?;
        self.run_end = 0;
        Ok(Step::Record)
    }

    /// Reports skipped rows if the options allow skipping after such an error. Returns the error otherwise.
    fn skip_or_fail(&mut self, error: FeedError, rows: Option<u64>) -> Result<(), FeedError> {
        let error = error.in_file(self.file.name());
        let system = matches!(error.kind(), FeedErrorKind::Io | FeedErrorKind::Changed);
        if self.on_error != OnError::SkipBlock || !error.is_of_the_file() || system {
            return Err(error);
        }
        let (path, block, offset) =
            (self.file.name().to_owned(), error.location().block, error.location().offset);
        self.report.skipped.push(Skipped { path, block, offset, rows, error: error.to_string() });
        Ok(())
    }

    /// Takes the rows so far as a batch; `None` if there are none.
    fn batch(&mut self) -> Result<Option<LocatedBatch>, FeedError> {
        self.bytes = 0;
        let (mut parts, origins) = (std::mem::take(&mut self.parts), std::mem::take(&mut self.origins));
        let batch = match parts.len() {
            0 | 1 => parts.pop(),
            _ => {
                Some(concat_batches(self.file.format().schema(), &parts.iter().collect::<Vec<_>>()).map_err(
                    |error| {
                        FeedError::new(FeedErrorKind::Internal, "expected parts of one schema")
                            .with_source(error)
                    },
                )?)
            }
        };
        Ok((std::mem::take(&mut self.rows) > 0)
            .then_some(batch)
            .flatten()
            .map(|batch| LocatedBatch { batch, origins }))
    }
}

impl UnitDecoder for TextDecoder {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        loop {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.ended {
                return Ok(None);
            }
            match self.fill(check) {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = true;
                    self.failure = self.file.check_unchanged().err();
                }
                Err(error) if check.has_stopped() => return Err(error),
                Err(error) => {
                    self.ended = true;
                    let error = self.file.check_unchanged().err().unwrap_or(error);
                    self.failure = Some(error.in_file(self.file.name()));
                }
            }
            if self.window_left == 0 {
                self.window_left = self.batch_size;
            }
            if let Some(batch) = self.batch()? {
                return Ok(Some(batch));
            }
        }
    }

    fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    fn recycle(self: Box<Self>) {}
}
