//! Arrays whose buffers count their own bytes.
//!
//! All buffers of a record batch are slices of one allocation. Arrow counts the whole allocation for each of them, so a batch of
//! ten columns would seem to take ten times its memory, and would exceed limits. A buffer over `Bytes` counts its own length.
//! For the same reason, rows of a large record batch must not count the values of the other rows.
#![expect(unsafe_code, reason = "creates the same arrays over the same memory, without a second validation")]

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use bytes::Bytes;

/// The same array, over the same memory.
pub(crate) fn with_owned_lengths(array: &ArrayRef) -> ArrayRef {
    make_array(of_data(&array.to_data()))
}

/// A slice of an array that counts only the bytes of its own values, over the same memory. Offsets are copied, and values of
/// views. Values of dictionaries, list views, unions and runs are those of the whole array.
pub(crate) fn slice(array: &ArrayRef, from: usize, rows: usize) -> ArrayRef {
    make_array(cut(&array.slice(from, rows)))
}

fn of_data(data: &ArrayData) -> ArrayData {
    let children = data.child_data().iter().map(of_data).collect();
    with_parts(data, data.offset(), data.buffers().iter().map(of_buffer).collect(), children)
}

/// The data of an array without the values to which no slot refers.
fn cut(array: &ArrayRef) -> ArrayData {
    let data = array.to_data();
    match array.data_type() {
        DataType::Utf8 | DataType::Binary => cut_bytes::<i32>(&data),
        DataType::LargeUtf8 | DataType::LargeBinary => cut_bytes::<i64>(&data),
        DataType::List(_) | DataType::Map(..) => cut_list::<i32>(&data),
        DataType::LargeList(_) => cut_list::<i64>(&data),
        DataType::Utf8View => of_data(&array.as_string_view().gc().to_data()),
        DataType::BinaryView => of_data(&array.as_binary_view().gc().to_data()),
        DataType::Struct(_) if data.offset() == 0 => cut_children(&data),
        DataType::FixedSizeList(..) if data.offset() == 0 => cut_children(&data),
        _ => of_data(&data),
    }
}

fn cut_bytes<O: ArrowNativeType>(data: &ArrayData) -> ArrayData {
    let (offsets, first, last) = offsets::<O>(data);
    let values = data.buffers()[1].slice_with_length(first, last - first);
    with_parts(data, 0, vec![offsets, of_buffer(&values)], Vec::new())
}

fn cut_list<O: ArrowNativeType>(data: &ArrayData) -> ArrayData {
    let (offsets, first, last) = offsets::<O>(data);
    // `ArrayData::slice` is wrong for structs.
    let items = make_array(data.child_data()[0].clone()).slice(first, last - first);
    with_parts(data, 0, vec![offsets], vec![cut(&items)])
}

/// The offsets of the slots, from 0 on, and the first and the last of them.
fn offsets<O: ArrowNativeType>(data: &ArrayData) -> (Buffer, usize, usize) {
    let (start, len) = (data.offset() * size_of::<O>(), (data.len() + 1) * size_of::<O>());
    // Without slots, there may be no offset. After the offsets, there may be a part of one.
    let stored = &data.buffers()[0];
    let own =
        if start + len <= stored.len() { stored.slice_with_length(start, len) } else { Buffer::default() };
    let offsets = own.typed_data::<O>();
    let first = offsets.first().map_or(0, |first| first.as_usize());
    let last = offsets.last().map_or(first, |last| last.as_usize());
    let moved = offsets.iter().map(|offset| O::usize_as(offset.as_usize() - first));
    (moved.collect::<Vec<O>>().into(), first, last)
}

fn cut_children(data: &ArrayData) -> ArrayData {
    let children = data.child_data().iter().map(|child| cut(&make_array(child.clone())));
    with_parts(data, 0, Vec::new(), children.collect())
}

/// The same slots with other buffers and children.
fn with_parts(data: &ArrayData, offset: usize, buffers: Vec<Buffer>, children: Vec<ArrayData>) -> ArrayData {
    let builder = ArrayDataBuilder::new(data.data_type().clone())
        .len(data.len())
        .offset(offset)
        .nulls(data.nulls().map(of_nulls))
        .buffers(buffers)
        .child_data(children);
    // SAFETY: `data` is valid. The buffers and the children have the bytes and the slots to which its slots refer, and
    // `offset` and the offsets in buffers are moved with them.
    unsafe { builder.build_unchecked() }
}

fn of_nulls(nulls: &NullBuffer) -> NullBuffer {
    let (start, end) = (nulls.offset() / 8, (nulls.offset() + nulls.len()).div_ceil(8));
    let bytes = of_buffer(&nulls.buffer().slice_with_length(start, end - start));
    NullBuffer::new(BooleanBuffer::new(bytes, nulls.offset() % 8, nulls.len()))
}

/// The same bytes at the same address.
fn of_buffer(buffer: &Buffer) -> Buffer {
    struct SharedBuffer(Buffer);

    impl AsRef<[u8]> for SharedBuffer {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    Buffer::from(Bytes::from_owner(SharedBuffer(buffer.clone())))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int64Type;
    use arrow_array::{ListArray, StringArray, StringViewArray, StructArray};
    use arrow_schema::Field;

    use super::*;

    #[test]
    fn a_slice_has_its_values_and_counts_only_them() {
        let texts = || (0..1000).map(|i| (i % 3 > 0).then(|| format!("{i:0>30}")));
        let text: ArrayRef = Arc::new(StringArray::from_iter(texts()));
        let views: ArrayRef = Arc::new(StringViewArray::from_iter(texts()));
        let lists = (0..1000).map(|i| (i % 5 > 0).then(|| (0..i % 4).map(Some).collect::<Vec<_>>()));
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
        let field =
            |name: &str, array: &ArrayRef| Arc::new(Field::new(name, array.data_type().clone(), true));
        let both = [(field("text", &text), text.clone()), (field("lists", &lists), lists.clone())];
        let both: ArrayRef = Arc::new(StructArray::from(both.to_vec()));
        for array in [text, views, lists, both] {
            let whole = array.get_array_memory_size();
            for (from, rows) in [(0, 0), (0, 10), (7, 33), (990, 10), (0, 1000)] {
                let found = slice(&array, from, rows);
                found.to_data().validate_full().unwrap();
                assert_eq!(&found, &array.slice(from, rows));
                assert!(rows > 33 || found.get_array_memory_size() < whole / 10, "{}", array.data_type());
            }
        }
    }
}
