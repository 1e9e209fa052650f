//! Builds Arrow arrays from buffers, once per batch.

#![expect(unsafe_code, reason = "creates arrays from parts that were already checked")]

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, Int32Type, LargeBinaryType, LargeUtf8Type,
    StringViewType, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, GenericByteArray, GenericByteViewArray, Int32Array, LargeListArray,
    ListArray, PrimitiveArray, StructArray, UnionArray, downcast_primitive, make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields, UnionFields};
use arrowfeed_source::copied;

/// Builds an array of fixed-width values, of any type that has one buffer.
pub(crate) fn fixed_width(
    data_type: &DataType,
    len: usize,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    macro_rules! primitive {
        ($ty:ty) => {{
            let array = PrimitiveArray::<$ty>::new(ScalarBuffer::new(values, 0, len), nulls);
            Arc::new(array.with_data_type(data_type.clone()))
        }};
    }
    downcast_primitive! {
        data_type => (primitive),
        _ => {
            let data = ArrayData::builder(data_type.clone()).len(len).add_buffer(values).nulls(nulls).build();
            make_array(data.expect("a buffer of the type's width for each slot"))
        }
    }
}

/// Builds an array of strings or bytes from 32-bit offsets, which start with 0. The column has validated the text.
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
    // SAFETY: the columns keep the offsets sorted, and the last one is the length of the data; `BytesColumn`
    // has validated every slot of a text column as UTF-8 before it returns its buffers, and JSON text is made of `str`s.
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
    // SAFETY: each view is built from a slice of the single buffer, with its offset there; text as in `narrow`.
    Arc::new(unsafe { GenericByteViewArray::<T>::new_unchecked(views, vec![data], None) })
}

/// Converts the offsets of a column, which start with 0 and are sorted.
pub(crate) fn offset_buffer(offsets: Buffer) -> OffsetBuffer<i32> {
    let offsets: ScalarBuffer<i32> = offsets.into();
    debug_assert!(offsets.first() == Some(&0) && offsets.is_sorted());
    // SAFETY: the first offset is 0. A column stores the length of its data so far as the end of a slot, and the data only
    // grows between two slots (a rollback truncates both). Arrow's own check took 3 % of the time on `nested`.
    unsafe { OffsetBuffer::new_unchecked(offsets) }
}

pub(crate) fn widened(offsets: &OffsetBuffer<i32>) -> OffsetBuffer<i64> {
    OffsetBuffer::new(offsets.iter().map(|offset| i64::from(*offset)).collect())
}

/// Builds a List or LargeList.
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

/// Builds a struct of `len` rows. `len` is necessary because there may be no columns.
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

/// Gathers the slots `(array, index)` of several arrays of one type into one array.
pub(crate) fn interleaved(arrays: &[ArrayRef], slots: &[(usize, usize)]) -> ArrayRef {
    let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
    copied(arrowfeed_select::interleave(&arrays, slots), "arrays of one type that fitted one batch")
}

/// Repeats the only slot of `array` `len` times.
pub(crate) fn repeated(array: &ArrayRef, len: usize) -> ArrayRef {
    copied(arrowfeed_select::repeat(array, len), "copies that were counted before they were made")
}

/// Adds nulls to an array that has none.
pub(crate) fn with_nulls(array: ArrayRef, nulls: Option<NullBuffer>) -> ArrayRef {
    let Some(nulls) = nulls else {
        return array;
    };
    assert_eq!(array.len(), nulls.len(), "a flag for each slot");
    let data = array.to_data().into_builder().nulls(Some(nulls));
    // SAFETY: the array was valid, the null buffer has its length, and a nullable column only wraps types with
    // a validity bitmap: a union cannot be a branch of a union, and null is not read as one.
    make_array(unsafe { data.build_unchecked() })
}
