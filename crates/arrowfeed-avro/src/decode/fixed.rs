//! Columns of fixed-size bytes: fixed, uuid, duration.

use arrow_array::ArrayRef;
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::DataType;

use super::assemble::fixed_width;
use super::fill::{Fill, Marks, MarksIter};
use super::leaf::Leaf;
use crate::memory::Values;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column of values of `size` bytes each.
#[derive(Debug)]
pub(crate) struct FixedColumn {
    data: Values<u8>,
    len: usize,
    size: usize,
    data_type: DataType,
}

impl FixedColumn {
    pub(crate) fn new(data_type: DataType, size: usize) -> Self {
        Self { data: Values::new(), len: 0, size, data_type }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.data.extend_from_wire(bytes);
        self.len += 1;
    }
}

impl Leaf for FixedColumn {
    #[inline(always)]
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.push(cur.bytes(self.size)?);
        Ok(())
    }

    fn read_n<P: Pack>(&mut self, n: usize, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let bytes = n.checked_mul(self.size).ok_or(Stop::Invalid)?;
        self.data.extend_from_wire(cur.bytes(bytes)?);
        self.len += n;
        Ok(())
    }

    fn push_null(&mut self) {
        self.pad(1);
    }
}

impl Fill for FixedColumn {
    fn prepare(&mut self) {
        self.data.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.data.push_zeros(n * self.size);
        self.len += n;
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.len);
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.len = marks.next();
        self.data.truncate(self.len * self.size);
    }

    fn finish(&mut self) -> ArrayRef {
        fixed_width(&self.data_type, std::mem::take(&mut self.len), self.data.take())
    }
}

/// A column of UUIDs that are encoded as strings.
#[derive(Debug)]
pub(crate) struct UuidStrings(FixedColumn);

impl UuidStrings {
    pub(crate) fn new(data_type: DataType) -> Self {
        Self(FixedColumn::new(data_type, 16))
    }
}

/// Parses the hyphenated form of 36 characters, in upper or lower case. Returns a number instead of its bytes:
/// an `Option` of bytes would place them at an offset of one byte, and they would be read back before all of
/// them are written (4 % of the time on `nested`).
pub(crate) fn parse_uuid(text: &[u8]) -> Option<u128> {
    let mut bytes = [0; 16];
    uuid_simd::parse_hyphenated(text, uuid_simd::Out::from_mut(&mut bytes)).ok()?;
    Some(u128::from_ne_bytes(bytes))
}

impl Leaf for UuidStrings {
    #[inline]
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let length = cur.length()?;
        let uuid = parse_uuid(cur.bytes(length)?).ok_or(Stop::Invalid)?;
        self.0.push(&uuid.to_ne_bytes());
        Ok(())
    }

    fn push_null(&mut self) {
        self.0.pad(1);
    }
}

impl Fill for UuidStrings {
    fn prepare(&mut self) {
        self.0.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.0.pad(n);
    }

    fn mark(&self, marks: &mut Marks) {
        self.0.mark(marks);
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.0.rollback(marks);
    }

    fn finish(&mut self) -> ArrayRef {
        self.0.finish()
    }
}

/// A column of durations: months, days and milliseconds, each unsigned in Avro and signed in Arrow.
#[derive(Debug)]
pub(crate) struct Durations {
    values: Values<IntervalMonthDayNano>,
}

impl Durations {
    pub(crate) fn new() -> Self {
        Self { values: Values::new() }
    }
}

/// Decodes a duration; returns `None` if the months or days do not fit the signed numbers of Arrow.
pub(crate) fn duration(bytes: [u8; 12]) -> Option<IntervalMonthDayNano> {
    let part = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (months, days) = (i32::try_from(part(0)).ok()?, i32::try_from(part(4)).ok()?);
    Some(IntervalMonthDayNano::new(months, days, i64::from(part(8)) * 1_000_000))
}

impl Leaf for Durations {
    #[inline]
    fn read<P: Pack>(&mut self, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.values.push(duration(cur.array()?).ok_or(Stop::Invalid)?);
        Ok(())
    }

    fn push_null(&mut self) {
        self.pad(1);
    }
}

impl Fill for Durations {
    fn prepare(&mut self) {
        self.values.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.values.push_zeros(n);
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.values.len());
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.values.truncate(marks.next());
    }

    fn finish(&mut self) -> ArrayRef {
        let len = self.values.len();
        fixed_width(&DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano), len, self.values.take())
    }
}
