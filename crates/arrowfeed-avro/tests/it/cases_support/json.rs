//! Arrow values as the JSON of the cases.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, StructArray, UnionArray};
use arrow_schema::{DataType, TimeUnit};
use serde_json::{Map, Value, json};

/// Row `i` as an object.
pub(crate) fn row(rows: &StructArray, i: usize) -> Value {
    let named = rows.fields().iter().zip(rows.columns());
    Value::Object(named.map(|(field, column)| (field.name().clone(), value(column, i))).collect())
}

fn value(array: &ArrayRef, i: usize) -> Value {
    use DataType::*;
    if array.is_null(i) {
        return Value::Null;
    }
    match array.data_type() {
        Null => Value::Null,
        Boolean => array.as_boolean().value(i).into(),
        Int32 => array.as_primitive::<Int32Type>().value(i).into(),
        Int64 => array.as_primitive::<Int64Type>().value(i).into(),
        Float32 => float(array.as_primitive::<Float32Type>().value(i).into()),
        Float64 => float(array.as_primitive::<Float64Type>().value(i)),
        Utf8 => array.as_string::<i32>().value(i).into(),
        LargeUtf8 => array.as_string::<i64>().value(i).into(),
        Utf8View => array.as_string_view().value(i).into(),
        Binary => code_points(array.as_binary::<i32>().value(i)),
        LargeBinary => code_points(array.as_binary::<i64>().value(i)),
        BinaryView => code_points(array.as_binary_view().value(i)),
        FixedSizeBinary(_) => code_points(array.as_fixed_size_binary().value(i)),
        Dictionary(..) => {
            let symbols = array.as_dictionary::<Int32Type>();
            let key = usize::try_from(symbols.keys().value(i)).unwrap();
            value(symbols.values(), key)
        }
        Decimal128(..) => array.as_primitive::<Decimal128Type>().value_as_string(i).into(),
        Decimal256(..) => array.as_primitive::<Decimal256Type>().value_as_string(i).into(),
        Interval(_) => {
            let parts = array.as_primitive::<IntervalMonthDayNanoType>().value(i);
            json!([parts.months, parts.days, parts.nanoseconds])
        }
        List(_) => list(&array.as_list::<i32>().value(i)),
        LargeList(_) => list(&array.as_list::<i64>().value(i)),
        FixedSizeList(..) => list(&array.as_fixed_size_list().value(i)),
        Map(..) => {
            let entries = array.as_map().value(i);
            let entry = |j| json!([value(entries.column(0), j), value(entries.column(1), j)]);
            (0..entries.len()).map(entry).collect()
        }
        Struct(_) => row(array.as_struct(), i),
        Union(..) => branch(array.as_union(), i),
        _ => time(array, i),
    }
}

/// Dates and times are the numbers that they are stored as.
fn time(array: &ArrayRef, i: usize) -> Value {
    use DataType::*;
    use TimeUnit::*;
    match array.data_type() {
        Date32 => stored::<Date32Type>(array, i),
        Time32(Millisecond) => stored::<Time32MillisecondType>(array, i),
        Time64(Microsecond) => stored::<Time64MicrosecondType>(array, i),
        Timestamp(Millisecond, _) => stored::<TimestampMillisecondType>(array, i),
        Timestamp(Microsecond, _) => stored::<TimestampMicrosecondType>(array, i),
        Timestamp(Nanosecond, _) => stored::<TimestampNanosecondType>(array, i),
        other => panic!("no reader gives {other}"),
    }
}

fn stored<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &ArrayRef, i: usize) -> Value {
    Value::from(array.as_primitive::<T>().value(i).into())
}

/// `{"name of the branch": value}`
fn branch(union: &UnionArray, i: usize) -> Value {
    let DataType::Union(fields, _) = union.data_type() else { unreachable!("a union") };
    let tag = union.type_id(i);
    let (_, field) = fields.iter().find(|(id, _)| *id == tag).unwrap();
    let inner = value(union.child(tag), union.value_offset(i));
    Value::Object(Map::from_iter([(field.name().clone(), inner)]))
}

fn list(items: &ArrayRef) -> Value {
    (0..items.len()).map(|i| value(items, i)).collect()
}

/// Numbers that JSON cannot represent, or not reliably, become strings.
fn float(value: f64) -> Value {
    match value {
        _ if value.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        _ if value == 0.0 && value.is_sign_negative() => "-0.0".into(),
        _ => value.into(),
    }
}

/// Bytes as the code points 0 to 255.
fn code_points(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into()
}
