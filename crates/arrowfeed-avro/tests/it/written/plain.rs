//! A plain writer: writes one value at a time, and shares no code with the crate.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, MapArray, RunArray, downcast_integer};
use arrow_buffer::i256;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use crate::support::schema::{Definition, Logical, Schema, Type};
use crate::support::value::Value;

/// The value of a slot.
pub(crate) fn value(array: &dyn Array, slot: usize) -> Value {
    use DataType as D;
    macro_rules! number {
        ($type:ty) => {
            array.as_primitive::<$type>().value(slot)
        };
    }
    macro_rules! int {
        ($type:ty) => {
            Value::Int(number!($type).into())
        };
    }
    if array.is_null(slot) {
        return Value::Null;
    }
    match array.data_type() {
        D::Null => Value::Null,
        D::Boolean => Value::Bool(array.as_boolean().value(slot)),
        D::Int8 => int!(Int8Type),
        D::Int16 => int!(Int16Type),
        D::Int32 => int!(Int32Type),
        D::Int64 => int!(Int64Type),
        D::UInt8 => int!(UInt8Type),
        D::UInt16 => int!(UInt16Type),
        D::UInt32 => int!(UInt32Type),
        D::UInt64 => Value::Decimal(number!(UInt64Type).to_string()),
        D::Float16 => Value::Float(number!(Float16Type).to_f32().to_bits()),
        D::Float32 => Value::Float(number!(Float32Type).to_bits()),
        D::Float64 => Value::Double(number!(Float64Type).to_bits()),
        D::Date32 => int!(Date32Type),
        D::Date64 => Value::Int(number!(Date64Type) / 86_400_000),
        D::Time32(TimeUnit::Second) => Value::Int(i64::from(number!(Time32SecondType)) * 1000),
        D::Time32(_) => int!(Time32MillisecondType),
        D::Time64(TimeUnit::Nanosecond) => Value::Int(number!(Time64NanosecondType) / 1000),
        D::Time64(_) => int!(Time64MicrosecondType),
        D::Timestamp(TimeUnit::Second, _) => Value::Int(number!(TimestampSecondType) * 1000),
        D::Timestamp(TimeUnit::Millisecond, _) => int!(TimestampMillisecondType),
        D::Timestamp(TimeUnit::Microsecond, _) => int!(TimestampMicrosecondType),
        D::Timestamp(TimeUnit::Nanosecond, _) => int!(TimestampNanosecondType),
        D::Interval(IntervalUnit::YearMonth) => Value::Interval(number!(IntervalYearMonthType), 0, 0),
        D::Interval(IntervalUnit::DayTime) => {
            let value = number!(IntervalDayTimeType);
            Value::Interval(0, value.days, i64::from(value.milliseconds) * 1_000_000)
        }
        D::Interval(_) => {
            let value = number!(IntervalMonthDayNanoType);
            Value::Interval(value.months, value.days, value.nanoseconds)
        }
        D::Decimal32(..) => Value::Decimal(number!(Decimal32Type).to_string()),
        D::Decimal64(..) => Value::Decimal(number!(Decimal64Type).to_string()),
        D::Decimal128(..) => Value::Decimal(number!(Decimal128Type).to_string()),
        D::Decimal256(..) => Value::Decimal(number!(Decimal256Type).to_string()),
        D::Utf8 => Value::Text(array.as_string::<i32>().value(slot).to_owned()),
        D::LargeUtf8 => Value::Text(array.as_string::<i64>().value(slot).to_owned()),
        D::Utf8View => Value::Text(array.as_string_view().value(slot).to_owned()),
        D::Binary => Value::Bytes(array.as_binary::<i32>().value(slot).to_vec()),
        D::LargeBinary => Value::Bytes(array.as_binary::<i64>().value(slot).to_vec()),
        D::BinaryView => Value::Bytes(array.as_binary_view().value(slot).to_vec()),
        D::FixedSizeBinary(_) => Value::Bytes(array.as_fixed_size_binary().value(slot).to_vec()),
        D::List(_) => list(array.as_list::<i32>().value(slot)),
        D::LargeList(_) => list(array.as_list::<i64>().value(slot)),
        D::ListView(_) => list(array.as_list_view::<i32>().value(slot)),
        D::LargeListView(_) => list(array.as_list_view::<i64>().value(slot)),
        D::FixedSizeList(..) => list(array.as_fixed_size_list().value(slot)),
        D::Map(..) => map(array.as_map(), slot),
        D::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            Value::Record(columns.map(|column| value(column, slot)).collect())
        }
        D::Union(fields, _) => {
            let union = array.as_union();
            let id = union.type_id(slot);
            let branch = fields.iter().position(|(other, _)| other == id).expect("a child of this id");
            Value::Branch(branch, Box::new(value(union.child(id), union.value_offset(slot))))
        }
        D::Dictionary(key, _) => {
            macro_rules! key {
                ($type:ty) => {{
                    let dictionary = array.as_dictionary::<$type>();
                    value(dictionary.values(), dictionary.keys().value(slot) as usize)
                }};
            }
            downcast_integer! {
                key.as_ref() => (key),
                other => panic!("{other} is no key")
            }
        }
        D::RunEndEncoded(ends, _) => match ends.data_type() {
            D::Int16 => run(array.as_run::<Int16Type>(), slot),
            D::Int32 => run(array.as_run::<Int32Type>(), slot),
            _ => run(array.as_run::<Int64Type>(), slot),
        },
        other => panic!("no value of {other}"),
    }
}

