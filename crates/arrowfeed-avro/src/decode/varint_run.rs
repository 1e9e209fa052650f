//! Neighbouring columns of unions of null and an int or long, which are read together.

use arrow_buffer::ArrowNativeType;

use super::context::{Context, Moved};
use super::leaf::{Leaf, Nullable};
use super::number::{Numbers, ReadVarint};
use crate::memory::{Slot, SlotRange};
use crate::wire::cursor::{Cursor, Pack, Stop};
use crate::wire::optional_varints::MIN_RUN;

/// Columns whose unions have null at the same index.
#[derive(Debug)]
pub(crate) struct VarintRun<W, T> {
    columns: Vec<Nullable<Numbers<W, T>>>,
}

impl<W: ReadVarint<T>, T: ArrowNativeType> VarintRun<W, T> {
    /// Creates a run of columns with the same index of null.
    pub(crate) fn new(columns: Vec<Nullable<Numbers<W, T>>>) -> Self {
        Self { columns }
    }

    /// Appends the columns of `next`, or returns it if its unions have another index of null.
    pub(crate) fn append(&mut self, mut next: Self) -> Result<(), Self> {
        if self.null() != next.null() {
            return Err(next);
        }
        self.columns.append(&mut next.columns);
        Ok(())
    }

    pub(crate) fn columns(&self) -> &[Nullable<Numbers<W, T>>] {
        &self.columns
    }

    pub(crate) fn columns_mut(&mut self) -> &mut [Nullable<Numbers<W, T>>] {
        &mut self.columns
    }

    fn null(&self) -> u8 {
        self.columns.first().map_or(0, |column| column.null)
    }

    /// Reads one value of each column.
    #[inline(always)]
    pub(crate) fn read<'a, P: Pack>(
        &mut self,
        slot: Slot,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Result<Cursor<'a, P>, Stop> {
        if self.columns.len() >= MIN_RUN {
            let moved = self.read_together(slot, cur, context);
            return context.result(moved);
        }
        for column in &mut self.columns {
            column.read(slot, &mut cur)?;
        }
        Ok(cur)
    }

    /// A call, which leaves the registers to the loop over the ops: inlined, it cost 6 % on `nested`.
    #[inline(never)]
    fn read_together<'a, P: Pack>(
        &mut self,
        slot: Slot,
        cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        let (n, null) = (self.columns.len(), self.null());
        let mut columns = self.columns.iter_mut();
        let result = W::read_optionals(null, n, cur, |present, value| {
            if let Some(column) = columns.next() {
                column.set_optional(slot, present, value);
            }
        });
        context.moved(result)
    }

    /// Reads consecutive values of each column in turn.
    pub(crate) fn read_n<'a, P: Pack>(
        &mut self,
        slots: SlotRange,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Result<Cursor<'a, P>, Stop> {
        if let [column] = &mut self.columns[..] {
            column.read_n(slots, &mut cur)?;
        } else {
            for slot in slots.iter() {
                cur = self.read(slot, cur, context)?;
            }
        }
        Ok(cur)
    }
}
