//! The `feature` and `tfx` encodings of one column, recursively: its type and its array.
//!
//! Both put a list around every value that is not a list already, so that a missing value is a null list:
//!
//! | native | `feature` | `tfx` |
//! |---|---|---|
//! | null | null | null |
//! | leaf | `fixed_size_list<leaf>[1]` | `large_list<int64, float, double or large_binary>` |
//! | list | list of the same | `large_list` |
//! | struct | `list<struct<...>>`, its fields wrapped | `large_list<struct<...>>`, its fields wrapped |
//! | map | `list<struct<key, value>>`, both wrapped | `large_list<struct<key, value>>`, both wrapped |

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, LargeBinaryArray, OffsetSizeTrait, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef};
use arrowfeed_source::{FeedError, FeedErrorKind, copied};

use crate::options::ColumnEncoding;
use arrowfeed_source::field_path;

/// Returns the field of a wrapped column. `path` is its position in the schema, for messages.
pub(super) fn field(encoding: ColumnEncoding, native: &Field, path: &str) -> Result<Field, FeedError> {
    let nullable = native.is_nullable() || encoding == ColumnEncoding::Tfx;
    Ok(Field::new(native.name(), outer(encoding, native, path)?, nullable))
}

/// Returns the type of a column, which is a list unless it is null.
fn outer(encoding: ColumnEncoding, native: &Field, path: &str) -> Result<DataType, FeedError> {
    let feature = encoding == ColumnEncoding::Feature;
    let items = match native.data_type() {
        DataType::Null => return Ok(DataType::Null),
        DataType::FixedSizeList(items, n) if feature => {
            return Ok(DataType::FixedSizeList(items_field(encoding, items, path)?, *n));
        }
        DataType::List(items) | DataType::FixedSizeList(items, _) => items_field(encoding, items, path)?,
        DataType::Map(entries, _) => {
            item(encoding, entries, structure(encoding, entries, |_| format!("{path}[]"))?, false)
        }
        DataType::Struct(_) => item(encoding, native, inner(encoding, native, path)?, false),
        _ => {
            let value = item(encoding, native, inner(encoding, native, path)?, false);
            if feature {
                return Ok(DataType::FixedSizeList(value, 1));
            }
            value
        }
    };
    Ok(if feature { DataType::List(items) } else { DataType::LargeList(items) })
}

/// Returns the list item for a `native` value. The metadata, for example of an extension type, belongs to the
/// value and not to the list. A value in the tfx encoding has no metadata.
fn item(encoding: ColumnEncoding, native: &Field, data_type: DataType, nullable: bool) -> FieldRef {
    let field =
        Field::new(Field::LIST_FIELD_DEFAULT_NAME, data_type, nullable || encoding == ColumnEncoding::Tfx);
    Arc::new(match encoding {
        ColumnEncoding::Tfx => field,
        _ => field.with_metadata(native.metadata().clone()),
    })
}

/// Returns the items of a list: lists themselves, or values without a list around them.
fn items_field(encoding: ColumnEncoding, items: &Field, path: &str) -> Result<FieldRef, FeedError> {
    let path = &format!("{path}[]");
    let data_type = match items.data_type() {
        DataType::List(_) | DataType::FixedSizeList(..) | DataType::Map(..) => outer(encoding, items, path)?,
        _ => inner(encoding, items, path)?,
    };
    Ok(item(encoding, items, data_type, items.is_nullable()))
}

/// Returns the type of a value inside its list.
fn inner(encoding: ColumnEncoding, native: &Field, path: &str) -> Result<DataType, FeedError> {
    Ok(match native.data_type() {
        DataType::Struct(_) => structure(encoding, native, |child| field_path::joined(path, child.name()))?,
        DataType::Union(..) => {
            let message = "expected a type that can be a feature, found a union: choose one of its types with a \
                           reader schema, or read unions as structs or JSON";
            return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(path));
        }
        DataType::Dictionary(..) | DataType::FixedSizeBinary(_) if encoding == ColumnEncoding::Tfx => {
            DataType::LargeBinary
        }
        other => other.clone(),
    })
}

/// Returns the type of a record, or of the entries of a map, with every field wrapped. `path` returns the path of a field.
fn structure(
    encoding: ColumnEncoding,
    native: &Field,
    path: impl Fn(&Field) -> String,
) -> Result<DataType, FeedError> {
    let DataType::Struct(fields) = native.data_type() else { return Ok(native.data_type().clone()) };
    let fields = fields.iter().map(|child| field(encoding, child, &path(child)));
    Ok(DataType::Struct(fields.collect::<Result<Vec<_>, _>>()?.into()))
}

