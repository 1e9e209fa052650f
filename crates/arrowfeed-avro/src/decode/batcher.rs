//! Decodes the rows of blocks into RecordBatches.
//!
//! No row of a block is returned before the whole block has been decoded: batches that are completed inside a
//! block wait until its end. A block that is too large for its batches to wait is decoded twice, and the first
//! pass discards the rows. The same holds for the rest of a block whose batches have become too large.
//!
//! A block is decoded in one of two ways: all its records, or those that pass a predicate, after the columns of the predicate of
//! all records.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_source::format::{BatchCountdown, LocatedBatch, RowOrigin};
use arrowfeed_source::{Check, FeedError};

use super::rows::{RootColumn, Savepoint};
use super::selector::{Found, Probe, Selected, Selector};
use crate::AvroOptions;
use crate::plan::DecodePlan;
use crate::wire::cursor::{Cursor, Stop};
use crate::wire::padded::Padded;

/// Maximum number of rows to decode between two checks of the batch size.
const MAX_CHUNK: u64 = 4096;

/// Approximate number of encoded bytes to decode between two cancellation checks.
const CHUNK_BYTES: u64 = 1 << 20;

/// Cost of a row in addition to its bytes, as the number of bytes that are decoded in the same time.
const ROW_WORK: usize = 16;

/// Size above which a block is validated before any batch is made of it.
const CHECKED_FIRST: usize = 32 << 20;

/// Maximum size of the batches that wait for the end of their block. A row may be many times larger than its encoding.
const MAX_WAITING: usize = 32 << 20;

/// Decodes the rows of one block after another.
#[derive(Debug)]
pub(crate) struct Batcher {
    plan: Arc<DecodePlan>,
    kept: RootColumn,
    /// Receives rows that are decoded only for validation.
    dropped: RootColumn,
    selector: Option<Selector>,
    selected: Selected,
    /// The error of a record that cannot be compared, after which nothing is decoded.
    incomparable: Option<FeedError>,
    /// Numbers of the records of finished blocks that were looked at, and of those that pass.
    seen_and_passed: (u64, u64),
    countdown: BatchCountdown,
    /// Completed batches; those of an open block wait for its end.
    waiting: VecDeque<LocatedBatch>,
    /// Size of the batches that the open block has added to `waiting`.
    waiting_bytes: usize,
    /// Origins of the rows in the batch that is being filled.
    origins: Vec<RowOrigin>,
    block: Option<OpenBlock>,
    before_block: Savepoint,
}

/// The records of a block that are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    All,
    /// Those that pass. All rows of the block must be kept.
    Passing,
}

impl Way {
    pub(crate) fn other(self) -> Self {
        match self {
            Way::All => Way::Passing,
            Way::Passing => Way::All,
        }
    }
}

/// A block whose rows are being decoded. Of its `count` rows, the first `dropped` and those after the next
/// `kept` belong to neighbouring units.
#[derive(Debug)]
pub(crate) struct OpenBlock {
    count: u64,
    dropped: u64,
    kept: u64,
    way: Way,
    /// Numbers of the records that were looked at, and of those that pass.
    seen_and_passed: (u64, u64),
    /// Number of the block, and its file offset.
    number: u64,
    offset: u64,
    /// Number of kept rows that are not decoded yet, without those in `selected`.
    left: u64,
    /// Number of payload bytes that have been read.
    pos: usize,
    /// Whether the rest of the block has been validated, so that its batches need not wait.
    checked: bool,
    countdown_before: BatchCountdown,
}

impl OpenBlock {
    /// Creates a block of `count` rows, of which the `kept` rows after the first `dropped` are kept.
    pub(crate) fn new((number, offset): (u64, u64), count: u64, dropped: u64, kept: u64) -> Self {
        let countdown_before = BatchCountdown::new(u64::MAX, None);
        Self {
            count,
            dropped,
            kept,
            way: Way::All,
            seen_and_passed: (0, 0),
            number,
            offset,
            left: kept,
            pos: 0,
            checked: false,
            countdown_before,
        }
    }

    /// Sets the way in which the block is decoded.
    pub(crate) fn in_way(self, way: Way) -> Self {
        Self { way, ..self }
    }

