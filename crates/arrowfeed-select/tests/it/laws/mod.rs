//! Tests of selection against a simple oracle, which picks slots from vectors, and of results that do not fit into one array.

mod arrays;
mod foreign;
mod overflow;
mod room;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, ListArray, NullArray, RecordBatch, StringArray,
    StructArray, UInt64Array,
};
use arrow_buffer::{BooleanBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use arrowfeed_select::Slice;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::random_config::config;

use arrays::{Value, any_type, array, slots, values};

/// Slices of arrays of one type, both as arrays and as lists of slots.
#[derive(Debug, Clone)]
struct Parts {
    data_type: DataType,
    arrays: Vec<ArrayRef>,
    slots: Vec<Vec<Value>>,
}

fn parts() -> impl Strategy<Value = Parts> {
    let sizes = prop::collection::vec((0..3_usize, 1..6_usize, 0..3_usize), 1..4);
    (any_type(), sizes).prop_flat_map(|(data_type, sizes)| {
        let all: Vec<_> = sizes.iter().map(|(a, b, c)| values(&data_type, a + b + c)).collect();
        all.prop_map(move |all| {
            let cut = all.iter().zip(&sizes);
            let arrays =
                cut.clone().map(|(values, (start, len, _))| array(&data_type, values).slice(*start, *len));
            let slots = cut.map(|(values, (start, len, _))| values[*start..start + len].to_vec());
            Parts { data_type: data_type.clone(), arrays: arrays.collect(), slots: slots.collect() }
        })
    })
}

#[track_caller]
fn assert_slots(found: &ArrayRef, data_type: &DataType, expected: &[Value]) {
    assert_eq!(found.data_type(), data_type);
    assert_eq!(found.len(), expected.len(), "{data_type}");
    found.to_data().validate_full().unwrap_or_else(|error| panic!("{data_type}: {error}"));
    assert_eq!(slots(found), expected, "{data_type}");
}

/// Whether the type can have nulls. A union has no validity bitmap.
fn takes_nulls(data_type: &DataType) -> bool {
    !matches!(data_type, DataType::Union(..))
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn arrays_are_read_as_they_were_built(parts in parts()) {
        for (array, expected) in parts.arrays.iter().zip(&parts.slots) {
            assert_slots(array, &parts.data_type, expected);
        }
    }

    #[test]
    fn take_picks_slots(parts in parts(), picks in prop::collection::vec(any::<Option<Index>>(), 0..12)) {
        let (array, slots) = (&parts.arrays[0], &parts.slots[0]);
        let first = if takes_nulls(&parts.data_type) { None } else { Some(0) };
        let picks = picks.iter().map(|pick| pick.as_ref().map(|pick| pick.index(slots.len())).or(first));
        let picks: Vec<Option<usize>> = picks.collect();
        let expected = picks.iter().map(|pick| pick.map_or(Value::Null, |i| slots[i].clone()));
        let expected: Vec<Value> = expected.collect();
        let indices: UInt64Array = picks.iter().map(|pick| pick.map(|i| i as u64)).collect();
        assert_slots(&arrowfeed_select::take(array, &indices).unwrap(), &parts.data_type, &expected);
        let repeated = arrowfeed_select::repeat(&array.slice(0, 1), picks.len()).unwrap();
        assert_slots(&repeated, &parts.data_type, &vec![slots[0].clone(); picks.len()]);
    }

    #[test]
    fn filter_keeps_the_slots_that_the_mask_has(parts in parts(), mask in prop::collection::vec(any::<bool>(), 6)) {
        let (array, slots) = (&parts.arrays[0], &parts.slots[0]);
        let mask = &mask[..slots.len()];
        let expected = slots.iter().zip(mask).filter(|(_, kept)| **kept).map(|(slot, _)| slot.clone());
        let found = arrowfeed_select::filter(array, &BooleanArray::from(mask.to_vec())).unwrap();
        assert_slots(&found, &parts.data_type, &expected.collect::<Vec<_>>());
    }

    #[test]
    fn interleave_picks_slots_of_all_arrays(
        parts in parts(),
        picks in prop::collection::vec(any::<(Index, Index)>(), 0..12),
    ) {
        let picks = picks.iter().map(|(part, slot)| {
            let part = part.index(parts.slots.len());
            (part, slot.index(parts.slots[part].len()))
        });
        let picks: Vec<(usize, usize)> = picks.collect();
        let expected: Vec<Value> = picks.iter().map(|(part, slot)| parts.slots[*part][*slot].clone()).collect();
        let arrays: Vec<&dyn Array> = parts.arrays.iter().map(AsRef::as_ref).collect();
        assert_slots(&arrowfeed_select::interleave(&arrays, &picks).unwrap(), &parts.data_type, &expected);
        let batches = batches(&parts);
        let batch = arrowfeed_select::interleave_batches(&batches.iter().collect::<Vec<_>>(), &picks).unwrap();
        assert_slots(batch.column(0), &parts.data_type, &expected);
        let mut seen = std::collections::HashSet::new();
        let (picks, expected): (Vec<_>, Vec<Value>) =
            picks.into_iter().zip(expected).filter(|(pick, _)| seen.insert(*pick)).unzip();
        let batch = arrowfeed_select::interleave_distinct(&batches.iter().collect::<Vec<_>>(), &picks).unwrap();
        assert_slots(batch.column(0), &parts.data_type, &expected);
    }

    #[test]
    fn concat_slices_copies_slots_of_all_arrays(
        parts in parts(),
        picks in prop::collection::vec(any::<(Index, Index, Index)>(), 1..12),
    ) {
        let slices = picks.iter().map(|(part, start, len)| {
            let array = part.index(parts.slots.len());
            let start = start.index(parts.slots[array].len());
            Slice { array, start, len: len.index(parts.slots[array].len() - start + 1) }
        });
        let slices: Vec<Slice> = slices.collect();
        let expected = slices.iter().flat_map(|Slice { array, start, len }| &parts.slots[*array][*start..start + len]);
        let expected: Vec<Value> = expected.cloned().collect();
        let arrays: Vec<&dyn Array> = parts.arrays.iter().map(AsRef::as_ref).collect();
        assert_slots(&arrowfeed_select::concat_slices(&arrays, &slices).unwrap(), &parts.data_type, &expected);
        let batches = batches(&parts);
        let batch =
            arrowfeed_select::concat_batch_slices(&batches.iter().collect::<Vec<_>>(), &slices).unwrap();
        assert_slots(batch.column(0), &parts.data_type, &expected);
    }

    #[test]
    fn compact_keeps_all_slots(parts in parts()) {
        for (array, expected) in parts.arrays.iter().zip(&parts.slots) {
            assert_slots(&arrowfeed_select::compact(array).unwrap(), &parts.data_type, expected);
        }
    }

    #[test]
    fn concat_keeps_all_slots_in_order(parts in parts()) {
        let expected = parts.slots.concat();
        let arrays: Vec<&dyn Array> = parts.arrays.iter().map(AsRef::as_ref).collect();
        assert_slots(&arrowfeed_select::concat(&arrays).unwrap(), &parts.data_type, &expected);
        let batches = batches(&parts);
        let schema = batches[0].schema();
        let batch = arrowfeed_select::concat_batches(&schema, &batches.iter().collect::<Vec<_>>()).unwrap();
        assert_slots(batch.column(0), &parts.data_type, &expected);
    }
}

fn batches(parts: &Parts) -> Vec<RecordBatch> {
    let schema = Arc::new(Schema::new(vec![Field::new("x", parts.data_type.clone(), true)]));
    parts
        .arrays
        .iter()
        .map(|array| RecordBatch::try_new(schema.clone(), vec![array.clone()]).unwrap())
        .collect()
}

#[test]
fn batches_without_columns_keep_their_rows() {
    let schema = Arc::new(Schema::empty());
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(3));
    let batch = RecordBatch::try_new_with_options(schema.clone(), Vec::new(), &options).unwrap();
    assert_eq!(arrowfeed_select::concat_batches(&schema, &[&batch, &batch]).unwrap().num_rows(), 6);
    assert_eq!(arrowfeed_select::interleave_batches(&[&batch], &[(0, 2), (0, 0)]).unwrap().num_rows(), 2);
}

