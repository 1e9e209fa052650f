//! Concatenation of slices without an array for each of them. A batch of 1,024 rows of 64 streams has 64 slices a column: to
//! make, join and free their arrays took as long as to decode the rows.

use std::sync::Arc;

use arrow_array::builder::NullBufferBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, GenericListArray, OffsetSizeTrait, PrimitiveArray, StructArray,
    downcast_primitive,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields};

use crate::types::{contains_dictionary, type_of_all};

/// Some slots of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The number of the array.
    pub array: usize,
    /// The first slot.
    pub start: usize,
    /// The number of slots.
    pub len: usize,
}

/// Concatenates slices of arrays of one type.
///
/// # Errors
/// There is no slice, the types of the arrays differ, or the result does not fit into one array.
///
/// # Panics
/// A slice is out of range.
pub fn concat_slices(arrays: &[&dyn Array], slices: &[Slice]) -> Result<ArrayRef, ArrowError> {
    match type_of_all(arrays) {
        Some(data_type) if !slices.is_empty() && !contains_dictionary(data_type) => {
            crate::room::check_slices(arrays, slices.iter().copied(), slots(slices))?;
            copied(data_type, arrays, slices)
        }
        _ => one_by_one(arrays, slices),
    }
}

fn copied(data_type: &DataType, arrays: &[&dyn Array], slices: &[Slice]) -> Result<ArrayRef, ArrowError> {
    macro_rules! primitive {
        ($primitive:ty) => {
            Ok(primitive::<$primitive>(data_type, arrays, slices))
        };
    }
    downcast_primitive! {
        data_type => (primitive),
        DataType::List(item) => lists::<i32>(item, arrays, slices),
        DataType::LargeList(item) => lists::<i64>(item, arrays, slices),
        DataType::Struct(fields) => structs(fields, arrays, slices),
        _ => one_by_one(arrays, slices),
    }
}

/// Makes an array of each slice, for types with other memory.
fn one_by_one(arrays: &[&dyn Array], slices: &[Slice]) -> Result<ArrayRef, ArrowError> {
    let slices: Vec<ArrayRef> = slices.iter().map(|it| arrays[it.array].slice(it.start, it.len)).collect();
    crate::concat(&slices.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

fn primitive<T: ArrowPrimitiveType>(
    data_type: &DataType,
    arrays: &[&dyn Array],
    slices: &[Slice],
) -> ArrayRef {
    let arrays_of: Vec<&PrimitiveArray<T>> = arrays.iter().map(|array| array.as_primitive::<T>()).collect();
    let mut values: Vec<T::Native> = Vec::with_capacity(slots(slices));
    for Slice { array, start, len } in slices {
        values.extend_from_slice(&arrays_of[*array].values()[*start..start + len]);
    }
    let array = PrimitiveArray::<T>::new(values.into(), nulls(arrays, slices));
    // Types of one kind differ, such as in a time zone.
    Arc::new(array.with_data_type(data_type.clone()))
}

fn lists<O: OffsetSizeTrait>(
    item: &FieldRef,
    arrays: &[&dyn Array],
    slices: &[Slice],
) -> Result<ArrayRef, ArrowError> {
    let lists: Vec<&GenericListArray<O>> = arrays.iter().map(|array| array.as_list::<O>()).collect();
    let mut offsets = Vec::with_capacity(slots(slices) + 1);
    let mut items = Vec::with_capacity(slices.len());
    let mut end = 0_usize;
    offsets.push(O::default());
    for Slice { array, start, len } in slices {
        let own = &lists[*array].value_offsets()[*start..=start + len];
        let first = own[0].as_usize();
        let count = own[*len].as_usize() - first;
        let before = end;
        end = end.saturating_add(count);
        if O::from_usize(end).is_none() {
            return Err(ArrowError::OffsetOverflowError(end));
        }
        // No sum is larger than `end`.
        offsets.extend(own[1..].iter().map(|offset| O::usize_as(before + offset.as_usize() - first)));
        items.push(Slice { array: *array, start: first, len: count });
    }
    let values: Vec<&dyn Array> = lists.iter().map(|list| list.values().as_ref()).collect();
    let values = copied(item.data_type(), &values, &items)?;
    let (offsets, nulls) = (OffsetBuffer::new(offsets.into()), nulls(arrays, slices));
    Ok(Arc::new(GenericListArray::try_new(item.clone(), offsets, values, nulls)?))
}

fn structs(fields: &Fields, arrays: &[&dyn Array], slices: &[Slice]) -> Result<ArrayRef, ArrowError> {
    let structs: Vec<&StructArray> = arrays.iter().map(|array| array.as_struct()).collect();
    let columns = fields.iter().enumerate().map(|(i, field)| {
        let columns: Vec<&dyn Array> = structs.iter().map(|array| array.column(i).as_ref()).collect();
        copied(field.data_type(), &columns, slices)
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let (len, nulls) = (slots(slices), nulls(arrays, slices));
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, len)?))
}

fn nulls(arrays: &[&dyn Array], slices: &[Slice]) -> Option<NullBuffer> {
    if arrays.iter().all(|array| array.nulls().is_none_or(|nulls| nulls.null_count() == 0)) {
        return None;
    }
    let mut builder = NullBufferBuilder::new(slots(slices));
    for Slice { array, start, len } in slices {
        match arrays[*array].nulls() {
            Some(nulls) => builder.append_buffer(&nulls.slice(*start, *len)),
            None => builder.append_n_non_nulls(*len),
        }
    }
    builder.finish()
}

fn slots(slices: &[Slice]) -> usize {
    slices.iter().map(|slice| slice.len).sum()
}
