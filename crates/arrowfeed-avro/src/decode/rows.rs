//! A body with the budgets of its batch: rows in, one array out.

use arrow_array::ArrayRef;
use arrowfeed_source::Limits;

use super::body::Body;
use super::build;
use super::context::Context;
use super::fill::{Fill, Marks};
use crate::plan::DecodePlan;
use crate::wire::cursor::{Cursor, Stop};

/// Elements without bytes after which [`RowsColumn::read`] gives back what it has.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Rows of one batch under construction.
#[derive(Debug)]
pub(crate) struct RowsColumn {
    body: Body,
    context: Context,
    /// Rows in `body`, all of them whole.
    rows: usize,
    batch_bytes: i64,
    /// What the first record of a batch may take beyond `batch_bytes`, up to the limit: it has to go somewhere.
    spare: i64,
    /// Bytes of a row's slots in Arrow, items and text not counted.
    row_bytes: usize,
    /// Bytes that a row takes beyond those when the batch is finished.
    deferred_bytes: usize,
    /// Whether records have to be read one by one, because each has a budget of its own.
    one_by_one: bool,
    /// Elements without bytes of the rows that were read last.
    elements: u64,
    empty: Marks,
    before_chunk: Marks,
}

/// What a batch was at some time: enough to go back to it.
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

impl RowsColumn {
    /// `batch_bytes`: the batch is [`full`](Self::is_full) when it has this many.
    pub(crate) fn new(plan: &DecodePlan, limits: &Limits, batch_bytes: usize) -> Self {
        // Offsets of lists and strings have 32 bits: no batch may need more, whatever the limit.
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

    /// Bytes of the rows, as they count towards `batch_bytes`.
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.batch_bytes.saturating_sub(self.context.room())).unwrap_or(0)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.context.room() <= 0
    }

    /// Rows of so many bytes on the wire each that are likely to fit.
    pub(crate) fn likely_to_fit(&self, wire_bytes: u64) -> u64 {
        let slots = self.row_bytes.saturating_add(self.deferred_bytes) as u64;
        let row = wire_bytes.saturating_mul(8).saturating_add(slots).max(1);
        u64::try_from(self.context.room()).unwrap_or(0) / row
    }

    /// Decodes `n` rows, or fewer where `n` would not fit or take long; at least one, else an error and nothing has
    /// changed.
    pub(crate) fn read<'a>(&mut self, mut n: usize, cur: Cursor<'a>) -> Result<(usize, Cursor<'a>), Stop> {
        if self.rows == 0 {
            self.body.prepare();
        }
        loop {
            self.before_chunk.clear();
            self.body.mark(&mut self.before_chunk);
            let room = self.context.room();
            let spare = if n == 1 && self.rows == 0 { self.spare } else { 0 };
            self.context.set_room(room + spare);
            // Counted before the rows are read: defaults of all rows may be more than offsets reach.
            let deferred = self.context.take_bytes(self.deferred_bytes.saturating_mul(n));
            match deferred.and_then(|()| self.run(n, cur)) {
                Ok((n, after)) => {
                    self.context.set_room(self.context.room() - spare);
                    let grown = (cur.left() - after.left()).saturating_add(self.row_bytes.saturating_mul(n));
                    // No room left ends the batch; it is no error.
                    let _ = self.context.take_bytes(grown);
                    self.rows += n;
                    return Ok((n, after));
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

    fn run<'a>(&mut self, n: usize, mut cur: Cursor<'a>) -> Result<(usize, Cursor<'a>), Stop> {
        if !self.one_by_one {
            let moved = self.body.run(n, cur, &mut self.context);
            return Ok((n, self.context.result(moved)?));
        }
        let mut rows = 0;
        self.elements = 0;
        while rows < n && self.elements < MAX_ELEMENTS {
            self.context.budget.reset();
            let moved = self.body.run(1, cur, &mut self.context);
            cur = self.context.result(moved)?;
            self.elements += self.context.budget.used();
            rows += 1;
        }
        Ok((rows, cur))
    }

    /// Work of the rows that were read last, beside that of their bytes: in bytes that take as long.
    pub(crate) fn work(&self) -> usize {
        usize::try_from(self.elements).unwrap_or(usize::MAX)
    }

    /// Checks the text of the rows that came in since the last check.
    pub(crate) fn check_utf8(&mut self) -> Result<(), Stop> {
        self.body.check_utf8()
    }

    /// Hands the rows out as one struct array; empty afterwards. Their text has been checked.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        self.rows = 0;
        self.context.set_room(self.batch_bytes);
        self.body.finish()
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
