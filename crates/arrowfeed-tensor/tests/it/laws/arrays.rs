//! Arrow arrays from trees: with values stored under nulls, list views in any order, and slices.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray, Float16Array,
    Float64Array, Int64Array, LargeBinaryArray, LargeListArray, LargeListViewArray, ListArray, ListViewArray,
    RecordBatch, StringArray, StringViewArray, StructArray, TimestampMicrosecondArray, UInt8Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields, Schema};

use super::tree::{Case, Item, Kind, Level, Random};

/// The batch of a case, a slice of a longer one.
pub(crate) fn batch(case: &Case) -> RecordBatch {
    let mut random = Random::new(case.seed ^ 0x5eed);
    let mut array = column(&case.levels, case.kind, &case.rows, &mut random);
    let mut name = "x";
    if case.in_struct {
        array = in_struct(case, &mut random);
        name = "s";
    }
    let schema = Schema::new(vec![Field::new(name, array.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![array]).unwrap();
    batch.slice(case.slice.start, case.slice.len())
}

/// Puts the column into a struct. Some null rows become null structs, whose field has a value.
fn in_struct(case: &Case, random: &mut Random) -> ArrayRef {
    let mut valid = vec![true; case.rows.len()];
    let mut rows = case.rows.clone();
    for (row, valid) in rows.iter_mut().zip(&mut valid).filter(|(row, _)| **row == Item::Null) {
        if random.one_in(2) {
            *valid = false;
            *row = garbage(&case.levels, random);
        }
    }
    let field = column(&case.levels, case.kind, &rows, random);
    let fields = Fields::from(vec![Field::new("x", field.data_type().clone(), true)]);
    Arc::new(StructArray::new(fields, vec![field], Some(NullBuffer::from(valid))))
}

/// Any value of the type, to be stored under a null, where no conversion may read it.
fn garbage(levels: &[Level], random: &mut Random) -> Item {
    let Some((level, below)) = levels.split_first() else { return Item::Number(1) };
    let length = if let Level::Fixed(size) = level { *size } else { random.below(3) };
    Item::List((0..length).map(|_| garbage(below, random)).collect())
}

/// Makes an array of some rows of a column.
pub(crate) fn column(levels: &[Level], kind: Kind, rows: &[Item], random: &mut Random) -> ArrayRef {
    let Some((level, below)) = levels.split_first() else { return values(kind, rows) };
    let stored: Vec<Vec<Item>> = rows
        .iter()
        .map(|row| match row {
            Item::List(items) => items.clone(),
            _ => match garbage(levels, random) {
                Item::List(items) => items,
                other => vec![other],
            },
        })
        .collect();
    let valid: Vec<bool> = rows.iter().map(|row| *row != Item::Null).collect();
    let nulls = Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    if matches!(level, Level::View | Level::LargeView) {
        (1..order.len()).for_each(|i| order.swap(i, random.below(i + 1)));
    }
    let mut items = Vec::new();
    let mut starts = vec![0; rows.len()];
    for row in order {
        starts[row] = items.len();
        items.extend(stored[row].iter().cloned());
    }
    let sizes: Vec<usize> = stored.iter().map(Vec::len).collect();
    let child = column(below, kind, &items, random);
    let field = Arc::new(Field::new("item", child.data_type().clone(), true));
    let as_i32 = |numbers: &[usize]| numbers.iter().map(|n| *n as i32).collect::<Vec<_>>().into();
    let as_i64 = |numbers: &[usize]| numbers.iter().map(|n| *n as i64).collect::<Vec<_>>().into();
    match level {
        Level::List => Arc::new(ListArray::new(field, OffsetBuffer::from_lengths(sizes), child, nulls)),
        Level::LargeList => {
            Arc::new(LargeListArray::new(field, OffsetBuffer::from_lengths(sizes), child, nulls))
        }
        Level::Fixed(size) => {
            let list = FixedSizeListArray::try_new_with_length(field, *size as i32, child, nulls, rows.len());
            Arc::new(list.unwrap())
        }
        Level::View => Arc::new(ListViewArray::new(field, as_i32(&starts), as_i32(&sizes), child, nulls)),
        Level::LargeView => {
            Arc::new(LargeListViewArray::new(field, as_i64(&starts), as_i64(&sizes), child, nulls))
        }
    }
}

fn values(kind: Kind, rows: &[Item]) -> ArrayRef {
    let numbers = rows.iter().map(|row| if let Item::Number(number) = row { Some(*number) } else { None });
    let texts: Vec<Option<String>> = numbers.clone().map(|n| n.map(|n| n.to_string())).collect();
    let texts = texts.iter().map(Option::as_deref);
    match kind {
        Kind::Int64 => Arc::new(Int64Array::from_iter(numbers)),
        Kind::UInt8 => Arc::new(UInt8Array::from_iter(numbers.map(|n| n.map(|n| n as u8)))),
        Kind::Float16 => {
            Arc::new(Float16Array::from_iter(numbers.map(|n| n.map(|n| half::f16::from_f64(n as f64)))))
        }
        Kind::Float64 => Arc::new(Float64Array::from_iter(numbers.map(|n| n.map(|n| n as f64)))),
        Kind::Bool => Arc::new(BooleanArray::from_iter(numbers.map(|n| n.map(|n| n == 1)))),
        Kind::Utf8 => Arc::new(StringArray::from_iter(texts)),
        Kind::LargeBinary => Arc::new(LargeBinaryArray::from_iter(texts.map(|text| text.map(str::as_bytes)))),
        Kind::Utf8View => Arc::new(StringViewArray::from_iter(texts)),
        Kind::FixedSizeBinary => {
            let bytes = numbers.map(|n| n.map(|n| format!("{n:08}")));
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 8).unwrap())
        }
        Kind::Dictionary => Arc::new(texts.collect::<DictionaryArray<Int8Type>>()),
        Kind::Timestamp => Arc::new(TimestampMicrosecondArray::from_iter(numbers)),
    }
}

/// The numbers that the values of a tensor represent.
pub(crate) fn numbers(values: &arrowfeed_tensor::Values) -> Vec<i64> {
    use arrow_array::cast::AsArray;
    use arrow_array::types::*;
    use arrow_schema::DataType;
    let array = values.array();
    let parse = |text: &str| text.parse().unwrap_or(0);
    match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().values().to_vec(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().values().iter().map(|n| i64::from(*n)).collect(),
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().map(|n| n.to_f64() as i64).collect()
        }
        DataType::Float64 => array.as_primitive::<Float64Type>().values().iter().map(|n| *n as i64).collect(),
        DataType::Boolean => array.as_boolean().values().iter().map(i64::from).collect(),
        DataType::Utf8 => array.as_string::<i32>().iter().flatten().map(parse).collect(),
        DataType::Utf8View => array.as_string_view().iter().flatten().map(parse).collect(),
        DataType::LargeBinary => {
            let texts = array.as_binary::<i64>().iter().flatten();
            texts.map(|text| parse(std::str::from_utf8(text).unwrap())).collect()
        }
        DataType::FixedSizeBinary(8) => {
            let texts = array.as_fixed_size_binary().iter().flatten();
            texts.map(|text| parse(std::str::from_utf8(text).unwrap())).collect()
        }
        other => panic!("no tensor has values of type {other}"),
    }
}
