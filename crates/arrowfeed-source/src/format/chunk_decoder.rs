//! A decoder for formats that can read a chunk from any row. It reads chunk by chunk and ends batches at the required rows.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;

use super::{
    BatchCountdown, Chunk, ChunkRun, Claim, Claims, DecodeOptions, LocatedBatch, RowOrigin, Unit, UnitDecoder,
};
use crate::{Check, FeedError, FeedErrorKind, OnError, Report, Skipped, counted, thousands};

/// Maximum number of rows per read. The caller may cancel between two reads.
const MAX_ROWS: u64 = 16_384;

/// The rows of a chunk that a decoder reads.
#[derive(Debug)]
pub enum Selection<R> {
    /// All rows: the decoder is not [selective](super::FormatFile::selective_decoder).
    All,
    /// The rows that pass, which [`ReadChunks::next`] reads with this state.
    Passing(R),
    /// No row passes. The chunk was not read.
    Nothing,
}

/// A file whose chunks can be read from any row. [`ChunkDecoder`] is its [`UnitDecoder`].
pub trait ReadChunks: Send + Sync {
    /// State of reading rows of one chunk.
    type Rows: Send;

    /// The name of the file in messages.
    fn name(&self) -> &str;

    /// Returns the chunks whose offset is in the range, in order. They are known when the file is open;
    /// this method reads nothing.
    fn chunks_in(&self, range: &Range<u64>) -> Vec<Chunk>;

    /// Size of a chunk in bytes, for the report.
    fn chunk_bytes(&self, chunk: &Chunk) -> u64;

    /// Maximum size of a batch in bytes.
    fn batch_bytes(&self) -> usize;

    /// Selects the rows of a chunk that are read, in batches of at most `_batch_size` rows. Default: all.
    ///
    /// # Errors
    /// Same as [`begin`](Self::begin), or the caller cancels.
    fn select(
        &self,
        _chunk: &Chunk,
        _batch_size: usize,
        _check: &Check<'_>,
    ) -> Result<Selection<Self::Rows>, FeedError> {
        Ok(Selection::All)
    }

    /// Starts reading the given rows of a chunk, in batches of `batch_size` rows; the last batch may be shorter.
    /// `batch_size` is at most 16,384, whatever the caller requested. Rows that together exceed
    /// [`batch_bytes`](Self::batch_bytes) may be divided into several batches, which also end at multiples of `batch_size`.
    ///
    /// # Errors
    /// The chunk cannot be read. The caller adds the chunk and the file to the error.
    fn begin(&self, chunk: &Chunk, rows: Range<u64>, batch_size: usize) -> Result<Self::Rows, FeedError>;

    /// Like [`begin`](Self::begin), but may reuse the memory of `_before`, a state that has read rows of the same
    /// chunk. That state may be at any position in the chunk, also after `rows`. Default: calls `begin`.
    ///
    /// # Errors
    /// Same as [`begin`](Self::begin).
    fn begin_reusing(
        &self,
        _before: Self::Rows,
        chunk: &Chunk,
        rows: Range<u64>,
        batch_size: usize,
    ) -> Result<Self::Rows, FeedError> {
        self.begin(chunk, rows, batch_size)
    }

    /// Returns the next batch; `None` after the last one. If a row in the middle of a batch is invalid, the rows before
    /// it form a batch, and the next call, which is the last one, returns the error.
    ///
    /// # Errors
    /// Same as [`begin`](Self::begin).
    fn next(&self, rows: &mut Self::Rows) -> Result<Option<RecordBatch>, FeedError>;

    /// Adds the location of the chunk to the error. Default: its number and its byte offset.
    fn in_chunk(&self, chunk: &Chunk, error: FeedError) -> FeedError {
        error.in_block(chunk.number, chunk.offset)
    }

    /// Checks that the file has not changed since it was opened. Called at the end, and before another error is returned.
    ///
    /// # Errors
    /// The file has changed, or its version cannot be read.
    fn check_unchanged(&self) -> Result<(), FeedError>;
}

/// A decoder of one unit. It reads each chunk in one or two stretches, so that batches end at the required rows.
pub struct ChunkDecoder<F: ReadChunks> {
    file: Arc<F>,
    on_error: OnError,
    batch_size: u64,
    /// The next chunks, the number of leading rows that belong to another run, and the number of rows to keep after them.
    chunks: VecDeque<(Chunk, u64, u64)>,
    countdown: BatchCountdown,
    current: Option<RowRange<F::Rows>>,
    claims: Claims,
    ended: bool,
    report: Report,
}

