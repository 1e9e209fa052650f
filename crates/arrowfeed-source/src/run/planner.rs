//! Planner that cuts a run of chunks into units for threads. It reads only the framing of the chunks.

use crate::format::{Chunk, ChunkRun, ChunkScan, Unit};
use crate::{Check, FeedError};

/// Minimum size of a unit in bytes. The chunk at the border between two units is decoded twice.
const MIN_BYTES: u64 = 1 << 20;

/// A unit is at least this many times as large as the chunk that it shares with the next one, up to
/// [`MAX_BORDER_BYTES`].
const BORDER_SHARE: u64 = 8;

/// Upper bound of the minimum unit size that a large border chunk requires.
const MAX_BORDER_BYTES: u64 = 16 << 20;

/// The next result of a planner.
pub(super) enum Planned {
    Unit(Unit),
    /// The bytes of a chunk have not arrived from a remote store.
    Pending,
    End,
}

/// A unit that is being planned.
struct PartialUnit {
    start: u64,
    first_number: u64,
    /// The last chunk, and the number of rows up to its end.
    chunk: Chunk,
    rows: u64,
}

/// The next result of a chunk scan.
enum Scanned {
    Chunk(Chunk),
    Pending,
    End,
}

/// Returns the units of a run of chunks in order. Every unit but the last ends at a batch boundary, so that the batches
/// are the same as with one thread.
pub(super) struct UnitPlanner {
    scan: Box<dyn ChunkScan>,
    /// The chunks that have not been scanned yet.
    rest: ChunkRun,
    batch_size: u64,
    /// Rows of the first batch of the next unit, if not `batch_size`.
    first_batch: Option<u64>,
    /// Leading rows of the first chunk of the next unit that belong to the previous unit.
    dropped: u64,
    /// Number of rows still to be kept.
    left: u64,
    /// The chunk in which the last unit ended. The next unit starts with it.
    border: Option<Chunk>,
    /// The partially planned next unit, if the bytes of a chunk had not arrived.
    begun: Option<PartialUnit>,
    /// Whether planning has ended: the rest is empty, planned, or cannot be scanned.
    done: bool,
}

impl UnitPlanner {
    /// Creates a planner for a unit that has one run.
    pub(super) fn new(mut scan: Box<dyn ChunkScan>, unit: Unit, batch_size: usize) -> Self {
        let Unit { mut runs, first_batch, .. } = unit;
        let rest = runs.pop_front().unwrap_or(ChunkRun::new(0..0, 0));
        let (dropped, left) = (rest.dropped, rest.kept);
        scan.seek(rest.range.start, rest.first_number);
        let batch_size = batch_size as u64;
        let (border, begun) = (None, None);
        Self { scan, rest, batch_size, first_batch, dropped, left, border, begun, done: false }
    }

    /// Returns the next unit. An unreadable chunk is not an error here: the last unit includes it and reports its error
    /// in order. If no chunk precedes it, the unit contains nothing else. The only error is cancellation.
    pub(super) fn next(&mut self, check: &Check<'_>) -> Result<Planned, FeedError> {
        if self.done || self.left == 0 {
            return Ok(Planned::End);
        }
        let mut begun = match self.begun.take() {
            Some(begun) => begun,
            None => {
                let first = match self.border.take() {
                    Some(border) => border,
                    None => match self.scan(check)? {
                        Scanned::Chunk(chunk) => chunk,
                        Scanned::Pending => return Ok(Planned::Pending),
                        Scanned::End if self.rest.range.is_empty() => return Ok(Planned::End),
                        Scanned::End => return Ok(Planned::Unit(self.last(self.rest.clone(), None))),
                    },
                };
                let rows = first.rows.saturating_sub(self.dropped);
                PartialUnit { start: first.offset, first_number: first.number, chunk: first, rows }
            }
        };
        let PartialUnit { start, first_number, .. } = begun;
        let run = |end| ChunkRun::new(start..end, first_number);
        let first_batch = self.first_batch.unwrap_or(self.batch_size);
        loop {
            let PartialUnit { chunk, rows, .. } = begun;
            if rows >= self.left {
                return Ok(Planned::Unit(self.last(run(chunk.end), Some(self.left))));
            }
            let (size, border) = (chunk.end - start, chunk.end - chunk.offset);
            let enough = MIN_BYTES.max(BORDER_SHARE.saturating_mul(border).min(MAX_BORDER_BYTES));
            // The last complete batch ends in this chunk.
            if size >= enough
                && let Some(after_first) = rows.checked_sub(first_batch)
                && after_first % self.batch_size < chunk.rows
            {
                let unit = self.up_to(run(chunk.end), rows, after_first % self.batch_size, chunk);
                return Ok(Planned::Unit(unit));
            }
            match self.scan(check)? {
                Scanned::Chunk(next) => {
                    (begun.chunk, begun.rows) = (next, rows.saturating_add(next.rows));
                }
                Scanned::Pending => {
                    self.begun = Some(begun);
                    return Ok(Planned::Pending);
                }
                Scanned::End => {
                    let ended = self.rest.range.is_empty();
                    return Ok(Planned::Unit(self.last(run(self.rest.range.end), ended.then_some(rows))));
                }
            }
        }
    }

    /// Creates a unit of a run with `rows` rows. The last `beyond` rows are in `chunk` and belong to the next unit.
    fn up_to(&mut self, run: ChunkRun, rows: u64, beyond: u64, chunk: Chunk) -> Unit {
        let kept = rows - beyond;
        let run = ChunkRun { dropped: std::mem::take(&mut self.dropped), kept, ..run };
        let unit = Unit { runs: [run].into(), rows: Some(kept), first_batch: self.first_batch.take() };
        self.left -= kept;
        if beyond > 0 {
            (self.border, self.dropped) = (Some(chunk), chunk.rows - beyond);
        }
        unit
    }

    /// Creates the unit of all remaining rows.
    fn last(&mut self, run: ChunkRun, rows: Option<u64>) -> Unit {
        self.done = true;
        let run = ChunkRun { dropped: self.dropped, kept: self.left, ..run };
        Unit { runs: [run].into(), rows, first_batch: self.first_batch.take() }
    }

    fn scan(&mut self, check: &Check<'_>) -> Result<Scanned, FeedError> {
        if self.rest.range.is_empty() {
            self.done = true;
            return Ok(Scanned::End);
        }
        let scanned = match self.scan.next(check) {
            Err(error) if check.has_stopped() => return Err(error),
            Err(error) if error.would_wait() => {
                self.scan.seek(self.rest.range.start, self.rest.first_number);
                return Ok(Scanned::Pending);
            }
            scanned => scanned.ok().flatten(),
        };
        let Some(chunk) = scanned else {
            self.done = true;
            return Ok(Scanned::End);
        };
        self.rest = ChunkRun::new(chunk.end..self.rest.range.end, chunk.number + 1);
        Ok(Scanned::Chunk(chunk))
    }
}
