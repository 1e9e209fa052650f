//! Constants of DataFusion as literals of predicates.

use std::borrow::Cow;

use arrow_schema::{DataType, TimeUnit};
use arrowfeed_predicate::Literal;
use datafusion_common::ScalarValue;

/// A constant that a predicate compares with a column.
#[derive(Debug, Clone)]
pub(crate) enum Constant {
    /// A value that a predicate compares as DataFusion does.
    Same(Literal),
    /// A float. DataFusion orders floats by their bits.
    Float(f64),
}

/// Converts a constant for a comparison with a column of this type. `None`: a null, a constant of another type, or a type that
/// predicates do not compare.
pub(crate) fn constant(value: &ScalarValue, column: &DataType) -> Option<Constant> {
    if let ScalarValue::Dictionary(_, inner) = value {
        return constant(inner, column);
    }
    let column = match column {
        DataType::Dictionary(_, values) => values,
        column => column,
    };
    if comparable(column) != comparable(&value.data_type()) {
        return None;
    }
    use ScalarValue as V;
    Some(Constant::Same(match value {
        V::Float32(value) => return value.map(|value| Constant::Float(value.into())),
        V::Float64(value) => return value.map(Constant::Float),
        V::Boolean(value) => (*value)?.into(),
        V::Int8(value) => (*value)?.into(),
        V::Int16(value) => (*value)?.into(),
        V::Int32(value) => (*value)?.into(),
        V::Int64(value) => (*value)?.into(),
        V::UInt8(value) => (*value)?.into(),
        V::UInt16(value) => (*value)?.into(),
        V::UInt32(value) => (*value)?.into(),
        V::UInt64(value) => (*value)?.into(),
        V::Decimal128(value, _, scale) => decimal(&(*value)?.to_string(), *scale)?,
        V::Decimal256(value, _, scale) => decimal(&(*value)?.to_string(), *scale)?,
        V::Utf8(value) | V::LargeUtf8(value) | V::Utf8View(value) => value.as_deref()?.into(),
        V::Binary(value) | V::LargeBinary(value) | V::BinaryView(value) | V::FixedSizeBinary(_, value) => {
            value.as_deref()?.into()
        }
        V::Date32(value) => Literal::Date((*value)?.into()),
        V::Time32Second(value) => Literal::Time(i64::from((*value)?) * 1_000_000_000),
        V::Time32Millisecond(value) => Literal::Time(i64::from((*value)?) * 1_000_000),
        V::Time64Microsecond(value) => Literal::Time((*value)?.checked_mul(1000)?),
        V::Time64Nanosecond(value) => Literal::Time((*value)?),
        V::TimestampSecond(value, zone) => timestamp(*value, TimeUnit::Second, zone.is_some())?,
        V::TimestampMillisecond(value, zone) => timestamp(*value, TimeUnit::Millisecond, zone.is_some())?,
        V::TimestampMicrosecond(value, zone) => timestamp(*value, TimeUnit::Microsecond, zone.is_some())?,
        V::TimestampNanosecond(value, zone) => timestamp(*value, TimeUnit::Nanosecond, zone.is_some())?,
        V::DurationSecond(value) => duration(*value, TimeUnit::Second)?,
        V::DurationMillisecond(value) => duration(*value, TimeUnit::Millisecond)?,
        V::DurationMicrosecond(value) => duration(*value, TimeUnit::Microsecond)?,
        V::DurationNanosecond(value) => duration(*value, TimeUnit::Nanosecond)?,
        _ => return None,
    }))
}

/// One type for all types whose values are compared alike.
fn comparable(data_type: &DataType) -> Cow<'_, DataType> {
    match data_type {
        DataType::LargeUtf8 | DataType::Utf8View => Cow::Owned(DataType::Utf8),
        DataType::LargeBinary | DataType::BinaryView => Cow::Owned(DataType::Binary),
        DataType::Timestamp(unit, Some(_)) => Cow::Owned(DataType::Timestamp(*unit, Some("".into()))),
        other => Cow::Borrowed(other),
    }
}

/// The number `digits / 10^scale`.
fn decimal(digits: &str, scale: i8) -> Option<Literal> {
    Literal::decimal(&format!("{digits}e{}", -i16::from(scale))).ok()
}

fn nanoseconds(value: i64, unit: TimeUnit) -> i128 {
    let factor = match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        TimeUnit::Nanosecond => 1,
    };
    i128::from(value) * factor
}

fn timestamp(value: Option<i64>, unit: TimeUnit, has_zone: bool) -> Option<Literal> {
    let time = nanoseconds(value?, unit);
    Some(if has_zone { Literal::Instant(time) } else { Literal::Timestamp(time) })
}

fn duration(value: Option<i64>, unit: TimeUnit) -> Option<Literal> {
    Some(Literal::Duration(nanoseconds(value?, unit)))
}
