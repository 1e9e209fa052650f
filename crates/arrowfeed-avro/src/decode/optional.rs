//! Columns of unions of null and a type that has no fused nullable form.

use arrow_array::ArrayRef;

use super::assemble::with_nulls;
use super::body::Body;
use super::column_builder::{ColumnBuilder, Marks, MarksIter};
use super::context::{Context, Moved};
use super::validity::Flags;
use crate::memory::{Filled, Slot, SlotRange};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column of a union of null and a type without a fused form in [`Nullable`](super::leaf::Nullable). Null
/// slots are padded when the next value arrives, so that consecutive nulls cost one call per column.
#[derive(Debug)]
pub(crate) struct Optional {
    validity: Flags,
    null: u8,
    body: Body,
    slot_bytes: usize,
}

impl Optional {
    pub(crate) fn new(null_branch: usize, body: Body, slot_bytes: usize) -> Self {
        Self { validity: Flags::new(), null: if null_branch == 0 { 0 } else { 2 }, body, slot_bytes }
    }

    pub(crate) fn read<'a, P: Pack>(
        &mut self,
        slot: Slot,
        cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        let result = self.try_read(slot, cur, context);
        context.moved(result)
    }

    #[inline(always)]
    fn try_read<'a, P: Pack>(
        &mut self,
        slot: Slot,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Result<Cursor<'a, P>, Stop> {
        if cur.optional(self.null)? {
            self.pad_up_to(slot.index());
            self.validity.set(slot, true);
            let moved = self.body.run(1, cur, context);
            return context.result(moved);
        }
        context.take_bytes(self.slot_bytes)?;
        self.validity.set(slot, false);
        Ok(cur)
    }

    /// Pads the body to `len` values.
    fn pad_up_to(&mut self, len: usize) {
        let pending = len - self.body.len();
        if pending > 0 {
            self.body.pad(pending);
        }
    }
}

impl ColumnBuilder for Optional {
    fn deferred_bytes(&self) -> usize {
        self.body.deferred_bytes()
    }

    fn prepare(&mut self, likely: usize) -> usize {
        self.body.prepare();
        self.validity.prepare(likely)
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.validity.make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        self.validity.set_all(slots, false);
    }

    fn mark(&self, marks: &mut Marks) {
        self.body.mark(marks);
    }

    fn rollback(&mut self, _len: usize, marks: &mut MarksIter<'_>) {
        self.body.rollback(marks);
    }

    fn check_utf8(&mut self, _filled: Filled) -> Result<(), Stop> {
        self.body.check_utf8()
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        self.pad_up_to(filled.len());
        let nulls = self.validity.nulls(filled);
        with_nulls(self.body.finish(), nulls)
    }
}
