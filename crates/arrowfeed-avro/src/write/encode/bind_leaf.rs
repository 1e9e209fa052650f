//! Conversion of an Arrow array and an Avro leaf type to the leaf that writes it: the table in `docs/avro-to-arrow.md`.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use arrowfeed_source::FeedError;

use super::body::Op;
use super::computed;
use super::decimal::decimal;
use super::leaf::{Booleans, Computed, Fixed, Floats, Integers, Text};
use crate::plan::leaf::decimal_type;
use crate::schema::graph::{FixedLogical, IntLogical, LongLogical};
use crate::write::plan::{self, Leaf};

/// The operation that writes the non-null slots of `array`.
///
/// # Errors
/// The type of the array does not fit the Avro type, or does so only with a loss.
pub(super) fn bind_leaf(leaf: &Leaf, array: &ArrayRef, path: &str) -> Result<Op, FeedError> {
    use DataType as D;
    let computed = |leaf: Computed| Op::Computed(vec![leaf]);
    Ok(match (leaf, array.data_type()) {
        (Leaf::Null, D::Null) => computed(Computed::new(|_, _| Ok(()))),
        (Leaf::Boolean, D::Boolean) => Op::Boolean(vec![Booleans(array.as_boolean().values().clone())]),

        (Leaf::Int(None) | Leaf::Long(None), D::Int8 | D::Int16 | D::Int32 | D::UInt8 | D::UInt16)
        | (Leaf::Long(None), D::Int64 | D::UInt32)
        | (Leaf::Int(Some(IntLogical::Date)), D::Date32) => integers(array),
        (Leaf::Int(None), D::Int64 | D::UInt32 | D::UInt64) => computed(computed::narrow_int(array, path)),
        (Leaf::Long(None), D::UInt64) => computed(computed::unsigned_long(array, path)),
        (Leaf::Int(Some(IntLogical::Date)), D::Date64) => computed(computed::days(array, path)),
        (Leaf::Int(Some(IntLogical::TimeMillis)), D::Time32(_) | D::Time64(_)) => {
            computed(computed::time_of_day(array, TimeUnit::Millisecond, path))
        }
        (Leaf::Long(Some(LongLogical::TimeMicros)), D::Time32(_) | D::Time64(_)) => {
            computed(computed::time_of_day(array, TimeUnit::Microsecond, path))
        }
        (Leaf::Long(Some(logical)), D::Timestamp(unit, zone)) => match timestamp(*logical) {
            Some((to, is_instant)) if is_instant == zone.is_some() => match to == *unit {
                true => integers(array),
                false => computed(computed::timestamp(array, *unit, to, path)),
            },
            _ => return Err(misfit(leaf, array, path)),
        },

        (Leaf::Float, D::Float32) => Op::Float(vec![Floats(array.as_primitive::<Float32Type>().clone())]),
        (Leaf::Float, D::Float16) => computed(computed::half(array)),
        (Leaf::Double, D::Float64) => Op::Double(vec![Floats(array.as_primitive::<Float64Type>().clone())]),
        (
            Leaf::Double,
            D::Float16 | D::Float32 | D::Int8 | D::Int16 | D::Int32 | D::UInt8 | D::UInt16 | D::UInt32,
        ) => computed(computed::double(array)),

        // Decimals with more digits than Arrow supports are read as bytes.
        (Leaf::Bytes(Some(ty)), D::Binary | D::LargeBinary | D::BinaryView)
            if decimal_type(*ty).is_none() =>
        {
            computed(computed::sized(array))
        }
        (Leaf::Fixed { size, logical: Some(FixedLogical::Decimal(ty)) }, D::FixedSizeBinary(found))
            if decimal_type(*ty).is_none() && usize::try_from(*found) == Ok(*size) =>
        {
            Op::Fixed(vec![Fixed { data: array.as_fixed_size_binary().values().clone(), size: *size }])
        }
        (Leaf::Bytes(None), D::Binary) => text(Text::new(array.as_binary::<i32>())),
        (Leaf::Bytes(None), D::LargeBinary) => large_text(Text::new(array.as_binary::<i64>())),
        (Leaf::Bytes(None) | Leaf::String { uuid: false }, D::Utf8) => {
            text(Text::new(array.as_string::<i32>()))
        }
        (Leaf::Bytes(None) | Leaf::String { uuid: false }, D::LargeUtf8) => {
            large_text(Text::new(array.as_string::<i64>()))
        }
        (Leaf::Bytes(None), D::BinaryView | D::Utf8View | D::FixedSizeBinary(_))
        | (Leaf::String { uuid: false }, D::Utf8View) => computed(computed::sized(array)),
        (Leaf::String { uuid: false }, D::Binary | D::LargeBinary | D::BinaryView) => {
            computed(computed::checked_utf8(array, path))
        }
        (Leaf::String { uuid: true }, D::FixedSizeBinary(16)) => computed(computed::uuid_text(array)),
        (Leaf::String { uuid: true }, D::Utf8 | D::LargeUtf8 | D::Utf8View) => {
            computed(computed::checked_uuid(array, path))
        }
        (
            Leaf::Bytes(Some(ty)),
            D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) | D::UInt64,
        ) => computed(decimal(array, *ty, None, path)?),

        (Leaf::Fixed { size, logical: None | Some(FixedLogical::Uuid) }, D::FixedSizeBinary(found))
            if usize::try_from(*found) == Ok(*size) =>
        {
            Op::Fixed(vec![Fixed { data: array.as_fixed_size_binary().values().clone(), size: *size }])
        }
        (
            Leaf::Fixed { size, logical: None | Some(FixedLogical::Uuid) },
            D::Binary | D::LargeBinary | D::BinaryView,
        ) => computed(computed::checked_fixed(array, *size, path)),
        (
            Leaf::Fixed { size, logical: Some(FixedLogical::Decimal(ty)) },
            D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) | D::UInt64,
        ) => computed(decimal(array, *ty, Some(*size), path)?),
        (Leaf::Fixed { logical: Some(FixedLogical::Duration), .. }, D::Interval(_)) => {
            computed(computed::duration(array, path))
        }
        (Leaf::Enum(symbols), D::Utf8 | D::LargeUtf8 | D::Utf8View) => {
            computed(computed::symbols_of_text(symbols, array, path))
        }
        _ => return Err(misfit(leaf, array, path)),
    })
}

