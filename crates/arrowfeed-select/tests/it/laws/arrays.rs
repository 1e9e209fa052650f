//! Random types and values, and conversion of values to arrays and back, slot by slot.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray, Int32Array,
    LargeListArray, ListArray, MapArray, NullArray, PrimitiveArray, StringArray, StringViewArray,
    StructArray, UnionArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, UnionFields, UnionMode};
use proptest::prelude::*;
use proptest::strategy::Union;

/// The value of one slot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Int(i32),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Struct(Vec<Value>),
    Branch(i8, Box<Value>),
}

fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("item", data_type, true))
}

fn structure(types: Vec<DataType>) -> Fields {
    types.into_iter().enumerate().map(|(i, ty)| Field::new(format!("f{i}"), ty, true)).collect()
}

fn entries(values: DataType) -> FieldRef {
    let fields = vec![Field::new("key", DataType::Utf8, false), Field::new("value", values, true)];
    Arc::new(Field::new("entries", DataType::Struct(fields.into()), false))
}

/// Generates nested types, most of which contain a type that takes no bytes, or a dictionary.
pub(crate) fn any_type() -> impl Strategy<Value = DataType> {
    let leaf = prop_oneof![
        3 => dictionary_type(),
        7 => plain_leaf(),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let of = |make: fn(DataType) -> DataType| inner.clone().prop_map(make).boxed();
        let size = 0..3_i32;
        Union::new([
            of(|ty| DataType::List(item(ty))),
            of(|ty| DataType::LargeList(item(ty))),
            of(|ty| DataType::Map(entries(ty), false)),
            (inner.clone(), size).prop_map(|(ty, n)| DataType::FixedSizeList(item(ty), n)).boxed(),
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|types| DataType::Struct(structure(types)))
                .boxed(),
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|types| {
                    let fields = structure(types);
                    let fields = fields.iter().enumerate().map(|(i, field)| (i as i8, field.clone()));
                    DataType::Union(fields.collect::<UnionFields>(), UnionMode::Dense)
                })
                .boxed(),
        ])
    })
}

fn plain_leaf() -> impl Strategy<Value = DataType> {
    prop_oneof![
        Just(DataType::FixedSizeBinary(0)),
        Just(DataType::FixedSizeBinary(2)),
        Just(DataType::Null),
        Just(DataType::Boolean),
        Just(DataType::Int32),
        Just(DataType::Utf8),
        Just(DataType::Struct(Fields::empty())),
    ]
}

/// Generates dictionaries with few keys, and some with many.
fn dictionary_type() -> impl Strategy<Value = DataType> {
    let keys = prop_oneof![Just(DataType::Int8), Just(DataType::UInt8), Just(DataType::Int32)];
    let values = prop_oneof![
        Just(DataType::Utf8),
        Just(DataType::Utf8View),
        Just(DataType::Int32),
        Just(DataType::Boolean),
        Just(DataType::FixedSizeBinary(2)),
    ];
    (keys, values).prop_map(|(keys, values)| DataType::Dictionary(Box::new(keys), Box::new(values)))
}

/// Generates few different values, so that keys of 8 bits can number all of them.
fn entry(data_type: &DataType) -> BoxedStrategy<Value> {
    match data_type {
        DataType::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        DataType::Int32 => (0..5).prop_map(Value::Int).boxed(),
        DataType::FixedSizeBinary(2) => (0..5_u8).prop_map(|i| Value::Bytes(vec![i, 0])).boxed(),
        _ => prop_oneof!["[a-c]?", Just("a long text outside of its view".to_owned())]
            .prop_map(Value::Text)
            .boxed(),
    }
}

/// A value that no slot has.
fn unused(data_type: &DataType, i: i32) -> Value {
    match data_type {
        DataType::Boolean => Value::Boolean(i % 2 == 0),
        DataType::Int32 => Value::Int(1000 + i),
        DataType::FixedSizeBinary(2) => Value::Bytes(vec![i as u8, 1]),
        _ => Value::Text(format!("unused {i}")),
    }
}

