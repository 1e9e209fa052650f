//! Random columns: cells, and the arrays that hold them.

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray,
    FixedSizeListArray, Float16Array, Float32Array, Float64Array, Int32Array, LargeBinaryArray,
    LargeListArray, LargeListViewArray, LargeStringArray, ListArray, ListViewArray, NullArray,
    PrimitiveArray, RunArray, StringArray, StringViewArray, make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, TimeUnit};
use half::f16;

use crate::choices::Choices;

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Null,
    /// The stored integer of a number, a decimal or a temporal value.
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Bytes(Vec<u8>),
    List(Vec<Cell>),
}

fn field(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", data_type, true))
}

/// A type that is compared with literals.
fn any_scalar(choices: &mut Choices) -> DataType {
    use DataType::*;
    use TimeUnit::*;
    let zone = Some("+02:00".into());
    let runs = || Arc::new(Field::new("run_ends", Int32, false));
    let values = |data_type| Arc::new(Field::new("values", data_type, true));
    let dictionary = |key, value| Dictionary(Box::new(key), Box::new(value));
    let types = [
        vec![Int64, Int32, UInt64, Int8, UInt8, Int16, UInt16, UInt32],
        vec![Float64, Float32, Float16],
        vec![Decimal128(20, 3), Decimal32(9, 2), Decimal64(18, 0), Decimal256(60, 30), Decimal128(38, -4)],
        vec![Utf8, LargeUtf8, Utf8View, Binary, LargeBinary, BinaryView, FixedSizeBinary(2)],
        vec![Timestamp(Microsecond, None), Timestamp(Second, zone.clone()), Timestamp(Nanosecond, zone)],
        vec![Timestamp(Millisecond, None), Date32, Date64, Time32(Second), Time32(Millisecond)],
        vec![Time64(Microsecond), Time64(Nanosecond), Duration(Second), Duration(Millisecond)],
        vec![Duration(Microsecond), Duration(Nanosecond)],
        vec![dictionary(Int8, Utf8), dictionary(UInt32, Int64), dictionary(Int32, Float64)],
        vec![RunEndEncoded(runs(), values(Utf8)), RunEndEncoded(runs(), values(Float32))],
        vec![Boolean, Null],
    ];
    let kind = choices.pick(&types);
    choices.pick(&kind)
}

/// A type of a column: a scalar or a list of scalars.
pub(crate) fn any_type(choices: &mut Choices) -> DataType {
    if !choices.one_in(6) {
        return any_scalar(choices);
    }
    let item = loop {
        let item = any_scalar(choices);
        if !matches!(item, DataType::RunEndEncoded(..)) {
            break field(item);
        }
    };
    choices.pick(&[
        DataType::List(item.clone()),
        DataType::LargeList(item.clone()),
        DataType::ListView(item.clone()),
        DataType::LargeListView(item.clone()),
        DataType::FixedSizeList(item, 1),
    ])
}

/// The type of the values in dictionaries, runs and lists.
pub(crate) fn inner_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => value,
        DataType::RunEndEncoded(_, value) => value.data_type(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => inner_type(item.data_type()),
        other => other,
    }
}

pub(crate) fn is_list(data_type: &DataType) -> bool {
    use DataType::{FixedSizeList, LargeList, LargeListView, List, ListView};
    matches!(data_type, List(_) | LargeList(_) | ListView(_) | LargeListView(_) | FixedSizeList(..))
}

const FLOATS: [f64; 6] = [0.0, -0.0, f64::NAN, 0.1, 9_007_199_254_740_996.0, 1.0];

const FAR_FLOATS: [f64; 7] = [
    f64::INFINITY,
    f64::NEG_INFINITY,
    9_007_199_254_740_992.0,
    -9_007_199_254_740_992.0,
    1e300,
    16_777_216.0,
    1e76,
];

const TEXTS: [&str; 7] = ["", "a", "ab", "b", "ü", "2026-01-01", "1.5"];

/// A random float, which may not be a value of a smaller type.
pub(crate) fn any_float(choices: &mut Choices) -> f64 {
    match choices.below(6) {
        0..=2 => choices.pick(&FLOATS),
        3 => choices.pick(&FAR_FLOATS),
        4 => choices.bits() as f64 / 8.0,
        _ => f64::from_bits(choices.bits() as u64),
    }
}

pub(crate) fn any_text(choices: &mut Choices) -> String {
    choices.pick(&TEXTS).to_owned()
}

