//! Columns of unions of null and a type that has no fused nullable form.

use arrow_array::ArrayRef;

use super::assemble::with_nulls;
use super::body::Body;
use super::context::{Context, Moved};
use super::fill::{Fill, Marks, MarksIter};
use super::validity::Flags;
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

    pub(crate) fn read<'a, P: Pack>(&mut self, cur: Cursor<'a, P>, context: &mut Context) -> Moved<'a, P> {
        let result = self.try_read(cur, context);
        context.moved(result)
    }

    #[inline(always)]
    fn try_read<'a, P: Pack>(
        &mut self,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Result<Cursor<'a, P>, Stop> {
        if cur.optional(self.null)? {
            self.pad_pending();
            self.validity.push(true);
            let moved = self.body.run(1, cur, context);
            return context.result(moved);
        }
        context.take_bytes(self.slot_bytes)?;
        self.validity.push(false);
        Ok(cur)
    }

    fn pad_pending(&mut self) {
        let pending = self.validity.len() - self.body.len();
        if pending > 0 {
            self.body.pad(pending);
        }
    }
}

impl Fill for Optional {
    fn deferred_bytes(&self) -> usize {
        self.body.deferred_bytes()
    }

    fn prepare(&mut self) {
        self.body.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.validity.push_n(false, n);
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.validity.len());
        self.body.mark(marks);
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.validity.truncate(marks.next());
        self.body.rollback(marks);
    }

    fn check_utf8(&mut self) -> Result<(), Stop> {
        self.body.check_utf8()
    }

    fn finish(&mut self) -> ArrayRef {
        self.pad_pending();
        let nulls = self.validity.take_nulls();
        with_nulls(self.body.finish(), nulls)
    }
}
