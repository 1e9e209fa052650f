//! Validation of array contents: offsets, indices and views are checked, and the data is cut to the requested rows.
//!
//! Only data that the rows reach is checked, and only this data remains: a slice costs as much as its rows, whatever it
//! was cut from, and data outside of them may be anything. No value is copied; offsets and views are copied only if
//! they must be rewritten, for example because values before the first list are cut off.
//!
//! The cut also removes the offset of structs. `ArrayData::slice` of arrow-rs 59.3 slices the children of a struct but
//! keeps the offset of the struct, so that a `StructArray` made from it slices the children once more.
//!
//! Unsafe: data is built without the checks of arrow-rs, which look at all values instead of the reached ones. This
//! module checks each part in this order: rows against the length, offsets against each other, and their targets
//! against the length of the child.
#![expect(unsafe_code, reason = "creates arrays from parts that were already checked")]

use std::ops::Range;

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, downcast_integer, make_array};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, UnionFields, UnionMode};

use crate::checks::{byte_views, child, is_null, leaf, stored, stored_in};
use crate::invalid::{Checked, Invalid};
use crate::lists;
use crate::types::name;

/// The array of some rows, if the data that they reach is valid.
pub(crate) fn array(data: &ArrayData, rows: Range<usize>) -> Checked<ArrayRef> {
    Ok(make_array(reached(data, rows)?))
}

/// The data that some rows reach.
pub(crate) fn reached(data: &ArrayData, rows: Range<usize>) -> Checked<ArrayData> {
    use DataType::*;
    let stored = stored(data, &rows)?;
    if rows.is_empty() {
        return Ok(ArrayData::new_empty(data.data_type()));
    }
    match data.data_type() {
        List(_) | Map(..) => lists::of_offsets::<i32>(data, rows, &stored),
        LargeList(_) => lists::of_offsets::<i64>(data, rows, &stored),
        ListView(_) => lists::of_views::<i32>(data, rows, &stored),
        LargeListView(_) => lists::of_views::<i64>(data, rows, &stored),
        FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(usize::MAX);
            let places = times(stored.start, size)?..times(stored.end, size)?;
            Ok(cut(data, rows, Vec::new(), vec![reached(child(data, 0)?, places)?]))
        }
        Struct(fields) => {
            let children = fields.iter().enumerate().map(|(index, field)| {
                let child = reached(child(data, index)?, stored.clone());
                child.map_err(|invalid| invalid.inside(field.name()))
            });
            Ok(cut(data, rows, Vec::new(), children.collect::<Checked<_>>()?))
        }
        Dictionary(keys, _) => {
            macro_rules! indices {
                ($key:ty) => {
                    dictionary::<<$key as ArrowPrimitiveType>::Native>(data, rows, stored)
                };
            }
            downcast_integer! {
                keys.as_ref() => (indices),
                _ => Err(Invalid::new(format!("dictionary indices of {keys}")))
            }
        }
        Utf8View | BinaryView => views_of_bytes(data, rows, &stored),
        Union(fields, mode) => union(data, rows, &stored, fields, *mode),
        RunEndEncoded(..) => runs(data, rows, stored.end),
        _ => leaf(data, &rows).map(|()| data.slice(rows.start, rows.len())),
    }
}

/// Whether any bits are a valid value of a type, so that nothing has to be checked or cut off.
pub(crate) fn is_plain(data_type: &DataType) -> bool {
    use DataType::*;
    data_type.is_primitive() || matches!(data_type, Null | Boolean | FixedSizeBinary(_))
}

/// Builds data for rows from other buffers and children, in which the rows begin at 0.
pub(crate) fn cut(
    data: &ArrayData,
    rows: Range<usize>,
    buffers: Vec<Buffer>,
    children: Vec<ArrayData>,
) -> ArrayData {
    let nulls = data.nulls().map(|nulls| nulls.slice(rows.start, rows.len()));
    let builder = ArrayData::builder(data.data_type().clone()).len(rows.len()).nulls(nulls);
    unchecked(builder.buffers(buffers).child_data(children))
}

/// Builds data for rows that keeps the buffers and the offset.
pub(crate) fn sliced(data: &ArrayData, rows: Range<usize>, children: Vec<ArrayData>) -> ArrayData {
    let nulls = data.nulls().map(|nulls| nulls.slice(rows.start, rows.len()));
    let builder = ArrayData::builder(data.data_type().clone()).len(rows.len()).nulls(nulls);
    unchecked(
        builder.offset(data.offset() + rows.start).buffers(data.buffers().to_vec()).child_data(children),
    )
}

fn unchecked(parts: ArrayDataBuilder) -> ArrayData {
    // SAFETY: see the module documentation.
    unsafe { parts.build_unchecked() }
}

fn times(rows: usize, size: usize) -> Checked<usize> {
    rows.checked_mul(size).ok_or_else(|| Invalid::new(format!("{rows} lists of {size} values")))
}

/// Byte views. A null may have any view; views of nulls are replaced by empty ones if one of them points outside of its
/// buffer.
fn views_of_bytes(data: &ArrayData, rows: Range<usize>, stored: &Range<usize>) -> Checked<ArrayData> {
    if !byte_views(data, stored)? {
        return Ok(data.slice(rows.start, rows.len()));
    }
    let views = stored.clone().zip(stored_in::<u128>(data, 0, stored)?);
    let views: Vec<u128> = views.map(|(row, view)| if is_null(data, row) { 0 } else { *view }).collect();
    let mut buffers = data.buffers().to_vec();
    buffers[0] = Buffer::from_vec(views);
    Ok(cut(data, rows, buffers, Vec::new()))
}

