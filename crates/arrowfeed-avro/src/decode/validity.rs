//! Validity flags: one byte per slot while rows are decoded, one bit per slot when the batch ends.

use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer};

use crate::memory::{Filled, Slot, SlotRange, Slots};

/// A column of flags with one byte per slot, 0 or 1. Boolean values are stored in the same way.
#[derive(Debug)]
pub(crate) struct Flags {
    bytes: Slots<u8>,
}

impl Flags {
    pub(crate) fn new() -> Self {
        Self { bytes: Slots::new() }
    }

    pub(crate) fn prepare(&mut self, likely: usize) -> usize {
        self.bytes.prepare(likely)
    }

    pub(crate) fn make_room(&mut self, len: usize, slots: usize) {
        self.bytes.make_room(len, slots);
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, slot: Slot, flag: bool) {
        self.bytes.set(slot, u8::from(flag));
    }

    pub(crate) fn set_all(&mut self, slots: SlotRange, flag: bool) {
        self.bytes.set_all(slots, u8::from(flag));
    }

    /// Stores bytes that are known to be 0 or 1.
    pub(crate) fn set_from_wire(&mut self, slots: SlotRange, flags: &[u8]) {
        debug_assert!(flags.iter().all(|flag| *flag <= 1));
        self.bytes.set_from_wire(slots, flags);
    }

    /// Returns the flags as bits.
    pub(crate) fn bits(&self, filled: Filled) -> BooleanBuffer {
        BooleanBuffer::new(pack(self.bytes.values(filled)), 0, filled.len())
    }

    /// Returns the flags as a null buffer, or `None` if every slot is valid.
    pub(crate) fn nulls(&self, filled: Filled) -> Option<NullBuffer> {
        self.bytes.values(filled).contains(&0).then(|| NullBuffer::new(self.bits(filled)))
    }
}

/// Packs groups of eight bytes of 0 or 1 into bytes of bits, the first byte into the lowest bit.
fn pack(flags: &[u8]) -> Buffer {
    // The multiplication adds byte i at bit 56 + i. No two bytes meet there, so nothing carries.
    const SPREAD: u64 = 0x0102_0408_1020_4080;
    let (words, rest) = flags.as_chunks::<8>();
    let mut bits = MutableBuffer::with_capacity(flags.len().div_ceil(8));
    bits.extend(words.iter().map(|word| (u64::from_le_bytes(*word).wrapping_mul(SPREAD) >> 56) as u8));
    if !rest.is_empty() {
        bits.push(rest.iter().enumerate().fold(0_u8, |byte, (i, flag)| byte | flag << i));
    }
    bits.into()
}

#[cfg(test)]
#[expect(unsafe_code, reason = "its tests make the same promise")]
mod tests {
    use super::*;

    /// Returns a column of the flags, and their number.
    fn column(flags: &[bool]) -> (Flags, Filled) {
        let mut column = Flags::new();
        column.make_room(0, flags.len());
        // SAFETY: there is room for the slots, and each gets a flag.
        let (slots, filled) = unsafe { (SlotRange::new(0, flags.len()), Filled::new(flags.len())) };
        slots.iter().zip(flags).for_each(|(slot, flag)| column.set(slot, *flag));
        (column, filled)
    }

    #[test]
    fn bits_are_the_flags_in_order() {
        for len in [0, 1, 7, 8, 9, 64, 65, 1000] {
            let flags: Vec<bool> = (0..len).map(|i| i * i % 7 < 3).collect();
            let (column, filled) = column(&flags);
            assert_eq!(column.bits(filled), BooleanBuffer::from(flags));
        }
    }

    #[test]
    fn no_null_is_no_buffer() {
        let (valid, filled) = column(&[true; 20]);
        assert_eq!(valid.nulls(filled), None);
        let (with_null, filled) = column(&[true, true, false]);
        assert_eq!(with_null.nulls(filled).map(|nulls| nulls.null_count()), Some(1));
    }
}
