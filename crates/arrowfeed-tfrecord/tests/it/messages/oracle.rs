//! A simple, slow parser of `tf.Example` and `tf.SequenceExample` into maps, written from protobuf's documentation.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, ArrayRef};

/// The values of a feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum List {
    Bytes(Vec<Vec<u8>>),
    /// The bits of the values, because a NaN does not equal itself.
    Float(Vec<u32>),
    Int64(Vec<i64>),
}

impl List {
    /// The values of a row of a column; `None` if the row is null.
    pub(crate) fn of_row(column: &ArrayRef, row: usize) -> Option<Self> {
        // A feature without a list has the type null.
        let lists = column.as_list_opt::<i64>()?;
        if lists.is_null(row) {
            return None;
        }
        let values = lists.value(row);
        Some(if let Some(values) = values.as_primitive_opt::<Int64Type>() {
            Self::Int64(values.values().to_vec())
        } else if let Some(values) = values.as_primitive_opt::<Float32Type>() {
            Self::Float(values.values().iter().map(|value| value.to_bits()).collect())
        } else {
            Self::Bytes(values.as_binary::<i64>().iter().flatten().map(<[u8]>::to_vec).collect())
        })
    }
}

pub(crate) type Example = BTreeMap<String, Option<List>>;

/// The value of a field.
enum Value {
    Varint(u64),
    Fixed64,
    Bytes(Vec<u8>),
    Group,
    Fixed32(u32),
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn varint(&mut self, most: u32) -> Option<u64> {
        let mut value = 0_u128;
        for i in 0..most {
            let byte = self.byte()?;
            value += u128::from(byte & 0x7f) << (7 * i);
            if byte & 0x80 == 0 {
                return Some(value as u64);
            }
        }
        None
    }

    fn many(&mut self, count: u64) -> Option<Vec<u8>> {
        (0..count.min(self.0.len() as u64 + 1)).map(|_| self.byte()).collect()
    }

    /// Reads a field. `group` is the number of the enclosing group. The end of the group has no value.
    fn field(&mut self, group: Option<u64>, depth: u32) -> Option<(u64, Option<Value>)> {
        let tag = self.varint(5)? % (1 << 32);
        let number = tag >> 3;
        if number == 0 {
            return None;
        }
        let value = match tag % 8 {
            0 => Value::Varint(self.varint(10)?),
            1 => {
                self.many(8)?;
                Value::Fixed64
            }
            2 => {
                let length = self.varint(5)?;
                if length > i32::MAX as u64 {
                    return None;
                }
                Value::Bytes(self.many(length)?)
            }
            3 if depth < 100 => {
                while self.field(Some(number), depth + 1)?.1.is_some() {}
                Value::Group
            }
            4 if group == Some(number) => return Some((number, None)),
            5 => Value::Fixed32(u32::from_le_bytes(self.many(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some((number, Some(value)))
    }
}

fn fields(message: &[u8]) -> Option<Vec<(u64, Value)>> {
    let mut reader = Reader(message);
    let mut found = Vec::new();
    while !reader.0.is_empty() {
        let (number, value) = reader.field(None, 0)?;
        found.push((number, value?));
    }
    Some(found)
}

/// A `tf.SequenceExample`: its context, and the steps of each feature list.
pub(crate) type SequenceExample = (Example, BTreeMap<String, Vec<Option<List>>>);

/// Parses a message; `None` if the bytes are not valid.
pub(crate) fn parse_sequence(message: &[u8]) -> Option<SequenceExample> {
    let (mut context, mut sequence) = SequenceExample::default();
    for (number, value) in fields(message)? {
        let Value::Bytes(map) = value else { continue };
        match number {
            1 => parse_features(&map, &mut context)?,
            2 => {
                for (number, value) in fields(&map)? {
                    if let (1, Value::Bytes(entry)) = (number, value) {
                        let (name, steps) = parse_steps(&entry)?;
                        sequence.insert(name, steps);
                    }
                }
            }
            _ => {}
        }
    }
    Some((context, sequence))
}

fn parse_steps(entry: &[u8]) -> Option<(String, Vec<Option<List>>)> {
    let (mut name, mut steps) = (String::new(), Vec::new());
    for field in fields(entry)? {
        match field {
            (1, Value::Bytes(bytes)) => name = String::from_utf8(bytes).ok()?,
            (2, Value::Bytes(feature_list)) => {
                for (number, value) in fields(&feature_list)? {
                    if let (1, Value::Bytes(feature)) = (number, value) {
                        let mut list = None;
                        merge_feature(&feature, &mut list)?;
                        steps.push(list);
                    }
                }
            }
            _ => {}
        }
    }
    Some((name, steps))
}

/// Parses a message; `None` if the bytes are not valid.
pub(crate) fn parse(message: &[u8]) -> Option<Example> {
    let mut example = Example::new();
    for (number, value) in fields(message)? {
        if let (1, Value::Bytes(features)) = (number, value) {
            parse_features(&features, &mut example)?;
        }
    }
    Some(example)
}

fn parse_features(features: &[u8], example: &mut Example) -> Option<()> {
    for (number, value) in fields(features)? {
        if let (1, Value::Bytes(entry)) = (number, value) {
            let (name, list) = parse_entry(&entry)?;
            example.insert(name, list);
        }
    }
    Some(())
}

fn parse_entry(entry: &[u8]) -> Option<(String, Option<List>)> {
    let (mut name, mut list) = (String::new(), None);
    for field in fields(entry)? {
        match field {
            (1, Value::Bytes(bytes)) => name = String::from_utf8(bytes).ok()?,
            (2, Value::Bytes(feature)) => merge_feature(&feature, &mut list)?,
            _ => {}
        }
    }
    Some((name, list))
}

fn merge_feature(feature: &[u8], list: &mut Option<List>) -> Option<()> {
    for (number, value) in fields(feature)? {
        let Value::Bytes(message) = value else { continue };
        let is_same = matches!(
            (number, &list),
            (1, Some(List::Bytes(_))) | (2, Some(List::Float(_))) | (3, Some(List::Int64(_)))
        );
        if !is_same {
            match number {
                1 => *list = Some(List::Bytes(Vec::new())),
                2 => *list = Some(List::Float(Vec::new())),
                3 => *list = Some(List::Int64(Vec::new())),
                _ => continue,
            }
        }
        merge_list(&message, list.as_mut()?)?;
    }
    Some(())
}

fn merge_list(message: &[u8], list: &mut List) -> Option<()> {
    for (number, value) in fields(message)? {
        if number != 1 {
            continue;
        }
        match (&mut *list, value) {
            (List::Bytes(values), Value::Bytes(value)) => values.push(value),
            (List::Float(values), Value::Fixed32(value)) => values.push(value),
            (List::Float(values), Value::Bytes(packed)) => {
                let mut packed = Reader(&packed);
                while !packed.0.is_empty() {
                    values.push(u32::from_le_bytes(packed.many(4)?.try_into().ok()?));
                }
            }
            (List::Int64(values), Value::Varint(value)) => values.push(value as i64),
            (List::Int64(values), Value::Bytes(packed)) => {
                let mut packed = Reader(&packed);
                while !packed.0.is_empty() {
                    values.push(packed.varint(10)? as i64);
                }
            }
            _ => {}
        }
    }
    Some(())
}
