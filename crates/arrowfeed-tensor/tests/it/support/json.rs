//! Conversion of JSON to Arrow arrays and back. A map is `[[key, value], ...]`, a slot of a union `{"branch": value}`.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef, Fields, Schema, TimeUnit};
use serde_json::{Value, json};

/// Makes a batch of rows, each an object. A field that is left out is null.
pub(crate) fn batch(fields: &Fields, rows: &[Value]) -> RecordBatch {
    let columns = fields.iter().map(|field| column(field, rows)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields.clone())), columns, &options).unwrap()
}

fn column(field: &FieldRef, rows: &[Value]) -> ArrayRef {
    let values: Vec<Value> =
        rows.iter().map(|row| row.get(field.name()).cloned().unwrap_or(Value::Null)).collect();
    array(field.data_type(), &values)
}

fn text(value: &Value) -> Option<&str> {
    if value.is_null() { None } else { Some(value.as_str().unwrap_or_else(|| panic!("no text: {value}"))) }
}

fn numbers<T: ArrowPrimitiveType>(
    values: &[Value],
    number: impl Fn(&Value) -> Option<T::Native>,
) -> ArrayRef {
    let one = |value: &Value| match value {
        Value::Null => None,
        value => Some(number(value).unwrap_or_else(|| panic!("no number of the type: {value}"))),
    };
    Arc::new(values.iter().map(one).collect::<PrimitiveArray<T>>())
}

/// Some value that is not null, to be stored under a null, so that tests detect code that reads it.
fn garbage(data_type: &DataType) -> Value {
    match data_type {
        DataType::Null => Value::Null,
        DataType::Boolean => json!(true),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Binary => json!("a"),
        DataType::Dictionary(..) => json!("a"),
        DataType::FixedSizeBinary(size) => json!("a".repeat(*size as usize)),
        DataType::List(items) | DataType::LargeList(items) | DataType::ListView(items) => {
            json!([garbage(items.data_type())])
        }
        DataType::FixedSizeList(items, size) => json!(vec![garbage(items.data_type()); *size as usize]),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(entry) => {
                json!([[garbage(entry[0].data_type()), garbage(entry[1].data_type())]])
            }
            _ => json!([]),
        },
        DataType::Struct(fields) => {
            fields.iter().map(|field| (field.name().clone(), garbage(field.data_type()))).collect()
        }
        DataType::Union(fields, _) => {
            let (_, field) = fields.iter().last().expect("a branch");
            json!({ field.name().as_str(): garbage(field.data_type()) })
        }
        _ => json!(1),
    }
}

fn stored(data_type: &DataType, value: &Value) -> Value {
    if value.is_null() { garbage(data_type) } else { value.clone() }
}

