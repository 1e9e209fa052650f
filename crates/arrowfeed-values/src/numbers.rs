//! Texts of numbers and booleans.

use arrow_array::ArrowNativeTypeOp;
use arrow_array::types::DecimalType;
#[cfg(feature = "arrays")]
use arrow_array::types::{Float64Type, Int64Type};
use arrow_buffer::ArrowNativeType;
#[cfg(feature = "arrays")]
use arrow_cast::parse::Parser;

/// A boolean: `true` or `false` in letters of any case.
pub fn boolean(text: &str) -> Option<bool> {
    match () {
        () if text.eq_ignore_ascii_case("true") => Some(true),
        () if text.eq_ignore_ascii_case("false") => Some(false),
        () => None,
    }
}

/// An integer.
#[cfg(feature = "arrays")]
pub fn int64(text: &str) -> Option<i64> {
    Int64Type::parse(text)
}

/// A float. Only a text without digits is infinite.
#[cfg(feature = "arrays")]
pub fn float64(text: &str) -> Option<f64> {
    finite(text, Float64Type::parse(text)?, f64::is_infinite)
}

/// Refuses an infinite value that is not written as such.
pub(crate) fn finite<T: Copy>(text: &str, value: T, is_infinite: impl Fn(T) -> bool) -> Option<T> {
    let is_too_large = is_infinite(value) && text.bytes().any(|byte| byte.is_ascii_digit());
    (!is_too_large).then_some(value)
}

/// The parts of the text of a decimal number: its digits before and after the point, and its exponent.
#[derive(Debug, Clone, Copy)]
pub struct DecimalText<'a> {
    /// Whether the number has a minus sign.
    pub is_negative: bool,
    /// The digits before the point.
    pub whole: &'a str,
    /// The digits after the point.
    pub fraction: &'a str,
    /// The power of ten. An exponent that no number of digits balances is about half of the largest or the smallest `i64`.
    pub exponent: i64,
}

impl<'a> DecimalText<'a> {
    /// Reads `-12.50`, `.5`, `5.` or `125e-1`.
    pub fn parse(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (digits, exponent) = match unsigned.find(['e', 'E']) {
            Some(end) => (&unsigned[..end], exponent(&unsigned[end + 1..])?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = whole.len() + fraction.len() > 0 && is_digits(whole) && is_digits(fraction);
        is_number.then_some(Self { is_negative: text.starts_with('-'), whole, fraction, exponent })
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The exponent of a number.
fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !is_digits(digits) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
    Some(if text.starts_with('-') { -size } else { size })
}

/// A decimal number without more digits than its type has.
#[inline]
pub(crate) fn decimal<T: DecimalType>(text: &str, precision: u8, scale: i8) -> Option<T::Native> {
    short_decimal::<T>(text, precision, scale).or_else(|| long_decimal::<T>(text, precision, scale))
}

/// A decimal number of at most 18 digits that has the scale of its type, without an exponent. `None`: another text.
fn short_decimal<T: DecimalType>(text: &str, precision: u8, scale: i8) -> Option<T::Native> {
    const BILLION: u64 = 1_000_000_000;
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let (scale, precision) = (usize::try_from(scale).ok()?, usize::from(precision));
    let point = digits.len().checked_sub(scale + usize::from(scale > 0)).filter(|point| *point > 0)?;
    if digits.len() > 18 || point > precision - scale || (scale > 0 && digits[point] != b'.') {
        return None;
    }
    let mut value = 0;
    for (place, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            value = value * 10 + u64::from(digit);
        } else if place != point {
            return None;
        }
    }
    // Each part fits into 32 bits.
    let part = |value: u64| T::Native::usize_as(value as usize);
    let value = part(value / BILLION).mul_wrapping(part(BILLION)).add_wrapping(part(value % BILLION));
    Some(if text.starts_with('-') { value.neg_wrapping() } else { value })
}

/// A decimal number of any form.
fn long_decimal<T: DecimalType>(text: &str, precision: u8, scale: i8) -> Option<T::Native> {
    let DecimalText { is_negative, whole, fraction, exponent } = DecimalText::parse(text)?;
    // The value is all digits, times ten to this power, in units of the last decimal place.
    let mut power = i64::from(scale) + exponent - fraction.len() as i64;
    let (mut value, mut count) = (T::Native::default(), 0_u8);
    let (ten, mut zeros) = (T::Native::usize_as(10), 0_usize);
    for digit in whole.bytes().chain(fraction.bytes()).map(|digit| usize::from(digit - b'0')) {
        // Zeros at the end are kept aside, because the type need not store them.
        if digit == 0 {
            zeros += usize::from(count > 0);
            continue;
        }
        count = u8::try_from(usize::from(count) + zeros + 1).ok().filter(|count| *count <= precision)?;
        for _ in 0..zeros {
            value = value.mul_wrapping(ten);
        }
        value = value.mul_wrapping(ten).add_wrapping(T::Native::usize_as(digit));
        zeros = 0;
    }
    if count == 0 {
        return Some(value);
    }
    power += zeros as i64;
    let more = u8::try_from(power).ok().filter(|more| count.saturating_add(*more) <= precision)?;
    for _ in 0..more {
        value = value.mul_wrapping(ten);
    }
    Some(if is_negative { value.neg_wrapping() } else { value })
}
