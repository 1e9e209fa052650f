//! The Arrow types that store the values of two types without parts.

use arrow_schema::DataType::{
    Binary, BinaryView, Date32, Date64, Duration, FixedSizeBinary, Float16, Float32, Float64, Int8, Int16,
    Int32, Int64, LargeBinary, LargeUtf8, Time32, Time64, Timestamp, UInt8, UInt16, UInt32, UInt64, Utf8,
    Utf8View,
};
use arrow_schema::{DataType, TimeUnit};

/// The type of the values of both types. `None`: they cannot be merged. The types differ, and have no parts.
pub(super) fn widest(a: &DataType, b: &DataType) -> Option<DataType> {
    if let (Some(a), Some(b)) = (signed(a), signed(b)) {
        return integer(a, b);
    }
    if let (Some(a), Some(b)) = (float(a), float(b)) {
        return Some([Float16, Float32, Float64][a.max(b)].clone());
    }
    let is_number = |data_type: &DataType| signed(data_type).is_some() || float(data_type).is_some();
    if is_number(a) && is_number(b) {
        return Some(Float64);
    }
    if let (Some(a), Some(b)) = (bytes(a), bytes(b)) {
        return Some(a.with(b));
    }
    Some(match (a, b) {
        (Timestamp(a, zone), Timestamp(b, other)) if zone.is_some() == other.is_some() => {
            Timestamp(*a.max(b), zone.clone())
        }
        (Date32 | Date64, Date32 | Date64) => Date64,
        (Time32(a) | Time64(a), Time32(b) | Time64(b)) => match a.max(b) {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => Time32(*unit),
            unit => Time64(*unit),
        },
        (Duration(a), Duration(b)) => Duration(*a.max(b)),
        _ => decimal(a, b)?,
    })
}

/// The number of bytes of an integer, and whether it has a sign.
fn signed(data_type: &DataType) -> Option<(usize, bool)> {
    Some(match data_type {
        Int8 => (1, true),
        Int16 => (2, true),
        Int32 => (4, true),
        Int64 => (8, true),
        UInt8 => (1, false),
        UInt16 => (2, false),
        UInt32 => (4, false),
        UInt64 => (8, false),
        _ => return None,
    })
}

fn integer((a, a_signed): (usize, bool), (b, b_signed): (usize, bool)) -> Option<DataType> {
    if a_signed == b_signed {
        let all = if a_signed { [Int8, Int16, Int32, Int64] } else { [UInt8, UInt16, UInt32, UInt64] };
        return Some(all[a.max(b).ilog2() as usize].clone());
    }
    // A signed type stores all values of an unsigned one that has fewer bytes.
    let bytes = if a_signed { a.max(2 * b) } else { b.max(2 * a) };
    [Int8, Int16, Int32, Int64].get(bytes.ilog2() as usize).cloned()
}

/// The place of a float among the floats.
fn float(data_type: &DataType) -> Option<usize> {
    [Float16, Float32, Float64].iter().position(|float| float == data_type)
}

/// A type of texts or bytes.
#[derive(Clone, Copy)]
struct Bytes {
    is_text: bool,
    is_large: bool,
    is_view: bool,
}

fn bytes(data_type: &DataType) -> Option<Bytes> {
    let (is_text, is_large, is_view) = match data_type {
        Utf8 => (true, false, false),
        LargeUtf8 => (true, true, false),
        Utf8View => (true, false, true),
        Binary | FixedSizeBinary(_) => (false, false, false),
        LargeBinary => (false, true, false),
        BinaryView => (false, false, true),
        _ => return None,
    };
    Some(Bytes { is_text, is_large, is_view })
}

impl Bytes {
    fn with(self, other: Self) -> DataType {
        let is_text = self.is_text && other.is_text;
        match (is_text, self.is_large || other.is_large, self.is_view || other.is_view) {
            (true, true, _) => LargeUtf8,
            (true, false, true) => Utf8View,
            (true, false, false) => Utf8,
            (false, true, _) => LargeBinary,
            (false, false, true) => BinaryView,
            (false, false, false) => Binary,
        }
    }
}

