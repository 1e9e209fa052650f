//! Cuts a file into units for threads, from its block headers alone.

use arrowfeed_source::{Check, FeedError};

use super::unit::{BlockRun, Unit};
use crate::container::scan::{BlockHead, BlockScanner};

/// Bytes that a unit has at least: a block at its border is decoded twice.
const MIN_BYTES: u64 = 1 << 20;

/// A unit has at least this many times the bytes of the block that it shares with the next one, up to
/// [`MAX_BORDER_BYTES`].
const BORDER_SHARE: u64 = 8;

/// Units do not grow further than this for the sake of a large block.
const MAX_BORDER_BYTES: u64 = 16 << 20;

/// Gives the units of a run of blocks in order. Every unit but the last ends where a batch ends, so that batches are
/// what they would be with one thread.
pub(crate) struct UnitPlanner {
    scanner: BlockScanner,
    /// What has not been scanned yet.
    rest: BlockRun,
    batch_size: u64,
    /// Rows of the next unit's first batch, where they are not `batch_size`.
    first_batch: Option<u64>,
    /// Rows of the next unit's first block that are not its own.
    dropped: u64,
    /// Rows that are still to be kept.
    left: u64,
    /// The block in which the last unit ended: the next one begins there.
    border: Option<BlockHead>,
    /// What follows cannot be scanned, or is nothing.
    done: bool,
}

impl UnitPlanner {
    /// `unit` has one run: what the scanner walks.
    pub(crate) fn new(scanner: BlockScanner, unit: Unit, batch_size: usize) -> Self {
        let Unit { mut runs, dropped, kept, first_batch, .. } = unit;
        let rest = runs.pop_front().unwrap_or(BlockRun { range: 0..0, first_index: 0 });
        let batch_size = batch_size as u64;
        Self { scanner, rest, batch_size, first_batch, dropped, left: kept, border: None, done: false }
    }

    /// A fault in the headers is not told here: the last unit runs into it, in its turn. Where no block is before
    /// it, the fault is all that this unit has. The only error is that the caller wants to stop.
    pub(crate) fn next(&mut self, check: &Check<'_>) -> Result<Option<Unit>, FeedError> {
        if self.done || self.left == 0 {
            return Ok(None);
        }
        let first = match self.border.take() {
            Some(border) => Some(border),
            None => self.scan(check)?,
        };
        let Some(mut block) = first else {
            return Ok((!self.rest.range.is_empty()).then(|| self.last(self.rest.clone(), None)));
        };
        let (start, first_index) = (block.offset, block.index);
        let run = |end| BlockRun { range: start..end, first_index };
        let first_batch = self.first_batch.unwrap_or(self.batch_size);
        let mut rows = block.count.saturating_sub(self.dropped);
        loop {
            if rows >= self.left {
                return Ok(Some(self.last(run(block.end), Some(self.left))));
            }
            let (size, border) = (block.end - start, block.end - block.offset);
            let enough = MIN_BYTES.max((BORDER_SHARE * border).min(MAX_BORDER_BYTES));
            // The last batch that is whole ends in this block.
            if size >= enough
                && let Some(after_first) = rows.checked_sub(first_batch)
                && after_first % self.batch_size < block.count
            {
                return Ok(Some(self.up_to(run(block.end), rows, after_first % self.batch_size, block)));
            }
            match self.scan(check)? {
                Some(next) => (block, rows) = (next, rows.saturating_add(next.count)),
                None => {
                    let ended = self.rest.range.is_empty();
                    return Ok(Some(self.last(run(self.rest.range.end), ended.then_some(rows))));
                }
            }
        }
    }

    /// A unit of a run with so many `rows`, the last `beyond` of which are in `block` and the next unit's.
    fn up_to(&mut self, run: BlockRun, rows: u64, beyond: u64, block: BlockHead) -> Unit {
        let kept = rows - beyond;
        let unit = Unit {
            runs: [run].into(),
            dropped: std::mem::take(&mut self.dropped),
            kept,
            rows: Some(kept),
            first_batch: self.first_batch.take(),
        };
        self.left -= kept;
        if beyond > 0 {
            (self.border, self.dropped) = (Some(block), block.count - beyond);
        }
        unit
    }

    /// The unit of all that is left.
    fn last(&mut self, run: BlockRun, rows: Option<u64>) -> Unit {
        self.done = true;
        let first_batch = self.first_batch.take();
        Unit { runs: [run].into(), dropped: self.dropped, kept: self.left, rows, first_batch }
    }

    fn scan(&mut self, check: &Check<'_>) -> Result<Option<BlockHead>, FeedError> {
        if self.rest.range.is_empty() {
            self.done = true;
            return Ok(None);
        }
        let scanned = match self.scanner.next(check) {
            Err(error) if check.has_stopped() => return Err(error),
            scanned => scanned.ok().flatten(),
        };
        let Some(mut block) = scanned else {
            self.done = true;
            return Ok(None);
        };
        block.index = self.rest.first_index;
        self.rest = BlockRun { range: block.end..self.rest.range.end, first_index: block.index + 1 };
        Ok(Some(block))
    }
}
