//! Validity flags: one byte per slot while rows are decoded, one bit per slot when the batch ends.

use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer};

use crate::memory::Values;

/// A column of flags with one byte per slot, 0 or 1. Boolean values are stored in the same way.
#[derive(Debug)]
pub(crate) struct Flags {
    bytes: Values<u8>,
}

impl Flags {
    pub(crate) fn new() -> Self {
        Self { bytes: Values::new() }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, flag: bool) {
        self.bytes.push(u8::from(flag));
    }

    pub(crate) fn push_n(&mut self, flag: bool, n: usize) {
        self.bytes.push_n(u8::from(flag), n);
    }

    /// Appends bytes that are known to be 0 or 1.
    pub(crate) fn extend(&mut self, flags: &[u8]) {
        debug_assert!(flags.iter().all(|flag| *flag <= 1));
        self.bytes.extend_from_wire(flags);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Returns the flags as bits, and leaves the column empty.
    pub(crate) fn take_bits(&mut self) -> BooleanBuffer {
        let bits = BooleanBuffer::new(pack(self.bytes.as_slice()), 0, self.bytes.len());
        self.bytes.truncate(0);
        bits
    }

    /// Returns the flags as a null buffer, or `None` if every slot is valid. Leaves the column empty.
    pub(crate) fn take_nulls(&mut self) -> Option<NullBuffer> {
        if !self.bytes.as_slice().contains(&0) {
            self.bytes.truncate(0);
            return None;
        }
        Some(NullBuffer::new(self.take_bits()))
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
mod tests {
    use super::*;

    #[test]
    fn bits_are_the_flags_in_order() {
        for len in [0, 1, 7, 8, 9, 64, 65, 1000] {
            let flags: Vec<bool> = (0..len).map(|i| i * i % 7 < 3).collect();
            let mut column = Flags::new();
            flags.iter().for_each(|flag| column.push(*flag));
            assert_eq!(column.take_bits(), BooleanBuffer::from(flags));
            assert_eq!(column.len(), 0);
        }
    }

    #[test]
    fn no_null_is_no_buffer() {
        let mut flags = Flags::new();
        flags.push_n(true, 20);
        assert_eq!(flags.take_nulls(), None);
        flags.push_n(true, 3);
        flags.push(false);
        assert_eq!(flags.take_nulls().map(|nulls| nulls.null_count()), Some(1));
    }
}
