//! Random tables whose columns are compared, and random ways to write them.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int8Array, Int32Array, Int64Array, LargeStringArray, ListArray, RecordBatch,
    StringArray, StringViewArray, StructArray, Time32MillisecondArray, TimestampMicrosecondArray, UInt8Array,
    UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_predicate::{Decimal, Literal};
use arrowfeed_source::run::FileSet;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

use super::nested::Random;
use super::{open, promise, whole};

/// Numbers that stand for the values of a column. `None` is a null.
type Numbers = Vec<Option<i64>>;

/// The columns that can be compared, with their kinds.
type Compared = Vec<(String, usize)>;

/// The types of columns that are compared.
const KINDS: usize = 19;

fn text(n: i64) -> String {
    ["", "a", "ab", "abc", "b", "ba", "\u{e9}", "\u{10ffff}", "zz", "zzzzzzzzz"][n.rem_euclid(10) as usize]
        .repeat(1 + (n / 10).rem_euclid(3) as usize)
}

fn float(n: i64) -> f64 {
    match n {
        13 => f64::NAN,
        17 => -f64::NAN,
        0 => -0.0,
        1 => 0.0,
        19 => f64::INFINITY,
        -19 => f64::NEG_INFINITY,
        n => n as f64 / 4.0,
    }
}

/// A column of a kind, and a wider type for it.
fn array(kind: usize, numbers: &Numbers) -> (ArrayRef, DataType) {
    fn of<T>(numbers: &Numbers, value: impl Fn(i64) -> T) -> impl Iterator<Item = Option<T>> {
        numbers.iter().map(move |n| n.map(&value))
    }
    let pair = |array: ArrayRef, wider| (array, wider);
    match kind {
        0 => pair(Arc::new(Int64Array::from(numbers.clone())), DataType::Decimal128(20, 1)),
        1 => pair(Arc::new(of(numbers, |n| n as i32).collect::<Int32Array>()), DataType::Int64),
        2 => pair(Arc::new(of(numbers, |n| n as i8).collect::<Int8Array>()), DataType::Float64),
        3 => pair(Arc::new(of(numbers, |n| n as u8).collect::<UInt8Array>()), DataType::Int32),
        4 => pair(Arc::new(of(numbers, |n| n as u32).collect::<UInt32Array>()), DataType::UInt64),
        5 => pair(Arc::new(of(numbers, |n| n as u64).collect::<UInt64Array>()), DataType::UInt64),
        6 => pair(Arc::new(of(numbers, float).collect::<Float64Array>()), DataType::Float64),
        7 => pair(Arc::new(of(numbers, |n| float(n) as f32).collect::<Float32Array>()), DataType::Float64),
        8 => pair(Arc::new(of(numbers, text).collect::<StringArray>()), DataType::Binary),
        9 => pair(Arc::new(of(numbers, text).collect::<LargeStringArray>()), DataType::Utf8View),
        10 => pair(Arc::new(of(numbers, text).collect::<StringViewArray>()), DataType::Utf8),
        11 => {
            let bytes = of(numbers, |n| vec![n as u8; 1 + n.rem_euclid(3) as usize]);
            pair(Arc::new(bytes.collect::<BinaryArray>()), DataType::LargeBinary)
        }
        12 => {
            let bytes = of(numbers, |n| [n as u8, 0xff]);
            let bytes = FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 2).unwrap();
            pair(Arc::new(bytes), DataType::Binary)
        }
        13 => pair(Arc::new(of(numbers, |n| n > 0).collect::<BooleanArray>()), DataType::Int8),
        14 => {
            let decimals = of(numbers, i128::from).collect::<Decimal128Array>();
            pair(Arc::new(decimals.with_precision_and_scale(9, 2).unwrap()), DataType::Decimal128(20, 5))
        }
        15 => pair(Arc::new(of(numbers, |n| n as i32).collect::<Date32Array>()), DataType::Date64),
        16 => pair(
            Arc::new(of(numbers, |n| n).collect::<TimestampMicrosecondArray>()),
            DataType::Timestamp(TimeUnit::Nanosecond, None),
        ),
        17 => pair(
            Arc::new(of(numbers, |n| n as i32 + 200).collect::<Time32MillisecondArray>()),
            DataType::Time64(TimeUnit::Microsecond),
        ),
        _ => {
            let texts: Vec<Option<String>> = of(numbers, text).collect();
            let texts = texts.iter().map(|text| text.as_deref());
            pair(Arc::new(texts.collect::<DictionaryArray<Int32Type>>()), DataType::Utf8)
        }
    }
}

/// The literal of the value for which a number stands.
pub(crate) fn literal(kind: usize, n: i64) -> Literal {
    match kind {
        0 | 1 => n.into(),
        2 => (n as i8).into(),
        3 => (n as u8).into(),
        4 => (n as u32).into(),
        5 => (n as u64).into(),
        6 | 7 => float(n).into(),
        8..=10 | 18 => text(n).into(),
        11 => vec![n as u8; 1 + n.rem_euclid(3) as usize].into(),
        12 => vec![n as u8, 0xff].into(),
        13 => (n > 0).into(),
        14 => Decimal::new(n.into(), -2).into(),
        15 => Literal::Date(n),
        16 => Literal::Timestamp(i128::from(n) * 1000),
        _ => Literal::Time((n + 200) * 1_000_000),
    }
}