    /// The origin of the next row.
    fn origin(&self, row: usize) -> RowOrigin {
        let before = self.dropped + self.kept - self.left;
        RowOrigin { row, chunk: self.number, offset: self.offset, before }
    }

    /// Whether rows from `next` on continue those from `last` on. Another run of a unit may have later rows of the same block.
    fn follows(&self, last: &RowOrigin, next: &RowOrigin) -> bool {
        let rows = (next.row - last.row) as u64;
        last.offset == next.offset && (self.way == Way::Passing || last.before + rows == next.before)
    }

    /// Returns the number of rows after the kept ones.
    fn rows_after_kept(&self) -> u64 {
        self.count - self.dropped - self.kept
    }
}

impl Batcher {
    /// Creates a decoder whose batches do not end by their number of rows. [`start`](Self::start) sets that number.
    /// Blocks are decoded in the way [`Way::Passing`] only with a probe.
    pub(crate) fn new(plan: Arc<DecodePlan>, probe: Option<Arc<Probe>>, options: &AvroOptions) -> Self {
        let limits = &options.limits;
        Self {
            kept: RootColumn::new(&plan, limits, options.batch_bytes()),
            dropped: RootColumn::new(&plan, limits, limits.batch_bytes),
            plan,
            selector: probe.map(|probe| Selector::new(probe, limits)),
            selected: Selected::default(),
            incomparable: None,
            seen_and_passed: (0, 0),
            countdown: BatchCountdown::new(u64::MAX, None),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            origins: Vec::new(),
            block: None,
            before_block: Savepoint::default(),
        }
    }

    /// Returns a completed batch whose blocks are all validated.
    pub(crate) fn pop(&mut self) -> Option<LocatedBatch> {
        self.waiting.pop_front()
    }

    /// Returns the size of the batch that is being filled, as it counts towards the size limit.
    pub(crate) fn bytes(&self) -> usize {
        self.kept.bytes()
    }

    /// Starts a unit whose batches have `batch_size` rows. The first batch has `first` rows instead, if that is set.
    pub(crate) fn start(&mut self, batch_size: u64, first: Option<u64>) {
        self.countdown = BatchCountdown::new(batch_size, first);
    }

    /// Returns whether a block has begun and is not finished.
    pub(crate) fn in_block(&self) -> bool {
        self.block.is_some()
    }

    /// Returns the error of a record that cannot be compared, once. The rows before it are in the batches.
    pub(crate) fn take_incomparable(&mut self) -> Option<FeedError> {
        self.incomparable.take()
    }

