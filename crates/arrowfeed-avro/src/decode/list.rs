//! Columns of arrays and maps.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, FixedSizeListArray, MapArray};
use arrow_schema::{DataType, FieldRef};

use super::assemble::{list, offset_buffer};
use super::body::Body;
use super::column_builder::{ColumnBuilder, Marks, MarksIter};
use super::context::{Context, Moved};
use crate::memory::{Filled, Offsets, Slot, SlotRange};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column of arrays, or of maps as arrays of their entries. Invariant: the end of the last slot is the number of
/// items in `body`.
#[derive(Debug)]
pub(crate) struct ListColumn {
    offsets: Offsets,
    body: Body,
    kind: ListKind,
    /// Minimum size of an encoded item.
    min_bytes: usize,
    /// Size of the Arrow slots of an item.
    slot_bytes: usize,
}

/// The Arrow type that the offsets and items become.
#[derive(Debug)]
pub(crate) enum ListKind {
    /// List or LargeList.
    List(DataType),
    /// FixedSizeList: every row has this length.
    Fixed(FieldRef, usize),
    /// Map, with the field of its entries.
    Map(FieldRef),
}

impl ListColumn {
    pub(crate) fn new(body: Body, kind: ListKind, min_bytes: usize, slot_bytes: usize) -> Self {
        Self { offsets: Offsets::new(), body, kind, min_bytes, slot_bytes }
    }

    /// Reads one array: blocks of items up to an empty one.
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
        let before = self.body.len();
        loop {
            let (count, size) = cur.items()?;
            if count == 0 {
                break;
            }
            context.take_items(count, self.min_bytes, self.slot_bytes, &cur)?;
            let left = cur.left();
            let moved = self.body.run_inline(count, cur, context);
            cur = context.result(moved)?;
            if size.is_some_and(|size| size != left - cur.left()) {
                return Err(Stop::Invalid);
            }
        }
        if let ListKind::Fixed(_, n) = self.kind
            && self.body.len() - before != n
        {
            return Err(Stop::Invalid);
        }
        self.offsets.set_end(slot, i32::try_from(self.body.len()).map_err(|_| Stop::Full)?);
        Ok(cur)
    }
}

impl ColumnBuilder for ListColumn {
    /// Counts the items of a null slot of fixed length. Items that are read are counted with their array.
    fn deferred_bytes(&self) -> usize {
        match self.kind {
            ListKind::Fixed(_, n) => n.saturating_mul(self.body.deferred_bytes()),
            ListKind::List(_) | ListKind::Map(_) => 0,
        }
    }

    fn prepare(&mut self, likely: usize) -> usize {
        self.body.prepare();
        self.offsets.prepare(likely)
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.offsets.make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        if let ListKind::Fixed(_, length) = self.kind {
            self.body.pad(slots.len() * length);
        }
        // The end fitted when the last one was stored; the context counts the padding of a fixed length.
        let end = i32::try_from(self.body.len()).unwrap_or(i32::MAX);
        slots.iter().for_each(|slot| self.offsets.set_end(slot, end));
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
        let items = self.body.finish();
        let offsets = self.offsets.take(filled);
        match &self.kind {
            ListKind::List(data_type) => list(data_type, offsets, items),
            ListKind::Map(entries) => {
                let items = items.as_struct().clone();
                Arc::new(MapArray::new(entries.clone(), offset_buffer(offsets), items, None, false))
            }
            ListKind::Fixed(field, n) => {
                let size = i32::try_from(*n).unwrap_or(i32::MAX);
                let array =
                    FixedSizeListArray::try_new_with_length(field.clone(), size, items, None, filled.len());
                Arc::new(array.expect("every row has the declared length"))
            }
        }
    }
}
