//! The `feature` and `tfx` encodings of one column, recursively: its type and its array, side by side.
//!
//! Both put a list around every value that is not one already, so that a missing value is a null list:
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
use arrow_schema::{DataType, Field, FieldRef, Fields};

use crate::error::{AvroError, AvroErrorKind};
use crate::options::Encoding;

/// The field of a wrapped column.
pub(super) fn field(encoding: Encoding, native: &Field) -> Result<Field, AvroError> {
    field_at(encoding, native, native.name())
}

/// The field of a wrapped column or member of a struct; `path` leads to it.
fn field_at(encoding: Encoding, native: &Field, path: &str) -> Result<Field, AvroError> {
    let data_type = outer(encoding, native, path)?;
    let nullable = native.is_nullable() || encoding == Encoding::Tfx;
    let field = Field::new(native.name(), data_type, nullable);
    // An extension is of the value, not of the list around it.
    Ok(field)
}

/// The type of a column: a list in any case.
fn outer(encoding: Encoding, native: &Field, path: &str) -> Result<DataType, AvroError> {
    Ok(match native.data_type() {
        DataType::Null => DataType::Null,
        DataType::List(items) | DataType::LargeList(items) => {
            list(encoding, items_field(encoding, items, path)?)
        }
        DataType::FixedSizeList(items, n) if encoding == Encoding::Feature => {
            DataType::FixedSizeList(items_field(encoding, items, path)?, *n)
        }
        DataType::FixedSizeList(items, _) => list(encoding, items_field(encoding, items, path)?),
        DataType::Map(entries, _) => {
            list(encoding, item(encoding, entry(encoding, entries, &format!("{path}[]"))?, false))
        }
        DataType::Struct(_) => list(encoding, item(encoding, inner(encoding, native, path)?, false)),
        _ if encoding == Encoding::Feature => {
            DataType::FixedSizeList(item(encoding, inner(encoding, native, path)?, false), 1)
        }
        _ => list(encoding, item(encoding, inner(encoding, native, path)?, false)),
    })
}

fn list(encoding: Encoding, items: FieldRef) -> DataType {
    if encoding == Encoding::Tfx { DataType::LargeList(items) } else { DataType::List(items) }
}

fn item(encoding: Encoding, data_type: DataType, nullable: bool) -> FieldRef {
    Arc::new(Field::new(Field::LIST_FIELD_DEFAULT_NAME, data_type, nullable || encoding == Encoding::Tfx))
}

/// The items of a list: themselves lists, or values without a list around them.
fn items_field(encoding: Encoding, items: &Field, path: &str) -> Result<FieldRef, AvroError> {
    let path = format!("{path}[]");
    let data_type = match items.data_type() {
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Map(..) => {
            outer(encoding, items, &path)?
        }
        _ => inner(encoding, items, &path)?,
    };
    Ok(item(encoding, data_type, items.is_nullable()))
}

/// The type of a map's entry: key and value, of which the path of its values leads to both.
fn entry(encoding: Encoding, entries: &Field, path: &str) -> Result<DataType, AvroError> {
    match entries.data_type() {
        DataType::Struct(fields) => {
            let fields: Result<Vec<_>, _> =
                fields.iter().map(|child| field_at(encoding, child, path)).collect();
            Ok(DataType::Struct(fields?.into()))
        }
        _ => inner(encoding, entries, path),
    }
}

/// The type of a value inside its list.
fn inner(encoding: Encoding, native: &Field, path: &str) -> Result<DataType, AvroError> {
    Ok(match native.data_type() {
        DataType::Struct(fields) => {
            let child = |child: &FieldRef| field_at(encoding, child, &format!("{path}.{}", child.name()));
            let fields: Result<Vec<_>, _> = fields.iter().map(child).collect();
            DataType::Struct(fields?.into())
        }
        DataType::Union(..) => {
            let message = "expected a type that can be a feature, found a union of several types: choose one \
                           with a reader schema";
            return Err(AvroError::new(AvroErrorKind::Schema, message).in_field(path));
        }
        DataType::Dictionary(..) | DataType::FixedSizeBinary(_) if encoding == Encoding::Tfx => {
            DataType::LargeBinary
        }
        other => other.clone(),
    })
}

/// The array of a wrapped column.
pub(super) fn array(encoding: Encoding, native: &ArrayRef) -> ArrayRef {
    match (encoding, native.data_type()) {
        (_, DataType::Null) => native.clone(),
        (Encoding::Tfx, _) => outer_array::<i64>(encoding, native),
        _ => outer_array::<i32>(encoding, native),
    }
}

