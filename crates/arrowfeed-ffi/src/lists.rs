//! Lists with offsets and list views: checked, and cut to the values that their rows reach.

use std::ops::Range;

use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_data::ArrayData;

use crate::checks::{child, is_null, offsets, stored_in};
use crate::contents::{cut, is_plain, reached, sliced};
use crate::invalid::{Checked, Invalid};

/// Lists and maps with offsets.
pub(crate) fn of_offsets<T: ArrowNativeType>(
    data: &ArrayData,
    rows: Range<usize>,
    stored: &Range<usize>,
) -> Checked<ArrayData> {
    let (covered, offsets) = offsets::<T>(data, stored)?;
    let values = child(data, 0)?;
    let first = covered.start;
    if covered.start == 0 || is_plain(values.data_type()) {
        let values = reached(values, 0..covered.end)?;
        return Ok(sliced(data, rows, vec![values]));
    }
    let values = reached(values, covered)?;
    // The offsets do not decrease, and `first` is not negative.
    let offsets: Vec<T> = offsets.iter().map(|offset| T::usize_as(offset.as_usize() - first)).collect();
    Ok(cut(data, rows, vec![Buffer::from_vec(offsets)], vec![values]))
}

/// List views: each list is inside the values, in any order. A null list may be anywhere, and becomes empty if it is
/// not inside.
pub(crate) fn of_views<T: ArrowNativeType>(
    data: &ArrayData,
    rows: Range<usize>,
    stored: &Range<usize>,
) -> Checked<ArrayData> {
    let (starts, sizes) = (stored_in::<T>(data, 0, stored)?, stored_in::<T>(data, 1, stored)?);
    let values = child(data, 0)?;
    let mut covered: Option<Range<usize>> = None;
    let mut outside = false;
    for (row, (start, size)) in stored.clone().zip(starts.iter().zip(sizes)) {
        if let Some(list) = list(*start, *size, values.len()) {
            let all = covered.unwrap_or(list.clone());
            covered = Some(all.start.min(list.start)..all.end.max(list.end));
        } else if is_null(data, row) {
            outside = true;
        } else {
            let found = format!("a list of {size:?} values from {start:?} on, of {} values", values.len());
            return Err(Invalid::new(found));
        }
    }
    let covered = covered.unwrap_or(0..0);
    if !outside && (covered.start == 0 || is_plain(values.data_type())) {
        let values = reached(values, 0..covered.end)?;
        return Ok(sliced(data, rows, vec![values]));
    }
    let len = values.len();
    let values = reached(values, covered.clone())?;
    let moved = starts.iter().zip(sizes).map(|(start, size)| match list(*start, *size, len) {
        Some(list) => (T::usize_as(list.start - covered.start), *size),
        None => (T::default(), T::default()),
    });
    let (starts, sizes): (Vec<T>, Vec<T>) = moved.unzip();
    Ok(cut(data, rows, vec![Buffer::from_vec(starts), Buffer::from_vec(sizes)], vec![values]))
}

/// The range of a list, if it is inside the values.
fn list<T: ArrowNativeType>(start: T, size: T, values: usize) -> Option<Range<usize>> {
    let (start, size) = (start.to_usize()?, size.to_usize()?);
    let end = start.checked_add(size)?;
    (end <= values).then_some(start..end)
}