/// Random numbers that are sorted, clustered or in random order.
fn numbers(random: &mut Random, rows: usize) -> Numbers {
    let (order, nulls, span) = (random.below(3), random.below(4), 1 + random.below(60));
    let mut numbers: Numbers = (0..rows)
        .map(|row| {
            let n = match order {
                0 => row * span / rows.max(1),
                1 => row / 8 * 7 % span + random.below(3),
                _ => random.below(span),
            };
            Some(n as i64 - 20)
        })
        .collect();
    for (row, n) in numbers.iter_mut().enumerate() {
        let is_null = match nulls {
            0 => false,
            1 => random.below(4) == 0,
            2 => row / 9 % 3 == 0,
            _ => random.below(30) == 0,
        };
        if is_null {
            *n = None;
        }
    }
    numbers
}

/// A random table, with the kind of each column that can be compared, and a schema of wider types.
fn table(random: &mut Random) -> (RecordBatch, Compared, Schema) {
    let rows = random.below(150);
    let (mut fields, mut columns, mut compared, mut wider) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for at in 0..1 + random.below(4) {
        let (name, kind) = (format!("c{at}"), random.below(KINDS));
        let (array, wide) = array(kind, &numbers(random, rows));
        if random.below(4) == 0 {
            let (other, _) = self::array(0, &numbers(random, rows));
            let nulls = (random.below(2) == 0)
                .then(|| (0..rows).map(|_| random.below(4) > 0).collect::<Vec<_>>())
                .map(NullBuffer::from);
            let inner = |data_type: DataType| {
                vec![Field::new("n", DataType::Int64, true), Field::new("v", data_type, true)]
            };
            let in_file = inner(array.data_type().clone());
            let array = StructArray::new(in_file.into(), vec![other, array], nulls);
            compared.push((format!("{name}.v"), kind));
            compared.push((format!("{name}.n"), 0));
            fields.push(Field::new(&name, arrow_array::Array::data_type(&array).clone(), true));
            columns.push(Arc::new(array) as ArrayRef);
            // Fields have another order.
            let wide: Vec<_> = inner(wide).into_iter().rev().collect();
            wider.push(Field::new(name, DataType::Struct(wide.into()), true));
        } else {
            compared.push((name.clone(), kind));
            fields.push(Field::new(&name, array.data_type().clone(), true));
            columns.push(array);
            wider.push(Field::new(name, wide, true));
        }
    }
    for (name, is_text) in [("numbers", false), ("texts", true)] {
        if random.below(2) == 0 {
            let lengths: Vec<usize> = (0..rows).map(|_| random.below(4)).collect();
            let nulls: Vec<bool> = (0..rows).map(|_| random.below(5) > 0).collect();
            let lengths: Vec<usize> =
                lengths.iter().zip(&nulls).map(|(length, valid)| if *valid { *length } else { 0 }).collect();
            let (items, _) = array(if is_text { 8 } else { 0 }, &numbers(random, lengths.iter().sum()));
            let item = Arc::new(Field::new("item", items.data_type().clone(), true));
            let lists = ListArray::new(item, OffsetBuffer::from_lengths(lengths), items, Some(nulls.into()));
            let field = Field::new(name, arrow_array::Array::data_type(&lists).clone(), true);
            fields.push(field.clone());
            columns.push(Arc::new(lists));
            wider.push(field);
        }
    }
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    (batch, compared, Schema::new(wider))
}

fn properties(random: &mut Random) -> WriterProperties {
    use EnabledStatistics::{Chunk, None, Page};
    let version = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0][random.below(2)];
    let truncated = |random: &mut Random| [Option::None, Some(1), Some(2), Some(64)][random.below(4)];
    WriterProperties::builder()
        .set_writer_version(version)
        .set_compression([Compression::UNCOMPRESSED, Compression::SNAPPY][random.below(2)])
        .set_max_row_group_row_count(Some(1 + random.below(100)))
        .set_data_page_row_count_limit(1 + random.below(30))
        .set_write_batch_size(1 + random.below(10))
        .set_dictionary_enabled(random.below(2) == 0)
        .set_statistics_enabled([Page, Page, Page, Chunk, None][random.below(5)])
        .set_statistics_truncate_length(truncated(random))
        .set_column_index_truncate_length(truncated(random))
        .set_offset_index_disabled(random.below(6) == 0)
        .set_bloom_filter_enabled(random.below(3) == 0)
        .build()
}

pub(crate) fn file(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// A random file, sometimes with a schema of wider types, all of its rows, and the kind of each column that can be compared. `None`:
/// it cannot be read.
pub(crate) fn opened(random: &mut Random) -> Option<(FileSet, RecordBatch, Compared)> {
    let (batch, compared, wider) = table(random);
    let bytes = file(&batch, properties(random));
    let options = if random.below(3) == 0 { promise(wider) } else { ParquetOptions::default() };
    let files = open([bytes], options).ok()?;
    let read = whole(files.clone(), 1000, 1).ok()?;
    Some((files, read, compared))
}
