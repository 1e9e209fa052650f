//! Operations that all Arrow arrays under construction have in common, apart from reading.

use arrow_array::ArrayRef;
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;

use super::assemble::{fixed_width, with_nulls};
use crate::memory::{Filled, SlotRange, Slots};
use crate::wire::cursor::Stop;

/// An Arrow array under construction. These methods are called once per block, batch or run of nulls, not once per value.
pub(crate) trait ColumnBuilder {
    /// Prepares memory for a new batch of about `likely` slots, and returns the number of slots for which there is room.
    fn prepare(&mut self, likely: usize) -> usize;

    /// Makes room for `slots` slots, and keeps the values of the first `len`.
    fn make_room(&mut self, len: usize, slots: usize);

    /// Fills slots under a null parent, whose values are never visible.
    fn pad(&mut self, slots: SlotRange);

    /// Records the lengths of all parts that do not have one value for each slot.
    fn mark(&self, _marks: &mut Marks) {}

    /// Restores the lengths that `mark` recorded, in the same order. The column keeps `len` slots.
    fn rollback(&mut self, _len: usize, _marks: &mut MarksIter<'_>) {}

    /// Returns the number of bytes that a slot takes in the finished batch in addition to its size during decoding.
    fn deferred_bytes(&self) -> usize {
        0
    }

    /// Validates the strings that were added since the last check.
    fn check_utf8(&mut self, _filled: Filled) -> Result<(), Stop> {
        Ok(())
    }

    /// Returns the array of the slots, and leaves the column empty. Its memory is reused.
    fn finish(&mut self, filled: Filled) -> ArrayRef;

    /// Returns the array with these nulls, as [`finish`](Self::finish).
    fn finish_with_nulls(&mut self, filled: Filled, nulls: Option<NullBuffer>) -> ArrayRef {
        with_nulls(self.finish(filled), nulls)
    }
}

/// A column of one buffer, with a value of fixed width for each slot.
pub(crate) trait FixedWidth {
    type Value: ArrowNativeType;

    fn values(&mut self) -> &mut Slots<Self::Value>;

    fn data_type(&self) -> &DataType;
}

impl<C: FixedWidth> ColumnBuilder for C {
    fn prepare(&mut self, likely: usize) -> usize {
        self.values().prepare(likely)
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.values().make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        self.values().set_all(slots, C::Value::default());
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        self.finish_with_nulls(filled, None)
    }

    fn finish_with_nulls(&mut self, filled: Filled, nulls: Option<NullBuffer>) -> ArrayRef {
        let values = self.values().take(filled);
        fixed_width(self.data_type(), filled.len(), values, nulls)
    }
}

/// Lengths of all parts of a decoder, in a fixed order.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<usize>);

/// Iterates over [`Marks`].
#[derive(Debug)]
pub(crate) struct MarksIter<'a>(std::slice::Iter<'a, usize>);

impl Marks {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn push(&mut self, len: usize) {
        self.0.push(len);
    }

    pub(crate) fn iter(&self) -> MarksIter<'_> {
        MarksIter(self.0.iter())
    }
}

impl MarksIter<'_> {
    /// Returns the next length, in the order in which the lengths were pushed.
    pub(crate) fn next(&mut self) -> usize {
        self.0.next().copied().unwrap_or_default()
    }
}