    /// Returns and resets the numbers of the records that were looked at in the way [`Way::Passing`], and of those that pass.
    pub(crate) fn take_seen_and_passed(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.seen_and_passed)
    }

    /// Returns the numbers of dropped and kept rows of the unfinished block.
    pub(crate) fn open_rows(&self) -> Option<(u64, u64)> {
        self.block.as_ref().map(|block| (block.dropped, block.kept))
    }

    /// Begins a block. All batches must have been popped before. Call `step` until the block is finished.
    pub(crate) fn begin(
        &mut self,
        mut block: OpenBlock,
        payload: Padded<'_>,
        check: &Check<'_>,
    ) -> Result<(), Stop> {
        let (size, start) = (payload.bytes().len(), Cursor::new(payload));
        block.checked = size > CHECKED_FIRST;
        if block.checked {
            self.validate(block.way, block.count, start, start, check)?;
        }
        let after_dropped = self.drop_rows(block.dropped, start, check)?;
        self.kept.save(&mut self.before_block);
        self.waiting_bytes = 0;
        (block.pos, block.countdown_before) = (size - after_dropped.left(), self.countdown);
        self.block = Some(block);
        Ok(())
    }

    /// Decodes to the end of the block, or to the end of a batch if the rest of the block has been validated. An
    /// error restores the state before the block, except that a batch which the block completed stays closed and
    /// keeps only the rows from before the block.
    pub(crate) fn step(&mut self, payload: Padded<'_>, check: &Check<'_>) -> Result<(), Stop> {
        let Some(mut block) = self.block.take() else {
            return Ok(());
        };
        let result = self.decode(&mut block, payload, check);
        match result {
            Ok(()) if block.left > 0 || !self.selected.is_empty() => self.block = Some(block),
            Ok(()) => {
                self.seen_and_passed.0 += block.seen_and_passed.0;
                self.seen_and_passed.1 += block.seen_and_passed.1;
            }
            Err(_) => self.undo(&block),
        }
        result
    }

    fn decode(&mut self, block: &mut OpenBlock, payload: Padded<'_>, check: &Check<'_>) -> Result<(), Stop> {
        let (size, start) = (payload.bytes().len(), Cursor::new(payload));
        let mut cur = start;
        cur.skip(block.pos)?;
        let row_bytes = (size as u64).checked_div(block.count).unwrap_or(0);
        let most = chunk(row_bytes);
        while block.left > 0 || !self.selected.is_empty() {
            if block.way == Way::Passing && self.selected.is_empty() {
                cur = self.find(block, most, cur, check)?;
                continue;
            }
            let (waiting, before) = (self.waiting.len(), cur.left());
            let likely = self.kept.likely_to_fit(row_bytes).clamp(1, most);
            let wanted = self.countdown.left().min(likely);
            let row = self.kept.rows();
            let read = match block.way {
                Way::All => self.kept.read(wanted.min(block.left) as usize, cur),
                Way::Passing => {
                    let rest = self.selected.rest();
                    let rows = self.kept.read_at(&rest[..rest.len().min(wanted as usize)], start);
                    rows.map(|n| (n, cur))
                }
            };
            match read {
                Ok((n, after)) => {
                    let origin = block.origin(row);
                    if !self.origins.last().is_some_and(|last| block.follows(last, &origin)) {
                        self.origins.push(origin);
                    }
                    cur = after;
                    match block.way {
                        Way::All => block.left -= n as u64,
                        Way::Passing => self.selected.advance(n),
                    }
                    self.countdown.count(n as u64);
                    ask(check, n, self.kept.work().saturating_add(before - cur.left()))?;
                }
                Err(Stop::Full) if self.kept.rows() > 0 => self.close()?,
                Err(stop) => return Err(stop),
            }
            if self.countdown.left() == 0 || self.kept.is_full() {
                self.close()?;
            }
            if self.waiting.len() > waiting {
                block.pos = size - cur.left();
                if block.checked {
                    return Ok(());
                }
                let added = self.waiting.range(waiting..).map(LocatedBatch::memory_size);
                self.waiting_bytes += added.sum::<usize>();
                if self.waiting_bytes > MAX_WAITING {
                    self.validate(block.way, block.left + block.rows_after_kept(), cur, start, check)?;
                    block.checked = true;
                    return Ok(());
                }
            }
        }
        if !block.checked {
            self.validate(block.way, block.rows_after_kept(), cur, start, check)?;
        }
        self.kept.check_utf8()
    }

    /// Finds the passing ones of the next records of a block.
    fn find<'a>(
        &mut self,
        block: &mut OpenBlock,
        most: u64,
        mut cur: Cursor<'a>,
        check: &Check<'_>,
    ) -> Result<Cursor<'a>, Stop> {
        let found = found(&mut self.selector, &mut self.selected, block.left.min(most), cur, check)?;
        cur = found.after;
        let mut records = found.records;
        let first = block.count - block.left;
        block.left -= records as u64;
        if let Some(incomparable) = found.incomparable {
            records = incomparable.row;
            let error = incomparable.error(first + records as u64);
            self.incomparable = Some(error.in_block(block.number, block.offset));
            // The end of the block for the caller.
            block.left = 0;
            cur.skip(cur.left())?;
        }
        block.seen_and_passed.0 += records as u64;
        block.seen_and_passed.1 += self.selected.rest().len() as u64;
        Ok(cur)
    }

    /// Validates the rest of a block: the records in `selected`, and the `n` records from `cur` on.
    fn validate(
        &mut self,
        way: Way,
        n: u64,
        cur: Cursor<'_>,
        start: Cursor<'_>,
        check: &Check<'_>,
    ) -> Result<(), Stop> {
        match way {
            Way::All => at_end(self.drop_rows(n, cur, check)?),
            Way::Passing => self.drop_passing(n, cur, start, check),
        }
    }

    /// Decodes `n` rows and discards them.
    fn drop_rows<'a>(
        &mut self,
        mut n: u64,
        mut cur: Cursor<'a>,
        check: &Check<'_>,
    ) -> Result<Cursor<'a>, Stop> {
        let most = chunk((cur.left() as u64).checked_div(n).unwrap_or(0));
        while n > 0 {
            let (done, after) = self.dropped.read(n.min(most) as usize, cur)?;
            let checked = self.dropped.check_utf8();
            self.dropped.clear();
            checked?;
            n -= done as u64;
            ask(check, done, self.dropped.work().saturating_add(cur.left() - after.left()))?;
            cur = after;
        }
        Ok(cur)
    }

    /// Decodes the records in `selected` and the passing ones of `n` further records, and discards them.
    fn drop_passing(
        &mut self,
        mut n: u64,
        mut cur: Cursor<'_>,
        start: Cursor<'_>,
        check: &Check<'_>,
    ) -> Result<(), Stop> {
        let most = chunk((cur.left() as u64).checked_div(n).unwrap_or(0));
        let mut selected = self.selected.clone();
        loop {
            while !selected.is_empty() {
                let done = self.dropped.read_at(selected.rest(), start)?;
                let checked = self.dropped.check_utf8();
                self.dropped.clear();
                checked?;
                selected.advance(done);
                ask(check, done, self.dropped.work())?;
            }
            if n == 0 {
                return at_end(cur);
            }
            let found = found(&mut self.selector, &mut selected, n.min(most), cur, check)?;
            n -= found.records as u64;
            cur = found.after;
            if found.incomparable.is_some() {
                n = 0;
                cur.skip(cur.left())?;
            }
        }
    }

    fn close(&mut self) -> Result<(), Stop> {
        if self.kept.rows() > 0 {
            self.kept.check_utf8()?;
            let batch = self.plan.batch(&self.kept.finish());
            self.waiting.push_back(LocatedBatch { batch, origins: std::mem::take(&mut self.origins) });
        }
        self.countdown.restart();
        Ok(())
    }

    fn undo(&mut self, block: &OpenBlock) {
        self.selected.clear();
        self.incomparable = None;
        let first = self.waiting.pop_front();
        self.waiting.clear();
        match first {
            // The batch contains rows of the block after rows from before it.
            Some(batch) => {
                self.kept.clear();
                self.origins.clear();
                let good = self.before_block.rows();
                self.waiting.extend((good > 0).then(|| batch.first_rows(good)));
            }
            None => {
                self.kept.restore(&self.before_block);
                let good = self.before_block.rows();
                // The origins of the block are at the end, because a batch may have rows of many blocks.
                while self.origins.pop_if(|origin| origin.row >= good).is_some() {}
            }
        }
        self.countdown = block.countdown_before;
    }

    /// Counts declared rows that are skipped, so that batches end at the same declared rows as without the skip.
    pub(crate) fn skip_rows(&mut self, rows: u64) -> Result<(), Stop> {
        if self.countdown.pass(rows) { self.close() } else { Ok(()) }
    }

    /// Closes the batch, full or not, and ends its window.
    pub(crate) fn finish(&mut self) -> Result<(), Stop> {
        self.countdown.end();
        self.close()
    }
}

