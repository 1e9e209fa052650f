//! Dictionaries of the values that slots use: of one array, and of several arrays whose dictionaries together have more
//! values than their keys can number.
//!
//! The kernels append the dictionaries of all inputs, with values that no slot uses. They panic if the keys cannot number
//! these, or if a value is outside of its memory, as unused values of other libraries may be. In these cases alone, the
//! inputs lose the unused values before, and get one dictionary if it is still too large. In all other cases they keep
//! their dictionaries: this costs nothing, and a shared dictionary stays shared.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, OffsetSizeTrait, UInt64Array, downcast_integer, make_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_data::{ArrayData, ByteView, MAX_INLINE_VIEW_LEN};
use arrow_schema::{ArrowError, DataType};

use crate::ranges::Ranges;
use crate::types::{contains_dictionary, type_of_all};

/// Calls a function with the Arrow type of the keys of a dictionary.
macro_rules! with_key_type {
    ($keys:expr, $function:ident($data:expr)) => {{
        macro_rules! call {
            ($key:ty) => {
                $function::<$key>($data)
            };
        }
        downcast_integer! {
            $keys => (call),
            other => Err(ArrowError::InvalidArgumentError(format!("expected integers as keys, found {other}")))
        }
    }};
}

/// Arrays, and slots in them.
pub(crate) type ArraySlots = (Vec<ArrayRef>, Vec<(usize, usize)>);

/// The arrays without the values that no slot uses, if a kernel could fail because of these values; `None` if all kernels
/// that join the arrays are safe.
pub(crate) fn joinable(arrays: &[&dyn Array]) -> Result<Option<Vec<ArrayRef>>, ArrowError> {
    if !any_dictionaries(arrays, |data| has_unsafe_values(data, false)) {
        return Ok(None);
    }
    arrays.iter().map(|array| compact(*array)).collect::<Result<_, _>>().map(Some)
}

/// The array without the values that no slot uses, if its keys cannot number all values: copies of ranges refuse it.
pub(crate) fn numbered(array: &dyn Array) -> Result<Option<ArrayRef>, ArrowError> {
    Ok(joinable(&[array])?.and_then(|mut arrays| arrays.pop()))
}

/// Whether a dictionary has more values than its keys can number, or whether dictionaries that are not shared have more of
/// them together, or a value outside of its memory.
///
/// The kernels merge or copy values that are not shared, so the test of each value takes less time than they do. Of a
/// dictionary with more values than slots, it is not made: it takes less time to drop the unused values. The
/// kernels look at the values in runs (`in_runs`) even if they are shared.
fn has_unsafe_values(data: &[&ArrayData], in_runs: bool) -> bool {
    let children = |index: usize| data.iter().map(|data| &data.child_data()[index]).collect::<Vec<_>>();
    if let DataType::Dictionary(keys, _) = data[0].data_type() {
        let (values, most) = (children(0), most_values(keys));
        let too_many = |count: u64| count > most;
        if values.iter().any(|values| too_many(values.len() as u64)) {
            return true;
        }
        if values.windows(2).all(|pair| pair[0].ptr_eq(pair[1])) {
            return in_runs && !is_inside(values[0]);
        }
        return too_many(values.iter().map(|values| values.len() as u64).fold(0, u64::saturating_add))
            || data.iter().zip(&values).any(|(slots, values)| values.len() > slots.len())
            || !values.iter().all(|values| is_inside(values))
            || has_unsafe_values(&values, in_runs);
    }
    let in_runs = in_runs || matches!(data[0].data_type(), DataType::RunEndEncoded(..));
    (0..data[0].child_data().len()).any(|index| has_unsafe_values(&children(index), in_runs))
}

/// Whether all byte strings are inside their memory. The import has checked all values with children, and other values
/// may be any bits.
fn is_inside(values: &ArrayData) -> bool {
    match values.data_type() {
        DataType::Utf8 | DataType::Binary => are_offsets_inside::<i32>(values),
        DataType::LargeUtf8 | DataType::LargeBinary => are_offsets_inside::<i64>(values),
        DataType::Utf8View | DataType::BinaryView => {
            let views = values.buffer::<u128>(0).iter().take(values.len());
            views.map(|view| ByteView::from(*view)).all(|view| {
                let bytes = values.buffers().get(view.buffer_index as usize + 1);
                view.length <= MAX_INLINE_VIEW_LEN
                    || bytes.is_some_and(|bytes| view.offset as usize + view.length as usize <= bytes.len())
            })
        }
        _ => true,
    }
}

fn are_offsets_inside<O: OffsetSizeTrait>(values: &ArrayData) -> bool {
    let Some(offsets) = values.buffer::<O>(0).get(..=values.len()) else { return values.is_empty() };
    let end = offsets[values.len()].to_usize();
    offsets[0] >= O::default()
        && offsets.is_sorted()
        && end.is_some_and(|end| end <= values.buffers()[1].len())
}