/// Converts a native array to the type that [`field`] has returned.
pub(super) fn array(native: &ArrayRef, to: &DataType) -> ArrayRef {
    match to {
        DataType::List(item) => lists::<i32>(native, item),
        DataType::LargeList(item) => lists::<i64>(native, item),
        DataType::FixedSizeList(item, n) => fixed_size_lists(native, item, *n),
        _ => values(native, to),
    }
}

fn lists<O: OffsetSizeTrait>(native: &ArrayRef, item: &FieldRef) -> ArrayRef {
    let nulls = native.nulls().cloned();
    let (offsets, values) = match native.data_type() {
        DataType::List(_) => {
            let list = native.as_list::<i32>();
            (offsets(list.offsets()), array(list.values(), item.data_type()))
        }
        DataType::Map(..) => {
            let map = native.as_map();
            let entries: ArrayRef = Arc::new(map.entries().clone());
            (offsets(map.offsets()), array(&entries, item.data_type()))
        }
        DataType::FixedSizeList(_, n) => {
            let values = array(native.as_fixed_size_list().values(), item.data_type());
            ragged(*n as usize, native.len(), values, nulls.as_ref())
        }
        _ => {
            let (offsets, values) = ragged(1, native.len(), array(native, item.data_type()), nulls.as_ref());
            (offsets, without_nulls(&values))
        }
    };
    Arc::new(GenericListArray::<O>::new(item.clone(), offsets, values, nulls))
}

fn fixed_size_lists(native: &ArrayRef, item: &FieldRef, n: i32) -> ArrayRef {
    let values = match native.data_type() {
        DataType::FixedSizeList(..) => array(native.as_fixed_size_list().values(), item.data_type()),
        _ => without_nulls(&array(native, item.data_type())),
    };
    let (nulls, len) = (native.nulls().cloned(), native.len());
    let array = FixedSizeListArray::try_new_with_length(item.clone(), n, values, nulls, len);
    Arc::new(array.expect("every row has the declared length"))
}

/// Converts values inside their list; see [`inner`].
fn values(native: &ArrayRef, to: &DataType) -> ArrayRef {
    match (native.data_type(), to) {
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let rows = native.as_struct();
            let columns = rows.columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| array(column, field.data_type())).collect();
            let nulls = rows.nulls().cloned();
            let array = StructArray::try_new_with_length(fields.clone(), columns, nulls, rows.len());
            Arc::new(array.expect("columns are wrapped as their fields are"))
        }
        (DataType::Dictionary(..), DataType::LargeBinary) => {
            let keys = native.as_dictionary::<Int32Type>();
            let symbols: LargeBinaryArray =
                keys.values().as_string::<i32>().iter().map(|symbol| symbol.map(str::as_bytes)).collect();
            let symbols = arrowfeed_select::take(&symbols, keys.keys());
            copied(symbols, "keys are below the dictionary's length")
        }
        (DataType::FixedSizeBinary(_), DataType::LargeBinary) => {
            let fixed = native.as_fixed_size_binary();
            let size = usize::try_from(fixed.value_length()).unwrap_or(0);
            let offsets = OffsetBuffer::from_repeated_length(size, fixed.len());
            let data =
                fixed.to_data().buffers()[0].slice_with_length(fixed.offset() * size, fixed.len() * size);
            Arc::new(LargeBinaryArray::new(offsets, data, fixed.nulls().cloned()))
        }
        _ => native.clone(),
    }
}

/// Builds lists of `n` values each. A null list has no items, so its values are left out.
fn ragged<O: OffsetSizeTrait>(
    n: usize,
    len: usize,
    values: ArrayRef,
    nulls: Option<&NullBuffer>,
) -> (OffsetBuffer<O>, ArrayRef) {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        return (OffsetBuffer::from_repeated_length(n, len), values);
    };
    let offsets = OffsetBuffer::from_lengths(nulls.iter().map(|valid| if valid { n } else { 0 }));
    let kept = nulls.iter().flat_map(|valid| std::iter::repeat_n(valid, n));
    let kept = arrow_array::BooleanArray::from(kept.collect::<Vec<bool>>());
    (offsets, copied(arrowfeed_select::filter(&values, &kept), "a flag for each value"))
}

fn offsets<O: OffsetSizeTrait>(narrow: &OffsetBuffer<i32>) -> OffsetBuffer<O> {
    let offsets: ScalarBuffer<O> = narrow.iter().map(|offset| O::usize_as(*offset as usize)).collect();
    OffsetBuffer::new(offsets)
}

/// Returns the same values without a null buffer; the lists around them record which are null. The nulls stay where the
/// dictionary is empty, because no key is valid there.
fn without_nulls(array: &ArrayRef) -> ArrayRef {
    let without_values = array.as_any_dictionary_opt().is_some_and(|array| array.values().is_empty());
    if array.nulls().is_none() || without_values {
        return array.clone();
    }
    let data = array.to_data().into_builder().nulls(None);
    arrow_array::make_array(data.build().expect("an array is valid without its nulls"))
}