/// Byte views, in which each view that points outside of its buffer is replaced by an empty one.
fn views_inside(data: &ArrayData) -> Checked<ArrayData> {
    let stored = stored(data, &(0..data.len()))?;
    let views = stored.clone().zip(stored_in::<u128>(data, 0, &stored)?);
    let is_inside = |row| matches!(byte_views(data, &(row..row + 1)), Ok(false));
    let views: Vec<u128> = views.map(|(row, view)| if is_inside(row) { *view } else { 0 }).collect();
    let mut buffers = data.buffers().to_vec();
    buffers[0] = Buffer::from_vec(views);
    Ok(cut(data, 0..data.len(), buffers, Vec::new()))
}

/// If a dictionary has more values than there are rows, only the referenced values are checked, unless the values are
/// nested.
///
/// A batch of 64 rows of a dictionary of a million values would otherwise cost as much as the dictionary, every time. The
/// dictionary is not cut to the referenced values either: it would no longer be the list of symbols of an enum, and the
/// batches of a stream would no longer share it. So whoever looks at values without a row must read them with checks, or
/// call `arrowfeed_select::compact` before.
fn dictionary<T: ArrowNativeType>(
    data: &ArrayData,
    rows: Range<usize>,
    stored: Range<usize>,
) -> Checked<ArrayData> {
    let (indices, values) = (stored_in::<T>(data, 0, &stored)?, child(data, 0)?);
    let plain = is_plain(values.data_type());
    let all = values.len() <= stored.len() || has_inside(values.data_type());
    let mut has_null_outside = false;
    for (row, index) in stored.zip(indices) {
        match index.to_usize() {
            Some(index) if index < values.len() => {
                if !all && !plain {
                    has_null_outside |= checked_value(values, index)?;
                }
            }
            _ if is_null(data, row) => {}
            _ => {
                let found = format!("the dictionary index {index:?} for {} values", values.len());
                return Err(Invalid::new(found));
            }
        }
    }
    let values = match (all, has_null_outside) {
        (true, _) => reached(values, 0..values.len())?,
        (false, true) => views_inside(values)?,
        (false, false) => values.clone(),
    };
    Ok(sliced(data, rows, vec![values]))
}

/// Checks a value without children. Returns whether it is a null with a view that points outside of its buffer.
fn checked_value(values: &ArrayData, index: usize) -> Checked<bool> {
    match values.data_type() {
        DataType::Utf8View | DataType::BinaryView => {
            byte_views(values, &stored(values, &(index..index + 1))?)
        }
        _ => leaf(values, &(index..index + 1)).map(|()| false),
    }
}

/// Whether arrays of a type have children.
fn has_inside(data_type: &DataType) -> bool {
    use DataType::*;
    !is_plain(data_type)
        && !matches!(data_type, Utf8 | LargeUtf8 | Binary | LargeBinary | Utf8View | BinaryView)
}

fn union(
    data: &ArrayData,
    rows: Range<usize>,
    stored: &Range<usize>,
    fields: &UnionFields,
    mode: UnionMode,
) -> Checked<ArrayData> {
    let ids = stored_in::<i8>(data, 0, stored)?;
    let places = match mode {
        UnionMode::Sparse => None,
        UnionMode::Dense => Some(stored_in::<i32>(data, 1, stored)?),
    };
    let mut children: [Option<usize>; 128] = [None; 128];
    for (index, (id, _)) in fields.iter().enumerate() {
        let child = usize::try_from(id).ok().and_then(|id| children.get_mut(id));
        *child.ok_or_else(|| Invalid::new(format!("the type {id} of a union")))? = Some(index);
    }
    for (row, id) in ids.iter().enumerate() {
        let index = usize::try_from(*id).ok().and_then(|id| children[id]);
        let index = index.ok_or_else(|| Invalid::new(format!("the type {id} in a union")))?;
        let (len, place) = (child(data, index)?.len(), places.map_or(0, |places| places[row]));
        if places.is_some() && place.to_usize().is_none_or(|place| place >= len) {
            return Err(Invalid::new(format!("the offset {place} for {len} values of a union")));
        }
    }
    let children = data.child_data().iter().map(|child| match mode {
        UnionMode::Sparse => reached(child, stored.clone()),
        UnionMode::Dense => reached(child, 0..child.len()),
    });
    let children = children.collect::<Checked<_>>()?;
    let mut buffers = vec![data.buffers()[0].slice_with_length(stored.start, stored.len())];
    if places.is_some() {
        buffers.push(data.buffers()[1].slice_with_length(4 * stored.start, 4 * stored.len()));
    }
    Ok(cut(data, rows, buffers, children))
}

/// Checks that run ends increase, and that the last one is not before the end of the rows.
fn runs(data: &ArrayData, rows: Range<usize>, end: usize) -> Checked<ArrayData> {
    let (ends, values) = (child(data, 0)?, child(data, 1)?);
    let stored = ends.offset()..ends.offset() + ends.len();
    let covered = match ends.data_type() {
        DataType::Int16 => run_ends(stored_in::<i16>(ends, 0, &stored)?),
        DataType::Int32 => run_ends(stored_in::<i32>(ends, 0, &stored)?),
        DataType::Int64 => run_ends(stored_in::<i64>(ends, 0, &stored)?),
        other => return Err(Invalid::new(format!("run ends of {}", name(other)))),
    };
    if covered.is_none_or(|covered| covered < end) {
        return Err(Invalid::new(format!("run ends that do not lead up to {end} values")));
    }
    let children = vec![reached(ends, 0..ends.len())?, reached(values, 0..ends.len())?];
    Ok(sliced(data, rows, children))
}

fn run_ends<T: ArrowNativeType>(ends: &[T]) -> Option<usize> {
    ends.iter().try_fold(0, |before, end| end.to_usize().filter(|end| *end > before))
}
