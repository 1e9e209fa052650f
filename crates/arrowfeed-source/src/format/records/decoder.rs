//! Decodes the rows of a unit, record by record.
//!
//! Only the bytes of a record decide whether it is skipped: it cannot be decoded, or the bytes are not a record. All readers
//! therefore skip the same records, whichever rows of a chunk they read.

use std::collections::VecDeque;
use std::sync::Arc;

use super::scan::cell_end;
use super::{FramedFile, FramedFormat, RecordReader, RowBuilder};
use crate::format::{
    BatchCountdown, ChunkRun, Claim, Claims, DecodeOptions, LocatedBatch, RowOrigin, Unit, UnitDecoder,
};
use crate::{Check, FeedError, OnError, Report, Skipped};

/// Fixed cost of a record, as the number of bytes that take as long to decode.
const RECORD_WORK: usize = 64;

/// Decodes one unit into batches.
pub(super) struct RecordDecoder<F: FramedFormat> {
    file: Arc<FramedFile<F>>,
    is_compressed: bool,
    on_error: OnError,
    reader: F::Reader,
    /// Offset at which the current run ends.
    run_end: u64,
    /// Runs that have not been started.
    runs: VecDeque<ChunkRun>,
    chunk: Option<OpenChunk>,
    /// Number of the next chunk.
    number: u64,
    dropped: u64,
    kept: u64,
    builder: F::Rows,
    /// Locations of the records that `builder` stores but has not decoded.
    stored: Vec<RecordLocation>,
    /// Origins of the rows of the batch.
    origins: Vec<RowOrigin>,
    countdown: BatchCountdown,
    claims: Claims,
    /// An error that is returned after the batch before it.
    failure: Option<FeedError>,
    ended: bool,
    report: Report,
}

