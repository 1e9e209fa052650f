//! A body with the budgets of its batch: reads rows and returns one array.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arrow_array::ArrayRef;
use arrowfeed_source::Limits;

use super::body::Body;
use super::build;
use super::column_builder::Marks;
use super::context::Context;
use crate::plan::DecodePlan;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// Number of zero-byte elements after which [`RootColumn::read`] returns.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Rows of one batch under construction.
#[derive(Debug)]
pub(crate) struct RootColumn {
    body: Body,
    context: Context,
    /// Number of rows in `body`, all of them complete.
    rows: usize,
    batch_bytes: i64,
    /// Number of bytes by which the first record of a batch may exceed `batch_bytes`, up to the limit, because
    /// every record needs a batch.
    spare: i64,
    /// Size of a row's Arrow slots, without items and text.
    row_bytes: usize,
    /// Minimum size of an encoded row.
    min_bytes: usize,
    /// Number of additional bytes per row when the batch is finished.
    deferred_bytes: usize,
    /// Whether records must be read one by one, because each has its own budget.
    one_by_one: bool,
    /// Number of zero-byte elements in the rows that were read last.
    elements: u64,
    empty: Marks,
    before_chunk: Marks,
}

/// The state of a batch at some point, to which it can be restored.
#[derive(Debug, Default)]
pub(crate) struct Savepoint {
    marks: Marks,
    rows: usize,
    room: i64,
}

impl Savepoint {
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }
}

impl RootColumn {
    /// Creates an empty batch, which is [full](Self::is_full) when it has `batch_bytes` bytes.
    pub(crate) fn new(plan: &DecodePlan, limits: &Limits, batch_bytes: usize) -> Self {
        // Lists and strings have 32-bit offsets, so no batch may need more, whatever the limit.
        let most = |bytes| i64::try_from(bytes).unwrap_or(i64::MAX).min(i32::MAX.into());
        let batch_bytes = most(batch_bytes);
        let body = build::body(&plan.root, &plan.skips);
        let mut empty = Marks::default();
        body.mark(&mut empty);
        let mut context = Context::new(limits, plan.skips.clone());
        context.set_room(batch_bytes);
        Self {
            context,
            rows: 0,
            batch_bytes,
            spare: most(limits.batch_bytes) - batch_bytes,
            row_bytes: plan.root.node.slot_bytes(),
            min_bytes: plan.root.node.min_bytes(),
            deferred_bytes: body.deferred_bytes(),
            body,
            one_by_one: plan.has_zero_byte_elements,
            elements: 0,
            empty,
            before_chunk: Marks::default(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the size of the rows, as it counts towards `batch_bytes`.
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.batch_bytes.saturating_sub(self.context.room())).unwrap_or(0)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.context.room() <= 0
    }

    /// Estimates how many rows of `wire_bytes` encoded bytes each still fit.
    pub(crate) fn likely_to_fit(&self, wire_bytes: u64) -> u64 {
        let slots = self.row_bytes.saturating_add(self.deferred_bytes) as u64;
        let row = wire_bytes.saturating_mul(8).saturating_add(slots).max(1);
        u64::try_from(self.context.room()).unwrap_or(0) / row
    }

    /// Decodes `n` rows, or fewer if `n` rows do not fit or take too long, but at least one. After an error, or if memory
    /// is exhausted, nothing has changed.
    pub(crate) fn read<'a>(&mut self, n: usize, cur: Cursor<'a>) -> Result<(usize, Cursor<'a>), Stop> {
        self.read_with(self.most_rows(n, cur), |root, n| {
            let (n, after) = root.run(n, cur, None)?;
            Ok((n, cur.left() - after.left(), after))
        })
    }

