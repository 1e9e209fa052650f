//! Validation of UTF-8 in strings, which an import does not check.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type};
use arrow_array::{
    AnyDictionaryArray, Array, ArrayRef, GenericStringArray, OffsetSizeTrait, RecordBatch, UnionArray,
};
use arrow_schema::{DataType, FieldRef, Fields, UnionMode};

use crate::invalid::{Checked, Invalid};

/// Checks that all strings of a batch are UTF-8, at every level. File writers need this check, because readers reject
/// files with other strings.
///
/// # Errors
/// A string is not UTF-8. The error names the column and shows the string.
pub fn check_text(batch: &RecordBatch) -> Result<(), Invalid> {
    columns(batch.schema_ref().fields(), batch.columns())
}

fn columns(fields: &Fields, columns: &[ArrayRef]) -> Checked<()> {
    let check =
        |(field, column): (&FieldRef, _)| array(column).map_err(|invalid| invalid.inside(field.name()));
    fields.iter().zip(columns).try_for_each(check)
}

fn array(values: &ArrayRef) -> Checked<()> {
    match values.data_type() {
        DataType::Utf8 => text(values.as_string::<i32>()),
        DataType::LargeUtf8 => text(values.as_string::<i64>()),
        DataType::Utf8View => {
            let views = values.as_string_view().clone().to_binary_view();
            views.iter().flatten().try_for_each(value)
        }
        DataType::Struct(fields) => columns(fields, values.as_struct().columns()),
        DataType::List(_) => {
            let lists = values.as_list::<i32>();
            array(&covered(lists.values(), lists.value_offsets()))
        }
        DataType::LargeList(_) => {
            let lists = values.as_list::<i64>();
            array(&covered(lists.values(), lists.value_offsets()))
        }
        DataType::Map(..) => {
            let map = values.as_map();
            [map.keys(), map.values()]
                .into_iter()
                .try_for_each(|part| array(&covered(part, map.value_offsets())))
        }
        DataType::ListView(_) => array(values.as_list_view::<i32>().values()),
        DataType::LargeListView(_) => array(values.as_list_view::<i64>().values()),
        DataType::FixedSizeList(..) => array(values.as_fixed_size_list().values()),
        DataType::Dictionary(..) => dictionary(values.as_any_dictionary()),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => array(values.as_run::<Int16Type>().values()),
            DataType::Int32 => array(values.as_run::<Int32Type>().values()),
            _ => array(values.as_run::<Int64Type>().values()),
        },
        DataType::Union(fields, _) => {
            let Some(union) = values.as_any().downcast_ref::<UnionArray>() else { return Ok(()) };
            fields.iter().try_for_each(|(id, field)| {
                array(union.child(id)).map_err(|invalid| invalid.inside(field.name()))
            })
        }
        _ => Ok(()),
    }
}

/// Checks all values if there are at most as many as rows. Of a larger dictionary, an import has checked only the values
/// to which rows refer, and a file gets only these. Values that are not cut with their slots are checked once, as a whole;
/// an import has checked that all of them are inside their memory.
fn dictionary(array: &dyn AnyDictionaryArray) -> Checked<()> {
    let values = array.values();
    if values.len() <= array.len() || shares_children(values.data_type()) {
        return self::array(values);
    }
    if values.is_empty() {
        return Ok(());
    }
    let keys = array.normalized_keys().into_iter().enumerate();
    let mut used: Vec<usize> = keys.filter(|(row, _)| array.is_valid(*row)).map(|(_, key)| key).collect();
    used.sort_unstable();
    used.dedup();
    used.into_iter().try_for_each(|key| self::array(&values.slice(key, 1)))
}

/// Whether a slice of one value of this type may have all children of the array. To check each used value of a large
/// dictionary would then cost as much as to check all values each time.
fn shares_children(data_type: &DataType) -> bool {
    use DataType::*;
    match data_type {
        ListView(_) | LargeListView(_) | RunEndEncoded(..) | Union(_, UnionMode::Dense) => true,
        List(items) | LargeList(items) | FixedSizeList(items, _) | Map(items, _) => {
            shares_children(items.data_type())
        }
        Dictionary(_, values) => shares_children(values),
        Struct(fields) => fields.iter().any(|field| shares_children(field.data_type())),
        Union(fields, _) => fields.iter().any(|(_, field)| shares_children(field.data_type())),
        _ => false,
    }
}

/// The items that the lists cover.
fn covered<O: OffsetSizeTrait>(items: &ArrayRef, offsets: &[O]) -> ArrayRef {
    let (start, end) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    items.slice(start, end - start)
}

/// Checks that the text as a whole is UTF-8, and that no string begins inside a character. If that fails, checks each
/// string that is not null.
fn text<O: OffsetSizeTrait>(strings: &GenericStringArray<O>) -> Checked<()> {
    let offsets = strings.value_offsets();
    let (start, end) = (offsets[0].as_usize(), offsets[strings.len()].as_usize());
    let text = &strings.value_data()[start..end];
    let begins_a_character =
        |offset: &O| text.get(offset.as_usize() - start).is_none_or(|byte| byte & 0xc0 != 0x80);
    let is_utf8 =
        text.is_ascii() || simdutf8::basic::from_utf8(text).is_ok() && offsets.iter().all(begins_a_character);
    if is_utf8 {
        return Ok(());
    }
    let slot = |slot: usize| &strings.value_data()[offsets[slot].as_usize()..offsets[slot + 1].as_usize()];
    (0..strings.len()).filter(|at| strings.is_valid(*at)).try_for_each(|at| value(slot(at)))
}

fn value(bytes: &[u8]) -> Checked<()> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(Invalid::new(format!("a string that is not UTF-8, b\"{}\"", shown(bytes)))),
    }
}

/// The first bytes, escaped.
fn shown(bytes: &[u8]) -> String {
    const MAX_SHOWN: usize = 64;
    let dots = if bytes.len() > MAX_SHOWN { "…" } else { "" };
    format!("{}{dots}", bytes[..bytes.len().min(MAX_SHOWN)].escape_ascii())
}