/// The decimal type with the digits of both types.
fn decimal(a: &DataType, b: &DataType) -> Option<DataType> {
    let ((a_width, a_precision, a_scale), (b_width, b_precision, b_scale)) = (digits(a)?, digits(b)?);
    let scale = a_scale.max(b_scale);
    let whole =
        (i16::from(a_precision) - i16::from(a_scale)).max(i16::from(b_precision) - i16::from(b_scale));
    let precision = u8::try_from(whole + i16::from(scale)).ok()?;
    let needed = [9, 18, 38, 76].iter().position(|most| precision <= *most)?;
    let make: [fn(u8, i8) -> DataType; 4] =
        [DataType::Decimal32, DataType::Decimal64, DataType::Decimal128, DataType::Decimal256];
    Some(make[needed.max(a_width).max(b_width)](precision, scale))
}

/// The place of a decimal type among them, its precision and its scale.
fn digits(data_type: &DataType) -> Option<(usize, u8, i8)> {
    Some(match data_type {
        DataType::Decimal32(precision, scale) => (0, *precision, *scale),
        DataType::Decimal64(precision, scale) => (1, *precision, *scale),
        DataType::Decimal128(precision, scale) => (2, *precision, *scale),
        DataType::Decimal256(precision, scale) => (3, *precision, *scale),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_widened_in_both_orders() {
        let zone = |name: &str| Some(name.into());
        let cases = [
            (Int8, Int64, Some(Int64)),
            (UInt8, UInt32, Some(UInt32)),
            (UInt8, Int8, Some(Int16)),
            (UInt32, Int16, Some(Int64)),
            (UInt8, Int64, Some(Int64)),
            (UInt64, Int64, None),
            (Float16, Float32, Some(Float32)),
            (Int8, Float32, Some(Float64)),
            (UInt64, Float64, Some(Float64)),
            (Utf8, LargeUtf8, Some(LargeUtf8)),
            (Utf8, Utf8View, Some(Utf8View)),
            (LargeUtf8, Utf8View, Some(LargeUtf8)),
            (Utf8, Binary, Some(Binary)),
            (LargeUtf8, BinaryView, Some(LargeBinary)),
            (FixedSizeBinary(3), FixedSizeBinary(4), Some(Binary)),
            (FixedSizeBinary(3), Utf8, Some(Binary)),
            (Date32, Date64, Some(Date64)),
            (Time32(TimeUnit::Second), Time32(TimeUnit::Millisecond), Some(Time32(TimeUnit::Millisecond))),
            (Time32(TimeUnit::Second), Time64(TimeUnit::Nanosecond), Some(Time64(TimeUnit::Nanosecond))),
            (
                Duration(TimeUnit::Second),
                Duration(TimeUnit::Microsecond),
                Some(Duration(TimeUnit::Microsecond)),
            ),
            (
                Timestamp(TimeUnit::Second, None),
                Timestamp(TimeUnit::Microsecond, None),
                Some(Timestamp(TimeUnit::Microsecond, None)),
            ),
            (Timestamp(TimeUnit::Second, None), Timestamp(TimeUnit::Second, zone("UTC")), None),
            (DataType::Decimal128(9, 2), DataType::Decimal128(9, 4), Some(DataType::Decimal128(11, 4))),
            (DataType::Decimal32(9, 0), DataType::Decimal32(9, 9), Some(DataType::Decimal64(18, 9))),
            (DataType::Decimal256(76, 0), DataType::Decimal256(76, 1), None),
            (DataType::Decimal32(5, -2), DataType::Decimal32(5, 0), Some(DataType::Decimal32(7, 0))),
            (DataType::Boolean, Int8, None),
            (Int64, Utf8, None),
            (Int64, Date32, None),
            (DataType::Decimal128(9, 2), Int32, None),
        ];
        for (a, b, expected) in cases {
            assert_eq!(widest(&a, &b), expected, "{a} and {b}");
            assert_eq!(widest(&b, &a), expected, "{b} and {a}");
        }
        // The zone is that of the first file.
        let (utc, bonn) = (zone("UTC"), zone("Europe/Berlin"));
        let (first, second) =
            (Timestamp(TimeUnit::Second, utc.clone()), Timestamp(TimeUnit::Nanosecond, bonn));
        assert_eq!(widest(&first, &second), Some(Timestamp(TimeUnit::Nanosecond, utc)));
    }
}