    /// Decodes rows as [`read`](Self::read), and stores where each of them starts: the number of bytes that are left there.
    pub(crate) fn read_with_starts<'a>(
        &mut self,
        n: usize,
        cur: Cursor<'a>,
        starts: &mut Vec<usize>,
    ) -> Result<(usize, Cursor<'a>), Stop> {
        self.read_with(self.most_rows(n, cur), |root, n| {
            starts.clear();
            let (n, after) = root.run(n, cur, Some(&mut *starts))?;
            Ok((n, cur.left() - after.left(), after))
        })
    }

    /// Decodes the rows that start where as many bytes are left, or fewer rows, as [`read`](Self::read). Returns their number.
    pub(crate) fn read_at(&mut self, starts: &[usize], payload: Cursor<'_>) -> Result<usize, Stop> {
        let read = self.read_with(starts.len(), |root, n| {
            let (n, bytes) = root.run_at(&starts[..n], payload)?;
            Ok((n, bytes, ()))
        });
        read.map(|(n, ())| n)
    }

    /// Limits a number of rows by the bytes that are left: the number may be a lie, and the columns make room for all rows.
    fn most_rows(&self, n: usize, cur: Cursor<'_>) -> usize {
        n.min(cur.left().checked_div(self.min_bytes).unwrap_or(usize::MAX).max(1))
    }

    /// Calls `run` with a number of rows, which decodes them or fewer, and returns their number, their bytes and a result.
    /// If they do not fit, calls it again with a smaller number.
    fn read_with<T>(
        &mut self,
        n: usize,
        run: impl FnMut(&mut Self, usize) -> Result<(usize, usize, T), Stop>,
    ) -> Result<(usize, T), Stop> {
        self.before_chunk.clear();
        self.body.mark(&mut self.before_chunk);
        let room = self.context.room();
        let result = catch_unwind(AssertUnwindSafe(|| self.try_read_with(n, run)));
        result.unwrap_or_else(|panic| {
            self.body.rollback(&mut self.before_chunk.iter());
            self.context.set_room(room);
            resume_unwind(panic)
        })
    }

    fn try_read_with<T>(
        &mut self,
        mut n: usize,
        mut run: impl FnMut(&mut Self, usize) -> Result<(usize, usize, T), Stop>,
    ) -> Result<(usize, T), Stop> {
        if self.rows == 0 {
            self.body.prepare();
        }
        loop {
            let room = self.context.room();
            let spare = if n == 1 && self.rows == 0 { self.spare } else { 0 };
            self.context.set_room(room + spare);
            // Counted before the rows are read, because the defaults of all rows may exceed the range of the offsets.
            let deferred = self.context.take_bytes(self.deferred_bytes.saturating_mul(n));
            match deferred.and_then(|()| run(self, n)) {
                Ok((n, bytes, result)) => {
                    self.context.set_room(self.context.room() - spare);
                    let grown = bytes.saturating_add(self.row_bytes.saturating_mul(n));
                    // Running out of room here ends the batch and is not an error.
                    let _ = self.context.take_bytes(grown);
                    self.rows += n;
                    return Ok((n, result));
                }
                Err(stop) => {
                    self.body.rollback(&mut self.before_chunk.iter());
                    self.context.set_room(room);
                    if stop == Stop::Invalid || n == 1 {
                        return Err(stop);
                    }
                    n /= 2;
                }
            }
        }
    }

    fn run<'a>(
        &mut self,
        n: usize,
        cur: Cursor<'a>,
        starts: Option<&mut Vec<usize>>,
    ) -> Result<(usize, Cursor<'a>), Stop> {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if let Some(cur) = cur.with_pext() {
            return self.run_packing(n, cur, starts).map(|(rows, after)| (rows, after.with_folds()));
        }
        self.run_packing(n, cur, starts)
    }

    fn run_packing<'a, P: Pack>(
        &mut self,
        n: usize,
        mut cur: Cursor<'a, P>,
        mut starts: Option<&mut Vec<usize>>,
    ) -> Result<(usize, Cursor<'a, P>), Stop> {
        if !self.one_by_one && starts.is_none() {
            let moved = self.body.run(n, cur, &mut self.context);
            return Ok((n, self.context.result(moved)?));
        }
        let mut rows = 0;
        self.elements = 0;
        while rows < n && self.elements < MAX_ELEMENTS {
            if let Some(starts) = &mut starts {
                starts.push(cur.left());
            }
            cur = self.run_one(cur)?;
            rows += 1;
        }
        Ok((rows, cur))
    }

    /// Runs the rows that start where as many bytes are left. Returns their number and their bytes.
    fn run_at(&mut self, starts: &[usize], payload: Cursor<'_>) -> Result<(usize, usize), Stop> {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if let Some(payload) = payload.with_pext() {
            return self.run_at_packing(starts, payload);
        }
        self.run_at_packing(starts, payload)
    }

    fn run_at_packing<P: Pack>(
        &mut self,
        starts: &[usize],
        payload: Cursor<'_, P>,
    ) -> Result<(usize, usize), Stop> {
        let (mut rows, mut bytes) = (0, 0);
        self.elements = 0;
        while rows < starts.len() && self.elements < MAX_ELEMENTS {
            let mut cur = payload;
            cur.skip(payload.left().saturating_sub(starts[rows]))?;
            bytes += cur.left() - self.run_one(cur)?.left();
            rows += 1;
        }
        Ok((rows, bytes))
    }

    /// Runs one row with the budget of a record.
    #[inline(always)]
    fn run_one<'a, P: Pack>(&mut self, cur: Cursor<'a, P>) -> Result<Cursor<'a, P>, Stop> {
        self.context.budget.reset();
        let moved = self.body.run(1, cur, &mut self.context);
        self.elements += self.context.budget.used();
        self.context.result(moved)
    }

    /// Returns the cost of the rows that were read last in addition to that of their bytes, in bytes that take the same time.
    pub(crate) fn work(&self) -> usize {
        usize::try_from(self.elements).unwrap_or(usize::MAX)
    }

    /// Validates the text of the rows that were added since the last check.
    pub(crate) fn check_utf8(&mut self) -> Result<(), Stop> {
        self.body.check_utf8()
    }

    /// Returns the rows as one struct array, and leaves the batch empty, also if memory is exhausted. Their text must have
    /// been validated.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        let result = catch_unwind(AssertUnwindSafe(|| self.body.finish()));
        self.clear();
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    pub(crate) fn save(&self, savepoint: &mut Savepoint) {
        savepoint.marks.clear();
        self.body.mark(&mut savepoint.marks);
        (savepoint.rows, savepoint.room) = (self.rows, self.context.room());
    }

    pub(crate) fn restore(&mut self, savepoint: &Savepoint) {
        self.body.rollback(&mut savepoint.marks.iter());
        self.rows = savepoint.rows;
        self.context.set_room(savepoint.room);
    }

    pub(crate) fn clear(&mut self) {
        self.body.rollback(&mut self.empty.iter());
        self.rows = 0;
        self.context.set_room(self.batch_bytes);
    }
}
