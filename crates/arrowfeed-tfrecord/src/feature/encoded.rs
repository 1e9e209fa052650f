//! Encoding of the lists of a column as features.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, LargeListArray};
use arrow_buffer::OffsetBuffer;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field};
use arrowfeed_select::compact;
use arrowfeed_source::{FeedError, FeedErrorKind, copy_error};

use super::kind::FeatureKind;
use super::lists::{Items, Values};
use crate::wire::{push_head, push_varint, varint_len};

/// The tag of field 1 with bytes: a map entry, the name of an entry, a step, packed numbers, and values of a bytes list.
pub(crate) const FIRST: u8 = 1 << 3 | 2;

/// The tag of the value of an entry.
pub(crate) const VALUE: u8 = 2 << 3 | 2;

/// The lists of a column, one per row.
#[derive(Debug)]
pub(crate) struct FeatureLists {
    kind: FeatureKind,
    lists: LargeListArray,
}

/// Sizes of the parts of a feature in bytes, without the tag and the length before them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// Size of the packed numbers; equal to `list` for bytes values.
    packed: usize,
    list: usize,
    pub(crate) feature: usize,
}

/// The sizes of a feature without a list.
pub(crate) const WITHOUT_LIST: Sizes = Sizes { packed: 0, list: 0, feature: 0 };

/// Size of a field with this number of bytes, including its one-byte tag and its length.
pub(crate) fn field_len(bytes: usize) -> usize {
    1 + varint_len(bytes as u64) + bytes
}

/// The kind of the values of a column, or of its lists.
fn kind_of(data_type: &DataType) -> Result<FeatureKind, FeedError> {
    use DataType as D;
    let leaf = match data_type {
        D::List(item)
        | D::LargeList(item)
        | D::FixedSizeList(item, _)
        | D::ListView(item)
        | D::LargeListView(item) => item.data_type(),
        other => other,
    };
    let leaf = if let D::Dictionary(_, values) = leaf { values } else { leaf };
    Ok(match leaf {
        D::Null => FeatureKind::Null,
        leaf if leaf.is_integer() => FeatureKind::Int64,
        D::Boolean => FeatureKind::Int64,
        D::Float16 | D::Float32 | D::Float64 => FeatureKind::Float,
        D::Binary | D::LargeBinary | D::BinaryView | D::FixedSizeBinary(_) => FeatureKind::Bytes,
        D::Utf8 | D::LargeUtf8 | D::Utf8View => FeatureKind::Bytes,
        _ => {
            let message =
                format!("expected numbers, text or bytes, or lists of these, found a column of {data_type}");
            return Err(FeedError::new(FeedErrorKind::Conversion, message));
        }
    })
}

impl FeatureLists {
    /// Converts a column to lists. `None`: the column has the type null and gives no features.
    ///
    /// # Errors
    /// The column has a type that cannot become a feature; a list has a null value; a number does not fit in an `int64` or
    /// in a float of 32 bits.
    pub(crate) fn new(column: &ArrayRef) -> Result<Option<Self>, FeedError> {
        let kind = kind_of(column.data_type())?;
        if kind == FeatureKind::Null {
            return Ok(None);
        }
        let lists = as_lists(column, &Values::data_type(kind))?;
        if kind == FeatureKind::Float {
            check_floats(column, &lists)?;
        }
        if lists.values().null_count() > 0 && has_null_values(&lists) {
            let message =
                "expected lists without null values, which a feature cannot have, found one with a null";
            return Err(FeedError::new(FeedErrorKind::Conversion, message));
        }
        Ok(Some(Self { kind, lists }))
    }

    /// The sizes of the feature of a row; `None` if the row is null.
    pub(crate) fn sizes(&self, row: usize) -> Option<Sizes> {
        if self.lists.is_null(row) {
            return None;
        }
        let range = self.range(row);
        let values = self.lists.values();
        let packed = match self.kind {
            FeatureKind::Int64 => {
                let values = &values.as_primitive::<Int64Type>().values()[range];
                values.iter().map(|value| varint_len(value.cast_unsigned())).sum()
            }
            FeatureKind::Float => 4 * range.len(),
            FeatureKind::Null => 0,
            FeatureKind::Bytes => {
                let values = values.as_binary::<i64>();
                range.map(|at| field_len(values.value_length(at) as usize)).sum()
            }
        };
        let list = if self.kind == FeatureKind::Bytes || packed == 0 { packed } else { field_len(packed) };
        let feature = field_len(list);
        Some(Sizes { packed, list, feature })
    }