/// Rows of a chunk that are read in batches of one size.
struct RowRange<R> {
    chunk: Chunk,
    rows: R,
    /// Row of the chunk at which the next batch starts, and the row at which the stretch ends.
    row: u64,
    end: u64,
    /// Row of the chunk at which the kept rows end.
    last: u64,
    /// Whether only the rows that pass are read. Then the rows before the next batch are those.
    is_selection: bool,
}

impl<F: ReadChunks> ChunkDecoder<F> {
    /// Creates a decoder for a unit of a file.
    pub fn new(file: Arc<F>, unit: Unit, options: &DecodeOptions, claim: Option<Claim>) -> Self {
        let mut chunks = VecDeque::new();
        for ChunkRun { range, mut dropped, mut kept, .. } in unit.runs {
            for chunk in file.chunks_in(&range) {
                if kept == 0 {
                    break;
                }
                let before = std::mem::take(&mut dropped).min(chunk.rows);
                let own = (chunk.rows - before).min(kept);
                kept -= own;
                chunks.push_back((chunk, before, own));
            }
        }
        let batch_size = options.batch_size as u64;
        Self {
            file,
            on_error: options.on_error,
            batch_size,
            chunks,
            countdown: BatchCountdown::new(batch_size, unit.first_batch),
            current: None,
            claims: Claims::new(claim),
            ended: false,
            report: Report::default(),
        }
    }

