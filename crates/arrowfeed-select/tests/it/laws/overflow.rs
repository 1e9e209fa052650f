//! Dictionaries that together have more values than there are keys.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, UInt8Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeListArray, Int32Array, ListViewArray, PrimitiveArray,
    RunArray, StringArray, StructArray, UnionArray,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType, Field, UnionFields};
use arrowfeed_select::{concat, interleave};

fn strings(texts: impl IntoIterator<Item = String>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(texts))
}

fn keys<K: ArrowDictionaryKeyType>(keys: impl IntoIterator<Item = Option<usize>>) -> PrimitiveArray<K> {
    keys.into_iter().map(|key| key.map(K::Native::usize_as)).collect()
}

/// Values `start..start + len`, of which the last `used` have keys.
fn dictionary<K: ArrowDictionaryKeyType>(start: usize, len: usize, used: usize) -> ArrayRef {
    let values = strings((start..start + len).map(|i| format!("value {i}")));
    Arc::new(DictionaryArray::<K>::new(keys((len - used..len).map(Some)), values))
}

/// The text of each slot.
fn texts(array: &dyn Array) -> Vec<Option<String>> {
    let values =
        arrow_select::take::take(array.as_any_dictionary().values(), array.as_any_dictionary().keys(), None);
    values.unwrap().as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
}

pub(crate) fn in_lists(items: &ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), true));
    Arc::new(FixedSizeListArray::new(field, 1, items.clone(), None))
}

pub(crate) fn in_views(items: &ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), true));
    let offsets: Vec<i32> = (0..items.len() as i32).collect();
    Arc::new(ListViewArray::new(field, offsets.into(), vec![1; items.len()].into(), items.clone(), None))
}

fn in_runs(items: &ArrayRef) -> ArrayRef {
    let ends = Int32Array::from_iter_values(1..=items.len() as i32);
    Arc::new(RunArray::<Int32Type>::try_new(&ends, items).unwrap())
}

pub(crate) fn in_union(items: &ArrayRef) -> ArrayRef {
    let fields = UnionFields::from_fields(vec![Field::new("a", items.data_type().clone(), true)]);
    let ids = vec![0_i8; items.len()];
    Arc::new(UnionArray::try_new(fields, ids.into(), None, vec![items.clone()]).unwrap())
}

/// The items of arrays of one of the types above, or the slots of a dictionary, in their order.
fn items(array: &dyn Array) -> ArrayRef {
    let items: Vec<ArrayRef> = (0..array.len())
        .map(|i| match array.data_type() {
            DataType::FixedSizeList(..) => array.as_fixed_size_list().value(i),
            DataType::Dictionary(..) => array.slice(i, 1),
            DataType::ListView(_) => array.as_list_view::<i32>().value(i),
            DataType::Union(..) => array.as_union().value(i),
            _ => {
                let runs = array.as_run::<Int32Type>();
                runs.values().slice(runs.get_physical_index(i), 1)
            }
        })
        .collect();
    let texts = items.iter().flat_map(|item| texts(item));
    Arc::new(StringArray::from_iter(texts))
}

fn check_keys<K: ArrowDictionaryKeyType>(len: usize) {
    let (a, b) = (dictionary::<K>(0, len, 4), dictionary::<K>(len, len, 4));
    let expected: Vec<String> =
        (len - 4..len).chain(2 * len - 4..2 * len).map(|i| format!("value {i}")).collect();
    let expected = strings(expected);
    let slots: Vec<(usize, usize)> = (0..2).flat_map(|array| (0..4).map(move |slot| (array, slot))).collect();
    for nest in [in_lists, in_views, in_runs, in_union] {
        let (a, b) = (nest(&a), nest(&b));
        let arrays: [&dyn Array; 2] = [&a, &b];
        let joined = concat(&arrays).unwrap();
        joined.to_data().validate_full().unwrap();
        assert_eq!(items(&joined).as_ref(), expected.as_ref(), "{}", a.data_type());
        let joined = interleave(&arrays, &slots).unwrap();
        joined.to_data().validate_full().unwrap();
        assert_eq!(items(&joined).as_ref(), expected.as_ref(), "{}", a.data_type());
    }
}

