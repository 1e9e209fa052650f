//! Leaf columns, and the union of null and a leaf, which is read in one step.

use arrow_array::ArrayRef;
use arrow_buffer::ArrowNativeType;

use super::column_builder::{ColumnBuilder, Marks, MarksIter};
use super::number::{Numbers, Read};
use super::validity::Flags;
use crate::memory::{Filled, Slot, SlotRange};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column whose values have no nested values.
pub(crate) trait Leaf: ColumnBuilder {
    /// Whether a value has encoded bytes.
    const HAS_BYTES: bool = true;

    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop>;

    /// Reads consecutive values.
    #[inline(always)]
    fn read_n<P: Pack>(&mut self, slots: SlotRange, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        slots.iter().try_for_each(|slot| self.read(slot, cur))
    }

    /// Reads the union of null and a value. Fills the slot in either case, and returns whether it holds a value.
    #[inline(always)]
    fn read_optional<P: Pack>(
        &mut self,
        slot: Slot,
        null: u8,
        cur: &mut Cursor<'_, P>,
    ) -> Result<bool, Stop> {
        let present = cur.optional(null)?;
        if present {
            self.read(slot, cur)?;
        } else {
            self.set_null(slot);
        }
        Ok(present)
    }

    /// Fills the slot of a null.
    fn set_null(&mut self, slot: Slot);
}

/// A column of a union of null and one other type.
#[derive(Debug)]
pub(crate) struct Nullable<C> {
    validity: Flags,
    /// The encoded union index of null: 0 or 2, because of zigzag.
    pub(super) null: u8,
    column: C,
}

impl<C: Leaf> Nullable<C> {
    pub(crate) fn new(null_branch: usize, column: C) -> Self {
        Self { validity: Flags::new(), null: if null_branch == 0 { 0 } else { 2 }, column }
    }
}

impl<W: Read<T>, T: ArrowNativeType> Nullable<Numbers<W, T>> {
    /// Stores a number that has been read, or the value of a null.
    #[inline(always)]
    pub(super) fn set_optional(&mut self, slot: Slot, present: bool, value: T) {
        self.column.set(slot, value);
        self.validity.set(slot, present);
    }
}

impl<C: Leaf> Leaf for Nullable<C> {
    #[inline(always)]
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let present = self.column.read_optional(slot, self.null, cur)?;
        self.validity.set(slot, present);
        Ok(())
    }

    #[inline(always)]
    fn set_null(&mut self, slot: Slot) {
        self.validity.set(slot, false);
        self.column.set_null(slot);
    }
}

impl<C: Leaf> ColumnBuilder for Nullable<C> {
    fn deferred_bytes(&self) -> usize {
        self.column.deferred_bytes()
    }

    fn prepare(&mut self, likely: usize) -> usize {
        self.validity.prepare(likely).min(self.column.prepare(likely))
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.validity.make_room(len, slots);
        self.column.make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        self.validity.set_all(slots, false);
        self.column.pad(slots);
    }

    fn mark(&self, marks: &mut Marks) {
        self.column.mark(marks);
    }

    fn rollback(&mut self, len: usize, marks: &mut MarksIter<'_>) {
        self.column.rollback(len, marks);
    }

    fn check_utf8(&mut self, filled: Filled) -> Result<(), Stop> {
        self.column.check_utf8(filled)
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        let nulls = self.validity.nulls(filled);
        self.column.finish_with_nulls(filled, nulls)
    }
}