/// Builds a dictionary of its own, with so many unused values that keys of 8 bits cannot number those of two or three arrays.
fn dictionary(keys: &DataType, data_type: &DataType, values: &[Value]) -> ArrayRef {
    let mut entries: Vec<Value> = (0..100).map(|i| unused(data_type, i)).collect();
    let mut places = Vec::new();
    for value in values {
        let known = entries[100..].iter().position(|entry| entry == value).map(|i| 100 + i);
        places.push((*value != Value::Null).then(|| known.unwrap_or(entries.len())));
        if known.is_none() && *value != Value::Null {
            entries.push(value.clone());
        }
    }
    let entries = array(data_type, &entries);
    macro_rules! with_keys {
        ($key:ty) => {{
            let places = places.iter().map(|place| place.map(|place| place.try_into().unwrap()));
            let keys: PrimitiveArray<$key> = places.collect();
            Arc::new(DictionaryArray::try_new(keys, entries).unwrap())
        }};
    }
    match keys {
        DataType::Int8 => with_keys!(Int8Type),
        DataType::UInt8 => with_keys!(UInt8Type),
        _ => with_keys!(Int32Type),
    }
}

/// Generates `n` values of a type.
pub(crate) fn values(data_type: &DataType, n: usize) -> BoxedStrategy<Vec<Value>> {
    prop::collection::vec(value(data_type), n).boxed()
}

fn value(data_type: &DataType) -> BoxedStrategy<Value> {
    let some: BoxedStrategy<Value> = match data_type {
        DataType::Null => return Just(Value::Null).boxed(),
        DataType::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        DataType::Int32 => any::<i32>().prop_map(Value::Int).boxed(),
        DataType::Utf8 => "[a-z]{0,3}".prop_map(Value::Text).boxed(),
        DataType::Dictionary(_, values) => entry(values),
        DataType::FixedSizeBinary(n) => {
            prop::collection::vec(any::<u8>(), *n as usize).prop_map(Value::Bytes).boxed()
        }
        DataType::List(items) | DataType::LargeList(items) => {
            prop::collection::vec(value(items.data_type()), 0..4).prop_map(Value::List).boxed()
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(fields) = entries.data_type() else { unreachable!("entries are structs") };
            let entry = ("[a-z]{1,2}", value(fields[1].data_type()));
            let entry = entry.prop_map(|(key, value)| Value::Struct(vec![Value::Text(key), value]));
            prop::collection::vec(entry, 0..3).prop_map(Value::List).boxed()
        }
        DataType::FixedSizeList(items, n) => {
            prop::collection::vec(value(items.data_type()), *n as usize).prop_map(Value::List).boxed()
        }
        DataType::Struct(fields) => {
            let fields: Vec<_> = fields.iter().map(|field| value(field.data_type())).collect();
            fields.prop_map(Value::Struct).boxed()
        }
        DataType::Union(fields, _) => {
            let branches = fields.iter().map(|(id, field)| {
                value(field.data_type()).prop_map(move |value| Value::Branch(id, Box::new(value))).boxed()
            });
            return Union::new(branches).boxed();
        }
        other => unreachable!("{other} is not made"),
    };
    prop_oneof![4 => some, 1 => Just(Value::Null)].boxed()
}

