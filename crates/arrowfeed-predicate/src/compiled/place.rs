//! Literals as values of the types of columns.

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};
use std::sync::Arc;

use crate::position::Position;
use crate::{Decimal, Literal, temporal};

/// A literal among the values of a type.
pub(super) enum Place {
    /// Among integers, which stand for numbers, decimals and temporal values.
    Integers(Position<i256>),
    Floats(Position<f64>),
    Boolean(bool),
    Bytes(Vec<u8>),
    /// All values are null.
    Nulls,
}

/// The type of the values in dictionaries and runs.
pub(super) fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => value_type(value),
        DataType::RunEndEncoded(_, value) => value_type(value.data_type()),
        other => other,
    }
}

/// Finds the place of a literal among the values of a type, or returns the literals that fit the type.
pub(super) fn place(data_type: &DataType, literal: &Literal) -> Result<Place, &'static str> {
    match data_type {
        DataType::Null => Ok(Place::Nulls),
        DataType::Boolean => match literal {
            Literal::Boolean(value) => Ok(Place::Boolean(*value)),
            _ => Err("true or false"),
        },
        integer if integer.is_integer() => at_scale(literal, 0).ok_or("a number"),
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => {
            let number = match literal {
                Literal::String(text) => Literal::Number(text.parse()?),
                other => other.clone(),
            };
            at_scale(&number, *scale).ok_or("a number")
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Ok(Place::Floats(match literal {
            Literal::Number(number) => number.among_floats(),
            Literal::Infinity => Position::At(f64::INFINITY),
            Literal::NegativeInfinity => Position::At(f64::NEG_INFINITY),
            Literal::NaN => Position::Unordered,
            _ => return Err("a number"),
        })),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => match literal {
            Literal::String(text) => Ok(Place::Bytes(text.clone().into_bytes())),
            _ => Err("a string"),
        },
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            match literal {
                Literal::String(text) => Ok(Place::Bytes(text.clone().into_bytes())),
                Literal::Binary(bytes) => Ok(Place::Bytes(bytes.clone())),
                _ => Err("bytes or a string"),
            }
        }
        temporal => {
            let read = match literal {
                Literal::String(text) => temporal::parse(text),
                _ => None,
            };
            temporal_place(temporal, read.as_ref().unwrap_or(literal))
        }
    }
}

fn at_scale(literal: &Literal, scale: i8) -> Option<Place> {
    Some(Place::Integers(match literal {
        Literal::Number(number) => number.at_scale(scale.into()),
        Literal::Infinity => Position::AboveAll,
        Literal::NegativeInfinity => Position::BelowAll,
        Literal::NaN => Position::Unordered,
        _ => return None,
    }))
}

fn temporal_place(data_type: &DataType, literal: &Literal) -> Result<Place, &'static str> {
    const NANOS_OF_DAY: i128 = 86_400_000_000_000;
    let digits = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    };
    let (nanoseconds, scale) = match (data_type, literal) {
        (DataType::Date32, Literal::Date(days)) => {
            return Ok(Place::Integers(Position::At(i128::from(*days).into())));
        }
        (DataType::Date64, Literal::Date(days)) => (i128::from(*days) * NANOS_OF_DAY, 3),
        (DataType::Date32 | DataType::Date64, _) => return Err("a date such as \"2026-01-31\""),
        (DataType::Time32(unit) | DataType::Time64(unit), Literal::Time(time)) => {
            (i128::from(*time), digits(unit))
        }
        (DataType::Time32(_) | DataType::Time64(_), _) => return Err("a time such as \"12:30:00\""),
        (DataType::Timestamp(unit, _), Literal::Date(days)) => {
            (i128::from(*days) * NANOS_OF_DAY, digits(unit))
        }
        (DataType::Timestamp(unit, None), Literal::Timestamp(nanoseconds))
        | (DataType::Timestamp(unit, Some(_)), Literal::Instant(nanoseconds))
        | (DataType::Duration(unit), Literal::Duration(nanoseconds)) => (*nanoseconds, digits(unit)),
        (DataType::Timestamp(_, None), _) => {
            return Err("a timestamp without a time zone, such as \"2026-01-31T12:30:00\"");
        }
        (DataType::Timestamp(_, Some(_)), _) => {
            return Err("a timestamp with a time zone, such as \"2026-01-31T12:30:00Z\"");
        }
        (DataType::Duration(_), _) => return Err("a duration such as \"PT1.5S\""),
        _ => return Err("a type with comparisons"),
    };
    Ok(Place::Integers(Decimal::new(nanoseconds.into(), -9).at_scale(scale)))
}

/// Integers of 256 bits as the values of an array, if they are in their range.
trait Narrow: Sized {
    fn narrow(value: i256) -> Option<Self>;
}

macro_rules! narrow {
    ($($native:ty),*) => {$(
        impl Narrow for $native {
            fn narrow(value: i256) -> Option<Self> {
                value.to_i128()?.try_into().ok()
            }
        }
    )*};
}
narrow!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

impl Narrow for i256 {
    fn narrow(value: i256) -> Option<Self> {
        Some(value)
    }
}

fn primitive<T: ArrowPrimitiveType<Native: Narrow>>(
    data_type: &DataType,
    values: &[i256],
) -> Option<ArrayRef> {
    let values: Option<Vec<T::Native>> = values.iter().map(|value| T::Native::narrow(*value)).collect();
    Some(Arc::new(PrimitiveArray::<T>::from_iter_values(values?).with_data_type(data_type.clone())))
}

/// An array of values of a type that stores integers. `None` if one is out of range.
pub(super) fn integers(data_type: &DataType, values: &[i256]) -> Option<ArrayRef> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let array = match data_type {
        DataType::Int8 => primitive::<Int8Type>,
        DataType::Int16 => primitive::<Int16Type>,
        DataType::Int32 => primitive::<Int32Type>,
        DataType::Int64 => primitive::<Int64Type>,
        DataType::UInt8 => primitive::<UInt8Type>,
        DataType::UInt16 => primitive::<UInt16Type>,
        DataType::UInt32 => primitive::<UInt32Type>,
        DataType::UInt64 => primitive::<UInt64Type>,
        DataType::Decimal32(..) => primitive::<Decimal32Type>,
        DataType::Decimal64(..) => primitive::<Decimal64Type>,
        DataType::Decimal128(..) => primitive::<Decimal128Type>,
        DataType::Decimal256(..) => primitive::<Decimal256Type>,
        DataType::Date32 => primitive::<Date32Type>,
        DataType::Date64 => primitive::<Date64Type>,
        DataType::Time32(Second) => primitive::<Time32SecondType>,
        DataType::Time32(_) => primitive::<Time32MillisecondType>,
        DataType::Time64(Microsecond) => primitive::<Time64MicrosecondType>,
        DataType::Time64(_) => primitive::<Time64NanosecondType>,
        DataType::Timestamp(Second, _) => primitive::<TimestampSecondType>,
        DataType::Timestamp(Millisecond, _) => primitive::<TimestampMillisecondType>,
        DataType::Timestamp(Microsecond, _) => primitive::<TimestampMicrosecondType>,
        DataType::Timestamp(Nanosecond, _) => primitive::<TimestampNanosecondType>,
        DataType::Duration(Second) => primitive::<DurationSecondType>,
        DataType::Duration(Millisecond) => primitive::<DurationMillisecondType>,
        DataType::Duration(Microsecond) => primitive::<DurationMicrosecondType>,
        DataType::Duration(Nanosecond) => primitive::<DurationNanosecondType>,
        other => unreachable!("{other} stores no integers"),
    };
    array(data_type, values)
}