fn misfit(leaf: &Leaf, array: &ArrayRef, path: &str) -> FeedError {
    let (ty, found) = (leaf.name(), array.data_type());
    plan::error(path, format!("expected a column that fits the Avro type {ty}, found {found}"))
}

/// Integers of any width, unchanged. Dates and timestamps have the same buffers.
fn integers(array: &ArrayRef) -> Op {
    use DataType as D;
    match array.data_type() {
        D::Int8 => Op::I8(vec![Integers(array.as_primitive::<Int8Type>().values().clone())]),
        D::Int16 => Op::I16(vec![Integers(array.as_primitive::<Int16Type>().values().clone())]),
        D::Int32 => Op::I32(vec![Integers(array.as_primitive::<Int32Type>().values().clone())]),
        D::UInt8 => Op::U8(vec![Integers(array.as_primitive::<UInt8Type>().values().clone())]),
        D::UInt16 => Op::U16(vec![Integers(array.as_primitive::<UInt16Type>().values().clone())]),
        D::UInt32 => Op::U32(vec![Integers(array.as_primitive::<UInt32Type>().values().clone())]),
        D::Date32 => Op::I32(vec![Integers(computed::native::<i32>(array))]),
        D::Int64 => Op::I64(vec![Integers(array.as_primitive::<Int64Type>().values().clone())]),
        _ => Op::I64(vec![Integers(computed::native::<i64>(array))]),
    }
}

fn text(text: Text<i32>) -> Op {
    Op::Text(vec![text])
}

fn large_text(text: Text<i64>) -> Op {
    Op::LargeText(vec![text])
}

/// The unit of a timestamp, and whether it is an instant; `None` for a time of day.
fn timestamp(logical: LongLogical) -> Option<(TimeUnit, bool)> {
    Some(match logical {
        LongLogical::TimeMicros => return None,
        LongLogical::TimestampMillis => (TimeUnit::Millisecond, true),
        LongLogical::TimestampMicros => (TimeUnit::Microsecond, true),
        LongLogical::TimestampNanos => (TimeUnit::Nanosecond, true),
        LongLogical::LocalTimestampMillis => (TimeUnit::Millisecond, false),
        LongLogical::LocalTimestampMicros => (TimeUnit::Microsecond, false),
        LongLogical::LocalTimestampNanos => (TimeUnit::Nanosecond, false),
    })
}
