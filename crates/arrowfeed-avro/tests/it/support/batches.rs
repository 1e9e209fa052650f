//! RecordBatches as plain values.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time32MillisecondType, Time64MicrosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};

use super::value::Value;

/// The rows of all batches in order. Checks that every array is valid.
pub(crate) fn rows(batches: &[RecordBatch]) -> Vec<Vec<Value>> {
    batches.iter().flat_map(rows_of_batch).collect()
}

fn rows_of_batch(batch: &RecordBatch) -> Vec<Vec<Value>> {
    for (column, field) in batch.columns().iter().zip(batch.schema_ref().fields()) {
        column.to_data().validate_full().unwrap_or_else(|error| panic!("{}: {error}", field.name()));
        assert_eq!(column.data_type(), field.data_type());
    }
    transposed(batch.columns(), batch.num_rows())
}

fn transposed(columns: &[ArrayRef], rows: usize) -> Vec<Vec<Value>> {
    let columns: Vec<Vec<Value>> = columns.iter().map(|column| values(column)).collect();
    (0..rows).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
}

/// The values of an array.
pub(crate) fn values(array: &dyn Array) -> Vec<Value> {
    // The values under a null are arbitrary.
    let with_nulls = |values: Vec<Value>| -> Vec<Value> {
        let values = values.into_iter().enumerate();
        values.map(|(i, value)| if array.is_null(i) { Value::Null } else { value }).collect()
    };
    let lists = |values: ArrayRef, offsets: Vec<usize>| {
        let values = self::values(&values);
        offsets.windows(2).map(|pair| Value::List(values[pair[0]..pair[1]].to_vec())).collect()
    };
    match array.data_type() {
        DataType::Null => vec![Value::Null; array.len()],
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            with_nulls(lists(list.values().clone(), list.offsets().iter().map(|at| *at as usize).collect()))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            with_nulls(lists(list.values().clone(), list.offsets().iter().map(|at| *at as usize).collect()))
        }
        DataType::FixedSizeList(_, n) => {
            let list = array.as_fixed_size_list();
            let offsets = (0..=list.len()).map(|i| i * *n as usize).collect();
            with_nulls(lists(list.values().clone(), offsets))
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let (keys, values) = (values(map.keys()), values(map.values()));
            let entries: Vec<_> = keys.into_iter().zip(values).collect();
            let pairs = map.offsets().windows(2);
            with_nulls(pairs.map(|at| Value::Map(entries[at[0] as usize..at[1] as usize].to_vec())).collect())
        }
        DataType::Struct(_) => {
            let records = transposed(array.as_struct().columns(), array.len());
            with_nulls(records.into_iter().map(Value::Record).collect())
        }
        DataType::Union(fields, _) => {
            let union = array.as_union();
            let branches: Vec<Vec<Value>> = fields.iter().map(|(id, _)| values(union.child(id))).collect();
            let branch = |i| fields.iter().position(|(id, _)| id == union.type_id(i)).expect("a branch");
            let slot = |i| {
                let branch = branch(i);
                Value::Branch(branch, Box::new(branches[branch][union.value_offset(i)].clone()))
            };
            (0..array.len()).map(slot).collect()
        }
        DataType::Dictionary(..) => {
            let keys = array.as_dictionary::<Int32Type>();
            let symbols = values(keys.values());
            keys.keys()
                .iter()
                .map(|key| key.map_or(Value::Null, |key| symbols[key as usize].clone()))
                .collect()
        }
        _ => leaves(array),
    }
}

fn leaves(array: &dyn Array) -> Vec<Value> {
    macro_rules! each {
        ($array:expr, $value:expr) => {
            $array.iter().map(|value| value.map_or(Value::Null, $value)).collect()
        };
    }
    macro_rules! number {
        ($ty:ty) => {
            each!(array.as_primitive::<$ty>(), |value| Value::Int(value.into()))
        };
    }
    match array.data_type() {
        DataType::Boolean => each!(array.as_boolean(), Value::Bool),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::Date32 => number!(Date32Type),
        DataType::Time32(_) => number!(Time32MillisecondType),
        DataType::Time64(_) => number!(Time64MicrosecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => number!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => number!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => number!(TimestampNanosecondType),
        DataType::Float32 => {
            each!(array.as_primitive::<Float32Type>(), |value| Value::Float(value.to_bits()))
        }
        DataType::Float64 => {
            each!(array.as_primitive::<Float64Type>(), |value| Value::Double(value.to_bits()))
        }
        DataType::Decimal128(..) => {
            each!(array.as_primitive::<Decimal128Type>(), |value| Value::Decimal(value.to_string()))
        }
        DataType::Decimal256(..) => {
            each!(array.as_primitive::<Decimal256Type>(), |value| Value::Decimal(value.to_string()))
        }
        DataType::Interval(_) => each!(array.as_primitive::<IntervalMonthDayNanoType>(), |value| {
            Value::Interval(value.months, value.days, value.nanoseconds)
        }),
        DataType::Utf8 => each!(array.as_string::<i32>(), |value: &str| Value::Text(value.to_owned())),
        DataType::LargeUtf8 => each!(array.as_string::<i64>(), |value: &str| Value::Text(value.to_owned())),
        DataType::Utf8View => each!(array.as_string_view(), |value: &str| Value::Text(value.to_owned())),
        DataType::Binary => each!(array.as_binary::<i32>(), |value: &[u8]| Value::Bytes(value.to_vec())),
        DataType::LargeBinary => each!(array.as_binary::<i64>(), |value: &[u8]| Value::Bytes(value.to_vec())),
        DataType::BinaryView => each!(array.as_binary_view(), |value: &[u8]| Value::Bytes(value.to_vec())),
        DataType::FixedSizeBinary(_) => {
            each!(array.as_fixed_size_binary(), |value: &[u8]| Value::Bytes(value.to_vec()))
        }
        other => panic!("no value of {other}"),
    }
}
