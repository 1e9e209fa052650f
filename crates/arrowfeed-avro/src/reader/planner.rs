//! Cuts a file into units for threads, from its block headers alone.

use std::ops::Range;

use super::unit::Unit;
use crate::container::scan::{BlockHead, BlockScanner};

/// Bytes that a unit has at least: a block at its border is decoded twice.
const MIN_BYTES: u64 = 1 << 20;

/// A unit has at least this many times the bytes of the block that it shares with the next one, up to
/// [`MAX_BORDER_BYTES`].
const BORDER_SHARE: u64 = 8;

/// Units do not grow further than this for the sake of a large block.
const MAX_BORDER_BYTES: u64 = 16 << 20;

/// Gives the units of a range of a file in order. Every unit but the last keeps a multiple of `batch_size` rows,
/// so that batches end where they would with one thread.
pub(crate) struct UnitPlanner {
    scanner: BlockScanner,
    /// What has not been scanned yet, and the index of the block that it starts with.
    rest: Range<u64>,
    index: u64,
    batch_size: u64,
    /// The block in which the last unit ended, and how many of its rows that unit keeps.
    border: Option<(BlockHead, u64)>,
    /// What follows cannot be scanned, or is nothing.
    done: bool,
}

impl UnitPlanner {
    /// `range`: what the scanner walks.
    pub(crate) fn new(scanner: BlockScanner, range: Range<u64>, batch_size: usize) -> Self {
        Self { scanner, rest: range, index: 0, batch_size: batch_size as u64, border: None, done: false }
    }

    /// A fault in the headers is not told here: the last unit runs into it, in its turn. Where no block is before
    /// it, the fault is all that this unit has.
    pub(crate) fn next(&mut self) -> Option<Unit> {
        if self.done {
            return None;
        }
        let border = self.border.take().or_else(|| Some((self.scan()?, 0)));
        let Some((mut block, dropped)) = border else {
            let (range, first_index) = (self.rest.clone(), self.index);
            return (!range.is_empty()).then_some(Unit { range, first_index, dropped: 0, kept: u64::MAX });
        };
        let (start, first_index) = (block.offset, block.index);
        let mut rows = block.count - dropped;
        loop {
            let (size, border) = (block.end - start, block.end - block.offset);
            let enough = MIN_BYTES.max((BORDER_SHARE * border).min(MAX_BORDER_BYTES));
            let beyond = rows % self.batch_size;
            // The last batch that is whole ends in this block.
            if size >= enough && rows >= self.batch_size && beyond < block.count {
                let kept = rows - beyond;
                if beyond > 0 {
                    self.border = Some((block, block.count - beyond));
                }
                return Some(Unit { range: start..block.end, first_index, dropped, kept });
            }
            match self.scan() {
                Some(next) => (block, rows) = (next, rows.saturating_add(next.count)),
                None => {
                    return Some(Unit { range: start..self.rest.end, first_index, dropped, kept: u64::MAX });
                }
            }
        }
    }

    fn scan(&mut self) -> Option<BlockHead> {
        let Ok(Some(block)) = self.scanner.next() else {
            self.done = true;
            return None;
        };
        (self.rest.start, self.index) = (block.end, block.index + 1);
        Some(block)
    }
}
