//! Columns of decimals, which are encoded as big-endian two's complement of any length.

use arrow_buffer::{ArrowNativeType, i256};
use arrow_schema::DataType;

use super::column_builder::FixedWidth;
use super::leaf::Leaf;
use crate::memory::{Slot, Slots};
use crate::wire::cursor::{Cursor, Pack, Stop};

/// A signed integer as wide as an Arrow decimal.
pub(crate) trait Unscaled: ArrowNativeType {
    /// Decodes a number; returns `None` if it does not fit the type or has no bytes.
    fn from_big_endian(bytes: &[u8]) -> Option<Self>;

    fn from_long(value: i64) -> Self;

    /// Returns the largest number of `precision` digits.
    fn largest(precision: u8) -> Self;

    fn is_within(self, largest: Self) -> bool;
}

/// Extends or shortens a number to `N` bytes. Returns `None` if the removed bytes are more than a repetition of the sign.
fn sign_extended<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    let sign = if *bytes.first()? & 0x80 == 0 { 0x00 } else { 0xff };
    let mut wide = [sign; N];
    if let Some(excess) = bytes.len().checked_sub(N) {
        let (excess, low) = bytes.split_at(excess);
        wide.copy_from_slice(low);
        let same_sign = (wide[0] ^ sign) & 0x80 == 0 && excess.iter().all(|byte| *byte == sign);
        return same_sign.then_some(wide);
    }
    wide[N - bytes.len()..].copy_from_slice(bytes);
    Some(wide)
}

impl Unscaled for i128 {
    fn from_long(value: i64) -> Self {
        value.into()
    }

    fn from_big_endian(bytes: &[u8]) -> Option<Self> {
        sign_extended(bytes).map(i128::from_be_bytes)
    }

    fn largest(precision: u8) -> Self {
        10_i128.checked_pow(precision.into()).map_or(i128::MAX, |power| power - 1)
    }

    fn is_within(self, largest: Self) -> bool {
        self.unsigned_abs() <= largest.unsigned_abs()
    }
}

impl Unscaled for i256 {
    fn from_long(value: i64) -> Self {
        i256::from_i128(value.into())
    }

    fn from_big_endian(bytes: &[u8]) -> Option<Self> {
        sign_extended(bytes).map(i256::from_be_bytes)
    }

    fn largest(precision: u8) -> Self {
        let power = i256::from_i128(10).checked_pow(precision.into());
        power.map_or(i256::MAX, |power| power.wrapping_sub(i256::ONE))
    }

    fn is_within(self, largest: Self) -> bool {
        self <= largest && self >= largest.wrapping_neg()
    }
}

/// A column of decimals of type `T`.
#[derive(Debug)]
pub(crate) struct Decimals<T> {
    values: Slots<T>,
    /// Size of a value; `None` if a length precedes each value.
    size: Option<usize>,
    largest: T,
    data_type: DataType,
}

impl<T: Unscaled> Decimals<T> {
    pub(crate) fn new(data_type: DataType, size: Option<usize>, precision: u8) -> Self {
        Self { values: Slots::new(), size, largest: T::largest(precision), data_type }
    }
}

impl<T: Unscaled> Leaf for Decimals<T> {
    #[inline]
    fn read<P: Pack>(&mut self, slot: Slot, cur: &mut Cursor<'_, P>) -> Result<(), Stop> {
        let size = match self.size {
            Some(size) => size,
            None => cur.length()?,
        };
        let value = match size {
            // Most decimals: one load, and a shift that extends the sign.
            1..=8 => {
                let word = i64::from_be_bytes(cur.peek8());
                cur.skip(size)?;
                T::from_long(word >> (64 - 8 * size))
            }
            _ => T::from_big_endian(cur.bytes(size)?).ok_or(Stop::Invalid)?,
        };
        if !value.is_within(self.largest) {
            return Err(Stop::Invalid);
        }
        self.values.set(slot, value);
        Ok(())
    }

    fn set_null(&mut self, slot: Slot) {
        self.values.set(slot, T::default());
    }
}

impl<T: Unscaled> FixedWidth for Decimals<T> {
    type Value = T;

    fn values(&mut self) -> &mut Slots<T> {
        &mut self.values
    }

    fn data_type(&self) -> &DataType {
        &self.data_type
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_with_the_same_value_is_the_same_number() {
        for (bytes, value) in [(&[0xff][..], -1_i128), (&[0x00, 0x80], 128), (&[0x80], -128)] {
            for extra in 0..40 {
                let sign = if value < 0 { 0xff } else { 0x00 };
                let bytes = [vec![sign; extra], bytes.to_vec()].concat();
                assert_eq!(i128::from_big_endian(&bytes), Some(value));
                assert_eq!(i256::from_big_endian(&bytes), Some(i256::from_i128(value)));
            }
        }
        assert_eq!(i128::from_big_endian(&[]), None);
        assert_eq!(i128::from_big_endian(&[1; 17]), None);
        assert_eq!(i128::from_big_endian(&[[0].as_slice(), &[0xff; 16]].concat()), None);
    }

    #[test]
    fn digits_are_counted() {
        assert!(999_i128.is_within(i128::largest(3)) && (-999_i128).is_within(i128::largest(3)));
        assert!(!1000_i128.is_within(i128::largest(3)));
        assert!(!i128::MIN.is_within(i128::largest(38)));
        assert!(i256::from_i128(-999).is_within(i256::largest(3)));
        assert!(!i256::MIN.is_within(i256::largest(76)));
    }
}
