//! The floats nearest to numbers of wider types, rounded once.

use std::fmt::Display;
use std::str::FromStr;

use arrow_buffer::ArrowNativeType;
use half::f16;

/// The powers of ten that an f64 holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The f16 nearest to `value`. `f16::from_f64` rounds twice, or ignores the lowest bits of a tie.
pub(crate) fn f16_of(value: f64) -> f16 {
    f16::from_f32(to_odd(value))
}

/// Rounds to an f32 that has the same nearest f16: towards zero, with the last bit set if the result is not exact.
fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let wide = f64::from(nearest);
    if wide == value || value.is_nan() {
        return nearest;
    }
    let towards_zero = nearest.to_bits() - u32::from(wide.abs() > value.abs());
    f32::from_bits(towards_zero | 1)
}

/// The f64 nearest to the decimal `value`, whose last `scale` digits are after the decimal point.
pub(crate) fn f64_of<D: ArrowNativeType + Display>(value: D, scale: i8) -> f64 {
    let exact = value.to_i64().filter(|value| value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS);
    match (exact, POWERS.get(usize::from(scale.unsigned_abs()))) {
        // Both operands are exact, so the operation is the only rounding.
        (Some(value), Some(power)) if scale < 0 => value as f64 * power,
        (Some(value), Some(power)) => value as f64 / power,
        _ => parsed(value, scale),
    }
}

/// The f32 nearest to the decimal `value`, whose last `scale` digits are after the decimal point.
pub(crate) fn f32_of<D: ArrowNativeType + Display>(value: D, scale: i8) -> f32 {
    /// The bits that an f32 of normal size does not have, and their value half-way between two f32.
    const REST: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
    const TIE: u64 = REST / 2 + 1;
    let wide = f64_of(value, scale);
    let is_small = wide.abs() < f64::from(f32::MIN_POSITIVE);
    if is_small || wide.to_bits() & REST == TIE { parsed(value, scale) } else { wide as f32 }
}

/// Rounds the digits of a decimal, which the standard library does once.
fn parsed<F: FromStr + Default>(value: impl Display, scale: i8) -> F {
    let float = format!("{value}e{}", -i32::from(scale)).parse();
    float.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use arrow_buffer::i256;

    use super::*;

    #[test]
    fn an_f16_is_rounded_once() {
        let after_one = 1.0 + 2_f64.powi(-10);
        let tie = 1.0 + 2_f64.powi(-11);
        for (value, nearest) in [
            (tie, 1.0),
            (tie + 2_f64.powi(-40), after_one),
            (tie - 2_f64.powi(-40), 1.0),
            (65519.999, 65504.0),
            (65520.0, f64::INFINITY),
            (1e300, f64::INFINITY),
            (2_f64.powi(-25), 0.0),
            (2_f64.powi(-25) + 2_f64.powi(-60), 2_f64.powi(-24)),
            (1e-300, 0.0),
            (f64::INFINITY, f64::INFINITY),
        ] {
            assert_eq!(f16_of(value).to_f64(), nearest, "{value}");
            assert_eq!(f16_of(-value).to_f64(), -nearest, "-{value}");
        }
        assert!(f16_of(f64::NAN).is_nan() && f16_of(-1e-300).is_sign_negative());
    }

    #[test]
    fn decimals_are_rounded_once() {
        assert_eq!((f64_of(12_345_i32, 2), f32_of(12_345_i32, 2)), (123.45, 123.45));
        assert_eq!((f64_of(-7_i64, -3), f32_of(-7_i64, -3)), (-7000.0, -7000.0));
        let digits = 123_456_789_012_345_678_901_234_567_890_i128;
        assert_eq!(Ok(f64_of(digits, 10)), "12345678901234567890.1234567890".parse());
        assert_eq!(f64_of(i256::from_i128(digits), 76), 1.234_567_890_123_456_7e-47);
        // The f64 nearest to this decimal is half-way between two f32, and the decimal is above it.
        let above_tie = 16_777_217_000_000_000_000_001_i128;
        assert_eq!((f64_of(above_tie, 15) as f32, f32_of(above_tie, 15)), (16777216.0, 16777218.0));
        assert_eq!(f32_of(i256::MAX, 0), f32::INFINITY);
        assert_eq!(f32_of(15_i128, 46), 1e-45);
    }
}
