//! Columns whose values have no parts, and the union of null and such a value, read in one step.

use arrow_array::ArrayRef;

use super::assemble::with_nulls;
use super::fill::{Fill, Marks, MarksIter};
use super::validity::Flags;
use crate::wire::cursor::{Cursor, Stop};

/// A column whose values have no parts.
pub(crate) trait Leaf: Fill {
    fn read(&mut self, cur: &mut Cursor<'_>) -> Result<(), Stop>;

    /// `n` values in a row.
    #[inline(always)]
    fn read_n(&mut self, n: usize, cur: &mut Cursor<'_>) -> Result<(), Stop> {
        (0..n).try_for_each(|_| self.read(cur))
    }

    /// A slot that is null.
    fn push_null(&mut self);
}

/// A union of null and one other type.
#[derive(Debug)]
pub(crate) struct Nullable<C> {
    validity: Flags,
    /// The union index of null as it stands on the wire, zigzag: 0 or 2.
    null: u8,
    column: C,
}

impl<C: Leaf> Nullable<C> {
    pub(crate) fn new(null_branch: usize, column: C) -> Self {
        Self { validity: Flags::new(), null: if null_branch == 0 { 0 } else { 2 }, column }
    }
}

/// Whether a value follows: the index of a two-branch union. The shortest form is one byte; any other form of
/// the same index is read by the cold path.
#[inline(always)]
pub(crate) fn is_present(null: u8, cur: &mut Cursor<'_>) -> Result<bool, Stop> {
    let tag = cur.peek();
    if tag & !2 == 0 {
        cur.skip(1)?;
        return Ok(tag != null);
    }
    let (index, after) = long_index(*cur)?;
    *cur = after;
    Ok(index * 2 != usize::from(null))
}

#[cold]
#[inline(never)]
fn long_index(mut cur: Cursor<'_>) -> Result<(usize, Cursor<'_>), Stop> {
    Ok((cur.index(2)?, cur))
}

impl<C: Leaf> Leaf for Nullable<C> {
    #[inline(always)]
    fn read(&mut self, cur: &mut Cursor<'_>) -> Result<(), Stop> {
        let present = is_present(self.null, cur)?;
        self.validity.push(present);
        if present {
            self.column.read(cur)
        } else {
            self.column.push_null();
            Ok(())
        }
    }

    #[inline(always)]
    fn push_null(&mut self) {
        self.validity.push(false);
        self.column.push_null();
    }
}

impl<C: Leaf> Fill for Nullable<C> {
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
