//! The values of a feature, row after row.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Int64Array, LargeBinaryArray, LargeListArray};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef};

use super::decoder::Kind;
use crate::wire::{Fields, Malformed, Value, short_varint, varint};

/// A column that grows. A row that is given has its values between two of `ends`.
#[derive(Debug)]
pub(super) struct Column {
    values: Values,
    /// Where the values of each row end; before them, 0.
    ends: Vec<i64>,
    nulls: NullBufferBuilder,
}

#[derive(Debug)]
enum Values {
    Bytes { ends: Vec<i64>, data: Vec<u8> },
    Float(Vec<f32>),
    Int64(Vec<i64>),
}

impl Values {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Bytes => Self::Bytes { ends: vec![0], data: Vec::new() },
            Kind::Float => Self::Float(Vec::new()),
            Kind::Int64 => Self::Int64(Vec::new()),
        }
    }

    fn empty_of_same_size(&self) -> Self {
        match self {
            Self::Bytes { ends, data } => {
                Self::Bytes { ends: vec_of(0, ends.len()), data: Vec::with_capacity(data.len()) }
            }
            Self::Float(values) => Self::Float(Vec::with_capacity(values.len())),
            Self::Int64(values) => Self::Int64(Vec::with_capacity(values.len())),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes { ends, .. } => ends.len() - 1,
            Self::Float(values) => values.len(),
            Self::Int64(values) => values.len(),
        }
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Self::Bytes { ends, data } => {
                ends.truncate(len + 1);
                data.truncate(ends[len] as usize);
            }
            Self::Float(values) => values.truncate(len),
            Self::Int64(values) => values.truncate(len),
        }
    }
}

/// One element, and room for as many as `capacity`.
fn vec_of(first: i64, capacity: usize) -> Vec<i64> {
    let mut values = Vec::with_capacity(capacity.max(1));
    values.push(first);
    values
}

/// The type of the values of a row.
pub(super) fn item(kind: Kind) -> FieldRef {
    let data_type = match kind {
        Kind::Bytes => DataType::LargeBinary,
        Kind::Float => DataType::Float32,
        Kind::Int64 => DataType::Int64,
    };
    Arc::new(Field::new("item", data_type, true))
}

impl Column {
    pub(super) fn new(kind: Kind) -> Self {
        Self { values: Values::new(kind), ends: vec![0], nulls: NullBufferBuilder::new(0) }
    }

    pub(super) fn kind(&self) -> Kind {
        match self.values {
            Values::Bytes { .. } => Kind::Bytes,
            Values::Float(_) => Kind::Float,
            Values::Int64(_) => Kind::Int64,
        }
    }

    /// Begins the values of a row, with none. Those that it has already are dropped.
    pub(super) fn begin(&mut self, row: usize) {
        self.ends.truncate(row + 1);
        let start = self.ends[row] as usize;
        if self.values.len() > start {
            self.values.truncate(start);
        }
    }

    /// The row has the values that were added since it began.
    pub(super) fn end(&mut self) {
        self.ends.push(self.values.len() as i64);
    }

    /// Makes the row null unless it has ended.
    #[inline]
    pub(super) fn close(&mut self, row: usize) {
        if self.ends.len() == row + 2 {
            self.nulls.append_non_null();
        } else {
            self.ends.push(self.ends[row]);
            self.nulls.append_null();
        }
    }

    /// The column of so many rows. The next ones begin an empty one.
    pub(super) fn finish(&mut self) -> ArrayRef {
        let kind = self.kind();
        // The next batch is likely to have as much.
        let rows = self.ends.len();
        let ends = std::mem::replace(&mut self.ends, vec_of(0, rows));
        let next = self.values.empty_of_same_size();
        let items: ArrayRef = match std::mem::replace(&mut self.values, next) {
            Values::Bytes { ends, data } => {
                let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
                Arc::new(LargeBinaryArray::new(ends, Buffer::from_vec(data), None))
            }
            Values::Float(values) => Arc::new(Float32Array::from(values)),
            Values::Int64(values) => Arc::new(Int64Array::from(values)),
        };
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
        Arc::new(LargeListArray::new(item(kind), ends, items, self.nulls.finish()))
    }

    /// Adds the values of a list of the column's kind.
    pub(super) fn add(&mut self, list: &[u8]) -> Result<(), Malformed> {
        match &mut self.values {
            Values::Bytes { ends, data } => {
                let mut fields = Fields::new(list);
                while let Some(field) = fields.next()? {
                    if let (1, Value::Bytes(value)) = field {
                        data.extend_from_slice(value);
                        ends.push(data.len() as i64);
                    }
                }
                Ok(())
            }
            Values::Float(values) => match Fields::only(list, PACKED) {
                Some(packed) => add_floats(values, packed),
                None => each_number(list, |value| match value {
                    Value::Bytes(packed) => add_floats(values, packed),
                    Value::Fixed32(value) => {
                        values.push(f32::from_le_bytes(value));
                        Ok(())
                    }
                    _ => Ok(()),
                }),
            },
            Values::Int64(values) => match Fields::only(list, PACKED) {
                Some(packed) => add_integers(values, packed),
                None => each_number(list, |value| match value {
                    Value::Bytes(packed) => add_integers(values, packed),
                    Value::Varint(value) => {
                        values.push(value.cast_signed());
                        Ok(())
                    }
                    _ => Ok(()),
                }),
            },
        }
    }
}

/// The tag of packed numbers: field 1, bytes.
const PACKED: u8 = 1 << 3 | 2;

/// What stands in field 1 of a list.
fn each_number(
    list: &[u8],
    mut add: impl FnMut(Value<'_>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let mut fields = Fields::new(list);
    while let Some((number, value)) = fields.next()? {
        if number == 1 {
            add(value)?;
        }
    }
    Ok(())
}

fn add_floats(values: &mut Vec<f32>, packed: &[u8]) -> Result<(), Malformed> {
    let (floats, rest) = packed.as_chunks();
    if !rest.is_empty() {
        return Err(Malformed::Packed(packed.len()));
    }
    values.extend(floats.iter().map(|float| f32::from_le_bytes(*float)));
    Ok(())
}

fn add_integers(values: &mut Vec<i64>, mut packed: &[u8]) -> Result<(), Malformed> {
    values.reserve(packed.iter().filter(|byte| **byte < 0x80).count());
    while !packed.is_empty() {
        let value = match short_varint(packed) {
            Some((value, len)) => {
                packed = &packed[len..];
                value
            }
            None => varint(&mut packed)?,
        };
        values.push(value.cast_signed());
    }
    Ok(())
}

/// An error where a list of this kind is none.
pub(super) fn check(kind: Kind, list: &[u8]) -> Result<(), Malformed> {
    each_number(list, |value| match (kind, value) {
        (Kind::Float, Value::Bytes(packed)) if packed.len() % 4 != 0 => Err(Malformed::Packed(packed.len())),
        (Kind::Int64, Value::Bytes(mut packed)) => {
            while !packed.is_empty() {
                varint(&mut packed)?;
            }
            Ok(())
        }
        _ => Ok(()),
    })
}
