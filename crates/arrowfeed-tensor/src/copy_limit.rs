//! The limit on copies of values that several rows share.

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray, OffsetSizeTrait};
use arrow_buffer::ArrowNativeType;
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};
use arrow_schema::DataType;

use crate::error::{ConversionError, ConversionErrorKind};

/// Fails if copies of the values at `picks` take more bytes than `limit`, and more than one copy of all values. `copies` is
/// the number of picks.
pub(crate) fn check<I: Iterator<Item = Option<usize>>>(
    values: &ArrayRef,
    copies: usize,
    picks: impl FnOnce() -> I,
    limit: usize,
) -> Result<(), ConversionError> {
    if values.data_type().is_primitive() {
        // A number takes about as much memory as the position that picks it.
        return Ok(());
    }
    let once = bytes(values, 0, values.len());
    if once.max(stored(values)).saturating_mul(copies) <= limit {
        return Ok(());
    }
    let most = limit.max(once);
    let mut left = most;
    for pick in picks().flatten() {
        let Some(rest) = left.checked_sub(bytes(values, pick, pick + 1)) else {
            let expected = format!("at most {most} bytes of copied values (the limit batch_bytes)");
            let found = "more: convert fewer rows at a time";
            return Err(ConversionError::new(ConversionErrorKind::Limit, expected, found));
        };
        left = rest;
    }
    Ok(())
}

/// Bytes of the memory of text. One value of a dictionary of another library may take more than all of them together, as the
/// first and the last offset may be those of values to which no row refers, and may be anything.
fn stored(values: &ArrayRef) -> usize {
    match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().values().len(),
        DataType::LargeUtf8 => values.as_string::<i64>().values().len(),
        DataType::Binary => values.as_binary::<i32>().values().len(),
        DataType::LargeBinary => values.as_binary::<i64>().values().len(),
        _ => 0,
    }
}

/// Bytes of the values in the slots from `start` to `end`.
fn bytes(array: &ArrayRef, start: usize, end: usize) -> usize {
    let slots = end - start;
    match array.data_type() {
        DataType::Utf8 => text(array.as_string::<i32>(), start, end),
        DataType::LargeUtf8 => text(array.as_string::<i64>(), start, end),
        DataType::Binary => text(array.as_binary::<i32>(), start, end),
        DataType::LargeBinary => text(array.as_binary::<i64>(), start, end),
        // Views share their text, but the text of each row becomes a separate object later.
        DataType::Utf8View => viewed(array.as_string_view(), start, end),
        DataType::BinaryView => viewed(array.as_binary_view(), start, end),
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            inside(list.values(), span(list.offsets(), start, end))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            inside(list.values(), span(list.offsets(), start, end))
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let (first, items) = span(map.offsets(), start, end);
            let columns = map.entries().columns().iter();
            columns.map(|column| inside(column, (first, items))).fold(0, usize::saturating_add)
        }
        DataType::FixedSizeList(_, size) => {
            let size = *size as usize;
            inside(array.as_fixed_size_list().values(), (start * size, slots * size))
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            columns.map(|column| bytes(column, start, end)).fold(0, usize::saturating_add)
        }
        DataType::FixedSizeBinary(size) => slots.saturating_mul(*size as usize),
        other => slots.saturating_mul(other.primitive_width().unwrap_or(1)),
    }
}

fn inside(values: &ArrayRef, (first, items): (usize, usize)) -> usize {
    bytes(values, first, first + items)
}

/// The length of the text between two slots, which is exact for a value of a row; see [`stored`].
fn text<T: ByteArrayType>(array: &GenericByteArray<T>, start: usize, end: usize) -> usize {
    let offsets = array.value_offsets();
    offsets[end].as_usize().saturating_sub(offsets[start].as_usize()).min(array.values().len())
}

/// The start and the length of the items in the slots.
fn span<O: OffsetSizeTrait>(offsets: &[O], start: usize, end: usize) -> (usize, usize) {
    (offsets[start].as_usize(), offsets[end].as_usize() - offsets[start].as_usize())
}

/// Total length of the views, without those outside of their memory, to which no row refers.
fn viewed<T: ByteViewType>(array: &GenericByteViewArray<T>, start: usize, end: usize) -> usize {
    let length = |view: &u128| {
        let ByteView { length, buffer_index, offset, .. } = ByteView::from(*view);
        let (length, offset) = (length as usize, offset as usize);
        let is_inside = length <= MAX_INLINE_VIEW_LEN as usize
            || (array.data_buffers().get(buffer_index as usize))
                .is_some_and(|bytes| offset + length <= bytes.len());
        if is_inside { length } else { 0 }
    };
    array.views()[start..end].iter().map(length).fold(0, usize::saturating_add)
}
