//! Byte strings of a dictionary, read with checks.
//!
//! A dictionary of another library may have values to which no row refers. The import does not check them, because a slice
//! of few rows of a large dictionary would cost as much as the dictionary. Their offsets may be anything, and text may
//! not be UTF-8. So code that looks at values without a row reads them here, and compares bytes.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, ArrayRef, GenericByteViewArray, OffsetSizeTrait};
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};
use arrow_schema::DataType;

/// The bytes of a value of a string type; `None` if the value is null or not inside its memory, or if the array has
/// another type.
///
/// # Panics
/// The array has fewer slots.
pub fn stored_bytes(array: &ArrayRef, slot: usize) -> Option<Cow<'_, [u8]>> {
    if array.is_null(slot) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => {
            between(array.as_string::<i32>().value_offsets(), array.as_string::<i32>().value_data(), slot)
        }
        DataType::LargeUtf8 => {
            between(array.as_string::<i64>().value_offsets(), array.as_string::<i64>().value_data(), slot)
        }
        DataType::Binary => {
            between(array.as_binary::<i32>().value_offsets(), array.as_binary::<i32>().value_data(), slot)
        }
        DataType::LargeBinary => {
            between(array.as_binary::<i64>().value_offsets(), array.as_binary::<i64>().value_data(), slot)
        }
        DataType::Utf8View => viewed(array.as_string_view(), slot),
        DataType::BinaryView => viewed(array.as_binary_view(), slot),
        DataType::FixedSizeBinary(_) => Some(array.as_fixed_size_binary().value(slot).into()),
        _ => None,
    }
}

fn between<'a, O: OffsetSizeTrait>(offsets: &[O], data: &'a [u8], slot: usize) -> Option<Cow<'a, [u8]>> {
    let (start, end) = (offsets[slot].to_usize()?, offsets[slot + 1].to_usize()?);
    data.get(start..end).map(Cow::Borrowed)
}

fn viewed<T: ByteViewType>(array: &GenericByteViewArray<T>, slot: usize) -> Option<Cow<'_, [u8]>> {
    let view = array.views()[slot];
    let ByteView { length, buffer_index, offset, .. } = ByteView::from(view);
    if length <= MAX_INLINE_VIEW_LEN {
        return Some(Cow::Owned(view.to_le_bytes()[4..4 + length as usize].to_vec()));
    }
    let start = offset as usize;
    let bytes = array.data_buffers().get(buffer_index as usize)?.get(start..start + length as usize);
    bytes.map(Cow::Borrowed)
}
