//! Buffers to Arrow arrays, once a batch.

#![allow(unsafe_code)]

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, Int32Type, LargeBinaryType, LargeUtf8Type,
    StringViewType, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, GenericByteArray, GenericByteViewArray, Int32Array, LargeListArray,
    ListArray, StructArray, UnionArray, make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields, UnionFields};

/// Values of fixed width, of any type that is one buffer.
pub(crate) fn fixed_width(data_type: &DataType, len: usize, values: Buffer) -> ArrayRef {
    let data = ArrayData::builder(data_type.clone()).len(len).add_buffer(values).build();
    make_array(data.expect("a buffer of the type's width for each slot"))
}

/// Strings or bytes from 32-bit offsets, which start with 0. Text was checked by the column.
pub(crate) fn variable_width(data_type: &DataType, offsets: Buffer, data: Buffer) -> ArrayRef {
    let offsets = offset_buffer(offsets);
    match data_type {
        DataType::Utf8 => narrow::<Utf8Type>(offsets, data),
        DataType::Binary => narrow::<BinaryType>(offsets, data),
        DataType::LargeUtf8 => wide::<LargeUtf8Type>(&offsets, data),
        DataType::LargeBinary => wide::<LargeBinaryType>(&offsets, data),
        DataType::Utf8View => view::<StringViewType>(&offsets, data),
        DataType::BinaryView => view::<BinaryViewType>(&offsets, data),
        other => unreachable!("{other} is not made of strings or bytes"),
    }
}

fn narrow<T: ByteArrayType<Offset = i32>>(offsets: OffsetBuffer<i32>, data: Buffer) -> ArrayRef {
    // SAFETY: the offsets were checked to rise and their last is the length of the data; `BytesColumn` has
    // checked every slot of a text column to be UTF-8 before it hands its buffers out.
    Arc::new(unsafe { GenericByteArray::<T>::new_unchecked(offsets, data, None) })
}

fn wide<T: ByteArrayType<Offset = i64>>(offsets: &OffsetBuffer<i32>, data: Buffer) -> ArrayRef {
    // SAFETY: as in `narrow`.
    Arc::new(unsafe { GenericByteArray::<T>::new_unchecked(widened(offsets), data, None) })
}

fn view<T: ByteViewType + ?Sized>(offsets: &OffsetBuffer<i32>, data: Buffer) -> ArrayRef {
    let views = offsets.windows(2).map(|slot| {
        let bytes = &data[slot[0] as usize..slot[1] as usize];
        make_view(bytes, 0, slot[0] as u32)
    });
    let views: ScalarBuffer<u128> = views.collect::<Vec<_>>().into();
    // SAFETY: each view is made from a slice of the one buffer, at its offset there; text as in `narrow`.
    Arc::new(unsafe { GenericByteViewArray::<T>::new_unchecked(views, vec![data], None) })
}

/// The offsets of a column: they start with 0 and rise.
pub(crate) fn offset_buffer(offsets: Buffer) -> OffsetBuffer<i32> {
    let offsets: ScalarBuffer<i32> = offsets.into();
    debug_assert!(offsets.first() == Some(&0) && offsets.is_sorted());
    // SAFETY: columns push a 0 first and then the length of what they have so far, which only grows between two
    // pushes (a rollback cuts both). Arrow's own check took 3 % of the time on `nested`.
    unsafe { OffsetBuffer::new_unchecked(offsets) }
}

pub(crate) fn widened(offsets: &OffsetBuffer<i32>) -> OffsetBuffer<i64> {
    OffsetBuffer::new(offsets.iter().map(|offset| i64::from(*offset)).collect())
}

/// A List or LargeList.
pub(crate) fn list(data_type: &DataType, offsets: Buffer, items: ArrayRef) -> ArrayRef {
    let offsets = offset_buffer(offsets);
    match data_type {
        DataType::List(field) => Arc::new(ListArray::new(field.clone(), offsets, items, None)),
        DataType::LargeList(field) => {
            Arc::new(LargeListArray::new(field.clone(), widened(&offsets), items, None))
        }
        other => unreachable!("{other} is not a list"),
    }
}

/// A struct of `len` rows, of which it has to be told where there are no columns.
pub(crate) fn structure(fields: &Fields, columns: Vec<ArrayRef>, len: usize) -> ArrayRef {
    let array = StructArray::try_new_with_length(fields.clone(), columns, None, len);
    Arc::new(array.expect("columns are made for the fields"))
}

pub(crate) fn dictionary(keys: Int32Array, values: ArrayRef) -> DictionaryArray<Int32Type> {
    DictionaryArray::new(keys, values)
}

pub(crate) fn dense_union(
    fields: &UnionFields,
    types: ScalarBuffer<i8>,
    places: ScalarBuffer<i32>,
    children: Vec<ArrayRef>,
) -> ArrayRef {
    let array = UnionArray::try_new(fields.clone(), types, Some(places), children);
    Arc::new(array.expect("every slot has a place in its branch"))
}

/// One array of the slots `(array, place)` of arrays of one type.
pub(crate) fn interleaved(arrays: &[ArrayRef], slots: &[(usize, usize)]) -> ArrayRef {
    let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
    arrowfeed_select::interleave(&arrays, slots).expect("arrays of one type that fitted one batch")
}

/// `len` copies of the only slot of `array`.
pub(crate) fn repeated(array: &ArrayRef, len: usize) -> ArrayRef {
    arrowfeed_select::repeat(array, len).expect("copies that were counted before they were made")
}

/// The array with its nulls: it has none so far.
pub(crate) fn with_nulls(array: ArrayRef, nulls: Option<NullBuffer>) -> ArrayRef {
    let Some(nulls) = nulls else {
        return array;
    };
    assert_eq!(array.len(), nulls.len(), "a flag for each slot");
    let data = array.to_data().into_builder().nulls(Some(nulls));
    // SAFETY: the array was valid, the null buffer is as long as it is, and only types with a validity bitmap
    // are wrapped in a nullable column: a union cannot be a branch of a union, and null is not read as one.
    make_array(unsafe { data.build_unchecked() })
}