/// The current chunk.
struct OpenChunk {
    number: u64,
    offset: u64,
    /// Offset at which its cell ends.
    cell_end: u64,
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

impl<F: FramedFormat> RecordDecoder<F> {
    pub(super) fn new(
        file: Arc<FramedFile<F>>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Self {
        let mut decoder = Self {
            is_compressed: file.is_compressed(),
            reader: file.format().reader(&file),
            builder: file.format().rows(),
            file,
            on_error: options.on_error,
            run_end: 0,
            runs: unit.runs,
            chunk: None,
            number: 0,
            dropped: 0,
            kept: 0,
            stored: Vec::new(),
            origins: Vec::new(),
            countdown: BatchCountdown::new(options.batch_size as u64, unit.first_batch),
            claims: Claims::new(claim),
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
        (self.number, self.dropped, self.kept) = (run.first_number, run.dropped, run.kept);
        if self.is_compressed {
            // The only chunk starts at offset 0.
            self.run_end = if run.range.contains(&0) { u64::MAX } else { 0 };
        } else {
            self.run_end = run.range.end;
            self.reader.begin(run.range);
        }
        true
    }

    /// Decodes rows until the batch is full. Returns false at the end of the unit.
    fn fill(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        let most = self.file.format().batch_bytes();
        let filled = loop {
            if self.countdown.left() == 0 || self.builder.bytes() > most {
                break Ok(true);
            }
            match self.step(check) {
                Ok(true) => {}
                end_or_error => break end_or_error,
            }
        };
        if check.has_stopped() {
            return filled;
        }
        // The records before an error are returned first.
        self.decode_stored()?;
        filled
    }

    /// Reads one record, and adds it to the batch if this unit keeps it. Returns false if all rows were decoded, or if the
    /// caller declines a chunk.
    #[inline]
    fn step(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        if self.kept == 0 {
            return Ok(self.begin_run());
        }
        let offset = self.reader.offset();
        let found = if offset < self.run_end { self.reader.advance(check) } else { Ok(None) };
        let found = match found {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(self.begin_run()),
            Err(error) => return self.skip_damage(error, offset, check),
        };
        if self.chunk.as_ref().is_none_or(|chunk| offset >= chunk.cell_end)
            && !self.begin_chunk(offset, check)?
        {
            return Ok(false);
        }
        check.after(RECORD_WORK.saturating_add(found.bytes))?;
        let Some(chunk) = self.chunk.as_mut().filter(|_| found.is_row) else { return Ok(true) };
        let place =
            RecordLocation { chunk: chunk.number, chunk_offset: chunk.offset, row: chunk.row, offset };
        chunk.row += 1;
        if self.dropped > 0 {
            self.dropped -= 1;
            return Ok(true);
        }
        self.kept -= 1;
        self.countdown.count(1);
        let pushed = match self.reader.record() {
            Ok(record) => self.builder.push(record),
            Err(error) => Err(error),
        };
        if let Err(error) = pushed {
            self.decode_stored()?;
            self.skip_record(error, place)?;
            return Ok(true);
        }
        if !self.is_compressed {
            self.report.bytes += found.bytes as u64;
        }
        if F::Rows::IS_DEFERRED {
            self.stored.push(place);
            if self.builder.is_full() {
                self.decode_stored()?;
            }
        } else {
            self.add_origin(self.builder.rows() - 1, place);
        }
        Ok(true)
    }

    /// Adds an origin for a row, unless it directly follows the previous row of the batch.
    #[inline]
    fn add_origin(&mut self, row: usize, place: RecordLocation) {
        let follows = self.origins.last().is_some_and(|last| {
            last.chunk == place.chunk && last.before + (row - last.row) as u64 == place.row
        });
        if !follows {
            let RecordLocation { chunk, chunk_offset: offset, row: before, .. } = place;
            self.origins.push(RowOrigin { row, chunk, offset, before });
        }
    }

    /// Decodes the stored records. After an error, the rows before the invalid record are part of the batch.
    fn decode_stored(&mut self) -> Result<(), FeedError> {
        if !F::Rows::IS_DEFERRED {
            return Ok(());
        }
        let mut row = self.builder.rows();
        let decoded = self.builder.decode(self.on_error != OnError::SkipBlock);
        let places = std::mem::take(&mut self.stored);
        let mut left = &places[..];
        for part in decoded {
            let (places, rest) = left.split_at(*part.as_ref().unwrap_or(&1));
            left = rest;
            match part {
                Ok(_) => {
                    for place in places {
                        self.add_origin(row, *place);
                        row += 1;
                    }
                }
                Err(error) => self.skip_record(error, places[0])?,
            }
        }
        Ok(())
    }

    /// Ends the current chunk. Only the first chunk of a run has rows of another run.
    fn end_chunk(&mut self) {
        if self.chunk.take().is_some() {
            self.dropped = 0;
        }
    }

    /// Starts the chunk of the record at `offset`. Returns false if the caller declines it.
    fn begin_chunk(&mut self, offset: u64, check: &Check<'_>) -> Result<bool, FeedError> {
        let (offset, cell_end) = match self.is_compressed {
            true => (0, u64::MAX),
            false => (offset, cell_end(offset, self.file.format().chunk_bytes())),
        };
        check.now()?;
        if !self.claims.ask(offset)? {
            return Ok(false);
        }
        self.end_chunk();
        // The run that has the first row of a chunk counts it.
        if self.dropped == 0 {
            self.report.blocks += 1;
            if self.is_compressed {
                self.report.bytes += self.file.file().len();
            }
        }
        self.chunk = Some(OpenChunk { number: self.number, offset, cell_end, row: 0 });
        self.number += 1;
        Ok(true)
    }

    /// Skips a record that cannot be decoded, or returns its error.
    #[cold]
    fn skip_record(&mut self, error: FeedError, place: RecordLocation) -> Result<(), FeedError> {
        let error = self.located(error.with_record(place.row), place.chunk, place.offset);
        self.skip_or_fail(error, Some(1))
    }

    /// Skips bytes that are not a record, or returns their error. The number of lost rows is unknown. Returns false if the
    /// bytes belong to another reader.
    #[cold]
    fn skip_damage(&mut self, error: FeedError, offset: u64, check: &Check<'_>) -> Result<bool, FeedError> {
        if check.has_stopped() {
            return Err(error);
        }
        if !self.claims.ask_for_damage((!self.is_compressed).then_some(offset))? {
            return Ok(false);
        }
        self.decode_stored()?;
        let error = self.located(error, self.number, offset);
        self.skip_or_fail(error, None)?;
        self.end_chunk();
        if F::Reader::FINDS_AFTER_DAMAGE && !self.is_compressed {
            let next = self.reader.find(offset + 1, check)?.unwrap_or(self.run_end);
            self.reader.begin(next..self.run_end);
        } else {
            self.run_end = 0;
        }
        Ok(true)
    }

    fn located(&self, error: FeedError, chunk: u64, offset: u64) -> FeedError {
        if self.is_compressed { error.in_numbered_block(chunk) } else { error.in_block(chunk, offset) }
    }

    /// Reports skipped rows if the options allow skipping after such an error. Returns the error otherwise.
    fn skip_or_fail(&mut self, error: FeedError, rows: Option<u64>) -> Result<(), FeedError> {
        let error = error.in_file(self.file.name());
        if !self.on_error.skips_chunk(&error) {
            return Err(error);
        }
        let (path, block, offset) =
            (self.file.name().to_owned(), error.location().block, error.location().offset);
        self.report.skipped.push(Skipped { path, block, offset, rows, error: error.to_string() });
        Ok(())
    }

    /// Takes the rows so far as a batch; `None` if there are none.
    fn batch(&mut self) -> Result<Option<LocatedBatch>, FeedError> {
        let origins = std::mem::take(&mut self.origins);
        match self.builder.finish() {
            Ok(batch) => Ok(batch.map(|batch| LocatedBatch { batch, origins })),
            Err(error) => {
                self.ended = true;
                Err(error.in_file(self.file.name()))
            }
        }
    }
}

impl<F: FramedFormat> UnitDecoder for RecordDecoder<F> {
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
                    self.failure = self.file.file().check_unchanged().err();
                }
                Err(error) if check.has_stopped() => return Err(error),
                Err(error) => {
                    self.ended = true;
                    let error = self.file.file().check_unchanged().err().unwrap_or(error);
                    self.failure = Some(error.in_file(self.file.name()));
                }
            }
            self.countdown.restart();
            if let Some(batch) = self.batch()? {
                return Ok(Some(batch));
            }
        }
    }

    fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    fn recycle(self: Box<Self>) {
        if self.builder.rows() == 0 {
            self.file.format().give_back(self.builder);
        }
    }
}
