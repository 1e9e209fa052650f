//! Builders of columns of lists: of values, and of lists of values.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Int64Array, LargeBinaryArray, LargeListArray, NullArray};
use arrow_buffer::{Buffer, MutableBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef};

use super::integers::add_integers;
use super::kind::FeatureKind;
use crate::wire::{Fields, Malformed, Value, varint};

/// A builder of a column with one list per row. The items of a completed row are between two consecutive `ends`.
#[derive(Debug)]
pub(crate) struct Lists<I> {
    items: I,
    /// End of the items of each row, after a leading 0.
    ends: Vec<i64>,
    nulls: NullBufferBuilder,
}

/// A feature: one list of values per row.
pub(crate) type Column = Lists<Values>;

/// A feature of the steps of a sequence: one list of lists of values per row.
pub(crate) type Steps = Lists<Lists<Values>>;

/// The items of the lists of a column.
pub(crate) trait Items {
    fn new(kind: FeatureKind) -> Self;

    fn kind(&self) -> FeatureKind;

    fn data_type(kind: FeatureKind) -> DataType;

    /// The type of lists of these items.
    fn list_type(kind: FeatureKind) -> DataType {
        DataType::LargeList(item(Self::data_type(kind)))
    }

    fn len(&self) -> usize;

    /// Keeps the first `len` items.
    fn truncate(&mut self, len: usize);

    /// Takes the items as an array, and starts an empty one.
    fn finish(&mut self) -> ArrayRef;
}

/// Size of a float in bytes.
const FLOAT: usize = size_of::<f32>();

/// The concatenated values of lists.
#[derive(Debug)]
pub(crate) enum Values {
    Bytes {
        ends: Vec<i64>,
        data: Vec<u8>,
    },
    /// The bytes of `f32` values, because packed floats are copied as bytes.
    Float(MutableBuffer),
    Int64(Vec<i64>),
    /// No lists, and thus no values.
    Null,
}

impl Items for Values {
    fn new(kind: FeatureKind) -> Self {
        match kind {
            FeatureKind::Bytes => Self::Bytes { ends: vec![0], data: Vec::new() },
            FeatureKind::Float => Self::Float(MutableBuffer::new(0)),
            FeatureKind::Int64 => Self::Int64(Vec::new()),
            FeatureKind::Null => Self::Null,
        }
    }

    fn kind(&self) -> FeatureKind {
        match self {
            Self::Bytes { .. } => FeatureKind::Bytes,
            Self::Float(_) => FeatureKind::Float,
            Self::Int64(_) => FeatureKind::Int64,
            Self::Null => FeatureKind::Null,
        }
    }

    fn data_type(kind: FeatureKind) -> DataType {
        match kind {
            FeatureKind::Bytes => DataType::LargeBinary,
            FeatureKind::Float => DataType::Float32,
            FeatureKind::Int64 => DataType::Int64,
            FeatureKind::Null => DataType::Null,
        }
    }

    fn list_type(kind: FeatureKind) -> DataType {
        match kind {
            FeatureKind::Null => DataType::Null,
            kind => DataType::LargeList(item(Self::data_type(kind))),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes { ends, .. } => ends.len() - 1,
            Self::Float(values) => values.len() / FLOAT,
            Self::Int64(values) => values.len(),
            Self::Null => 0,
        }
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Self::Bytes { ends, data } => {
                ends.truncate(len + 1);
                data.truncate(ends[len] as usize);
            }
            Self::Float(values) => values.truncate(len * FLOAT),
            Self::Int64(values) => values.truncate(len),
            Self::Null => {}
        }
    }

    fn finish(&mut self) -> ArrayRef {
        let next = self.empty_of_same_size();
        match std::mem::replace(self, next) {
            Self::Bytes { ends, data } => {
                let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
                Arc::new(LargeBinaryArray::new(ends, Buffer::from_vec(data), None))
            }
            Self::Float(values) => Arc::new(Float32Array::new(ScalarBuffer::from(values), None)),
            Self::Int64(values) => Arc::new(Int64Array::from(values)),
            Self::Null => Arc::new(NullArray::new(0)),
        }
    }
}