#[test]
fn results_without_slots_keep_their_dictionaries() {
    let symbols: DictionaryArray<Int32Type> = ["a", "b"].into_iter().collect();
    let field = Arc::new(Field::new("e", symbols.data_type().clone(), true));
    let rows = StructArray::new(vec![field].into(), vec![Arc::new(symbols.clone())], None);
    let values = |array: &ArrayRef| match array.data_type() {
        DataType::Struct(_) => array.as_struct().column(0).as_any_dictionary().values().len(),
        _ => array.as_any_dictionary().values().len(),
    };
    for array in [&symbols as &dyn Array, &rows] {
        let empty = [
            arrowfeed_select::take(array, &UInt64Array::from(Vec::<u64>::new())).unwrap(),
            arrowfeed_select::filter(array, &BooleanArray::from(vec![false, false])).unwrap(),
            arrowfeed_select::interleave(&[array, array], &[]).unwrap(),
        ];
        for found in &empty {
            assert_eq!((found.data_type(), found.len(), values(found)), (array.data_type(), 0, 2));
            let nulls = arrowfeed_select::take(found, &UInt64Array::from(vec![None; 3])).unwrap();
            assert_eq!((nulls.null_count(), values(&nulls)), (3, 2));
        }
    }
}

/// Lists of 1.5 billion nulls, which take no memory, at different nesting depths.
fn long_lists() -> Vec<ArrayRef> {
    const ITEMS: usize = 1_500_000_000;
    let field = |data_type| Arc::new(Field::new("item", data_type, true));
    let nulls: ArrayRef = Arc::new(NullArray::new(ITEMS));
    let offsets = || OffsetBuffer::from_lengths([ITEMS]);
    let list: ArrayRef = Arc::new(ListArray::new(field(DataType::Null), offsets(), nulls.clone(), None));
    let fields = Fields::from(vec![Field::new("list", list.data_type().clone(), true)]);
    let inside: ArrayRef = Arc::new(StructArray::new(fields, vec![list.clone()], None));
    let outside: ArrayRef = Arc::new(ListArray::new(
        field(inside.data_type().clone()),
        OffsetBuffer::from_lengths([1]),
        inside.clone(),
        None,
    ));
    vec![list, inside, outside]
}

