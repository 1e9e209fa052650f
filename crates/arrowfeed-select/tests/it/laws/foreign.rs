//! Dictionaries of other libraries, with values outside of their memory that no slot uses.
//!
//! Unsafe: the tests build arrays with such values.

#![expect(unsafe_code, reason = "build dictionaries with invalid values")]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Int32Array, LargeBinaryArray,
    LargeStringArray, StringArray, StringViewArray, make_array,
};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use arrowfeed_select::{concat, interleave, stored_bytes};

use super::overflow::{in_lists, in_union, in_views};

const FAR: i32 = 1 << 30;

/// A slot of the value "A", after a value outside of the memory.
fn wild(data_type: &DataType, first: usize) -> ArrayRef {
    let parts = ArrayData::builder(data_type.clone()).len(2);
    let parts = match data_type {
        DataType::Utf8 | DataType::Binary => {
            parts.add_buffer(Buffer::from_slice_ref([[5, 0, 1], [FAR, 0, 1], [-1, 0, 1]][first]))
        }
        DataType::LargeUtf8 | DataType::LargeBinary => {
            parts.add_buffer(Buffer::from_slice_ref([[5, 0, 1], [1_i64 << 45, 0, 1], [-1, 0, 1]][first]))
        }
        _ => {
            let buffer = [0, 7, u32::MAX][first];
            let far = 16 | u128::from(buffer) << 64 | u128::from(FAR as u32) << 96;
            parts.add_buffer(Buffer::from_slice_ref([far, 1 | u128::from(b'A') << 32]))
        }
    };
    // SAFETY: the value 1 is valid, and no slot has the other one.
    let values = make_array(unsafe { parts.add_buffer(Buffer::from(b"ABCDEF")).build_unchecked() });
    assert_eq!((stored_bytes(&values, 0), stored_bytes(&values, 1)), (None, Some(b"A"[..].into())));
    Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(vec![1]), values))
}

/// A dictionary of the value "B" alone.
fn sound(data_type: &DataType, slots: usize) -> ArrayRef {
    let values: ArrayRef = match data_type {
        DataType::Utf8 => Arc::new(StringArray::from(vec!["B"])),
        DataType::LargeUtf8 => Arc::new(LargeStringArray::from(vec!["B"])),
        DataType::Utf8View => Arc::new(StringViewArray::from(vec!["B"])),
        DataType::Binary => Arc::new(BinaryArray::from(vec![&b"B"[..]])),
        DataType::LargeBinary => Arc::new(LargeBinaryArray::from(vec![&b"B"[..]])),
        _ => Arc::new(BinaryViewArray::from(vec![&b"B"[..]])),
    };
    Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(vec![0; slots]), values))
}

/// Runs of one slot.
fn in_runs(items: &ArrayRef) -> ArrayRef {
    let fields = [
        Field::new("run_ends", DataType::Int32, false),
        Field::new("values", items.data_type().clone(), true),
    ];
    let [ends_field, values_field] = fields.map(Arc::new);
    let ends = Int32Array::from_iter_values(1..=items.len() as i32);
    let parts = ArrayData::builder(DataType::RunEndEncoded(ends_field, values_field)).len(items.len());
    let parts = parts.add_child_data(ends.to_data()).add_child_data(items.to_data());
    // SAFETY: the ends increase up to the length. The safe function looks at values without a slot.
    make_array(unsafe { parts.build_unchecked() })
}

/// The text of all slots of a dictionary in one of the nestings.
fn text(array: &ArrayRef) -> String {
    array.to_data().validate_full().unwrap();
    let items = match array.data_type() {
        DataType::FixedSizeList(..) => array.as_fixed_size_list().values(),
        DataType::ListView(_) => array.as_list_view::<i32>().values(),
        DataType::RunEndEncoded(..) => array.as_run::<Int32Type>().values(),
        DataType::Union(..) => array.as_union().child(0),
        _ => array,
    };
    let dictionary = items.as_any_dictionary();
    let keys = dictionary.normalized_keys().into_iter();
    let bytes = keys.flat_map(|key| stored_bytes(dictionary.values(), key).unwrap().into_owned());
    String::from_utf8(bytes.collect()).unwrap()
}

#[test]
fn values_outside_of_their_memory_are_not_joined() {
    use DataType::*;
    for data_type in [Utf8, LargeUtf8, Utf8View, Binary, LargeBinary, BinaryView] {
        for first in 0..3 {
            for nest in [ArrayRef::clone, in_lists, in_views, in_runs, in_union] {
                let piece = nest(&wild(&data_type, first));
                // After a join of pieces with a shared dictionary, it has no more values than slots.
                let shared = concat(&[&piece, &piece, &piece]).unwrap();
                for (a, slots) in [(piece, 1), (shared, 3)] {
                    for others in [1, 100] {
                        let b = nest(&sound(&data_type, others));
                        let expected = "B".repeat(others) + &"A".repeat(slots);
                        assert_eq!(text(&concat(&[&b, &a]).unwrap()), expected, "{}", a.data_type());
                        let order: Vec<(usize, usize)> =
                            (0..others).map(|i| (0, i)).chain((0..slots).map(|i| (1, i))).collect();
                        let joined = interleave(&[&b, &a], &order).unwrap();
                        assert_eq!(text(&joined), expected, "{}", a.data_type());
                    }
                }
            }
        }
    }
}
