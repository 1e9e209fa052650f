//! Leaf columns, and the union of null and a leaf, which is read in one step.

use arrow_array::ArrayRef;

use super::assemble::with_nulls;
use super::fill::{Fill, Marks, MarksIter};
use super::validity::Flags;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column whose values have no nested values.
pub(crate) trait Leaf: Fill {
    /// Whether a value has encoded bytes.
    const HAS_BYTES: bool = true;

    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop>;

    /// Reads `n` consecutive values.
    #[inline(always)]
    fn read_n<P: Pack>(&mut self, n: usize, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        (0..n).try_for_each(|_| self.read(cur))
    }

    /// Reads the union of null and a value. Appends a slot in either case, and returns whether it holds a value.
    #[inline(always)]
    fn read_optional<P: Pack>(&mut self, null: u8, cur: &mut Cursor<'_, P>) -> Result<bool, Stop> {
        let present = cur.optional(null)?;
        if present {
            self.read(cur)?;
        } else {
            self.push_null();
        }
        Ok(present)
    }

    /// Appends a null slot.
    fn push_null(&mut self);
}

/// A column of a union of null and one other type.
#[derive(Debug)]
pub(crate) struct Nullable<C> {
    validity: Flags,
    /// The encoded union index of null: 0 or 2, because of zigzag.
    null: u8,
    column: C,
}

impl<C: Leaf> Nullable<C> {
    pub(crate) fn new(null_branch: usize, column: C) -> Self {
        Self { validity: Flags::new(), null: if null_branch == 0 { 0 } else { 2 }, column }
    }
}

impl<C: Leaf> Leaf for Nullable<C> {
    #[inline(always)]
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let present = self.column.read_optional(self.null, cur)?;
        self.validity.push(present);
        Ok(())
    }

    #[inline(always)]
    fn push_null(&mut self) {
        self.validity.push(false);
        self.column.push_null();
    }
}

impl<C: Leaf> Fill for Nullable<C> {
    fn deferred_bytes(&self) -> usize {
        self.column.deferred_bytes()
    }

    fn prepare(&mut self) {
        self.column.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.validity.push_n(false, n);
        self.column.pad(n);
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.validity.len());
        self.column.mark(marks);
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.validity.truncate(marks.next());
        self.column.rollback(marks);
    }

    fn check_utf8(&mut self) -> Result<(), Stop> {
        self.column.check_utf8()
    }

    fn finish(&mut self) -> ArrayRef {
        let nulls = self.validity.take_nulls();
        with_nulls(self.column.finish(), nulls)
    }
}