pub(crate) fn array(data_type: &DataType, values: &[Value]) -> ArrayRef {
    let valid: NullBuffer = values.iter().map(|value| !value.is_null()).collect();
    let nulls = Some(valid).filter(|valid| valid.null_count() > 0);
    match data_type {
        DataType::Null => Arc::new(NullArray::new(values.len())),
        DataType::Boolean => Arc::new(values.iter().map(Value::as_bool).collect::<BooleanArray>()),
        DataType::Int8 => numbers::<Int8Type>(values, |v| v.as_i64()?.try_into().ok()),
        DataType::Int32 => numbers::<Int32Type>(values, |v| v.as_i64()?.try_into().ok()),
        DataType::Int64 => numbers::<Int64Type>(values, Value::as_i64),
        DataType::UInt64 => numbers::<UInt64Type>(values, Value::as_u64),
        DataType::Float32 => numbers::<Float32Type>(values, |v| Some(v.as_f64()? as f32)),
        DataType::Float64 => numbers::<Float64Type>(values, Value::as_f64),
        DataType::Date32 => numbers::<Date32Type>(values, |v| v.as_i64()?.try_into().ok()),
        DataType::Decimal128(..) => numbers::<Decimal128Type>(values, |v| v.as_i64().map(i128::from)),
        DataType::Timestamp(TimeUnit::Millisecond, None) => {
            numbers::<TimestampMillisecondType>(values, Value::as_i64)
        }
        DataType::Utf8 => Arc::new(values.iter().map(text).collect::<StringArray>()),
        DataType::LargeUtf8 => Arc::new(values.iter().map(text).collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(values.iter().map(text).collect::<StringViewArray>()),
        DataType::Binary => {
            Arc::new(values.iter().map(|v| text(v).map(str::as_bytes)).collect::<BinaryArray>())
        }
        DataType::FixedSizeBinary(size) => {
            let mut builder = FixedSizeBinaryBuilder::new(*size);
            for value in values {
                match text(value) {
                    Some(text) => builder.append_value(text).unwrap(),
                    None => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }
        DataType::Dictionary(..) => {
            let mut builder = StringDictionaryBuilder::<Int32Type>::new();
            values.iter().for_each(|value| builder.append_option(text(value)));
            Arc::new(builder.finish())
        }
        DataType::Struct(fields) => {
            let values: Vec<Value> = values.iter().map(|value| stored(data_type, value)).collect();
            let columns = fields.iter().map(|field| column(field, &values)).collect();
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, values.len()).unwrap())
        }
        DataType::Union(fields, _) => {
            let mut children: Vec<Vec<Value>> = vec![Vec::new(); fields.len()];
            let mut ids = Vec::new();
            let mut offsets = Vec::new();
            for value in values {
                let (branch, value) = match value {
                    Value::Object(object) => {
                        object.iter().next().map(|(k, v)| (k.as_str(), v.clone())).unwrap()
                    }
                    _ => ("null", Value::Null),
                };
                let id = fields.iter().position(|(_, field)| field.name() == branch).expect("a branch");
                ids.push(fields.iter().nth(id).expect("a branch").0);
                offsets.push(children[id].len() as i32);
                children[id].push(value);
            }
            let children =
                fields.iter().zip(children).map(|((_, f), values)| array(f.data_type(), &values)).collect();
            let (ids, offsets) = (ScalarBuffer::from(ids), Some(ScalarBuffer::from(offsets)));
            Arc::new(UnionArray::try_new(fields.clone(), ids, offsets, children).unwrap())
        }
        list => lists(list, values, nulls),
    }
}

fn lists(data_type: &DataType, values: &[Value], nulls: Option<NullBuffer>) -> ArrayRef {
    let items = |value: &Value| stored(data_type, value).as_array().expect("a list").clone();
    let stored: Vec<Vec<Value>> = values.iter().map(items).collect();
    let lengths = || stored.iter().map(Vec::len);
    let flat: Vec<Value> = stored.iter().flatten().cloned().collect();
    let child = |items: &FieldRef| array(items.data_type(), &flat);
    match data_type {
        DataType::List(items) => {
            let offsets = OffsetBuffer::from_lengths(lengths());
            Arc::new(ListArray::new(items.clone(), offsets, child(items), nulls))
        }
        DataType::LargeList(items) => {
            let offsets = OffsetBuffer::from_lengths(lengths());
            Arc::new(LargeListArray::new(items.clone(), offsets, child(items), nulls))
        }
        DataType::FixedSizeList(items, size) => {
            let (items, child) = (items.clone(), child(items));
            Arc::new(
                FixedSizeListArray::try_new_with_length(items, *size, child, nulls, values.len()).unwrap(),
            )
        }
        // List views may be in any order. Here the last list comes first.
        DataType::ListView(items) => {
            let turned: Vec<Value> = stored.iter().rev().flatten().cloned().collect();
            let mut end = turned.len();
            let offsets = lengths().map(|length| {
                end -= length;
                end as i32
            });
            let offsets: Vec<i32> = offsets.collect();
            let sizes: Vec<i32> = lengths().map(|length| length as i32).collect();
            let child = array(items.data_type(), &turned);
            Arc::new(ListViewArray::new(items.clone(), offsets.into(), sizes.into(), child, nulls))
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(fields) = entries.data_type() else { panic!("no entries") };
            let part = |nth: usize| {
                let values: Vec<Value> = flat.iter().map(|entry| entry[nth].clone()).collect();
                array(fields[nth].data_type(), &values)
            };
            let structs = StructArray::new(fields.clone(), vec![part(0), part(1)], None);
            let offsets = OffsetBuffer::from_lengths(lengths());
            Arc::new(MapArray::new(entries.clone(), offsets, structs, nulls, false))
        }
        other => panic!("no arrays of {other}"),
    }
}

/// The value in one slot of an array, in the form that [`array`] accepts.
pub(crate) fn value(array: &ArrayRef, i: usize) -> Value {
    if array.is_null(i) {
        return Value::Null;
    }
    let items = |items: ArrayRef| Value::Array((0..items.len()).map(|i| value(&items, i)).collect());
    match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => json!(array.as_boolean().value(i)),
        DataType::Int8 => json!(array.as_primitive::<Int8Type>().value(i)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(i)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(i)),
        DataType::UInt64 => json!(array.as_primitive::<UInt64Type>().value(i)),
        DataType::Float32 => json!(array.as_primitive::<Float32Type>().value(i)),
        DataType::Float64 => json!(array.as_primitive::<Float64Type>().value(i)),
        DataType::Date32 => json!(array.as_primitive::<Date32Type>().value(i)),
        DataType::Timestamp(..) => json!(array.as_primitive::<TimestampMillisecondType>().value(i)),
        DataType::Utf8 => json!(array.as_string::<i32>().value(i)),
        DataType::LargeUtf8 => json!(array.as_string::<i64>().value(i)),
        DataType::Utf8View => json!(array.as_string_view().value(i)),
        DataType::Binary => json!(String::from_utf8_lossy(array.as_binary::<i32>().value(i))),
        DataType::FixedSizeBinary(_) => json!(String::from_utf8_lossy(array.as_fixed_size_binary().value(i))),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            value(dictionary.values(), dictionary.normalized_keys()[i])
        }
        DataType::List(_) => items(array.as_list::<i32>().value(i)),
        DataType::LargeList(_) => items(array.as_list::<i64>().value(i)),
        DataType::ListView(_) => items(array.as_list_view::<i32>().value(i)),
        DataType::FixedSizeList(..) => items(array.as_fixed_size_list().value(i)),
        DataType::Map(..) => {
            let entries = array.as_map().value(i);
            let (keys, values) = (entries.column(0), entries.column(1));
            Value::Array((0..entries.len()).map(|i| json!([value(keys, i), value(values, i)])).collect())
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let of = |(field, column): (&FieldRef, &ArrayRef)| (field.name().clone(), value(column, i));
            Value::Object(fields.iter().zip(columns).map(of).collect())
        }
        DataType::Union(fields, _) => {
            let union = array.as_union();
            let (_, field) = fields.iter().find(|(id, _)| *id == union.type_id(i)).expect("a branch");
            match field.data_type() {
                DataType::Null => Value::Null,
                _ => json!({ field.name().as_str(): value(&union.value(i), 0) }),
            }
        }
        other => panic!("no values of {other}"),
    }
}
