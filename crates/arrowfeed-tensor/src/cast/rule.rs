//! The types that convert to each other, and whether the conversion loses anything.

use arrow_schema::DataType;

use crate::dtype::DType;

/// The conversion from one type to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The type holds all values.
    Exact,
    /// Some values are rounded, cut or out of range.
    Lossy,
    /// Symbols of an enum become their codes.
    Codes,
    /// There is no conversion.
    None,
}

/// The conversion of values of an Arrow type. The types differ.
pub(super) fn rule(from: &DataType, to: DType) -> Rule {
    use DataType::*;
    let is_number = to.is_integer() || to.is_floating();
    match from {
        Dictionary(_, values) if matches!(**values, Utf8 | LargeUtf8 | Utf8View) && to.is_integer() => {
            Rule::Codes
        }
        Dictionary(_, values) if !matches!(**values, Dictionary(..)) => match rule(values, to) {
            Rule::Codes => Rule::None,
            rule => rule,
        },
        Boolean if is_number => Rule::Exact,
        other if is_number && (other.is_integer() || other.is_floating()) => match DType::of(other) {
            Some(own) if holds(own, to) => Rule::Exact,
            _ => Rule::Lossy,
        },
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..)
            if matches!(to, DType::Float32 | DType::Float64) =>
        {
            Rule::Lossy
        }
        _ => Rule::None,
    }
}

/// Bits of the integers of any size that a number type holds exactly, and whether they have a sign.
fn integers(dtype: DType) -> (u32, bool) {
    match dtype {
        DType::Float16 => (11, true),
        DType::Float32 => (f32::MANTISSA_DIGITS, true),
        DType::Float64 => (f64::MANTISSA_DIGITS, true),
        DType::Int8 => (7, true),
        DType::Int16 => (15, true),
        DType::Int32 => (31, true),
        DType::Int64 => (63, true),
        DType::UInt8 => (8, false),
        DType::UInt16 => (16, false),
        DType::UInt32 => (32, false),
        DType::UInt64 => (64, false),
        DType::Bool | DType::Bytes => (1, false),
    }
}

/// Whether the number type `to` holds all values of the number type `from`.
fn holds(from: DType, to: DType) -> bool {
    let ((own, own_sign), (bits, sign)) = (integers(from), integers(to));
    let same_kind = from.is_integer() || to.is_floating();
    same_kind && own <= bits && (sign || !own_sign)
}

/// Whether the float type holds this integer exactly.
pub(crate) fn holds_exactly(to: DType, value: i128) -> bool {
    let most = match to {
        DType::Float16 => 65504,
        DType::Float32 => f32::MAX as u128,
        _ => u128::MAX,
    };
    let magnitude = value.unsigned_abs();
    let digits = u128::BITS.saturating_sub(magnitude.leading_zeros() + magnitude.trailing_zeros());
    digits <= integers(to).0 && magnitude <= most
}

/// The name of a type in messages: `int32` for a number, Arrow's name for others.
pub(super) fn named(data_type: &DataType) -> String {
    match DType::of(data_type) {
        Some(dtype)
            if data_type.is_integer() || data_type.is_floating() || *data_type == DataType::Boolean =>
        {
            dtype.to_string()
        }
        _ => data_type.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_holds_the_integers_that_survive_a_round_trip() {
        for (to, value, held) in [
            (DType::Float16, 0, true),
            (DType::Float16, 2049, false),
            (DType::Float16, 2050, true),
            (DType::Float16, -65504, true),
            (DType::Float16, 65536, false),
            (DType::Float32, 16_777_217, false),
            (DType::Float32, -(1 << 62), true),
            (DType::Float64, (1 << 53) + 1, false),
            (DType::Float64, i128::from(u64::MAX), false),
            (DType::Float64, i128::from(i64::MIN), true),
        ] {
            assert_eq!(holds_exactly(to, value), held, "{value} as {to}");
        }
    }
}
