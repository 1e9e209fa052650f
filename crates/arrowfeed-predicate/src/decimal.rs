//! Exact decimal numbers.

use std::fmt;
use std::str::FromStr;

use arrow_buffer::i256;
use arrowfeed_values::DecimalText;

use crate::position::Position;

/// Digits of the largest integer of 256 bits.
const MOST_DIGITS: usize = 77;

/// Digits of a number that is written without an exponent.
const PLAIN_DIGITS: usize = 80;

/// An exact decimal number: `mantissa * 10^exponent`. Equal numbers have equal parts.
///
/// ```
/// use arrow_buffer::i256;
/// use arrowfeed_predicate::Decimal;
///
/// assert_eq!(Decimal::new(i256::from(250), -2), Decimal::new(i256::from(25), -1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i256,
    exponent: i32,
}

impl Decimal {
    /// Builds `mantissa * 10^exponent`.
    pub fn new(mut mantissa: i256, mut exponent: i32) -> Self {
        let ten = i256::from(10);
        while mantissa != i256::ZERO && mantissa.wrapping_rem(ten) == i256::ZERO {
            mantissa = mantissa.wrapping_div(ten);
            exponent = exponent.saturating_add(1);
        }
        if mantissa == i256::ZERO {
            exponent = 0;
        }
        Self { mantissa, exponent }
    }

    /// The number that stands for a finite float: an integer is exact, and a fraction is its shortest decimal text.
    pub(crate) fn from_float(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        match i256::from_f64(value) {
            Some(integer) if value.fract() == 0.0 => Some(Self::new(integer, 0)),
            _ => format!("{value:e}").parse().ok(),
        }
    }

    /// The position of the number among the integers, if it is multiplied by `10^scale`.
    pub(crate) fn at_scale(self, scale: i32) -> Position<i256> {
        let exponent = i64::from(self.exponent) + i64::from(scale);
        let power = |digits: i64| u32::try_from(digits).ok().and_then(|n| i256::from(10).checked_pow(n));
        if self.mantissa == i256::ZERO {
            return Position::At(i256::ZERO);
        }
        if exponent >= 0 {
            return match power(exponent).and_then(|power| self.mantissa.checked_mul(power)) {
                Some(value) => Position::At(value),
                None if self.mantissa.is_negative() => Position::BelowAll,
                None => Position::AboveAll,
            };
        }
        // The mantissa does not end with a zero, so there is a remainder.
        let quotient = power(-exponent).map_or(i256::ZERO, |power| self.mantissa.wrapping_div(power));
        let below = i256::from(i8::from(self.mantissa.is_negative()));
        Position::After(quotient.wrapping_sub(below))
    }

    /// The nearest `f64`, which may be infinite.
    pub(crate) fn nearest_float(self) -> f64 {
        let text = format!("{}e{}", self.mantissa, self.exponent);
        text.parse().expect("digits and an exponent")
    }

    /// The position among the values of `f64`. A fraction, or a number too large for 256 bits, stands for the nearest float.
    pub(crate) fn among_floats(self) -> Position<f64> {
        let nearest = self.nearest_float();
        if nearest.is_infinite() {
            return Position::After(if nearest < 0.0 { nearest } else { f64::MAX });
        }
        let Position::At(integer) = self.at_scale(0) else { return Position::At(nearest) };
        let Some(found) = i256::from_f64(nearest) else { return Position::At(nearest) };
        match found.cmp(&integer) {
            std::cmp::Ordering::Equal => Position::At(nearest),
            std::cmp::Ordering::Less => Position::After(nearest),
            std::cmp::Ordering::Greater => Position::After(nearest.next_down()),
        }
    }
}

impl From<i128> for Decimal {
    fn from(value: i128) -> Self {
        Self::new(i256::from_i128(value), 0)
    }
}

impl FromStr for Decimal {
    type Err = &'static str;

    /// Reads `-12.50` or `125e-1`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "a number such as 18, -1.5 or 1e6";
        let DecimalText { is_negative, whole, fraction, exponent } =
            DecimalText::parse(text).ok_or(EXPECTED)?;
        let digits = [whole, fraction].concat();
        let significant = digits.trim_start_matches('0').trim_end_matches('0');
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        if significant.is_empty() {
            return Ok(Self::from(0));
        }
        let exponent = i32::try_from(exponent + zeros as i64 - fraction.len() as i64);
        let exponent = exponent.map_err(|_| EXPECTED)?;
        // `from_string` is recursive, so it must not get a long text.
        let mantissa = (significant.len() <= MOST_DIGITS)
            .then(|| i256::from_string(&[if is_negative { "-" } else { "" }, significant].concat()));
        let mantissa = mantissa.flatten().ok_or("a number with at most 76 digits")?;
        Ok(Self { mantissa, exponent })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.mantissa.to_string();
        let (sign, digits) = text.split_at(text.len() - text.trim_start_matches('-').len());
        let shift = self.exponent.unsigned_abs() as usize;
        if shift > PLAIN_DIGITS - digits.len().min(PLAIN_DIGITS) {
            return write!(f, "{text}e{}", self.exponent);
        }
        if self.exponent >= 0 {
            return write!(f, "{text}{}", "0".repeat(shift));
        }
        let padded = format!("{digits:0>width$}", width = shift + 1);
        let (whole, fraction) = padded.split_at(padded.len() - shift);
        write!(f, "{sign}{whole}.{fraction}")
    }
}