/// Whether arrays of one type have dictionaries, at any depth, that together have more values than their keys can number.
pub(crate) fn overflow(arrays: &[&dyn Array]) -> bool {
    any_dictionaries(arrays, overflows)
}

/// The result of `test` for the data of arrays of one type with dictionaries; false for other arrays.
fn any_dictionaries(arrays: &[&dyn Array], test: impl Fn(&[&ArrayData]) -> bool) -> bool {
    if !type_of_all(arrays).is_some_and(contains_dictionary) {
        return false;
    }
    let data: Vec<ArrayData> = arrays.iter().map(|array| array.to_data()).collect();
    test(&data.iter().collect::<Vec<_>>())
}

fn overflows(data: &[&ArrayData]) -> bool {
    let children = |index: usize| data.iter().map(|data| &data.child_data()[index]).collect::<Vec<_>>();
    if let DataType::Dictionary(keys, _) = data[0].data_type() {
        let values = children(0);
        let is_shared = values.windows(2).all(|pair| pair[0].ptr_eq(pair[1]));
        let count = values.iter().map(|values| values.len() as u64).fold(0, u64::saturating_add);
        return !is_shared && (count > most_values(keys) || overflows(&values));
    }
    (0..data[0].child_data().len()).any(|index| overflows(&children(index)))
}

/// How many values keys of a type can number.
fn most_values(keys: &DataType) -> u64 {
    match keys {
        DataType::Int8 => 1 << 7,
        DataType::UInt8 => 1 << 8,
        DataType::Int16 => 1 << 15,
        DataType::UInt16 => 1 << 16,
        DataType::Int32 => 1 << 31,
        DataType::UInt32 => 1 << 32,
        _ => u64::MAX,
    }
}

/// Copies the slots of each array, so that no other slot counts as a use of a value, and merges the dictionaries. Returns
/// the places of the slots in the copies.
pub(crate) fn selected(arrays: &[&dyn Array], slots: &[(usize, usize)]) -> Result<ArraySlots, ArrowError> {
    let mut copies: Vec<Ranges> = arrays.iter().map(|array| Ranges::new(&[*array], false, 0)).collect();
    let mut lengths = vec![0; arrays.len()];
    let moved = slots.iter().map(|&(array, slot)| {
        copies[array].slot(0, slot);
        lengths[array] += 1;
        (array, lengths[array] - 1)
    });
    let moved = moved.collect();
    let copies = copies.into_iter().map(Ranges::data).collect::<Result<_, _>>()?;
    Ok((merged(copies)?.into_iter().map(make_array).collect(), moved))
}

/// Copies all slots of each array, without the items that no list has, and merges the dictionaries.
pub(crate) fn all(arrays: &[&dyn Array]) -> Result<Vec<ArrayRef>, ArrowError> {
    let copies = arrays.iter().map(|array| {
        let mut ranges = Ranges::new(&[*array], false, array.len());
        ranges.range(0, 0, array.len());
        ranges.data()
    });
    Ok(merged(copies.collect::<Result<_, _>>()?)?.into_iter().map(make_array).collect())
}

/// Merges those dictionaries whose keys cannot number all values.
fn merged(data: Vec<ArrayData>) -> Result<Vec<ArrayData>, ArrowError> {
    if !overflows(&data.iter().collect::<Vec<_>>()) {
        return Ok(data);
    }
    if let DataType::Dictionary(keys, _) = data[0].data_type().clone() {
        return with_key_type!(keys.as_ref(), with_one_dictionary(data));
    }
    let mut children = vec![Vec::new(); data.len()];
    for index in 0..data[0].child_data().len() {
        let parts = merged(data.iter().map(|data| data.child_data()[index].clone()).collect())?;
        children.iter_mut().zip(parts).for_each(|(children, part)| children.push(part));
    }
    let pairs = data.into_iter().zip(children);
    pairs.map(|(data, children)| data.into_builder().child_data(children).build()).collect()
}