fn list(items: ArrayRef) -> Value {
    Value::List((0..items.len()).map(|slot| value(&items, slot)).collect())
}

fn map(map: &MapArray, slot: usize) -> Value {
    let entries = map.value(slot);
    let pair = |slot| (value(entries.column(0), slot), value(entries.column(1), slot));
    let pairs = (0..entries.len()).map(pair);
    match entries.column(0).data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Value::Map(pairs.collect()),
        _ => Value::List(pairs.map(|(key, value)| Value::Record(vec![key, value])).collect()),
    }
}

fn run<R: RunEndIndexType>(array: &RunArray<R>, slot: usize) -> Value {
    value(array.values(), array.get_physical_index(slot))
}

/// The branch for a value of an Arrow union. The Avro union may have a null branch besides those of the children.
fn branch(branches: &[Type], index: usize, value: &Value) -> usize {
    let is_null = |ty: &Type| matches!(ty, Type::Primitive("null", _));
    match branches.iter().position(is_null) {
        Some(null) if *value == Value::Null => null,
        _ => index,
    }
}

/// The value that a reader of the file returns. `arrow` is the Arrow type that the value was written from.
pub(crate) fn as_read(schema: &Schema, ty: &Type, value: &Value, arrow: &DataType) -> Value {
    let arrow = stored(arrow);
    match (ty, value) {
        (Type::Union(branches), Value::Branch(index, inner)) => {
            let beside = branches.len() - children(arrow);
            let index = branch(branches, index + beside, inner);
            let inner = as_read(schema, &branches[index], inner, child(arrow, index.saturating_sub(beside)));
            match Schema::nullable(branches) {
                Some(_) => inner,
                None => Value::Branch(index, Box::new(inner)),
            }
        }
        (Type::Union(branches), Value::Null) => match Schema::nullable(branches) {
            Some(_) => Value::Null,
            None => Value::Branch(branch(branches, usize::MAX, value), Box::new(Value::Null)),
        },
        (Type::Union(branches), value) => {
            let (_, ty) = Schema::nullable(branches).expect("a column that is no union");
            as_read(schema, ty, value, arrow)
        }
        (Type::Array(item), Value::List(items)) => {
            Value::List(items.iter().map(|value| as_read(schema, item, value, child(arrow, 0))).collect())
        }
        (Type::Map(ty), Value::Map(entries)) => {
            let value = |value| as_read(schema, ty, value, child(child(arrow, 0), 1));
            Value::Map(entries.iter().map(|(key, found)| (key.clone(), value(found))).collect())
        }
        (ty, Value::Record(values)) => {
            let fields = schema.fields(ty).expect("a record").iter().zip(values).enumerate();
            let field = fields.map(|(i, (field, value))| as_read(schema, &field.ty, value, child(arrow, i)));
            Value::Record(field.collect())
        }
        (_, value) => value.clone(),
    }
}

fn stored(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => stored(values),
        DataType::RunEndEncoded(_, values) => stored(values.data_type()),
        other => other,
    }
}

fn children(data_type: &DataType) -> usize {
    let DataType::Union(fields, _) = data_type else { panic!("{data_type} is no union") };
    fields.len()
}

fn child(data_type: &DataType, index: usize) -> &DataType {
    match stored(data_type) {
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) => item.data_type(),
        DataType::LargeListView(item) | DataType::FixedSizeList(item, _) => item.data_type(),
        DataType::Map(entries, _) => entries.data_type(),
        DataType::Struct(fields) => fields[index].data_type(),
        DataType::Union(fields, _) => fields.iter().nth(index).expect("a child").1.data_type(),
        other => panic!("{other} has no child"),
    }
}