    /// Appends the `Feature` of a row, without its tag and its length.
    pub(crate) fn push(&self, row: usize, sizes: Sizes, message: &mut Vec<u8>) {
        if sizes.feature == 0 {
            return;
        }
        let Some(tag) = self.kind.tag() else { return };
        push_head(message, tag, sizes.list);
        let (range, values) = (self.range(row), self.lists.values());
        if self.kind != FeatureKind::Bytes && sizes.packed > 0 {
            push_head(message, FIRST, sizes.packed);
        }
        match self.kind {
            FeatureKind::Int64 => {
                for value in &values.as_primitive::<Int64Type>().values()[range] {
                    push_varint(message, value.cast_unsigned());
                }
            }
            FeatureKind::Float => {
                for value in &values.as_primitive::<Float32Type>().values()[range] {
                    message.extend_from_slice(&value.to_le_bytes());
                }
            }
            FeatureKind::Null => {}
            FeatureKind::Bytes => {
                let values = values.as_binary::<i64>();
                for at in range {
                    let value = values.value(at);
                    push_head(message, FIRST, value.len());
                    message.extend_from_slice(value);
                }
            }
        }
    }

    fn range(&self, row: usize) -> Range<usize> {
        let ends = self.lists.value_offsets();
        ends[row] as usize..ends[row + 1] as usize
    }
}

/// Checks that only infinite values have become infinite floats.
///
/// # Errors
/// A number is too large.
fn check_floats(column: &ArrayRef, lists: &LargeListArray) -> Result<(), FeedError> {
    let floats = lists.values().as_primitive::<Float32Type>();
    if !floats.values().iter().any(|value| value.is_infinite()) {
        return Ok(());
    }
    let before = as_lists(column, &DataType::Float64)?;
    let before = before.values().as_primitive::<Float64Type>();
    let rows = (0..lists.len()).filter(|row| lists.is_valid(*row));
    let ends = lists.value_offsets();
    let mut values = rows.flat_map(|row| ends[row] as usize..ends[row + 1] as usize);
    match values
        .find(|at| floats.is_valid(*at) && floats.value(*at).is_infinite() && before.value(*at).is_finite())
    {
        Some(at) => {
            let message =
                format!("expected a number that fits into a float of 32 bits, found {:?}", before.value(at));
            Err(FeedError::new(FeedErrorKind::Conversion, message))
        }
        None => Ok(()),
    }
}

/// Casts a column to large lists of a type. Single values become lists of one value; nulls stay null.
fn as_lists(column: &ArrayRef, item: &DataType) -> Result<LargeListArray, FeedError> {
    let refused = |error: arrow_schema::ArrowError| {
        let message = format!("expected values that a feature can hold: {error}");
        copy_error(error, || FeedError::new(FeedErrorKind::Conversion, message))
    };
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let cast = |column: &ArrayRef, to: &DataType| cast_with_options(column, to, &options).map_err(refused);
    let item: Arc<Field> = Arc::new(Field::new("item", item.clone(), true));
    // A cast converts all values of a dictionary. Those that no row uses may be invalid, or may not fit.
    let column = &compact(column).map_err(refused)?;
    let is_list = column.data_type().is_nested();
    let column = match column.data_type() {
        DataType::Dictionary(_, values) => cast(column, values)?,
        _ => column.clone(),
    };
    if is_list {
        let lists = cast(&column, &DataType::LargeList(item))?;
        return Ok(lists.as_list::<i64>().clone());
    }
    let values = cast(&column, item.data_type())?;
    let ends = OffsetBuffer::from_lengths((0..values.len()).map(|row| usize::from(values.is_valid(row))));
    let nulls = values.nulls().cloned();
    let values = match &nulls {
        None => values,
        Some(nulls) => {
            let valid = BooleanArray::new(nulls.inner().clone(), None);
            arrowfeed_select::filter(&values, &valid).map_err(refused)?
        }
    };
    Ok(LargeListArray::new(item, ends, values, nulls))
}

/// Whether a valid row has a null value.
fn has_null_values(lists: &LargeListArray) -> bool {
    let (ends, values) = (lists.value_offsets(), lists.values());
    (0..lists.len())
        .any(|row| lists.is_valid(row) && (ends[row]..ends[row + 1]).any(|at| values.is_null(at as usize)))
}
