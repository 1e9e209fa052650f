//! Columns of strings and bytes.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::assemble::variable_width;
use super::fill::{Fill, Marks, MarksIter};
use super::leaf::Leaf;
use crate::memory::Values;
use crate::wire::cursor::{Cursor, Pack, Stop, Text};

/// A column of strings or bytes. Invariant: once prepared, `offsets` starts with 0 and ends with the length of `data`.
#[derive(Debug)]
pub(crate) struct BytesColumn {
    offsets: Values<i32>,
    data: Values<u8>,
    data_type: DataType,
    utf8: bool,
    /// Number of slots whose text has been validated.
    checked: usize,
}

impl BytesColumn {
    /// Creates a column. If `utf8` is set, the bytes are text and are validated.
    pub(crate) fn new(data_type: DataType, utf8: bool) -> Self {
        Self { offsets: Values::new(), data: Values::new(), data_type, utf8, checked: 0 }
    }

    /// Appends a slot.
    #[inline(always)]
    pub(super) fn push(&mut self, text: Text<'_>) -> Result<(), Stop> {
        if text.len() <= 32 {
            self.data.extend_short(|| text.peek32(), text.len());
        } else {
            self.data.extend_from_wire(text.bytes());
        }
        let end = i32::try_from(self.data.len()).map_err(|_| Stop::Full)?;
        self.offsets.push(end);
        Ok(())
    }

    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
}

impl Leaf for BytesColumn {
    #[inline(always)]
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.push(cur.string()?)
    }

    #[inline(always)]
    fn read_optional<P: Pack>(&mut self, null: u8, cur: &mut Cursor<'_, P>) -> Result<bool, Stop> {
        let (present, text) = cur.optional_string(null)?;
        self.push(text)?;
        Ok(present)
    }

    #[inline(always)]
    fn push_null(&mut self) {
        // The data has not grown since the last offset was pushed, so this offset fits as well.
        self.offsets.push(self.data.len() as i32);
    }
}

impl Fill for BytesColumn {
    fn prepare(&mut self) {
        self.data.prepare();
        self.offsets.prepare();
        if self.offsets.len() == 0 {
            self.offsets.push(0);
        }
    }

    fn pad(&mut self, n: usize) {
        if self.checked == self.len() {
            // Empty text needs no check.
            self.checked += n;
        }
        self.offsets.push_n(self.data.len() as i32, n);
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.len());
        marks.push(self.data.len());
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        let len = marks.next();
        self.offsets.truncate(len + 1);
        self.data.truncate(marks.next());
        self.checked = self.checked.min(len);
    }

    fn check_utf8(&mut self) -> Result<(), Stop> {
        if !self.utf8 || self.checked == self.len() {
            return Ok(());
        }
        let offsets = &self.offsets.as_slice()[self.checked..];
        let data = self.data.as_slice();
        let text = &data[offsets[0] as usize..];
        simdutf8::basic::from_utf8(text).map_err(|_| Stop::Invalid)?;
        // Text that is valid as a whole is valid in every piece if no piece starts inside a character.
        let inside = |offset: &i32| data.get(*offset as usize).is_some_and(|byte| (*byte as i8) < -0x40);
        // No early exit, because the loop is shorter without one.
        if !text.is_ascii() && offsets.iter().fold(false, |found, offset| found | inside(offset)) {
            return Err(Stop::Invalid);
        }
        self.checked = self.len();
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        let checked = !self.utf8 || self.checked == self.len();
        assert!(checked, "text is checked before it is handed out");
        let (offsets, data) = (self.offsets.take(), self.data.take());
        self.checked = 0;
        variable_width(&self.data_type, offsets, data)
    }
}
