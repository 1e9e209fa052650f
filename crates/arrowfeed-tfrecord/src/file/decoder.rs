//! Decodes the rows of a unit, record by record.
//!
//! Only the bytes of a record decide whether it is skipped: it cannot be decoded, or the bytes are not a record. All readers
//! therefore skip the same records, whichever rows of a chunk they read.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_source::format::{ChunkRun, Claim, DecodeOptions, LocatedBatch, RowOrigin, Unit, UnitDecoder};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, OnError, Report, Skipped};

use super::input::{Found, Input};
use super::record_file::RecordFile;
use super::rows::Rows;

/// Fixed cost of a record, as the number of bytes that take as long to decode.
const RECORD_WORK: usize = 64;

/// Decodes one unit into batches.
pub(super) struct RecordDecoder {
    file: Arc<RecordFile>,
    on_error: OnError,
    input: Input,
    /// Runs that have not been started.
    runs: VecDeque<ChunkRun>,
    chunk: Option<OpenChunk>,
    /// Number of the next chunk.
    number: u64,
    dropped: u64,
    kept: u64,
    rows: Rows,
    /// Origins of the rows of the batch.
    origins: Vec<RowOrigin>,
    /// Whether the next row needs a new origin, because it does not directly follow the previous row of the batch.
    is_apart: bool,
    batch_size: u64,
    /// Rows left until the batch ends. Skipped rows count too, so this follows the row counts that chunks declare.
    window_left: u64,
    /// Upper bound of the memory that the batch takes, in bytes.
    bytes: usize,
    claim: Option<Claim>,
    has_claimed: bool,
    /// An error that is returned after the batch before it.
    failure: Option<FeedError>,
    ended: bool,
    report: Report,
}

/// The current chunk.
struct OpenChunk {
    number: u64,
    offset: u64,
    /// Number of its records that were read.
    row: u64,
}

/// The result of one step.
enum Step {
    Row,
    /// All rows were decoded, or the caller declined a chunk.
    End,
}