fn outer_array<O: OffsetSizeTrait>(encoding: Encoding, native: &ArrayRef) -> ArrayRef {
    match native.data_type() {
        DataType::List(items) => {
            let list = native.as_list::<i32>();
            let offsets = offsets::<O>(list.offsets());
            let values = items_array::<O>(encoding, list.values());
            list_array(encoding, items.is_nullable(), offsets, values, list.nulls().cloned())
        }
        DataType::FixedSizeList(items, n) => {
            let list = native.as_fixed_size_list();
            let values = items_array::<O>(encoding, list.values());
            if encoding == Encoding::Feature {
                let field = item(encoding, values.data_type().clone(), items.is_nullable());
                return Arc::new(FixedSizeListArray::new(field, *n, values, list.nulls().cloned()));
            }
            let nulls = list.nulls().cloned();
            ragged::<O>(encoding, items.is_nullable(), *n as usize, list.len(), values, nulls)
        }
        DataType::Map(..) => {
            let map = native.as_map();
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let values = inner_array(encoding, &entries);
            list_array(encoding, false, offsets::<O>(map.offsets()), values, map.nulls().cloned())
        }
        DataType::Struct(_) => {
            let nulls = native.nulls().cloned();
            ragged::<O>(encoding, false, 1, native.len(), inner_array(encoding, native), nulls)
        }
        _ if encoding == Encoding::Feature => {
            let values = without_nulls(&inner_array(encoding, native));
            let field = item(encoding, values.data_type().clone(), false);
            Arc::new(FixedSizeListArray::new(field, 1, values, native.nulls().cloned()))
        }
        _ => {
            let nulls = native.nulls().cloned();
            ragged::<O>(encoding, false, 1, native.len(), inner_array(encoding, native), nulls)
        }
    }
}

/// The items of a list: see [`items_field`].
fn items_array<O: OffsetSizeTrait>(encoding: Encoding, items: &ArrayRef) -> ArrayRef {
    match items.data_type() {
        DataType::List(_) | DataType::FixedSizeList(..) | DataType::Map(..) => {
            outer_array::<O>(encoding, items)
        }
        _ => inner_array(encoding, items),
    }
}

/// Values inside their list: see [`inner`].
fn inner_array(encoding: Encoding, native: &ArrayRef) -> ArrayRef {
    match native.data_type() {
        DataType::Struct(_) => {
            let rows = native.as_struct();
            let columns: Vec<ArrayRef> =
                rows.columns().iter().map(|column| array(encoding, column)).collect();
            let fields = rows.fields().iter().zip(&columns).map(|(native, column)| {
                let nullable = native.is_nullable() || encoding == Encoding::Tfx;
                Field::new(native.name(), column.data_type().clone(), nullable)
            });
            let fields: Fields = fields.collect();
            let nulls = rows.nulls().cloned();
            let array = StructArray::try_new_with_length(fields, columns, nulls, rows.len());
            Arc::new(array.expect("columns are wrapped as their fields are"))
        }
        DataType::Dictionary(..) if encoding == Encoding::Tfx => {
            let keys = native.as_dictionary::<Int32Type>();
            let symbols: LargeBinaryArray =
                keys.values().as_string::<i32>().iter().map(|symbol| symbol.map(str::as_bytes)).collect();
            arrow_select::take::take(&symbols, keys.keys(), None)
                .expect("keys are below the dictionary's length")
        }
        DataType::FixedSizeBinary(_) if encoding == Encoding::Tfx => {
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

/// Lists of `n` values each; a null list holds none, so its values are left out.
fn ragged<O: OffsetSizeTrait>(
    encoding: Encoding,
    nullable_items: bool,
    n: usize,
    len: usize,
    values: ArrayRef,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        return list_array(
            encoding,
            nullable_items,
            OffsetBuffer::<O>::from_repeated_length(n, len),
            values,
            None,
        );
    };
    let offsets = OffsetBuffer::<O>::from_lengths(nulls.iter().map(|valid| if valid { n } else { 0 }));
    let kept = nulls.iter().flat_map(|valid| std::iter::repeat_n(valid, n));
    let kept = arrow_array::BooleanArray::from(kept.collect::<Vec<bool>>());
    let values = arrow_select::filter::filter(&values, &kept).expect("a flag for each value");
    list_array(encoding, nullable_items, offsets, without_nulls(&values), Some(nulls))
}

fn list_array<O: OffsetSizeTrait>(
    encoding: Encoding,
    nullable_items: bool,
    offsets: OffsetBuffer<O>,
    values: ArrayRef,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    let field = item(encoding, values.data_type().clone(), nullable_items);
    Arc::new(GenericListArray::<O>::new(field, offsets, values, nulls))
}

fn offsets<O: OffsetSizeTrait>(narrow: &OffsetBuffer<i32>) -> OffsetBuffer<O> {
    let offsets: ScalarBuffer<O> = narrow.iter().map(|offset| O::usize_as(*offset as usize)).collect();
    OffsetBuffer::new(offsets)
}

/// The same values; which of them are null is said by the lists around them.
fn without_nulls(array: &ArrayRef) -> ArrayRef {
    if array.nulls().is_none() {
        return array.clone();
    }
    let data = array.to_data().into_builder().nulls(None);
    arrow_array::make_array(data.build().expect("an array is valid without its nulls"))
}