/// Builds an array from the values.
pub(crate) fn array(data_type: &DataType, values: &[Value]) -> ArrayRef {
    let nulls = || Some(NullBuffer::from_iter(values.iter().map(|value| *value != Value::Null)));
    let lists = || values.iter().map(|value| if let Value::List(items) = value { items.len() } else { 0 });
    let items = |field: &Field| {
        let items =
            values.iter().flat_map(|value| if let Value::List(items) = value { &items[..] } else { &[] });
        array(field.data_type(), &items.cloned().collect::<Vec<_>>())
    };
    match data_type {
        DataType::Null => Arc::new(NullArray::new(values.len())),
        DataType::Boolean => Arc::new(BooleanArray::from_iter(
            values.iter().map(|value| if let Value::Boolean(value) = value { Some(*value) } else { None }),
        )),
        DataType::Int32 => Arc::new(Int32Array::from_iter(
            values.iter().map(|value| if let Value::Int(value) = value { Some(*value) } else { None }),
        )),
        DataType::Utf8 => Arc::new(StringArray::from_iter(
            values.iter().map(|value| if let Value::Text(value) = value { Some(value) } else { None }),
        )),
        DataType::Utf8View => Arc::new(StringViewArray::from_iter(
            values.iter().map(|value| if let Value::Text(value) = value { Some(value) } else { None }),
        )),
        DataType::Dictionary(keys, entries) => dictionary(keys, entries, values),
        DataType::FixedSizeBinary(n) => {
            let zeros = vec![0; *n as usize];
            let bytes =
                values.iter().flat_map(|value| if let Value::Bytes(it) = value { it } else { &zeros });
            let bytes: Vec<u8> = bytes.copied().collect();
            Arc::new(FixedSizeBinaryArray::try_new_with_len(*n, bytes.into(), nulls(), values.len()).unwrap())
        }
        DataType::List(field) => Arc::new(ListArray::new(
            field.clone(),
            OffsetBuffer::from_lengths(lists()),
            items(field),
            nulls(),
        )),
        DataType::LargeList(field) => {
            let offsets = OffsetBuffer::from_lengths(lists());
            Arc::new(LargeListArray::new(field.clone(), offsets, items(field), nulls()))
        }
        DataType::Map(field, _) => {
            let (offsets, entries) = (OffsetBuffer::from_lengths(lists()), items(field));
            Arc::new(MapArray::new(field.clone(), offsets, entries.as_struct().clone(), nulls(), false))
        }
        DataType::FixedSizeList(field, n) => {
            let missing = vec![padding(field.data_type()); *n as usize];
            let items =
                values.iter().flat_map(|value| if let Value::List(items) = value { items } else { &missing });
            let items = array(field.data_type(), &items.cloned().collect::<Vec<_>>());
            let list =
                FixedSizeListArray::try_new_with_length(field.clone(), *n, items, nulls(), values.len());
            Arc::new(list.unwrap())
        }
        DataType::Struct(fields) => {
            let columns = fields.iter().enumerate().map(|(i, field)| {
                let cells = values.iter().map(|value| match value {
                    Value::Struct(cells) => cells[i].clone(),
                    _ => padding(field.data_type()),
                });
                array(field.data_type(), &cells.collect::<Vec<_>>())
            });
            let rows =
                StructArray::try_new_with_length(fields.clone(), columns.collect(), nulls(), values.len());
            Arc::new(rows.unwrap())
        }
        DataType::Union(fields, _) => {
            let mut branches: Vec<Vec<Value>> = vec![Vec::new(); fields.len()];
            let (mut ids, mut offsets) = (Vec::new(), Vec::new());
            for value in values {
                let Value::Branch(id, value) = value else { unreachable!("a slot of a union has a branch") };
                ids.push(*id);
                offsets.push(branches[*id as usize].len() as i32);
                branches[*id as usize].push((**value).clone());
            }
            let children = fields.iter().map(|(id, field)| array(field.data_type(), &branches[id as usize]));
            let union =
                UnionArray::try_new(fields.clone(), ids.into(), Some(offsets.into()), children.collect());
            Arc::new(union.unwrap())
        }
        other => unreachable!("{other} is not made"),
    }
}

/// The value that fills the child of a null slot.
fn padding(data_type: &DataType) -> Value {
    match data_type {
        DataType::Union(fields, _) => {
            let (id, field) = fields.iter().next().unwrap();
            Value::Branch(id, Box::new(padding(field.data_type())))
        }
        _ => Value::Null,
    }
}

/// Reads the slots of an array.
pub(crate) fn slots(array: &dyn Array) -> Vec<Value> {
    (0..array.len()).map(|i| slot(array, i)).collect()
}

fn slot(array: &dyn Array, i: usize) -> Value {
    if array.is_null(i) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Boolean(array.as_boolean().value(i)),
        DataType::Int32 => Value::Int(array.as_primitive::<Int32Type>().value(i)),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(i).to_owned()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(i).to_owned()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            slot(dictionary.values(), dictionary.normalized_keys()[i])
        }
        DataType::FixedSizeBinary(_) => Value::Bytes(array.as_fixed_size_binary().value(i).to_vec()),
        DataType::List(_) => Value::List(slots(&array.as_list::<i32>().value(i))),
        DataType::LargeList(_) => Value::List(slots(&array.as_list::<i64>().value(i))),
        DataType::Map(..) => Value::List(slots(&array.as_map().value(i))),
        DataType::FixedSizeList(..) => Value::List(slots(&array.as_fixed_size_list().value(i))),
        DataType::Struct(_) => {
            Value::Struct(array.as_struct().columns().iter().map(|column| slot(column, i)).collect())
        }
        DataType::Union(..) => {
            let union = array.as_union();
            Value::Branch(union.type_id(i), Box::new(slot(&union.value(i), 0)))
        }
        other => unreachable!("{other} is not made"),
    }
}