/// Appends the bytes of a value.
pub(crate) fn encode(schema: &Schema, ty: &Type, value: &Value, arrow: &DataType, out: &mut Vec<u8>) {
    let arrow = stored(arrow);
    match (ty, value) {
        (Type::Union(branches), Value::Branch(index, inner)) => {
            let beside = branches.len() - children(arrow);
            let index = branch(branches, index + beside, inner);
            long(index as i64, out);
            encode(schema, &branches[index], inner, child(arrow, index.saturating_sub(beside)), out);
        }
        (Type::Union(branches), value) => {
            let is_null = |ty: &Type| matches!(ty, Type::Primitive("null", _));
            let wanted = branches.iter().position(|ty| is_null(ty) == (*value == Value::Null));
            let index = wanted.expect("a branch for the value");
            long(index as i64, out);
            encode(schema, &branches[index], value, arrow, out);
        }
        (Type::Primitive("null", _), Value::Null) => {}
        (Type::Primitive("boolean", _), Value::Bool(value)) => out.push(u8::from(*value)),
        (Type::Primitive("int" | "long", _), Value::Int(value)) => long(*value, out),
        (Type::Primitive("float", _), Value::Float(bits)) => out.extend(bits.to_le_bytes()),
        (Type::Primitive("double", _), Value::Double(bits)) => out.extend(bits.to_le_bytes()),
        (Type::Primitive("string", None), Value::Text(text)) => sized(text.as_bytes(), out),
        (Type::Primitive("string", Some(Logical::Simple("uuid"))), Value::Bytes(bytes)) => {
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let groups = [0..4, 4..6, 6..8, 8..10, 10..16].map(|range| hex[range].concat());
            sized(groups.join("-").as_bytes(), out);
        }
        (Type::Primitive("bytes", Some(Logical::Decimal { .. })), Value::Decimal(digits)) => {
            sized(&least_bytes(digits), out);
        }
        (Type::Primitive("bytes", None), Value::Bytes(bytes)) => sized(bytes, out),
        (Type::Array(item), Value::List(items)) => {
            if !items.is_empty() {
                long(items.len() as i64, out);
                items.iter().for_each(|value| encode(schema, item, value, child(arrow, 0), out));
            }
            out.push(0);
        }
        (Type::Map(ty), Value::Map(entries)) => {
            if !entries.is_empty() {
                long(entries.len() as i64, out);
            }
            for (key, value) in entries {
                encode(schema, &Type::Primitive("string", None), key, &DataType::Utf8, out);
                encode(schema, ty, value, child(child(arrow, 0), 1), out);
            }
            out.push(0);
        }
        (Type::Named(name), value) => match (schema.definition(name), value) {
            (Definition::Record(fields), Value::Record(values)) => {
                for (i, (field, value)) in fields.iter().zip(values).enumerate() {
                    encode(schema, &field.ty, value, child(arrow, i), out);
                }
            }
            (Definition::Enum { symbols, .. }, Value::Text(text)) => {
                let index = symbols.iter().position(|symbol| symbol == text);
                long(index.expect("a symbol") as i64, out);
            }
            (Definition::Fixed(_, None), Value::Bytes(bytes)) => out.extend(bytes),
            (
                Definition::Fixed(12, Some(Logical::Simple("duration"))),
                Value::Interval(months, days, nanos),
            ) => {
                out.extend(months.to_le_bytes());
                out.extend(days.to_le_bytes());
                out.extend(u32::try_from(nanos / 1_000_000).expect("32 bits").to_le_bytes());
            }
            (definition, value) => panic!("{value:?} is no {definition:?}"),
        },
        (ty, value) => panic!("{value:?} is no {ty:?}"),
    }
}

fn long(value: i64, out: &mut Vec<u8>) {
    let mut rest = ((i128::from(value) << 1) ^ (i128::from(value) >> 127)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn sized(bytes: &[u8], out: &mut Vec<u8>) {
    long(bytes.len() as i64, out);
    out.extend(bytes);
}

/// Big-endian two's complement in as few bytes as possible.
fn least_bytes(digits: &str) -> Vec<u8> {
    let mut bytes = i256::from_string(digits).expect("a number").to_be_bytes().to_vec();
    while bytes.len() > 1 && (bytes[0] == 0 && bytes[1] < 0x80 || bytes[0] == 0xff && bytes[1] >= 0x80) {
        bytes.remove(0);
    }
    bytes
}
