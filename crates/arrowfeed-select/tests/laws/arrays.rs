//! Random types and values, and conversion of values to arrays and back, slot by slot.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, Int32Array, LargeListArray,
    ListArray, MapArray, NullArray, StringArray, StructArray, UnionArray,
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

/// Generates nested types, most of which contain a type that takes no bytes.
pub(crate) fn any_type() -> impl Strategy<Value = DataType> {
    let leaf = prop_oneof![
        Just(DataType::FixedSizeBinary(0)),
        Just(DataType::FixedSizeBinary(2)),
        Just(DataType::Null),
        Just(DataType::Boolean),
        Just(DataType::Int32),
        Just(DataType::Utf8),
        Just(DataType::Struct(Fields::empty())),
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