/// Replaces the dictionaries by one of the values that valid slots use. Equal values become one, if they have no children.
fn with_one_dictionary<K: ArrowDictionaryKeyType>(
    data: Vec<ArrayData>,
) -> Result<Vec<ArrayData>, ArrowError> {
    let arrays: Vec<DictionaryArray<K>> = data.into_iter().map(DictionaryArray::from).collect();
    let values: Vec<&dyn Array> = arrays.iter().map(|array| array.values().as_ref()).collect();
    let (mut picks, mut known) = (Vec::new(), HashMap::new());
    let mut new_keys = Vec::with_capacity(arrays.len());
    for (index, array) in arrays.iter().enumerate() {
        let (values, stored) = (array.values(), array.values().to_data());
        let mut keys = vec![0; values.len()];
        for slot in used(array) {
            let next = picks.len();
            let place = match content(values, &stored, slot) {
                Some(content) => *known.entry(content).or_insert(next),
                None => next,
            };
            if place == next {
                picks.push((index, slot));
            }
            keys[slot] = place;
        }
        new_keys.push(keys);
    }
    if picks.len() as u64 > most_values(&K::DATA_TYPE) {
        return Err(ArrowError::DictionaryKeyOverflowError);
    }
    let values = crate::interleave(&values, &picks)?;
    let pairs = arrays.iter().zip(new_keys);
    let dictionaries = pairs.map(|(array, new)| {
        // The key under a null may be anything.
        let key = |key: K::Native| K::Native::usize_as(new.get(key.as_usize()).copied().unwrap_or(0));
        let keys = array.keys().unary(key);
        DictionaryArray::<K>::try_new(keys, values.clone()).map(|array| array.into_data())
    });
    dictionaries.collect()
}

/// Replaces each dictionary, at any depth, by one of the values that valid slots use.
///
/// An array of another library may have values that no slot uses, and that nobody has checked. Kernels that look at all
/// values of a dictionary, such as casts, are safe on the result. The key under a null may become any other.
///
/// # Errors
/// The used values do not fit into one array or into memory, or a child that must not have nulls has some.
pub fn compact(array: &dyn Array) -> Result<ArrayRef, ArrowError> {
    if !contains_dictionary(array.data_type()) {
        return Ok(array.slice(0, array.len()));
    }
    Ok(make_array(compacted(array.to_data())?))
}

fn compacted(data: ArrayData) -> Result<ArrayData, ArrowError> {
    if let DataType::Dictionary(keys, _) = data.data_type().clone() {
        return with_key_type!(keys.as_ref(), with_used_values(data));
    }
    if !contains_dictionary(data.data_type()) {
        return Ok(data);
    }
    let children = data.child_data().iter().cloned().map(compacted).collect::<Result<_, _>>()?;
    data.into_builder().child_data(children).build()
}

fn with_used_values<K: ArrowDictionaryKeyType>(data: ArrayData) -> Result<ArrayData, ArrowError> {
    // The new keys, and the slots of the values that are used: as `usize` and as indices.
    let slot = size_of::<K::Native>() + size_of::<usize>() + size_of::<u64>();
    crate::room::reserve(data.len().saturating_mul(slot))?;
    let array = DictionaryArray::<K>::from(data);
    let used = used(&array);
    if used.len() == array.values().len() && !contains_dictionary(array.values().data_type()) {
        return Ok(array.into_data());
    }
    let slots: UInt64Array = used.iter().map(|slot| *slot as u64).collect();
    let values = compact(&crate::take(array.values(), &slots)?)?;
    let key = |key: K::Native| K::Native::usize_as(used.binary_search(&key.as_usize()).unwrap_or(0));
    Ok(DictionaryArray::<K>::try_new(array.keys().unary(key), values)?.into_data())
}

/// The slots of values to which a valid key refers, in order. Costs no more than the keys if there are few of them.
fn used<K: ArrowDictionaryKeyType>(array: &DictionaryArray<K>) -> Vec<usize> {
    if array.values().len() <= array.len() {
        return array.occupancy().set_indices().collect();
    }
    let mut used: Vec<usize> = array.keys().iter().flatten().map(|key| key.as_usize()).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// The bytes of a value, `Some(None)` if it is null; `None` if the type has children. `stored` is the data of `values`.
fn content(values: &ArrayRef, stored: &ArrayData, slot: usize) -> Option<Option<Vec<u8>>> {
    use DataType::*;
    if values.is_null(slot) {
        return Some(None);
    }
    // Text of other libraries may not be UTF-8, so it is read as bytes.
    macro_rules! between_offsets {
        ($array:expr) => {{
            let (array, offsets) = ($array, $array.value_offsets());
            array.value_data()[offsets[slot].as_usize()..offsets[slot + 1].as_usize()].to_vec()
        }};
    }
    Some(Some(match values.data_type() {
        Utf8 => between_offsets!(values.as_string::<i32>()),
        LargeUtf8 => between_offsets!(values.as_string::<i64>()),
        Binary => between_offsets!(values.as_binary::<i32>()),
        LargeBinary => between_offsets!(values.as_binary::<i64>()),
        Utf8View => values.as_string_view().clone().to_binary_view().value(slot).to_vec(),
        BinaryView => values.as_binary_view().value(slot).to_vec(),
        FixedSizeBinary(_) => values.as_fixed_size_binary().value(slot).to_vec(),
        Boolean => vec![values.as_boolean().value(slot).into()],
        other => {
            let width = other.primitive_width()?;
            let start = (stored.offset() + slot) * width;
            stored.buffers()[0][start..start + width].to_vec()
        }
    }))
}
