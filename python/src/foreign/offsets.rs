//! Slices of structs: where one lies in another, or in a list of fixed size, each level may begin at an offset.
//!
//! `ArrayData::slice` of arrow-rs 59.3 slices the children of a struct and leaves the struct's own offset as it was, and
//! a `StructArray` is made by slicing the children once more. Here offsets are pushed into the children instead, level
//! by level, so that each struct begins at 0. No value is copied.
//!
//! Unsafe: parts are put together again without a look at each value. They are those that `valid` has looked at, cut to
//! fewer rows; a child gets the rows that its parent had at the same place.
#![allow(unsafe_code)]

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, UnionMode};

/// The array of valid parts.
pub(super) fn array(data: ArrayData) -> ArrayRef {
    make_array(pushed(&data, 0, data.len()))
}

/// Part of the data, with no offset where arrow-rs slices children.
fn pushed(data: &ArrayData, start: usize, len: usize) -> ArrayData {
    use DataType::*;
    let from = data.offset() + start;
    let children = |start, len| data.child_data().iter().map(|child| pushed(child, start, len)).collect();
    match data.data_type() {
        Struct(_) => moved(data, start, len, Vec::new(), children(from, len)),
        FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(0);
            moved(data, start, len, Vec::new(), children(from * size, len * size))
        }
        Union(_, UnionMode::Sparse) => {
            let ids = data.buffers().iter().map(|ids| ids.slice_with_length(from, len)).collect();
            moved(data, start, len, ids, children(from, len))
        }
        _ if data.child_data().is_empty() => data.slice(start, len),
        _ => {
            let children = data.child_data().iter().map(|child| pushed(child, 0, child.len())).collect();
            let sliced = data.slice(start, len).into_builder();
            unchecked(sliced.child_data(children))
        }
    }
}

/// The same data with other buffers and children, from which its offset is gone.
fn moved(
    data: &ArrayData,
    start: usize,
    len: usize,
    buffers: Vec<Buffer>,
    children: Vec<ArrayData>,
) -> ArrayData {
    let nulls = data.nulls().map(|nulls| nulls.slice(start, len));
    let builder = ArrayData::builder(data.data_type().clone()).len(len).nulls(nulls);
    unchecked(builder.buffers(buffers).child_data(children))
}

fn unchecked(parts: ArrayDataBuilder) -> ArrayData {
    // SAFETY: see above.
    unsafe { parts.build_unchecked() }
}
