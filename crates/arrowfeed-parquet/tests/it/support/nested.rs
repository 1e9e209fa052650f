//! Random nested types, arrays of these, and wider types that may be requested for them.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray, FixedSizeListArray,
    Float64Array, Int32Array, LargeListArray, ListArray, MapArray, RecordBatch, StringArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, TimeUnit};

/// A pseudo-random sequence of numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A random number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn field(&mut self, name: &str, depth: usize) -> FieldRef {
        let data_type = self.data_type(depth);
        Arc::new(Field::new(name, data_type, self.below(3) > 0))
    }

    fn data_type(&mut self, depth: usize) -> DataType {
        match self.below(if depth == 0 { 8 } else { 14 }) {
            0 => DataType::Int32,
            1 => DataType::Utf8,
            2 => DataType::Float64,
            3 => DataType::Boolean,
            4 => DataType::Decimal128(9, 2),
            5 => DataType::Timestamp(TimeUnit::Microsecond, (self.below(2) > 0).then(|| "+00:00".into())),
            6 => DataType::FixedSizeBinary(3),
            7 => DataType::Binary,
            8 | 9 => DataType::List(self.field("item", depth - 1)),
            10 => DataType::LargeList(self.field("element", depth - 1)),
            11 => DataType::FixedSizeList(self.field("item", depth - 1), 2),
            12 => {
                let fields = (0..1 + self.below(3)).map(|i| self.field(&format!("f{i}"), depth - 1));
                DataType::Struct(fields.collect())
            }
            _ => {
                let key = Arc::new(Field::new("key", DataType::Utf8, false));
                let entry = Fields::from(vec![key, self.field("value", depth - 1)]);
                DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entry), false)), false)
            }
        }
    }

    /// A random batch of up to four columns.
    pub(crate) fn batch(&mut self) -> RecordBatch {
        let rows = self.below(40);
        let fields: Vec<FieldRef> = (0..1 + self.below(4)).map(|i| self.field(&format!("c{i}"), 3)).collect();
        let columns = fields.iter().map(|field| self.array(field, rows)).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
    }

    fn nulls(&mut self, field: &Field, rows: usize) -> Option<NullBuffer> {
        field.is_nullable().then(|| (0..rows).map(|_| self.below(4) > 0).collect::<Vec<_>>().into())
    }

    /// Random lengths of lists. Null lists have no items.
    fn lengths(&mut self, nulls: Option<&NullBuffer>, rows: usize) -> Vec<usize> {
        let length = |row| if nulls.is_none_or(|nulls| nulls.is_valid(row)) { self.below(4) } else { 0 };
        (0..rows).map(length).collect()
    }

    fn array(&mut self, field: &Field, rows: usize) -> ArrayRef {
        let nulls = self.nulls(field, rows);
        match field.data_type() {
            DataType::Int32 => {
                let values = (0..rows).map(|_| self.below(1000) as i32 - 500).collect::<Vec<_>>();
                Arc::new(Int32Array::new(values.into(), nulls))
            }
            DataType::Float64 => {
                let values = (0..rows).map(|_| self.below(1000) as f64 / 8.0).collect::<Vec<_>>();
                Arc::new(Float64Array::new(values.into(), nulls))
            }
            DataType::Decimal128(..) => {
                let values = (0..rows).map(|_| self.below(1000) as i128 - 500).collect::<Vec<_>>();
                Arc::new(Decimal128Array::new(values.into(), nulls).with_precision_and_scale(9, 2).unwrap())
            }
            DataType::Timestamp(_, zone) => {
                let values = (0..rows).map(|_| self.below(1 << 40) as i64).collect::<Vec<_>>();
                Arc::new(TimestampMicrosecondArray::new(values.into(), nulls).with_timezone_opt(zone.clone()))
            }
            DataType::Boolean => {
                let values = (0..rows).map(|_| self.below(2) > 0).collect::<Vec<_>>();
                Arc::new(BooleanArray::new(values.into(), nulls))
            }
            DataType::FixedSizeBinary(_) => {
                let values = (0..rows * 3).map(|_| self.below(256) as u8).collect::<Vec<_>>();
                Arc::new(FixedSizeBinaryArray::new(3, values.into(), nulls))
            }
            DataType::Utf8 | DataType::Binary => {
                let words = (0..rows).map(|row| {
                    let valid = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
                    let word = "äbc".chars().cycle().take(self.below(9)).collect::<String>();
                    valid.then_some(word)
                });
                let words = words.collect::<Vec<_>>();
                match field.data_type() {
                    DataType::Utf8 => Arc::new(StringArray::from(words)),
                    _ => Arc::new(BinaryArray::from_iter(words)),
                }
            }
            DataType::List(item) => {
                let offsets = OffsetBuffer::from_lengths(self.lengths(nulls.as_ref(), rows));
                let values = self.array(item, *offsets.last().unwrap() as usize);
                Arc::new(ListArray::new(item.clone(), offsets, values, nulls))
            }
            DataType::LargeList(item) => {
                let offsets = OffsetBuffer::from_lengths(self.lengths(nulls.as_ref(), rows));
                let values = self.array(item, *offsets.last().unwrap() as usize);
                Arc::new(LargeListArray::new(item.clone(), offsets, values, nulls))
            }
            DataType::FixedSizeList(item, size) => {
                let values = self.array(item, rows * *size as usize);
                Arc::new(FixedSizeListArray::new(item.clone(), *size, values, nulls))
            }
            DataType::Struct(fields) => {
                let columns = fields.iter().map(|field| self.array(field, rows)).collect();
                Arc::new(StructArray::new(fields.clone(), columns, nulls))
            }
            DataType::Map(entries, sorted) => {
                let offsets = OffsetBuffer::from_lengths(self.lengths(nulls.as_ref(), rows));
                let values = Field::new("entries", entries.data_type().clone(), false);
                let values = self.array(&values, *offsets.last().unwrap() as usize);
                let values = values.as_any().downcast_ref::<StructArray>().unwrap().clone();
                Arc::new(MapArray::new(entries.clone(), offsets, values, nulls, *sorted))
            }
            other => panic!("no values of {other}"),
        }
    }

    /// A type that can represent all values of another one.
    pub(crate) fn wider(&mut self, field: &Field) -> Field {
        let item = |random: &mut Self, item: &Field| Arc::new(random.wider(item).with_name("element"));
        let wide = self.below(3) > 0;
        let data_type = match field.data_type() {
            DataType::Int32 if wide => DataType::Int64,
            DataType::Utf8 if wide => DataType::LargeBinary,
            DataType::Binary | DataType::FixedSizeBinary(_) if wide => DataType::LargeBinary,
            DataType::Boolean if wide => DataType::Int64,
            DataType::Decimal128(..) if wide => DataType::Decimal128(20, 4),
            DataType::Timestamp(_, zone) if wide => DataType::Timestamp(TimeUnit::Nanosecond, zone.clone()),
            DataType::List(of) | DataType::LargeList(of) if wide => DataType::LargeList(item(self, of)),
            DataType::List(of) => DataType::List(item(self, of)),
            DataType::LargeList(of) => DataType::LargeList(item(self, of)),
            DataType::FixedSizeList(of, size) => DataType::FixedSizeList(item(self, of), *size),
            DataType::Struct(fields) => {
                DataType::Struct(fields.iter().map(|field| Arc::new(self.wider(field))).collect())
            }
            DataType::Map(entries, sorted) => {
                let DataType::Struct(entry) = entries.data_type() else { panic!("{entries}") };
                let entry = Fields::from(vec![entry[0].as_ref().clone(), self.wider(&entry[1])]);
                let entries = Field::new("entries", DataType::Struct(entry), false);
                DataType::Map(Arc::new(entries), *sorted)
            }
            other => other.clone(),
        };
        let nullable = field.is_nullable() || self.below(2) > 0;
        Field::new(field.name(), data_type, nullable)
    }
}

/// The values of an array as text, row by row, independent of the names in its type.
pub(crate) fn rows(array: &dyn Array) -> Vec<String> {
    let options = arrow_cast::display::FormatOptions::default().with_null("null");
    let formatter = arrow_cast::display::ArrayFormatter::try_new(array, &options).unwrap();
    (0..array.len()).map(|row| formatter.value(row).to_string()).collect()
}