impl Values {
    /// Empty values with the same capacity, because the next batch probably needs as much.
    fn empty_of_same_size(&self) -> Self {
        match self {
            Self::Bytes { ends, data } => {
                Self::Bytes { ends: vec_of(0, ends.len()), data: Vec::with_capacity(data.len()) }
            }
            Self::Float(values) => Self::Float(MutableBuffer::with_capacity(values.len())),
            Self::Int64(values) => Self::Int64(Vec::with_capacity(values.len())),
            Self::Null => Self::Null,
        }
    }
}

/// A vector of one element, with the given capacity.
fn vec_of(first: i64, capacity: usize) -> Vec<i64> {
    let mut values = Vec::with_capacity(capacity.max(1));
    values.push(first);
    values
}

/// The field of the items of a list.
fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("item", data_type, true))
}

impl<I: Items> Items for Lists<I> {
    fn new(kind: FeatureKind) -> Self {
        Self { items: I::new(kind), ends: vec![0], nulls: NullBufferBuilder::new(0) }
    }

    fn kind(&self) -> FeatureKind {
        self.items.kind()
    }

    fn data_type(kind: FeatureKind) -> DataType {
        I::list_type(kind)
    }

    fn len(&self) -> usize {
        self.ends.len() - 1
    }

    fn truncate(&mut self, len: usize) {
        self.ends.truncate(len + 1);
        self.nulls.truncate(len);
        self.items.truncate(self.ends[len] as usize);
    }

    fn finish(&mut self) -> ArrayRef {
        let capacity = self.ends.len();
        let ends = std::mem::replace(&mut self.ends, vec_of(0, capacity));
        let (items, nulls) = (self.items.finish(), self.nulls.finish());
        match Self::data_type(self.kind()) {
            DataType::LargeList(item) => {
                let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
                Arc::new(LargeListArray::new(item, ends, items, nulls))
            }
            _ => Arc::new(NullArray::new(ends.len() - 1)),
        }
    }
}

impl<I: Items> Lists<I> {
    /// Starts the list of a row, and drops items that it already has.
    #[inline]
    pub(super) fn begin(&mut self, row: usize) {
        self.ends.truncate(row + 1);
        let start = self.ends[row] as usize;
        if self.items.len() > start {
            self.items.truncate(start);
        }
    }

    /// Completes the list of a row with the items that were added since its start.
    #[inline]
    pub(super) fn end(&mut self) {
        self.ends.push(self.items.len() as i64);
    }

    /// Marks the row as valid if its list was completed, and as null otherwise.
    #[inline]
    pub(super) fn close(&mut self, row: usize) {
        if self.ends.len() == row + 2 {
            self.nulls.append_non_null();
        } else {
            self.ends.push(self.ends[row]);
            self.nulls.append_null();
        }
    }
}

impl Steps {
    /// The features of the steps.
    pub(super) fn items(&mut self) -> &mut Column {
        &mut self.items
    }
}

impl Column {
    /// Adds the values of a list message of the column's kind.
    pub(super) fn add(&mut self, list: &[u8]) -> Result<(), Malformed> {
        match &mut self.items {
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
            Values::Null => Ok(()),
        }
    }
}

/// The tag of packed numbers: field 1, bytes.
const PACKED: u8 = 1 << 3 | 2;

/// Calls `add` with each value of field 1 of a list.
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

fn add_floats(values: &mut MutableBuffer, packed: &[u8]) -> Result<(), Malformed> {
    let (floats, rest) = packed.as_chunks::<FLOAT>();
    if !rest.is_empty() {
        return Err(Malformed::Packed(packed.len()));
    }
    if cfg!(target_endian = "little") {
        values.extend_from_slice(packed);
    } else {
        values.extend(floats.iter().map(|float| f32::from_le_bytes(*float)));
    }
    Ok(())
}

/// Checks that the bytes are a valid list message of this kind.
pub(super) fn check(kind: FeatureKind, list: &[u8]) -> Result<(), Malformed> {
    each_number(list, |value| match (kind, value) {
        (FeatureKind::Float, Value::Bytes(packed)) if packed.len() % 4 != 0 => {
            Err(Malformed::Packed(packed.len()))
        }
        (FeatureKind::Int64, Value::Bytes(mut packed)) => {
            while !packed.is_empty() {
                varint(&mut packed)?;
            }
            Ok(())
        }
        _ => Ok(()),
    })
}