#[test]
fn used_values_get_keys_of_every_small_type_in_every_nesting() {
    check_keys::<Int8Type>(100);
    check_keys::<UInt8Type>(200);
    check_keys::<Int16Type>(30_000);
    check_keys::<UInt16Type>(60_000);
}

/// A dictionary may have values that its keys cannot number, of which it uses the first ones.
fn check_long<K: ArrowDictionaryKeyType>(len: usize) {
    let dictionary = |start: usize| {
        let values = strings((start..start + len).map(|i| format!("value {i}")));
        Arc::new(DictionaryArray::<K>::new(keys((0..4).map(Some)), values)) as ArrayRef
    };
    let (a, b) = (dictionary(0), dictionary(len));
    let expected = strings((0..4).chain(len..len + 4).map(|i| format!("value {i}")));
    let same = strings((0..4).chain(0..4).map(|i| format!("value {i}")));
    let slots: Vec<(usize, usize)> = (0..2).flat_map(|array| (0..4).map(move |slot| (array, slot))).collect();
    for nest in [ArrayRef::clone, in_lists, in_views, in_runs, in_union] {
        let (a, b) = (nest(&a), nest(&b));
        for (other, expected) in [(&b, &expected), (&a, &same)] {
            let arrays: [&dyn Array; 2] = [&a, other];
            let joined = [concat(&arrays).unwrap(), interleave(&arrays, &slots).unwrap()];
            for joined in joined {
                joined.to_data().validate_full().unwrap();
                assert_eq!(items(&joined).as_ref(), expected.as_ref(), "{}", a.data_type());
            }
        }
        let some = [
            arrowfeed_select::take(&a, &Int32Array::from(vec![0, 2])).unwrap(),
            arrowfeed_select::filter(&a, &vec![true, false, true, false].into()).unwrap(),
            interleave(&[&a], &[(0, 0), (0, 2)]).unwrap(),
            concat(&[&a]).unwrap().slice(0, 1),
        ];
        let expected = strings(["value 0", "value 2"].map(str::to_owned));
        for some in some {
            assert_eq!(*items(&some), *expected.slice(0, some.len()), "{}", a.data_type());
        }
    }
}

#[test]
fn values_without_a_possible_key_are_dropped() {
    check_long::<Int8Type>(200);
    check_long::<UInt8Type>(300);
    check_long::<Int16Type>(40_000);
    check_long::<UInt16Type>(70_000);
}

#[test]
fn results_without_slots_are_valid_in_every_nesting() {
    let dictionary = dictionary::<Int8Type>(0, 100, 4);
    for nest in [ArrayRef::clone, in_lists, in_views, in_runs, in_union] {
        let array = nest(&dictionary);
        let none: [i32; 0] = [];
        let results = [
            arrowfeed_select::take(&array, &Int32Array::from(none.to_vec())).unwrap(),
            arrowfeed_select::filter(&array, &vec![false; array.len()].into()).unwrap(),
            interleave(&[&array, &array], &[]).unwrap(),
        ];
        for result in results {
            result.to_data().validate_full().unwrap();
            assert_eq!((result.len(), result.data_type()), (0, array.data_type()));
            let joined = concat(&[&result, &array]).unwrap();
            assert_eq!(*items(&joined), *items(&array), "{}", array.data_type());
        }
    }
}

#[test]
fn more_used_values_than_keys_are_an_error() {
    let (a, b) = (dictionary::<Int8Type>(0, 100, 64), dictionary::<Int8Type>(100, 100, 65));
    for nest in [in_lists, in_views, in_runs, in_union] {
        let (nested, other) = (nest(&a), nest(&b));
        let slots: Vec<(usize, usize)> = (0..64).map(|i| (0, i)).chain((0..65).map(|i| (1, i))).collect();
        let found = [concat(&[&nested, &other]), interleave(&[&nested, &other], &slots)];
        for found in found {
            assert!(matches!(found, Err(ArrowError::DictionaryKeyOverflowError)), "{found:?}");
        }
        // One value less has keys.
        assert_eq!(concat(&[&nested, &other.slice(1, 64)]).unwrap().len(), 128);
        assert_eq!(interleave(&[&nested, &other], &slots[..128]).unwrap().len(), 128);
    }
}