/// A random cell of a type.
pub(crate) fn any_cell(data_type: &DataType, choices: &mut Choices) -> Cell {
    if *data_type == DataType::Null || choices.one_in(5) {
        return Cell::Null;
    }
    match data_type {
        DataType::FixedSizeList(item, _) => Cell::List(vec![any_cell(item.data_type(), choices)]),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => {
            let length = choices.pick(&[1, 1, 1, 1, 1, 0, 1, 1, 1, 2]);
            Cell::List((0..length).map(|_| any_cell(item.data_type(), choices)).collect())
        }
        DataType::Dictionary(_, value) => any_cell(value, choices),
        DataType::RunEndEncoded(_, value) => any_cell(value.data_type(), choices),
        DataType::Boolean => Cell::Boolean(choices.below(2) == 1),
        DataType::Float16 => Cell::Float(f16::from_f64(any_float(choices)).to_f64()),
        DataType::Float32 => Cell::Float((any_float(choices) as f32).into()),
        DataType::Float64 => Cell::Float(any_float(choices)),
        DataType::FixedSizeBinary(_) => {
            Cell::Bytes(choices.pick(&[*b"ab", *b"a\0", [255, 1], *b"b\0"]).to_vec())
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Cell::Bytes(any_text(choices).into()),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            Cell::Bytes(match choices.below(2) {
                0 => any_text(choices).into(),
                _ => vec![choices.below(256) as u8],
            })
        }
        stored => Cell::Integer(any_integer(stored, choices)),
    }
}

/// A stored integer: near 0, near an end of the type, near 2^53, or any.
fn any_integer(data_type: &DataType, choices: &mut Choices) -> i128 {
    let bits = data_type.primitive_width().expect("a primitive type").min(16) * 8;
    let (least, most) = match data_type.is_unsigned_integer() {
        true => (0, i128::from(u64::MAX >> (64 - bits))),
        false => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
    };
    let near = choices.below(5) as i128 - 2;
    let found = match choices.below(5) {
        0 | 1 => near,
        2 => choices.pick(&[least.saturating_add(near.abs()), most.saturating_sub(near.abs())]),
        3 => (1 << 53) + near,
        _ => choices.bits(),
    };
    if (least..=most).contains(&found) { found } else { near.max(least) }
}

/// An array of cells.
pub(crate) fn array(data_type: &DataType, cells: &[Cell], choices: &mut Choices) -> ArrayRef {
    let nulls: Vec<bool> = cells.iter().map(|cell| *cell != Cell::Null).collect();
    let validity = NullBuffer::from(nulls);
    let floats = || {
        cells.iter().map(|cell| match cell {
            Cell::Float(value) => Some(*value),
            _ => None,
        })
    };
    let bytes = || {
        cells.iter().map(|cell| match cell {
            Cell::Bytes(value) => Some(value.as_slice()),
            _ => None,
        })
    };
    let texts = || bytes().map(|value| value.map(|value| std::str::from_utf8(value).unwrap()));
    match data_type {
        DataType::Null => Arc::new(NullArray::new(cells.len())),
        DataType::Boolean => Arc::new(BooleanArray::from_iter(cells.iter().map(|cell| match cell {
            Cell::Boolean(value) => Some(*value),
            _ => None,
        }))),
        DataType::Float16 => {
            Arc::new(Float16Array::from_iter(floats().map(|value| value.map(f16::from_f64))))
        }
        DataType::Float32 => {
            Arc::new(Float32Array::from_iter(floats().map(|value| value.map(|value| value as f32))))
        }
        DataType::Float64 => Arc::new(Float64Array::from_iter(floats())),
        DataType::Utf8 => Arc::new(StringArray::from_iter(texts())),
        DataType::LargeUtf8 => Arc::new(LargeStringArray::from_iter(texts())),
        DataType::Utf8View => Arc::new(StringViewArray::from_iter(texts())),
        DataType::Binary => Arc::new(BinaryArray::from_iter(bytes())),
        DataType::LargeBinary => Arc::new(LargeBinaryArray::from_iter(bytes())),
        DataType::BinaryView => Arc::new(BinaryViewArray::from_iter(bytes())),
        DataType::FixedSizeBinary(size) => {
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes(), *size).unwrap())
        }
        DataType::Dictionary(key, value) => dictionary(key, value, cells, choices),
        DataType::RunEndEncoded(_, value) => {
            let ends = Int32Array::from_iter_values(1..=cells.len() as i32);
            let values = array(value.data_type(), cells, choices);
            let runs = RunArray::<Int32Type>::try_new(&ends, &values).unwrap();
            assert_eq!(runs.data_type(), data_type);
            Arc::new(runs)
        }
        list if is_list(list) => lists(data_type, cells, validity, choices),
        stored => {
            let width = stored.primitive_width().unwrap();
            let raw = |cell: &Cell| match cell {
                Cell::Integer(value) => i256::from_i128(*value).to_le_bytes()[..width].to_vec(),
                // A null has any value.
                _ => vec![1; width],
            };
            let values: Vec<u8> = cells.iter().flat_map(raw).collect();
            let data = ArrayData::builder(stored.clone()).len(cells.len()).add_buffer(Buffer::from(values));
            make_array(data.nulls(Some(validity)).align_buffers(true).build().unwrap())
        }
    }
}

