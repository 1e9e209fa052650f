//! The core of the decoder: runs ops in wire order for each value, and combines their arrays into the result.

#![expect(unsafe_code, reason = "promises that all its columns have room for the slots that it gives them")]

use arrow_array::ArrayRef;
use arrow_schema::Fields;

use super::assemble::{repeated, structure};
use super::column_builder::{ColumnBuilder, Marks, MarksIter};
use super::constant::bytes_once;
use super::context::{Context, Moved};
use super::op::Op;
use crate::memory::{Filled, Slot, SlotRange};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// Maximum number of values for which a body makes room before it has read any of them: a damaged count may be large.
const MAX_UNREAD: usize = 1 << 16;

/// All ops that read one encoded value. Records are flattened into the ops of their parent.
///
/// Invariants: `len <= room`. Every column has room for `room` slots, and has stored a value in each of the first `len`.
#[derive(Debug)]
pub(crate) struct Body {
    ops: Box<[Op]>,
    shape: Shape,
    /// Number of values that were read or padded so far.
    len: usize,
    /// The `len` that a run reaches.
    end: usize,
    room: usize,
    /// Number of values of the last batch, as an estimate for the next one.
    last_len: usize,
    /// See [`ColumnBuilder::deferred_bytes`]; the sum over defaults and all ops.
    deferred_bytes: usize,
}

/// Recipe that combines the arrays of a body's ops into one array.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Column `at` of op `op`.
    Column {
        op: usize,
        at: usize,
    },
    /// A constant slot, repeated for all values.
    Constant(ArrayRef),
    Struct {
        fields: Fields,
        parts: Vec<Shape>,
    },
}

impl Body {
    pub(crate) fn new(ops: Vec<Op>, shape: Shape) -> Self {
        let mut deferred_bytes = shape.deferred_bytes();
        let mut add = |column: &dyn ColumnBuilder| {
            deferred_bytes = deferred_bytes.saturating_add(column.deferred_bytes());
        };
        ops.iter().for_each(|op| op.for_each_ref(&mut add));
        Self { ops: ops.into(), shape, len: 0, end: 0, room: 0, last_len: 0, deferred_bytes }
    }

    /// Reads `n` values. After an error the columns may have read more than `len` values, and the caller must roll back.
    #[inline(never)]
    pub(crate) fn run<'a, P: Pack>(
        &mut self,
        n: usize,
        cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        self.run_inline(n, cur, context)
    }

    /// Reads as [`run`](Self::run), without a call.
    #[inline(always)]
    pub(crate) fn run_inline<'a, P: Pack>(
        &mut self,
        n: usize,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        if n > self.room - self.len {
            return self.make_room_and_run(n, cur, context);
        }
        let slots = self.next_slots(n);
        match &mut *self.ops {
            [] => {}
            [op] => cur = op.read_n(slots, cur, context)?,
            // The state of the outer loop is in memory. In registers, the compiler would restore it after each op.
            _ => {
                self.end = self.len + n;
                while self.len < self.end {
                    // SAFETY: `len < end <= room`, as for `next_slots`.
                    let slot = unsafe { Slot::new(self.len) };
                    for op in self.ops.iter_mut() {
                        match op.read(slot, cur, context) {
                            Ok(after) => cur = after,
                            Err(stop) => return context.moved(Err(stop)),
                        }
                    }
                    self.len += 1;
                }
                return Some(cur);
            }
        }
        self.len += n;
        Some(cur)
    }

    #[cold]
    #[inline(never)]
    fn make_room_and_run<'a, P: Pack>(
        &mut self,
        mut n: usize,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        while n > 0 {
            self.make_room(n.min(MAX_UNREAD));
            let now = n.min(self.room - self.len);
            if now == 0 {
                return context.moved(Err(Stop::Full));
            }
            cur = self.run(now, cur, context)?;
            n -= now;
        }
        Some(cur)
    }

    /// Makes room for `n` more values.
    fn make_room(&mut self, n: usize) {
        if n <= self.room - self.len {
            return;
        }
        let room = self.len.saturating_add(n).max(self.room.saturating_mul(2));
        let len = self.len;
        self.for_each(|column| column.make_room(len, room));
        self.room = room;
    }

    /// Returns the next `n` slots, for which there is room.
    #[inline(always)]
    fn next_slots(&self, n: usize) -> SlotRange {
        assert!(n <= self.room - self.len);
        // SAFETY: every column of the body has room for `room` slots, and only these columns get the slots.
        unsafe { SlotRange::new(self.len, self.len + n) }
    }

    /// Returns the number of slots that every column has filled.
    fn filled(&self) -> Filled {
        // SAFETY: every column of the body has stored a value in each of these slots, and only these columns get the number.
        unsafe { Filled::new(self.len) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn for_each(&mut self, mut with: impl FnMut(&mut dyn ColumnBuilder)) {
        self.ops.iter_mut().for_each(|op| op.for_each(&mut with));
    }

    pub(crate) fn deferred_bytes(&self) -> usize {
        self.deferred_bytes
    }

    /// Prepares memory for a new batch.
    pub(crate) fn prepare(&mut self) {
        // An eighth more, for longer batches, because growing copies the values.
        let likely = (self.last_len + self.last_len / 8).max(1);
        let mut room = usize::MAX;
        self.for_each(|column| room = room.min(column.prepare(likely)));
        debug_assert!(self.len <= room);
        self.room = room;
    }

    /// Appends `n` values under a null parent, which are never visible.
    pub(crate) fn pad(&mut self, n: usize) {
        self.make_room(n);
        let slots = self.next_slots(n);
        self.for_each(|column| column.pad(slots));
        self.len += n;
    }

    /// Records the lengths of all parts.
    pub(crate) fn mark(&self, marks: &mut Marks) {
        marks.push(self.len);
        self.ops.iter().for_each(|op| op.for_each_ref(|column| column.mark(marks)));
    }

    /// Restores the lengths that `mark` recorded.
    pub(crate) fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        let len = self.len.min(marks.next());
        self.len = len;
        self.for_each(|column| column.rollback(len, marks));
    }

    /// Validates the strings that were added since the last check.
    pub(crate) fn check_utf8(&mut self) -> Result<(), Stop> {
        let filled = self.filled();
        let mut result = Ok(());
        self.for_each(|column| result = result.and_then(|()| column.check_utf8(filled)));
        result
    }

    /// Returns the array, and leaves the body empty. Its memory is reused.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        let (len, filled) = (self.len, self.filled());
        (self.len, self.room, self.last_len) = (0, 0, len);
        let finish = |op: &mut Op| {
            let mut arrays = Vec::new();
            op.for_each(|column| arrays.push(column.finish(filled)));
            arrays
        };
        let arrays: Vec<Vec<ArrayRef>> = self.ops.iter_mut().map(finish).collect();
        self.shape.assemble(&arrays, len)
    }
}

impl Shape {
    fn deferred_bytes(&self) -> usize {
        match self {
            Shape::Column { .. } => 0,
            Shape::Constant(slot) => bytes_once(slot),
            Shape::Struct { parts, .. } => {
                parts.iter().map(Shape::deferred_bytes).fold(0, usize::saturating_add)
            }
        }
    }

    fn assemble(&self, arrays: &[Vec<ArrayRef>], len: usize) -> ArrayRef {
        match self {
            Shape::Column { op, at } => arrays[*op][*at].clone(),
            Shape::Constant(slot) => repeated(slot, len),
            Shape::Struct { fields, parts } => {
                let columns = parts.iter().map(|part| part.assemble(arrays, len)).collect();
                structure(fields, columns, len)
            }
        }
    }
}