/// Finds the passing ones of the next `n` records, or of fewer.
fn found<'a>(
    selector: &mut Option<Selector>,
    selected: &mut Selected,
    n: u64,
    cur: Cursor<'a>,
    check: &Check<'_>,
) -> Result<Found<'a>, Stop> {
    let selector = selector.as_mut().expect("a probe for passing records");
    let found = selector.find(n as usize, cur, selected)?;
    let bytes = cur.left() - found.after.left();
    ask(check, found.records, selector.work().saturating_add(bytes))?;
    Ok(found)
}

/// Returns the number of rows to decode at a time, for rows of `row_bytes` encoded bytes.
fn chunk(row_bytes: u64) -> u64 {
    (CHUNK_BYTES / row_bytes.max(1)).clamp(1, MAX_CHUNK)
}

/// Reports decoded rows and the work of their values, and stops if the caller has cancelled.
fn ask(check: &Check<'_>, rows: usize, values: usize) -> Result<(), Stop> {
    let work = rows.saturating_mul(ROW_WORK).saturating_add(values);
    check.after(work).map_err(|_| Stop::Cancelled)
}

fn at_end(cur: Cursor<'_>) -> Result<(), Stop> {
    if cur.left() == 0 { Ok(()) } else { Err(Stop::Invalid) }
}
