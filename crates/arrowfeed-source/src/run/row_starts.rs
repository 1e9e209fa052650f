//! The number of rows before each chunk of a file.

use std::sync::Arc;

use crate::format::{Chunk, ChunkScan, FormatFile};
use crate::{Check, FeedError, FeedErrorKind, ForkLock, Limits, thousands};

/// The number of rows before each chunk of an open file. A scan by any reader of the file records them, so that the chunks
/// are usually scanned once.
#[derive(Debug)]
pub(super) struct RowStarts {
    start: Position,
    known: ForkLock<Known>,
    limits: Limits,
}

#[derive(Debug)]
struct Known {
    /// The offset of each chunk up to `end`, and the number of rows before it.
    chunks: Vec<(u64, u64)>,
    end: Position,
}

/// A position between two chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    offset: u64,
    /// Number of the next chunk.
    number: u64,
    /// Number of rows before it.
    rows: u64,
}

impl RowStarts {
    /// `offset`: that of the first chunk.
    pub(super) fn new(offset: u64, limits: Limits) -> Self {
        let start = Position { offset, number: 0, rows: 0 };
        Self { start, known: ForkLock::new(Known { chunks: Vec::new(), end: start }), limits }
    }

    /// The number of rows before the chunk at `offset`, as the chunks declare them. Scans the file from the last chunk that
    /// is known. `skips`: whether damage is skipped; the rows in it do not count.
    ///
    /// # Errors
    /// A chunk before it cannot be read; the file is a stream; the caller cancels.
    pub(super) fn of_chunk(
        &self,
        file: &dyn FormatFile,
        offset: u64,
        skips: bool,
        check: &Check<'_>,
    ) -> Result<u64, FeedError> {
        let found = self.known.with(|known| (known.before(offset), known.end));
        let mut at = match found {
            Some((Some(rows), _)) => return Ok(rows),
            Some((None, end)) => end,
            None => self.start,
        };
        let Some(mut scan) = file.chunks() else {
            let message = "expected a file, whose rows can be numbered from any block, found a stream";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        };
        scan.seek(at.offset, at.number);
        while at.offset <= offset {
            check.now()?;
            match next_chunk(&mut *scan, &self.limits, check) {
                Ok(Some(chunk)) => {
                    let rows = at.rows;
                    at = self.record(at, &chunk);
                    if chunk.offset == offset {
                        return Ok(rows);
                    }
                }
                Ok(None) => break,
                Err(error) if skips && error.is_file_error() => {
                    if !skip_damage(&mut *scan, &error, at.number, check)? {
                        break;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let message = format!("expected a block at byte {}, found none", thousands(offset));
        Err(FeedError::new(FeedErrorKind::Internal, message))
    }

    /// Records the first chunk after a position. Returns the position after it.
    fn record(&self, at: Position, chunk: &Chunk) -> Position {
        let rows = at.rows.saturating_add(chunk.rows);
        let next = Position { offset: chunk.end, number: chunk.number + 1, rows };
        self.known.with(|known| {
            if known.end == at {
                known.chunks.push((chunk.offset, at.rows));
                known.end = next;
            }
        });
        next
    }

    /// Makes a scan from the first chunk that also records the chunks.
    pub(super) fn recording(self: &Arc<Self>, scan: Box<dyn ChunkScan>) -> Box<dyn ChunkScan> {
        Box::new(Recording { scan, starts: self.clone(), at: Some(self.start) })
    }
}

impl Known {
    /// The number of rows before the chunk at `offset`, if it is known.
    fn before(&self, offset: u64) -> Option<u64> {
        let found = self.chunks.binary_search_by_key(&offset, |(offset, _)| *offset);
        found.ok().map(|at| self.chunks[at].1)
    }
}

/// A scan that records the chunks as long as it follows them from the first one.
#[derive(Debug)]
struct Recording {
    scan: Box<dyn ChunkScan>,
    starts: Arc<RowStarts>,
    at: Option<Position>,
}

impl ChunkScan for Recording {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        let next = self.scan.next(check)?;
        if let Some(chunk) = next {
            let follows = |at: &Position| at.offset == chunk.offset;
            let at =
                self.at.filter(follows).filter(|_| self.starts.limits.check_chunk_rows(chunk.rows).is_ok());
            self.at = at.map(|at| self.starts.record(at, &chunk));
        }
        Ok(next)
    }

    fn seek(&mut self, offset: u64, number: u64) {
        self.scan.seek(offset, number);
    }

    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        self.scan.find(from, check)
    }
}

/// The next chunk of a scan, within the limits.
pub(super) fn next_chunk(
    scan: &mut dyn ChunkScan,
    limits: &Limits,
    check: &Check<'_>,
) -> Result<Option<Chunk>, FeedError> {
    let Some(chunk) = scan.next(check)? else { return Ok(None) };
    let checked = limits.check_chunk_rows(chunk.rows);
    checked.map(|()| Some(chunk)).map_err(|error| error.in_block(chunk.number, chunk.offset))
}

/// Continues a scan after damage, at the next chunk that is found. Returns false if there is none. `number`: that of the
/// chunk with the damage, if the error does not have it.
pub(super) fn skip_damage(
    scan: &mut dyn ChunkScan,
    error: &FeedError,
    number: u64,
    check: &Check<'_>,
) -> Result<bool, FeedError> {
    let from = error.location().offset.unwrap_or(u64::MAX).saturating_add(1);
    let Some(offset) = scan.find(from, check)? else { return Ok(false) };
    scan.seek(offset, error.location().block.unwrap_or(number));
    Ok(true)
}