impl RecordDecoder {
    pub(super) fn new(
        file: Arc<RecordFile>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Self {
        let batch_size = options.batch_size as u64;
        let mut decoder = Self {
            input: file.input(),
            rows: file.rows(),
            file,
            on_error: options.on_error,
            runs: unit.runs,
            chunk: None,
            number: 0,
            dropped: unit.dropped,
            kept: unit.kept,
            origins: Vec::new(),
            is_apart: true,
            batch_size,
            window_left: unit.first_batch.unwrap_or(batch_size).max(1),
            bytes: 0,
            claim,
            has_claimed: false,
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
        self.input.begin(run.range);
        true
    }

    /// Decodes rows until the batch is full. Returns false at the end of the unit.
    fn fill(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        let batch_bytes = self.file.encoding().batch_bytes(self.file.limits().batch_bytes);
        while self.window_left > 0 {
            match self.step(check)? {
                Step::Row if self.bytes <= batch_bytes => {}
                Step::Row => break,
                Step::End => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Reads one record, and adds it to the batch if this unit keeps it.
    #[inline]
    fn step(&mut self, check: &Check<'_>) -> Result<Step, FeedError> {
        if self.kept == 0 {
            return Ok(Step::End);
        }
        let found = match self.input.next() {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(if self.begin_run() { Step::Row } else { Step::End }),
            Err(error) => return self.skip_frame(error, check),
        };
        let cell = |offset| offset / self.file.cell_bytes();
        if self.chunk.as_ref().is_none_or(|chunk| cell(chunk.offset) != cell(found.offset))
            && !self.begin_chunk(found.offset, check)?
        {
            return Ok(Step::End);
        }
        check.after(found.bytes.saturating_add(RECORD_WORK))?;
        let row = self.chunk.as_mut().map_or(0, |chunk| {
            chunk.row += 1;
            chunk.row - 1
        });
        if self.dropped > 0 {
            self.dropped -= 1;
            return Ok(Step::Row);
        }
        self.kept -= 1;
        self.window_left -= 1;
        let pushed = match self.input.record(self.file.limits()) {
            Ok(record) => self.rows.push(record),
            Err(error) => Err(error),
        };
        match pushed {
            Ok(()) => self.end_row(found, row),
            Err(error) => self.skip_record(error, found, row)?,
        }
        Ok(Step::Row)
    }

    #[inline]
    fn end_row(&mut self, found: Found, row: u64) {
        if std::mem::take(&mut self.is_apart)
            && let Some(chunk) = &self.chunk
        {
            let (number, offset) = (chunk.number, chunk.offset);
            self.origins.push(RowOrigin { row: self.rows.len() - 1, chunk: number, offset, before: row });
        }
        self.bytes = self.bytes.saturating_add(self.rows.most_bytes(found.bytes));
        if let Input::Plain(_) = self.input {
            self.report.bytes += found.bytes as u64;
        }
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
        if !self.claimed(offset)? {
            return Ok(false);
        }
        self.end_chunk();
        // The unit that has the first row of a chunk counts it.
        if self.dropped == 0 {
            self.report.blocks += 1;
            if let Input::Compressed(_) = self.input {
                self.report.bytes += self.file.len();
            }
        }
        self.chunk = Some(OpenChunk { number: self.number, offset, row: 0 });
        self.number += 1;
        self.is_apart = true;
        Ok(true)
    }

    /// Asks the caller whether to decode the chunk at `offset`.
    ///
    /// Corrupt bytes belong to the preceding chunk, and are claimed only if there is none. Two readers of parts of a file
    /// thus agree which of them handles the bytes, although neither knows where they end.
    fn claimed(&mut self, offset: u64) -> Result<bool, FeedError> {
        self.has_claimed = true;
        let Some(claim) = &mut self.claim else { return Ok(true) };
        claim(offset).map_err(|failure| {
            let message = format!("expected a result of the claim function, found an error: {failure}");
            FeedError::new(FeedErrorKind::Interrupted, message).with_source(failure)
        })
    }

    /// Skips a record that cannot be decoded, or returns its error.
    #[cold]
    fn skip_record(&mut self, error: FeedError, found: Found, row: u64) -> Result<(), FeedError> {
        let chunk = self.chunk.as_ref().map_or(0, |chunk| chunk.number);
        let error = error.with_record(row);
        let error = match self.input {
            Input::Plain(_) => error.in_block(chunk, found.offset),
            Input::Compressed(_) | Input::Nothing => error.in_numbered_block(chunk),
        };
        self.skip_or_fail(error, Some(1))?;
        self.is_apart = true;
        Ok(())
    }

    /// Skips bytes that are not a record, or returns their error. The number of lost rows is unknown.
    #[cold]
    fn skip_frame(&mut self, error: FeedError, check: &Check<'_>) -> Result<Step, FeedError> {
        let fault = self.input.fault();
        if let Some(offset) = fault.filter(|_| !self.has_claimed)
            && !self.claimed(offset)?
        {
            return Ok(Step::End);
        }
        let error = match fault {
            Some(offset) => error.in_block(self.number, offset),
            None => error.in_numbered_block(self.number),
        };
        self.skip_or_fail(error, None)?;
        self.end_chunk();
        self.input.find_next(check)?;
        Ok(Step::Row)
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
        (self.bytes, self.is_apart) = (0, true);
        let origins = std::mem::take(&mut self.origins);
        if self.rows.len() == 0 {
            return Ok(None);
        }
        let batch = self.file.encoding().encoded(self.rows.finish());
        match batch {
            Ok(batch) => Ok(Some(LocatedBatch { batch, origins })),
            Err(error) => {
                self.ended = true;
                Err(error.in_file(self.file.name()))
            }
        }
    }
}

impl UnitDecoder for RecordDecoder {
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

    fn recycle(self: Box<Self>) {
        if self.rows.len() == 0 {
            self.file.give_back(self.rows);
        }
    }
}