/// A dictionary with values that are not in use, and with a null.
fn dictionary(key: &DataType, value: &DataType, cells: &[Cell], choices: &mut Choices) -> ArrayRef {
    let mut values = vec![any_cell(value, choices), Cell::Null];
    let mut keys = Vec::new();
    for cell in cells {
        let found = values.iter().position(|value| value == cell);
        keys.push(match (cell, choices.below(2)) {
            (Cell::Null, 0) => None,
            _ => Some(found.unwrap_or_else(|| {
                values.push(cell.clone());
                values.len() - 1
            })),
        });
    }
    let values = array(value, &values, choices);
    fn of<K: arrow_array::types::ArrowDictionaryKeyType>(keys: &[Option<usize>], values: ArrayRef) -> ArrayRef
    where
        K::Native: TryFrom<usize>,
    {
        let keys = keys.iter().map(|key| key.map(|key| K::Native::try_from(key).ok().unwrap()));
        Arc::new(DictionaryArray::new(PrimitiveArray::<K>::from_iter(keys), values))
    }
    match key {
        DataType::Int8 => of::<Int8Type>(&keys, values),
        DataType::UInt32 => of::<UInt32Type>(&keys, values),
        _ => of::<Int32Type>(&keys, values),
    }
}

/// Lists. A null list may have values. Lists of a view type have their items in reverse order of the lists.
fn lists(data_type: &DataType, cells: &[Cell], validity: NullBuffer, choices: &mut Choices) -> ArrayRef {
    let hidden = vec![Cell::Null; choices.below(3)];
    let parts = |hidden: &[Cell]| -> Vec<Vec<Cell>> {
        let part = |cell: &Cell| if let Cell::List(items) = cell { items.clone() } else { hidden.to_vec() };
        cells.iter().map(part).collect()
    };
    let (forward, validity) = (parts(&hidden), Some(validity));
    let lengths = || forward.iter().map(Vec::len);
    let mut joined = |item: &Field, parts: &[Vec<Cell>]| array(item.data_type(), &parts.concat(), choices);
    match data_type {
        DataType::List(item) => {
            let items = joined(item, &forward);
            Arc::new(ListArray::new(item.clone(), OffsetBuffer::from_lengths(lengths()), items, validity))
        }
        DataType::LargeList(item) => {
            let items = joined(item, &forward);
            Arc::new(LargeListArray::new(
                item.clone(),
                OffsetBuffer::from_lengths(lengths()),
                items,
                validity,
            ))
        }
        DataType::FixedSizeList(item, size) => {
            let items = joined(item, &parts(&[Cell::Null]));
            Arc::new(FixedSizeListArray::new(item.clone(), *size, items, validity))
        }
        DataType::ListView(item) | DataType::LargeListView(item) => {
            let items = joined(item, &forward.iter().rev().cloned().collect::<Vec<_>>());
            let start = |row: usize| lengths().skip(row + 1).sum::<usize>();
            let (starts, item) = ((0..cells.len()).map(start), item.clone());
            if matches!(data_type, DataType::ListView(_)) {
                let offsets: ScalarBuffer<i32> = starts.map(|start| start as i32).collect();
                let sizes = lengths().map(|length| length as i32).collect();
                return Arc::new(ListViewArray::new(item, offsets, sizes, items, validity));
            }
            let offsets: ScalarBuffer<i64> = starts.map(|start| start as i64).collect();
            let sizes = lengths().map(|length| length as i64).collect();
            Arc::new(LargeListViewArray::new(item, offsets, sizes, items, validity))
        }
        other => unreachable!("{other}"),
    }
}
