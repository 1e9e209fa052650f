//! Values that their Arrow type does not have, which readers of other libraries return as they are stored: decimals of too many
//! digits, times outside of a day, dates in milliseconds that are not whole days.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
};
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit, UnionMode};

use crate::field_path::joined;
use crate::{FeedError, FeedErrorKind, counted, thousands};

const MILLISECONDS_OF_DAY: i64 = 86_400_000;

/// Checks the values of a column. `path` is its name. Values in slots that are null, also in parents, and values of dictionaries
/// are not checked.
///
/// # Errors
/// A value is not one of its type.
pub fn check_values(column: &ArrayRef, path: &str) -> Result<(), FeedError> {
    check(column, None, path)
}

/// `parents` has the slots that are not null in the arrays around this one.
fn check(array: &ArrayRef, parents: Option<&NullBuffer>, path: &str) -> Result<(), FeedError> {
    let valid = || NullBuffer::union(parents, array.nulls());
    match array.data_type() {
        DataType::Decimal32(precision, _) => decimals::<Decimal32Type>(array, *precision, valid, path),
        DataType::Decimal64(precision, _) => decimals::<Decimal64Type>(array, *precision, valid, path),
        DataType::Decimal128(precision, _) => decimals::<Decimal128Type>(array, *precision, valid, path),
        DataType::Decimal256(precision, _) => decimals::<Decimal256Type>(array, *precision, valid, path),
        DataType::Date64 => {
            let is_day = |milliseconds: i64| milliseconds % MILLISECONDS_OF_DAY == 0;
            each::<Date64Type>(array, is_day, valid, "milliseconds of whole days", path)
        }
        DataType::Time32(TimeUnit::Second) => times::<Time32SecondType>(array, 1, "second", valid, path),
        DataType::Time32(_) => times::<Time32MillisecondType>(array, 1000, "millisecond", valid, path),
        DataType::Time64(TimeUnit::Microsecond) => {
            times::<Time64MicrosecondType>(array, 1_000_000, "microsecond", valid, path)
        }
        DataType::Time64(_) => times::<Time64NanosecondType>(array, 1_000_000_000, "nanosecond", valid, path),
        DataType::Struct(fields) => {
            let valid = valid();
            let mut columns = fields.iter().zip(array.as_struct().columns());
            columns.try_for_each(|(field, column)| check(column, valid.as_ref(), &joined(path, field.name())))
        }
        DataType::FixedSizeList(_, size) => {
            let valid = valid().map(|valid| valid.expand(size.as_usize()));
            check(array.as_fixed_size_list().values(), valid.as_ref(), &items(path))
        }
        DataType::List(_) => check(array.as_list::<i32>().values(), None, &items(path)),
        DataType::LargeList(_) => check(array.as_list::<i64>().values(), None, &items(path)),
        DataType::ListView(_) => check(array.as_list_view::<i32>().values(), None, &items(path)),
        DataType::LargeListView(_) => check(array.as_list_view::<i64>().values(), None, &items(path)),
        DataType::Map(..) => {
            let entries = array.as_map().entries();
            let mut columns = entries.fields().iter().zip(entries.columns());
            columns
                .try_for_each(|(field, column)| check(column, entries.nulls(), &joined(path, field.name())))
        }
        DataType::Union(fields, mode) => {
            let union = array.as_union();
            fields.iter().try_for_each(|(id, field)| {
                let ids = union.type_ids();
                let own = || BooleanBuffer::collect_bool(ids.len(), |row| ids[row] == id);
                let own = (*mode == UnionMode::Sparse).then(|| NullBuffer::new(own()));
                check(union.child(id), own.as_ref(), &joined(path, field.name()))
            })
        }
        DataType::RunEndEncoded(ends, _) => {
            let values = match ends.data_type() {
                DataType::Int16 => array.as_run::<arrow_array::types::Int16Type>().values(),
                DataType::Int32 => array.as_run::<arrow_array::types::Int32Type>().values(),
                _ => array.as_run::<arrow_array::types::Int64Type>().values(),
            };
            check(values, None, path)
        }
        _ => Ok(()),
    }
}

fn items(path: &str) -> String {
    format!("{path}[]")
}