/// Sixty-four pieces have the same two values and nulls, among values that they do not use.
#[test]
fn values_of_several_dictionaries_get_one_key() {
    let pieces: Vec<ArrayRef> = (0..64)
        .map(|i| {
            let values: Vec<Option<String>> = (0..100)
                .map(|j| match j {
                    0 => Some("a".to_owned()),
                    1 => Some("b".to_owned()),
                    2 => None,
                    j => Some(format!("unused {i} {j}")),
                })
                .collect();
            let keys = keys::<Int8Type>([Some(1), Some(2), None, Some(0)]);
            let dictionary = DictionaryArray::new(keys, Arc::new(StringArray::from(values)));
            in_lists(&(Arc::new(dictionary) as ArrayRef))
        })
        .collect();
    let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
    let joined = concat(&pieces).unwrap();
    let values = joined.as_fixed_size_list().values();
    let expected = [Some("b"), None, None, Some("a")].map(|text| text.map(str::to_owned));
    assert_eq!(texts(values), expected.iter().cycle().take(256).cloned().collect::<Vec<_>>());
    assert_eq!(values.as_any_dictionary().values().len(), 3);
}

/// Structs as values are not compared with each other, and have dictionaries of their own.
#[test]
fn values_with_children_get_keys() {
    let array = |start| {
        let inner = dictionary::<Int8Type>(start, 100, 100);
        let field = Arc::new(Field::new("x", inner.data_type().clone(), true));
        let values: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![inner], None));
        in_lists(&(Arc::new(DictionaryArray::new(keys::<Int8Type>([Some(99), Some(7)]), values)) as ArrayRef))
    };
    let (a, b) = (array(0), array(100));
    let joined = interleave(&[&a, &b], &[(1, 0), (0, 1), (0, 0)]).unwrap();
    joined.to_data().validate_full().unwrap();
    let values = joined.as_fixed_size_list().values().as_any_dictionary();
    let structs = arrow_select::take::take(values.values(), values.keys(), None).unwrap();
    let expected = ["value 199", "value 7", "value 99"].map(|text| Some(text.to_owned()));
    assert_eq!(texts(structs.as_struct().column(0)), expected);
}

#[test]
fn a_shared_dictionary_stays_shared() {
    let a = dictionary::<Int8Type>(0, 100, 4);
    let (a, b) = (in_lists(&a), in_lists(&a.slice(2, 2)));
    let values =
        |array: &ArrayRef| array.as_fixed_size_list().values().as_any_dictionary().values().to_data();
    let joined = concat(&[&a, &b]).unwrap();
    assert!(values(&joined).ptr_eq(&values(&a)));
    let joined = interleave(&[&a, &b], &[(1, 0), (0, 0)]).unwrap();
    assert!(values(&joined).ptr_eq(&values(&a)));
}

#[test]
fn compact_drops_the_values_that_no_slot_uses() {
    let values = strings(["a", "b", "c", "d"].map(str::to_owned));
    // The key under the null is that of a value that no other slot uses.
    let few = PrimitiveArray::<Int8Type>::new(vec![3, 2, 1].into(), Some(vec![true, false, true].into()));
    let many = keys::<Int8Type>([3, 1, 1, 3, 1].map(Some));
    for (keys, expected) in [(few, vec!["d", "", "b"]), (many, vec!["d", "b", "b", "d", "b"])] {
        let expected: Vec<Option<String>> =
            expected.iter().map(|text| (!text.is_empty()).then(|| (*text).to_owned())).collect();
        let array: ArrayRef = Arc::new(DictionaryArray::new(keys, values.clone()));
        let found = arrowfeed_select::compact(&array).unwrap();
        assert_eq!(texts(&found), expected);
        assert_eq!(
            found.as_any_dictionary().values().as_ref(),
            strings(["b", "d"].map(str::to_owned)).as_ref()
        );
        let nested = arrowfeed_select::compact(&in_lists(&array)).unwrap();
        assert_eq!(nested.as_fixed_size_list().values().as_ref(), found.as_ref());
    }
    let all: ArrayRef = Arc::new(DictionaryArray::new(keys::<Int8Type>([3, 1, 0, 2].map(Some)), values));
    let found = arrowfeed_select::compact(&all).unwrap();
    assert!(found.to_data().ptr_eq(&all.to_data()));
}
