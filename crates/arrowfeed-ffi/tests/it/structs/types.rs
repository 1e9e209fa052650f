//! Random types of a batch: any nesting of all kinds of Arrow types.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit, UnionFields, UnionMode};

/// The field of an array of structs: columns `c0`, `c1`, ...
pub(crate) fn batch(u: &mut Unstructured<'_>) -> Result<Field> {
    let number = u.int_in_range(1..=3)?;
    let fields = (0..number).map(|index| Ok(Field::new(format!("c{index}"), data_type(u, 3)?, true)));
    Ok(Field::new_struct("", fields.collect::<Result<Fields>>()?, false))
}

fn data_type(u: &mut Unstructured<'_>, depth: usize) -> Result<DataType> {
    use DataType::*;
    if depth == 0 || u.ratio(1, 3)? {
        return leaf(u);
    }
    Ok(match u.int_in_range(0..=11)? {
        0 | 1 => List(item(u, depth)?),
        2 => LargeList(item(u, depth)?),
        3 => ListView(item(u, depth)?),
        4 => LargeListView(item(u, depth)?),
        5 => FixedSizeList(item(u, depth)?, u.int_in_range(0..=3)?),
        6 => {
            let pairs = Fields::from(vec![
                Field::new("key", Utf8, false),
                Field::new("value", data_type(u, depth - 1)?, true),
            ]);
            Map(Arc::new(Field::new_struct("entries", pairs, false)), false)
        }
        7 => Dictionary(Box::new(key(u)?), Box::new(data_type(u, depth - 1)?)),
        8 => {
            let ends = u.choose(&[Int16, Int32, Int64])?.clone();
            let values = Field::new("values", data_type(u, depth - 1)?, true);
            RunEndEncoded(Arc::new(Field::new("run_ends", ends, false)), Arc::new(values))
        }
        9 => {
            let number = u.int_in_range(1..=3_i8)?;
            let fields =
                (0..number).map(|id| Ok((id * 3, Arc::new(Field::new("u", data_type(u, depth - 1)?, true)))));
            let fields = fields.collect::<Result<UnionFields>>()?;
            Union(fields, *u.choose(&[UnionMode::Sparse, UnionMode::Dense])?)
        }
        _ => {
            let number = u.int_in_range(0..=3)?;
            let names = ["a", "b", "c"].into_iter().take(number);
            let fields = names.map(|name| Ok(Field::new(name, data_type(u, depth - 1)?, true)));
            Struct(fields.collect::<Result<Fields>>()?)
        }
    })
}

fn item(u: &mut Unstructured<'_>, depth: usize) -> Result<FieldRef> {
    Ok(Arc::new(Field::new("item", data_type(u, depth - 1)?, true)))
}

fn key(u: &mut Unstructured<'_>) -> Result<DataType> {
    use DataType::*;
    Ok(u.choose(&[Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64])?.clone())
}

fn leaf(u: &mut Unstructured<'_>) -> Result<DataType> {
    use DataType::*;
    let leaves = [
        Int64,
        Utf8,
        Int32,
        Float32,
        Boolean,
        Null,
        Int8,
        UInt64,
        Float16,
        Float64,
        Date32,
        Time32(TimeUnit::Millisecond),
        Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        Duration(TimeUnit::Second),
        Interval(IntervalUnit::MonthDayNano),
        Decimal128(5, 2),
        Decimal256(40, 2),
        LargeUtf8,
        Binary,
        LargeBinary,
        Utf8View,
        BinaryView,
        FixedSizeBinary(3),
        FixedSizeBinary(0),
    ];
    Ok(u.choose(&leaves)?.clone())
}