fn decimals<T: DecimalType>(
    array: &ArrayRef,
    precision: u8,
    valid: impl FnOnce() -> Option<NullBuffer>,
    path: &str,
) -> Result<(), FeedError> {
    let ten = T::Native::usize_as(10);
    // A power that does not fit is larger than all values.
    let Ok(most) = ten.pow_checked(precision.into()) else { return Ok(()) };
    let least = T::Native::ZERO.sub_wrapping(most);
    let fits = |value: T::Native| value.is_lt(most) && value.is_gt(least);
    let expected = format!("a decimal of at most {}", counted(precision.into(), "digit"));
    each::<T>(array, fits, valid, &expected, path)
}

fn times<T: ArrowPrimitiveType<Native: Into<i64>>>(
    array: &ArrayRef,
    of_second: i64,
    unit: &str,
    valid: impl FnOnce() -> Option<NullBuffer>,
    path: &str,
) -> Result<(), FeedError> {
    let end = 86_400 * of_second;
    let is_of_day = |time: T::Native| (0..end).contains(&time.into());
    let expected = format!("a time of day from 0 to {} {unit}s", thousands((end - 1).unsigned_abs()));
    each::<T>(array, is_of_day, valid, &expected, path)
}

fn each<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    is_value: impl Fn(T::Native) -> bool,
    valid: impl FnOnce() -> Option<NullBuffer>,
    expected: &str,
    path: &str,
) -> Result<(), FeedError> {
    let values = array.as_primitive::<T>().values();
    if values.iter().fold(true, |all, value| all & is_value(*value)) {
        return Ok(());
    }
    let valid = valid();
    let is_valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.is_valid(row));
    match values.iter().enumerate().find(|(row, value)| !is_value(**value) && is_valid(*row)) {
        None => Ok(()),
        Some((_, found)) => {
            let message = format!("expected {expected}, found {found:?}");
            Err(FeedError::new(FeedErrorKind::CorruptBlock, message).in_field(path))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        Date64Array, Decimal32Array, Decimal64Array, Decimal128Array, Decimal256Array, FixedSizeListArray,
        ListArray, MapArray, RunArray, StructArray, Time32MillisecondArray, Time32SecondArray,
        Time64MicrosecondArray, Time64NanosecondArray, UnionArray,
    };
    use arrow_buffer::{OffsetBuffer, i256};
    use arrow_schema::{Field, UnionFields};

    use super::*;

    fn error_of(array: &ArrayRef) -> Option<String> {
        check_values(array, "x").err().map(|error| error.to_string())
    }

    /// Times of which the second one is invalid, with or without a null in its place.
    fn times(is_null: bool) -> ArrayRef {
        let nulls = is_null.then(|| NullBuffer::from(vec![true, false]));
        Arc::new(Time32SecondArray::new(vec![86_399, 86_400].into(), nulls))
    }

    #[test]
    fn values_out_of_the_range_of_their_type_are_errors() {
        let decimal = |digits: u32, found: &str| {
            let digits = counted(digits.into(), "digit");
            format!("x: expected a decimal of at most {digits}, found {found}")
        };
        let time = |last: &str, unit: &str, found: &str| {
            format!("x: expected a time of day from 0 to {last} {unit}s, found {found}")
        };
        let d32 =
            |n| Arc::new(Decimal32Array::from(vec![n]).with_precision_and_scale(9, 0).unwrap()) as ArrayRef;
        let d64 =
            |n| Arc::new(Decimal64Array::from(vec![n]).with_precision_and_scale(1, 0).unwrap()) as ArrayRef;
        let d128 =
            |n| Arc::new(Decimal128Array::from(vec![n]).with_precision_and_scale(38, 3).unwrap()) as ArrayRef;
        let d256 =
            |n| Arc::new(Decimal256Array::from(vec![n]).with_precision_and_scale(76, 3).unwrap()) as ArrayRef;
        let large = i256::from(10).pow_checked(76).unwrap();
        let date = |n| Arc::new(Date64Array::from(vec![n])) as ArrayRef;
        let milliseconds = |n| Arc::new(Time32MillisecondArray::from(vec![n])) as ArrayRef;
        let microseconds = |n| Arc::new(Time64MicrosecondArray::from(vec![n])) as ArrayRef;
        let nanoseconds = |n| Arc::new(Time64NanosecondArray::from(vec![n])) as ArrayRef;
        for (valid, invalid, expected) in [
            (d32(999_999_999), d32(1_000_000_000), decimal(9, "1000000000")),
            (d32(-999_999_999), d32(i32::MIN), decimal(9, "-2147483648")),
            (d64(-9), d64(10), decimal(1, "10")),
            (
                d128(10_i128.pow(38) - 1),
                d128(-(10_i128.pow(38))),
                decimal(38, &format!("-1{}", "0".repeat(38))),
            ),
            (d256(large - i256::ONE), d256(large), decimal(76, &format!("1{}", "0".repeat(76)))),
            (date(-86_400_000), date(1), "x: expected milliseconds of whole days, found 1".to_owned()),
            (times(true), times(false), time("86,399", "second", "86400")),
            (milliseconds(0), milliseconds(-1), time("86,399,999", "millisecond", "-1")),
            (
                microseconds(5),
                microseconds(i64::MIN),
                time("86,399,999,999", "microsecond", "-9223372036854775808"),
            ),
            (
                nanoseconds(86_399_999_999_999),
                nanoseconds(86_400_000_000_000),
                time("86,399,999,999,999", "nanosecond", "86400000000000"),
            ),
        ] {
            assert_eq!(error_of(&valid), None);
            assert_eq!(error_of(&invalid), Some(expected));
        }
    }

    #[test]
    fn nested_values_are_checked_where_their_parents_are_not_null() {
        let field = Arc::new(Field::new("t", DataType::Time32(TimeUnit::Second), true));
        let nulls = |is_null: bool| is_null.then(|| NullBuffer::from(vec![true, false]));
        let message = "expected a time of day from 0 to 86,399 seconds, found 86400";
        let structs =
            |is_null| StructArray::new(vec![field.clone()].into(), vec![times(false)], nulls(is_null));
        let keyed = |is_null| {
            let keys = Arc::new(Field::new("k", DataType::Time32(TimeUnit::Second), false));
            let entries = StructArray::new(
                vec![keys, field.clone()].into(),
                vec![times(true).slice(0, 1), times(is_null).slice(1, 1)],
                None,
            );
            let entry = Arc::new(Field::new("entries", entries.data_type().clone(), false));
            Arc::new(MapArray::new(entry, OffsetBuffer::from_lengths([1]), entries, None, false)) as ArrayRef
        };
        let union = |is_null: bool, offsets: Option<Vec<i32>>| {
            let other = Arc::new(Field::new("o", DataType::Date64, true));
            let fields = UnionFields::try_new([3, 7], [field.clone(), other]).unwrap();
            let dates = Arc::new(Date64Array::from(vec![0, 0])) as ArrayRef;
            let ids = vec![3, if is_null { 7 } else { 3 }];
            Arc::new(
                UnionArray::try_new(fields, ids.into(), offsets.map(Into::into), vec![times(false), dates])
                    .unwrap(),
            ) as ArrayRef
        };
        let runs = |is_null: bool| {
            let ends = arrow_array::PrimitiveArray::<Int32Type>::from(vec![1, 2]);
            Arc::new(RunArray::try_new(&ends, &times(is_null)).unwrap()) as ArrayRef
        };
        let fixed = |is_null| {
            let lists = FixedSizeListArray::new(field.clone(), 1, times(false), nulls(is_null));
            Arc::new(lists) as ArrayRef
        };
        let list = |is_null: bool| {
            let lists = ListArray::new(field.clone(), OffsetBuffer::from_lengths([2]), times(is_null), None);
            Arc::new(lists) as ArrayRef
        };
        let deep = |is_null: bool| {
            let inner = Arc::new(structs(is_null)) as ArrayRef;
            let field = Arc::new(Field::new("s", inner.data_type().clone(), true));
            Arc::new(StructArray::new(vec![field].into(), vec![inner], None)) as ArrayRef
        };
        for (found, path) in [
            ([false, true].map(|is_null| Arc::new(structs(is_null)) as ArrayRef), "x.t"),
            ([false, true].map(deep), "x.s.t"),
            ([false, true].map(list), "x[]"),
            ([false, true].map(fixed), "x[]"),
            ([false, true].map(keyed), "x.t"),
            ([false, true].map(|is_null| union(is_null, None)), "x.t"),
            ([false, true].map(runs), "x"),
        ] {
            let expected = [Some(format!("{path}: {message}")), None];
            assert_eq!(found.map(|array| error_of(&array)), expected);
        }
        assert_eq!(error_of(&union(false, Some(vec![0, 1]))), Some(format!("x.t: {message}")));
    }
}
