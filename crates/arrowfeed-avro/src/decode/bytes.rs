//! Columns of strings and bytes.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::assemble::variable_width;
use super::column_builder::{ColumnBuilder, Marks, MarksIter};
use super::leaf::Leaf;
use crate::memory::{Filled, GrowableBytes, Offsets, Slot, SlotRange};
use crate::wire::cursor::{Cursor, Pack, Stop, Text};

/// A column of strings or bytes. Invariant: the end of the last slot is the length of `data`.
#[derive(Debug)]
pub(crate) struct BytesColumn {
    offsets: Offsets,
    data: GrowableBytes,
    data_type: DataType,
    utf8: bool,
    /// Number of slots whose text has been validated.
    checked: usize,
}

impl BytesColumn {
    /// Creates a column. If `utf8` is set, the bytes are text and are validated.
    pub(crate) fn new(data_type: DataType, utf8: bool) -> Self {
        Self { offsets: Offsets::new(), data: GrowableBytes::new(), data_type, utf8, checked: 0 }
    }

    /// Stores the text of the next slot.
    #[inline(always)]
    pub(super) fn set(&mut self, slot: Slot, text: Text<'_>) -> Result<(), Stop> {
        if text.len() <= 32 {
            self.data.extend_short(|| text.peek32(), text.len());
        } else {
            self.data.extend(text.bytes());
        }
        let end = i32::try_from(self.data.len()).map_err(|_| Stop::Full)?;
        self.offsets.set_end(slot, end);
        Ok(())
    }
}

impl Leaf for BytesColumn {
    #[inline(always)]
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.set(slot, cur.string()?)
    }

    #[inline(always)]
    fn read_optional<P: Pack>(
        &mut self,
        slot: Slot,
        null: u8,
        cur: &mut Cursor<'_, P>,
    ) -> Result<bool, Stop> {
        let (present, text) = cur.optional_string(null)?;
        self.set(slot, text)?;
        Ok(present)
    }

    #[inline(always)]
    fn set_null(&mut self, slot: Slot) {
        // The data has not grown since the last end was stored, so this end fits as well.
        self.offsets.set_end(slot, self.data.len() as i32);
    }
}

impl ColumnBuilder for BytesColumn {
    fn prepare(&mut self, likely: usize) -> usize {
        self.data.prepare();
        self.offsets.prepare(likely)
    }

    fn make_room(&mut self, len: usize, slots: usize) {
        self.offsets.make_room(len, slots);
    }

    fn pad(&mut self, slots: SlotRange) {
        if self.checked == slots.start() {
            // Empty text needs no check.
            self.checked += slots.len();
        }
        slots.iter().for_each(|slot| self.set_null(slot));
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.data.len());
    }

    fn rollback(&mut self, len: usize, marks: &mut MarksIter<'_>) {
        self.data.truncate(marks.next());
        self.checked = self.checked.min(len);
    }

    fn check_utf8(&mut self, filled: Filled) -> Result<(), Stop> {
        if !self.utf8 || self.checked == filled.len() {
            return Ok(());
        }
        let offsets = &self.offsets.values(filled)[self.checked..];
        let data = self.data.as_slice();
        let text = &data[offsets[0] as usize..];
        simdutf8::basic::from_utf8(text).map_err(|_| Stop::Invalid)?;
        // Text that is valid as a whole is valid in every piece if no piece starts inside a character.
        let inside = |offset: &i32| data.get(*offset as usize).is_some_and(|byte| (*byte as i8) < -0x40);
        // No early exit, because the loop is shorter without one.
        if !text.is_ascii() && offsets.iter().fold(false, |found, offset| found | inside(offset)) {
            return Err(Stop::Invalid);
        }
        self.checked = filled.len();
        Ok(())
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        let checked = !self.utf8 || self.checked == filled.len();
        assert!(checked, "text is checked before it is handed out");
        let (offsets, data) = (self.offsets.take(filled), self.data.take());
        self.checked = 0;
        variable_width(&self.data_type, offsets, data)
    }
}
