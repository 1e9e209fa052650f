//! The pairs of value types that can be converted without loss.

use arrow_schema::DataType;
use arrow_schema::DataType::{
    Binary, BinaryView, Boolean, Date32, Date64, Duration, FixedSizeBinary, Float16, Float32, Float64, Int8,
    Int16, Int32, Int64, LargeBinary, LargeUtf8, Time32, Time64, Timestamp, UInt8, UInt16, UInt32, UInt64,
    Utf8, Utf8View,
};
use arrow_schema::TimeUnit;

use super::ValueCast;
use crate::int96;

/// The cast between two types, if it either keeps every value or can detect the values that it cannot keep. `rounds`:
/// doubles may be rounded to floats.
pub(super) fn value_cast(from: &DataType, to: &DataType, rounds: bool) -> Option<ValueCast> {
    let compared = drops_digits(from, to, rounds)?;
    Some(ValueCast { from: from.clone(), to: to.clone(), compared })
}

/// Whether `arrow-cast` may change a value of this pair of types without an error. `None`: the types cannot be
/// converted.
fn drops_digits(from: &DataType, to: &DataType, rounds: bool) -> Option<bool> {
    if let (Some(_), Some(_)) = (integer_bits(from), integer_bits(to)) {
        return Some(false);
    }
    if let (Some(from), Some(to)) = (integer_bits(from), significand_bits(to)) {
        return Some(from > to);
    }
    if let (Some(from), Some(to)) = (significand_bits(from), significand_bits(to)) {
        return (from <= to || rounds).then_some(false);
    }
    match (from, to) {
        (from, to) if significand_bits(from).is_some() && integer_bits(to).is_some() => Some(true),
        (Boolean, to) if integer_bits(to).is_some() => Some(false),
        (from, to) if is_bytes(from) && is_bytes(to) => Some(false),
        (FixedSizeBinary(_), Binary | LargeBinary | BinaryView) => Some(false),
        // The file has no zone.
        (&int96::EXACT, Timestamp(..) | Int64) => Some(false),
        // Only the zone changes, not the instant.
        (Timestamp(from, from_zone), Timestamp(to, to_zone)) if from_zone.is_some() == to_zone.is_some() => {
            Some(ticks(*from) > ticks(*to))
        }
        (Date32 | Date64, Date32 | Date64)
        | (Time32(_) | Time64(_), Time32(_) | Time64(_))
        | (Duration(_), Duration(_)) => Some(true),
        // The result is the number of days or ticks.
        (Timestamp(..) | Date32 | Date64 | Time32(_) | Time64(_) | Duration(_), Int64) => Some(false),
        (from, to) if integer_bits(from).is_some() => (decimal_scale(to)? >= 0).then_some(false),
        (from, to) if integer_bits(to).is_some() => (decimal_scale(from)? >= 0).then_some(true),
        (from, to) => Some(decimal_scale(from)? > decimal_scale(to)?),
    }
}

/// Number of bits of the largest value of an integer type.
fn integer_bits(data_type: &DataType) -> Option<u32> {
    Some(match data_type {
        Int8 => 7,
        UInt8 => 8,
        Int16 => 15,
        UInt16 => 16,
        Int32 => 31,
        UInt32 => 32,
        Int64 => 63,
        UInt64 => 64,
        _ => return None,
    })
}

/// Number of bits up to which a float type represents all integers.
fn significand_bits(data_type: &DataType) -> Option<u32> {
    Some(match data_type {
        Float16 => 11,
        Float32 => 24,
        Float64 => 53,
        _ => return None,
    })
}

fn is_bytes(data_type: &DataType) -> bool {
    matches!(data_type, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

fn decimal_scale(data_type: &DataType) -> Option<i8> {
    match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Some(*scale),
        _ => None,
    }
}

/// Number of ticks per second, as a power of ten.
fn ticks(unit: TimeUnit) -> u32 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [DataType; 34] = [
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(3),
        Date32,
        Date64,
        Time32(TimeUnit::Second),
        Time32(TimeUnit::Millisecond),
        Time64(TimeUnit::Microsecond),
        Time64(TimeUnit::Nanosecond),
        Timestamp(TimeUnit::Second, None),
        Timestamp(TimeUnit::Nanosecond, None),
        Duration(TimeUnit::Second),
        Duration(TimeUnit::Nanosecond),
        DataType::Decimal32(5, 2),
        DataType::Decimal64(12, 0),
        DataType::Decimal128(20, 4),
        DataType::Decimal256(50, 3),
        DataType::Decimal128(9, -2),
    ];

    #[test]
    fn arrow_cast_has_every_pair() {
        let mut pairs = 0;
        for from in &TYPES {
            for to in TYPES.iter().filter(|to| *to != from && value_cast(from, to, true).is_some()) {
                assert!(arrow_cast::can_cast_types(from, to), "{from} to {to}");
                pairs += 1;
            }
        }
        assert!(pairs > 200, "{pairs}");
    }

    #[test]
    fn floats_round_only_if_they_may() {
        assert_eq!(value_cast(&Float64, &Float32, false), None);
        assert_eq!(value_cast(&Float64, &Float32, true).map(|cast| cast.compared), Some(false));
        assert_eq!(value_cast(&Float32, &Float64, false).map(|cast| cast.compared), Some(false));
    }

    #[test]
    fn types_of_other_kinds_do_not_convert() {
        let zone = Some("UTC".into());
        let pairs = [
            (Utf8, Int64),
            (Int64, Utf8),
            (Int64, Boolean),
            (Float64, Utf8),
            (Timestamp(TimeUnit::Second, zone), Timestamp(TimeUnit::Second, None)),
            (DataType::Decimal128(9, -2), Int64),
            (Binary, FixedSizeBinary(3)),
        ];
        for (from, to) in pairs {
            assert_eq!(value_cast(&from, &to, true), None, "{from} to {to}");
        }
    }
}