    /// Starts the next chunk. Returns false if there is none.
    fn begin_chunk(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        while let Some((chunk, dropped, kept)) = self.chunks.pop_front() {
            if !self.claims.ask(chunk.offset)? {
                break;
            }
            // The set of skipped rows must not depend on which unit reads which rows of a chunk. So the whole chunk is
            // checked first, and either all or none of its rows are skipped. An empty chunk is never read.
            let checked = match self.on_error {
                _ if chunk.rows == 0 => None,
                OnError::Raise => None,
                OnError::SkipBlock | OnError::SkipFile => match self.check_chunk(&chunk, check) {
                    Ok(checked) => Some(checked),
                    Err(error) => {
                        self.skip_or_fail(&chunk, dropped, kept, error)?;
                        continue;
                    }
                },
            };
            let batch_size = usize::try_from(self.batch_size.min(MAX_ROWS)).unwrap_or(usize::MAX);
            let selected = self.file.select(&chunk, batch_size, check);
            let selected = selected.map_err(|error| self.located(&chunk, error))?;
            let is_read = checked.is_some() || !matches!(selected, Selection::Nothing);
            if dropped == 0 && is_read {
                self.report.blocks += 1;
                self.report.bytes += self.file.chunk_bytes(&chunk);
            }
            match selected {
                Selection::All => {}
                Selection::Passing(rows) => {
                    let (end, last) = (chunk.rows, chunk.rows);
                    self.current = Some(RowRange { chunk, rows, row: 0, end, last, is_selection: true });
                    return Ok(true);
                }
                Selection::Nothing => {
                    self.report.rejected += chunk.rows;
                    continue;
                }
            }
            if kept > 0 {
                self.begin_stretch(chunk, dropped, dropped + kept, checked)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads all rows of a chunk and discards them, to detect errors.
    fn check_chunk(&self, chunk: &Chunk, check: &Check<'_>) -> Result<F::Rows, FeedError> {
        let mut stretch = self.stretch(*chunk, 0..chunk.rows, chunk.rows, None)?;
        while self.next_of(&mut stretch)?.is_some() {
            check.now()?;
        }
        Ok(stretch.rows)
    }

    /// Reads the rows from `row` to `last`: first up to the end of the incomplete batch, then whole batches. `before`
    /// is the state of an earlier read of the chunk.
    fn begin_stretch(
        &mut self,
        chunk: Chunk,
        row: u64,
        last: u64,
        before: Option<F::Rows>,
    ) -> Result<(), FeedError> {
        // A batch that is read in several pieces ends at the required row only if a stretch ends there.
        let whole = self.countdown.is_at_start() && self.batch_size <= MAX_ROWS;
        let end = if whole { last } else { last.min(row.saturating_add(self.countdown.left())) };
        self.current = Some(self.stretch(chunk, row..end, last, before)?);
        self.countdown.pass(end - row);
        Ok(())
    }

    fn stretch(
        &self,
        chunk: Chunk,
        range: Range<u64>,
        last: u64,
        before: Option<F::Rows>,
    ) -> Result<RowRange<F::Rows>, FeedError> {
        let Range { start: row, end } = range;
        let size = self.batch_size.min(end - row).min(MAX_ROWS);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let rows = match before {
            None => self.file.begin(&chunk, range, size),
            Some(before) => self.file.begin_reusing(before, &chunk, range, size),
        };
        let rows = rows.map_err(|error| self.located(&chunk, error))?;
        Ok(RowRange { chunk, rows, row, end, last, is_selection: false })
    }

    /// Returns the next batch of the stretch; `None` at its end.
    fn next_of(&self, stretch: &mut RowRange<F::Rows>) -> Result<Option<LocatedBatch>, FeedError> {
        let found = self.file.next(&mut stretch.rows);
        let found = found.map_err(|error| self.located(&stretch.chunk, error))?;
        let (rows, before) = (found.as_ref().map_or(0, RecordBatch::num_rows), stretch.row);
        stretch.row += rows as u64;
        let Some(batch) = found.filter(|_| stretch.row <= stretch.end) else {
            if stretch.row == stretch.end || stretch.row < stretch.end && stretch.is_selection {
                return Ok(None);
            }
            let (expected, found) = (thousands(stretch.end), thousands(stretch.row));
            let message = format!("expected {expected} rows, as the file declares, found {found}");
            let error = FeedError::new(FeedErrorKind::CorruptBlock, message);
            return Err(self.located(&stretch.chunk, error));
        };
        let (bytes, most) = (batch.get_array_memory_size(), self.file.batch_bytes());
        if bytes > most {
            let message = too_large(rows, most, bytes);
            return Err(self.located(&stretch.chunk, FeedError::limit_reached("batch_bytes", message)));
        }
        let Chunk { number: chunk, offset, .. } = stretch.chunk;
        Ok(Some(LocatedBatch { batch, origins: vec![RowOrigin { row: 0, chunk, offset, before }] }))
    }

    fn located(&self, chunk: &Chunk, error: FeedError) -> FeedError {
        let error = self.file.check_unchanged().err().unwrap_or(error);
        self.file.in_chunk(chunk, error).in_file(self.file.name())
    }

    /// Skips a chunk of which this unit keeps `kept` rows after the first `dropped`. Only the unit that contains the
    /// first row of the chunk reports it.
    fn skip_or_fail(
        &mut self,
        chunk: &Chunk,
        dropped: u64,
        kept: u64,
        error: FeedError,
    ) -> Result<(), FeedError> {
        if !self.on_error.skips_chunk(&error) {
            return Err(error);
        }
        if dropped == 0 {
            self.report.skipped.push(Skipped {
                path: self.file.name().to_owned(),
                block: Some(chunk.number),
                offset: Some(chunk.offset),
                rows: Some(chunk.rows),
                error: error.to_string(),
            });
        }
        self.countdown.pass(kept);
        Ok(())
    }

    /// Returns the next batch; `None` at the end.
    fn step(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        loop {
            check.now()?;
            let Some(mut stretch) = self.current.take() else {
                match self.begin_chunk(check)? {
                    true => continue,
                    false => {
                        self.file.check_unchanged().map_err(|error| error.in_file(self.file.name()))?;
                        return Ok(None);
                    }
                }
            };
            match self.next_of(&mut stretch)? {
                Some(batch) => {
                    self.current = Some(stretch);
                    return Ok(Some(batch));
                }
                None if stretch.is_selection => self.report.rejected += stretch.end - stretch.row,
                None if stretch.end < stretch.last => {
                    self.begin_stretch(stretch.chunk, stretch.end, stretch.last, Some(stretch.rows))?;
                }
                None => {}
            }
        }
    }
}

#[cold]
fn too_large(rows: usize, most: usize, found: usize) -> String {
    let help = if rows == 1 { "raise the limit batch_bytes" } else { "ask for fewer" };
    let (rows, most, found) = (counted(rows as u64, "row"), thousands(most as u64), thousands(found as u64));
    format!("expected {rows} to take at most {most} bytes, found {found}: {help}")
}

impl<F: ReadChunks> fmt::Debug for ChunkDecoder<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkDecoder").field("file", &self.file.name()).finish_non_exhaustive()
    }
}

impl<F: ReadChunks> UnitDecoder for ChunkDecoder<F> {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        if self.ended {
            return Ok(None);
        }
        let next = self.step(check);
        self.ended = !matches!(next, Ok(Some(_)));
        next
    }

    fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    fn recycle(self: Box<Self>) {}
}
