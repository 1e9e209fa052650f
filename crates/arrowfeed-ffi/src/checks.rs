//! Checks of single values: offsets, and byte strings. This module builds no data.

use std::ops::Range;

use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::invalid::{Checked, Invalid};
use crate::types::name;

/// Values of a buffer at a range of stored positions.
pub(crate) fn stored_in<'a, T: ArrowNativeType>(
    data: &'a ArrayData,
    index: usize,
    stored: &Range<usize>,
) -> Checked<&'a [T]> {
    let values = data.buffers().get(index).and_then(|buffer| buffer.typed_data().get(stored.clone()));
    values.ok_or_else(|| Invalid::new(format!("a buffer of {} that is too short", name(data.data_type()))))
}

pub(crate) fn child(data: &ArrayData, index: usize) -> Checked<&ArrayData> {
    let missing = || Invalid::new(format!("{} without its values", name(data.data_type())));
    data.child_data().get(index).ok_or_else(missing)
}

/// Converts rows to positions in the buffers. Fails if the data has fewer rows.
pub(crate) fn stored(data: &ArrayData, rows: &Range<usize>) -> Checked<Range<usize>> {
    if rows.end <= data.len() {
        return Ok(data.offset() + rows.start..data.offset() + rows.end);
    }
    let found = format!("{} values of {} where {} are needed", data.len(), name(data.data_type()), rows.end);
    Err(Invalid::new(found))
}

pub(crate) fn is_null(data: &ArrayData, stored: usize) -> bool {
    data.nulls().is_some_and(|nulls| nulls.is_null(stored - data.offset()))
}

/// The range that the offsets of some rows cover, and these offsets: one more than there are rows.
pub(crate) fn offsets<'a, T: ArrowNativeType>(
    data: &'a ArrayData,
    stored: &Range<usize>,
) -> Checked<(Range<usize>, &'a [T])> {
    let offsets = stored_in::<T>(data, 0, &(stored.start..stored.end + 1))?;
    if let Some(covered) = covered(offsets) {
        return Ok((covered, offsets));
    }
    if offsets[0].to_usize().is_none() {
        return Err(Invalid::new(format!("the offset {:?}", offsets[0])));
    }
    let fall = offsets.windows(2).find(|pair| pair[1] < pair[0]).unwrap_or(offsets);
    Err(Invalid::new(format!("the offset {:?} after {:?}", fall[1], fall[0])))
}

/// The range that offsets cover. `None` if there are none, or if one is negative or below the previous one.
fn covered<T: ArrowNativeType>(offsets: &[T]) -> Option<Range<usize>> {
    let signed = |offset: &T| offset.to_i64().unwrap_or(-1);
    // The difference of two non-negative offsets has the right sign. Signs are combined without a branch, for several
    // offsets at once: 1,025 offsets take 0.2 µs instead of 0.5 µs.
    let steps = offsets.iter().map(signed).zip(offsets.get(1..)?.iter().map(signed));
    let signs = steps.fold(signed(&offsets[0]), |signs, (a, b)| signs | b | b.wrapping_sub(a));
    let (first, last) = (offsets[0].to_usize()?, offsets[offsets.len() - 1].to_usize()?);
    (signs >= 0).then_some(first..last)
}

/// Checks the rows of data without nested data.
pub(crate) fn leaf(data: &ArrayData, rows: &Range<usize>) -> Checked<()> {
    use DataType::*;
    let stored = stored(data, rows)?;
    if stored.is_empty() {
        return Ok(());
    }
    match data.data_type() {
        Utf8 | Binary => bytes::<i32>(data, &stored),
        LargeUtf8 | LargeBinary => bytes::<i64>(data, &stored),
        Utf8View | BinaryView => byte_views(data, &stored).map(|_| ()),
        _ => Ok(()),
    }
}

fn bytes<T: ArrowNativeType>(data: &ArrayData, stored: &Range<usize>) -> Checked<()> {
    let (covered, _) = offsets::<T>(data, stored)?;
    within(covered.end, data.buffers().get(1).map_or(0, |bytes| bytes.len()))
}

fn within(end: usize, len: usize) -> Checked<()> {
    if end <= len {
        return Ok(());
    }
    Err(Invalid::new(format!("a value up to {end} of {len} bytes")))
}

/// Checks byte views: values of more than 12 bytes are in the buffers after the views. Returns whether a null has a
/// view that points outside of its buffer.
pub(crate) fn byte_views(data: &ArrayData, stored: &Range<usize>) -> Checked<bool> {
    let views = stored_in::<u128>(data, 0, stored)?;
    let mut outside = false;
    for (row, view) in stored.clone().zip(views) {
        let part = |at: u32| (view >> (32 * at)) as u32 as usize;
        let (len, index, start) = (part(0), part(2), part(3));
        if len <= 12 {
            continue;
        }
        let bytes = data.buffers().get(index + 1);
        match bytes {
            Some(bytes) if start + len <= bytes.len() => {}
            _ if is_null(data, row) => outside = true,
            Some(bytes) => within(start + len, bytes.len())?,
            None => {
                return Err(Invalid::new(format!(
                    "a value in buffer {index} of {}",
                    data.buffers().len() - 1
                )));
            }
        }
    }
    Ok(outside)
}
