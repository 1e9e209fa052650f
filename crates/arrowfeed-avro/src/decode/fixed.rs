//! Columns of fixed-size bytes: fixed, uuid, duration.

use arrow_array::ArrayRef;
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, IntervalUnit};

use super::assemble::fixed_width;
use super::column_builder::{ColumnBuilder, FixedWidth, MarksIter};
use super::leaf::Leaf;
use crate::memory::{Filled, GrowableBytes, Slot, SlotRange, Slots};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A column of values of `size` bytes each.
#[derive(Debug)]
pub(crate) struct FixedColumn {
    data: GrowableBytes,
    size: usize,
    data_type: DataType,
}

impl FixedColumn {
    pub(crate) fn new(data_type: DataType, size: usize) -> Self {
        Self { data: GrowableBytes::new(), size, data_type }
    }
}

impl Leaf for FixedColumn {
    #[inline(always)]
    fn read<P: Pack>(&mut self, _slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.data.extend(cur.bytes(self.size)?);
        Ok(())
    }

    fn read_n<P: Pack>(&mut self, slots: SlotRange, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let bytes = slots.len().checked_mul(self.size).ok_or(Stop::Invalid)?;
        self.data.extend(cur.bytes(bytes)?);
        Ok(())
    }

    fn set_null(&mut self, _slot: Slot) {
        self.data.extend_zeros(self.size);
    }
}

impl ColumnBuilder for FixedColumn {
    fn prepare(&mut self, _likely: usize) -> usize {
        self.data.prepare();
        usize::MAX
    }

    /// Makes no room, because a schema may declare a size of gigabytes: the bytes grow as they are read.
    fn make_room(&mut self, _len: usize, _slots: usize) {}

    fn pad(&mut self, slots: SlotRange) {
        self.data.extend_zeros(slots.len() * self.size);
    }

    fn rollback(&mut self, len: usize, _marks: &mut MarksIter<'_>) {
        self.data.truncate(len * self.size);
    }

    fn finish(&mut self, filled: Filled) -> ArrayRef {
        fixed_width(&self.data_type, filled.len(), self.data.take(), None)
    }
}

/// A column of UUIDs that are encoded as strings.
#[derive(Debug)]
pub(crate) struct UuidStrings {
    /// The 16 bytes of each UUID, in their order, as a number.
    values: Slots<u128>,
    data_type: DataType,
}

impl UuidStrings {
    pub(crate) fn new(data_type: DataType) -> Self {
        Self { values: Slots::new(), data_type }
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
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let length = cur.length()?;
        self.values.set(slot, parse_uuid(cur.bytes(length)?).ok_or(Stop::Invalid)?);
        Ok(())
    }

    fn set_null(&mut self, slot: Slot) {
        self.values.set(slot, 0);
    }
}

impl FixedWidth for UuidStrings {
    type Value = u128;

    fn values(&mut self) -> &mut Slots<u128> {
        &mut self.values
    }

    fn data_type(&self) -> &DataType {
        &self.data_type
    }
}

/// A column of durations: months, days and milliseconds, each unsigned in Avro and signed in Arrow.
#[derive(Debug)]
pub(crate) struct Durations {
    values: Slots<IntervalMonthDayNano>,
    data_type: DataType,
}

impl Durations {
    pub(crate) fn new() -> Self {
        Self { values: Slots::new(), data_type: DataType::Interval(IntervalUnit::MonthDayNano) }
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
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        self.values.set(slot, duration(cur.array()?).ok_or(Stop::Invalid)?);
        Ok(())
    }

    fn set_null(&mut self, slot: Slot) {
        self.values.set(slot, IntervalMonthDayNano::default());
    }
}

impl FixedWidth for Durations {
    type Value = IntervalMonthDayNano;

    fn values(&mut self) -> &mut Slots<IntervalMonthDayNano> {
        &mut self.values
    }

    fn data_type(&self) -> &DataType {
        &self.data_type
    }
}