#[test]
fn more_items_than_offsets_reach_are_an_error() {
    let all = UInt64Array::from(vec![0, 0]);
    for list in long_lists() {
        let found = [
            arrowfeed_select::concat(&[&list, &list]),
            arrowfeed_select::take(&list, &all),
            arrowfeed_select::repeat(&list, 2),
            arrowfeed_select::interleave(&[&list, &list], &[(0, 0), (1, 0)]),
            arrowfeed_select::concat_slices(
                &[&list, &list],
                &[0, 1].map(|array| Slice { array, start: 0, len: 1 }),
            ),
        ];
        for found in found {
            assert!(found.is_err(), "{}", list.data_type());
        }
        let one = arrowfeed_select::concat(&[&list, &list.slice(0, 0)]).unwrap();
        assert_eq!(one.len(), 1);
        assert_eq!(arrowfeed_select::interleave(&[&list], &[(0, 0)]).unwrap().len(), 1);
    }
}

#[test]
fn mistakes_are_errors() {
    let (numbers, text) = (UInt64Array::from(vec![0]), StringArray::from(vec!["a"]));
    let message = |error: ArrowError| error.to_string();
    let list = ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>([Some(vec![Some(1)])]);
    let expected = "Invalid argument error: expected integers as indices, found Utf8";
    assert_eq!(message(arrowfeed_select::take(&list, &text).unwrap_err()), expected);
    assert!(arrowfeed_select::interleave(&[&list, &numbers], &[(0, 0)]).is_err());
    assert!(arrowfeed_select::interleave(&[], &[]).is_err());
    assert!(arrowfeed_select::concat(&[&list, &numbers]).is_err());
    let slices = [0, 1].map(|array| Slice { array, start: 0, len: 1 });
    assert!(arrowfeed_select::concat_slices(&[&list, &numbers], &slices).is_err());
    assert!(arrowfeed_select::concat_slices(&[&list], &[]).is_err());
    let short = BooleanArray::new(BooleanBuffer::new_set(2), None);
    assert!(arrowfeed_select::filter(&list, &short).is_err());
}
