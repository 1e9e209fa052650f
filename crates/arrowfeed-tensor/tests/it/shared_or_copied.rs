//! Tests of each row of the table in `docs/tensors.md`: they compare pointers to find the origin of a tensor's memory.
//!
//! `explain()` must report the same origin.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Int8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, LargeListArray, ListArray,
    ListViewArray, RecordBatch, StringArray, StructArray, TimestampSecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields};
use arrowfeed_tensor::{
    DefaultValue, Dense, Partition, Representation, RowSplits, Sharing, Sparse, SplitsDType, Tensor,
    TensorAdapter, Values,
};

use crate::support;
use crate::support::*;

/// Whether the buffer begins inside the memory of the batch.
fn is_inside(batch: &RecordBatch, start: *const u8) -> bool {
    fn memory(data: &arrow_data::ArrayData, out: &mut Vec<Range<*const u8>>) {
        out.extend(
            data.buffers()
                .iter()
                .map(|buffer| buffer.data_ptr().as_ptr().cast_const()..buffer.as_slice().as_ptr_range().end),
        );
        data.child_data().iter().for_each(|child| memory(child, out));
    }
    let mut held = Vec::new();
    batch.columns().iter().for_each(|column| memory(&column.to_data(), &mut held));
    held.iter().any(|range| range.contains(&start))
}

fn values_of(tensor: &Tensor) -> &Values {
    match tensor {
        Tensor::Dense(tensor) => tensor.values(),
        Tensor::Sparse(tensor) => tensor.values(),
        Tensor::Ragged(tensor) => tensor.flat_values().values(),
        Tensor::Structured(tensor) => values_of(&tensor.fields()[0].1),
    }
}

fn splits_start(splits: &RowSplits) -> *const u8 {
    match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => splits.inner().as_ptr(),
        (_, Some(splits)) => splits.inner().as_ptr(),
        _ => unreachable!("splits have one of two widths"),
    }
}

/// Whether values and row splits are in the batch's memory.
fn shared(batch: &RecordBatch, representation: &Representation) -> (bool, Vec<bool>) {
    let tensor = convert(batch, representation).unwrap();
    let data = values_of(&tensor).array().to_data();
    // The first buffer of strings has the offsets; the last one has the bytes.
    let start = data.buffers().last().unwrap().as_ptr();
    let splits = tensor.row_splits().iter().map(|splits| is_inside(batch, splits_start(splits)));
    (is_inside(batch, start), splits.collect())
}

/// The sharing that `explain` reports for the part, without its conditions for some batches.
fn explained(batch: &RecordBatch, representation: &Representation, part: &str) -> Sharing {
    let adapter = TensorAdapter::try_new(batch.schema(), [("t", representation)]).unwrap();
    let explanation = adapter.explain().into_iter().next().unwrap();
    explanation.parts.into_iter().find(|it| it.part == part).unwrap().sharing
}

fn values_are(expected: bool, column: ArrayRef, representation: &Representation) {
    let batch = batch(vec![("x", column)]);
    assert_eq!(shared(&batch, representation).0, expected);
    let explained = explained(&batch, representation, "values");
    assert!(!expected || explained == Sharing::Shared);
}

fn floats(n: usize) -> ArrayRef {
    Arc::new(arrow_array::Float32Array::from_iter_values((0..n).map(|i| i as f32)))
}

fn list_of(values: ArrayRef, offsets: Vec<i32>, nulls: Option<Vec<bool>>) -> ListArray {
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    ListArray::new(field, OffsetBuffer::new(offsets.into()), values, nulls.map(NullBuffer::from))
}

fn large_list_of(values: ArrayRef, offsets: Vec<i64>) -> LargeListArray {
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    LargeListArray::new(field, OffsetBuffer::new(offsets.into()), values, None)
}

fn of_size(values: ArrayRef, size: i32) -> ArrayRef {
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    Arc::new(FixedSizeListArray::new(field, size, values, None))
}

fn dense_x(shape: &[usize]) -> Representation {
    Representation::Dense(dense("x", shape))
}

fn filled_x(shape: &[usize], pad: bool) -> Representation {
    Representation::Dense(Dense { default: Some(DefaultValue::Float(0.0)), pad, ..dense("x", shape) })
}

#[test]
fn dense_shares_plain_columns_and_lists_that_have_the_shape() {
    values_are(true, floats(4), &dense_x(&[]));
    values_are(true, of_size(floats(4), 2), &dense_x(&[2]));
    values_are(true, of_size(of_size(floats(8), 2), 2), &dense_x(&[2, 2]));
    values_are(true, Arc::new(list_of(floats(4), vec![0, 2, 4], None)), &dense_x(&[2]));
    values_are(true, Arc::new(large_list_of(floats(4), vec![0, 2, 4])), &dense_x(&[2]));
    let inner: ArrayRef = Arc::new(list_of(floats(4), vec![0, 1, 2, 3, 4], None));
    values_are(true, Arc::new(list_of(inner, vec![0, 2, 4], None)), &dense_x(&[2, 1]));
}

#[test]
fn dense_shares_slices() {
    let batch = batch(vec![("x", of_size(floats(8), 2))]).slice(1, 2);
    assert!(shared(&batch, &dense_x(&[2])).0);
    let lists: ArrayRef = Arc::new(list_of(floats(8), vec![0, 2, 4, 6, 8], None));
    let batch = support::batch(vec![("x", lists)]).slice(2, 2);
    assert!(shared(&batch, &dense_x(&[2])).0);
}

#[test]
fn dense_with_a_default_shares_unless_it_is_needed() {
    let full: ArrayRef = Arc::new(list_of(floats(4), vec![0, 2, 4], None));
    values_are(true, full.clone(), &filled_x(&[2], false));
    values_are(true, full, &filled_x(&[2], true));
    let null = list_of(floats(4), vec![0, 2, 2, 4], Some(vec![true, false, true]));
    values_are(false, Arc::new(null), &filled_x(&[2], false));
    let short = list_of(floats(3), vec![0, 2, 3], None);
    values_are(false, Arc::new(short), &filled_x(&[2], true));
}

#[test]
fn values_of_every_type_are_shared_but_those_of_dictionaries() {
    let strings: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    values_are(true, strings, &dense_x(&[]));
    values_are(true, Arc::new(BooleanArray::from(vec![true, false])), &dense_x(&[]));
    values_are(true, Arc::new(TimestampSecondArray::from(vec![1, 2])), &dense_x(&[]));
    let dictionary: DictionaryArray<Int8Type> = ["a", "b", "a"].into_iter().collect();
    let batch = batch(vec![("x", Arc::new(dictionary))]);
    assert_eq!(explained(&batch, &dense_x(&[]), "values"), Sharing::Copied);
    let tensor = convert(&batch, &dense_x(&[])).unwrap();
    let data = values_of(&tensor).array().to_data();
    assert!(!is_inside(&batch, data.buffers()[1].as_ptr()));
}

#[test]
fn varlen_sparse_shares_values_unless_a_null_hides_some() {
    values_are(true, Arc::new(list_of(floats(4), vec![0, 1, 4], None)), &varlen("x"));
    values_are(true, of_size(floats(4), 2), &varlen("x"));
    let null_and_empty = list_of(floats(4), vec![0, 1, 1, 4], Some(vec![true, false, true]));
    values_are(true, Arc::new(null_and_empty), &varlen("x"));
    let null_over_values = list_of(floats(4), vec![0, 1, 3, 4], Some(vec![true, false, true]));
    values_are(false, Arc::new(null_over_values), &varlen("x"));
    let inner: ArrayRef = Arc::new(list_of(floats(4), vec![0, 1, 4], None));
    values_are(true, Arc::new(list_of(inner, vec![0, 2], None)), &varlen("x"));
}

#[test]
fn views_are_shared_where_they_are_in_order() {
    let field = Arc::new(Field::new("item", arrow_schema::DataType::Float32, true));
    let view = |offsets: Vec<i32>| {
        ListViewArray::new(field.clone(), offsets.into(), vec![2, 2].into(), floats(4), None)
    };
    values_are(true, Arc::new(view(vec![0, 2])), &varlen("x"));
    values_are(false, Arc::new(view(vec![2, 0])), &varlen("x"));
}

/// The lines of `explain`, without that of the tensor.
fn lines(batch: &RecordBatch, representation: &Representation) -> Vec<String> {
    let adapter = TensorAdapter::try_new(batch.schema(), [("t", representation)]).unwrap();
    adapter.explain().into_iter().next().unwrap().parts.iter().map(ToString::to_string).collect()
}

const HIDDEN: &str = "a null list has stored values";
const VIEWS: &str = "list views are not in order, overlap or leave gaps";
const LATER: &str = "the batch is a slice that begins later";

#[test]
fn views_that_overlap_or_leave_gaps_are_copied() {
    let field = Arc::new(Field::new("item", arrow_schema::DataType::Float32, true));
    let view = |offsets: Vec<i32>| {
        let view = ListViewArray::new(field.clone(), offsets.into(), vec![2, 2].into(), floats(6), None);
        batch(vec![("x", Arc::new(view) as ArrayRef)])
    };
    let wide = varlen_ragged("x", SplitsDType::Int64);
    for representation in [varlen("x"), wide.clone(), dense_x(&[2]), structured(&["x"])] {
        for (offsets, expected) in
            [(vec![1, 3], true), (vec![0, 1], false), (vec![0, 4], false), (vec![2, 0], false)]
        {
            assert_eq!(shared(&view(offsets), &representation).0, expected);
        }
    }
    let batch = view(vec![0, 2]);
    let unless = format!("copied where {HIDDEN}, or {VIEWS}");
    let computed = "row_splits: computed, the lists have no offsets";
    assert_eq!(lines(&batch, &wide), [format!("values: shared; {unless}"), computed.to_owned()]);
    assert_eq!(lines(&batch, &dense_x(&[2])), [format!("values: shared; copied where {VIEWS}")]);
    assert_eq!(
        lines(&batch, &structured(&["x"])),
        [format!("x {computed}"), format!("x values: shared; {unless}")]
    );
}

#[test]
fn row_splits_inside_of_views_are_copied_with_them() {
    let inner: ArrayRef = Arc::new(large_list_of(floats(4), vec![0, 1, 2, 3, 4]));
    let field = Arc::new(Field::new("item", inner.data_type().clone(), true));
    let view = |offsets: Vec<i32>| {
        let view = ListViewArray::new(field.clone(), offsets.into(), vec![2, 2].into(), inner.clone(), None);
        batch(vec![("x", Arc::new(view) as ArrayRef)])
    };
    let wide = varlen_ragged("x", SplitsDType::Int64);
    assert_eq!(shared(&view(vec![0, 2]), &wide), (true, vec![false, true]));
    assert_eq!(shared(&view(vec![2, 0]), &wide), (false, vec![false, false]));
    let expected = [
        format!("values: shared; copied where {HIDDEN}, or {VIEWS}"),
        "row_splits[0]: computed, the lists have no offsets".to_owned(),
        format!("row_splits[1]: shared; copied where {LATER}, or {HIDDEN}, or {VIEWS}"),
    ];
    assert_eq!(lines(&view(vec![0, 2]), &wide), expected);
}

#[test]
fn only_lists_of_the_requested_width_share_row_splits() {
    let inner: ArrayRef = Arc::new(large_list_of(floats(4), vec![0, 1, 4]));
    let batch = batch(vec![("x", Arc::new(list_of(inner, vec![0, 1, 2], None)) as ArrayRef)]);
    let (narrow, wide) = (varlen_ragged("x", SplitsDType::Int32), varlen_ragged("x", SplitsDType::Int64));
    assert_eq!(shared(&batch, &narrow), (true, vec![true, false]));
    assert_eq!(shared(&batch, &wide), (true, vec![false, true]));
    let values = format!("values: shared; copied where {HIDDEN}");
    let later = format!("shared; copied where {LATER}, or {HIDDEN}");
    let other = |own, wanted| format!("copied, the offsets of the lists are {own}, {wanted} is requested");
    let expected = |outer: &str, inner: &str| {
        [values.clone(), format!("row_splits[0]: {outer}"), format!("row_splits[1]: {inner}")]
    };
    assert_eq!(lines(&batch, &narrow), expected(&later, &other("int64", "int32")));
    assert_eq!(lines(&batch, &wide), expected(&other("int32", "int64"), &later));
}

#[test]
fn a_null_list_over_stored_values_computes_row_splits() {
    let over = |nulls: Option<Vec<bool>>| {
        let inner: ArrayRef = Arc::new(list_of(floats(4), vec![0, 1, 3, 4], None));
        batch(vec![("x", Arc::new(list_of(inner, vec![0, 1, 2, 3], nulls)) as ArrayRef)])
    };
    let narrow = varlen_ragged("x", SplitsDType::Int32);
    assert_eq!(shared(&over(None), &narrow), (true, vec![true, true]));
    assert_eq!(shared(&over(Some(vec![true, false, true])), &narrow), (false, vec![false, false]));
    let expected = [
        format!("values: shared; copied where {HIDDEN}"),
        format!("row_splits: shared; copied where {LATER}, or {HIDDEN}"),
    ];
    assert_eq!(lines(&over(None), &narrow), expected);
}

#[test]
fn partitions_leave_the_row_splits_of_outer_lists() {
    let inner: ArrayRef = Arc::new(large_list_of(floats(4), vec![0, 2, 4]));
    let batch = batch(vec![("x", Arc::new(large_list_of(inner, vec![0, 1, 2])) as ArrayRef)]);
    let halved = ragged(&["x"], vec![Partition::Uniform(2)]);
    assert_eq!(shared(&batch, &halved), (true, vec![true, false]));
    let expected = [
        format!("values: shared; copied where {HIDDEN}"),
        format!("row_splits[..1]: shared; copied where {LATER}, or {HIDDEN}"),
        "row_splits[1..]: computed, partitions divide the innermost lists".to_owned(),
    ];
    assert_eq!(lines(&batch, &halved), expected);
}

#[test]
fn sparse_shares_values_that_are_sorted() {
    let sorted = |indices: &[i64]| {
        let values: ArrayRef = Arc::new(list_of(floats(2), vec![0, 2], None));
        batch(vec![("v", values), ("i", lists(&[Some(indices)]))])
    };
    let representation = Representation::Sparse(sparse(&["i"], "v", &[None]));
    assert!(shared(&sorted(&[3, 4]), &representation).0);
    assert!(!shared(&sorted(&[4, 3]), &representation).0);
    let as_stored = Representation::Sparse(Sparse { already_sorted: true, ..sparse(&["i"], "v", &[None]) });
    assert!(shared(&sorted(&[4, 3]), &as_stored).0);
    assert_eq!(explained(&sorted(&[3, 4]), &representation, "indices"), Sharing::Copied);
}

#[test]
fn ragged_shares_offsets_of_the_wanted_width() {
    let lists = batch(vec![("x", Arc::new(list_of(floats(4), vec![0, 1, 4], None)))]);
    let large = batch(vec![("x", Arc::new(large_list_of(floats(4), vec![0, 1, 4])))]);
    let (narrow, wide) = (varlen_ragged("x", SplitsDType::Int32), varlen_ragged("x", SplitsDType::Int64));
    assert_eq!(shared(&lists, &narrow), (true, vec![true]));
    assert_eq!(shared(&lists, &wide), (true, vec![false]));
    assert_eq!(shared(&large, &wide), (true, vec![true]));
    assert_eq!(shared(&large, &narrow), (true, vec![false]));
    assert_eq!(explained(&lists, &narrow, "row_splits"), Sharing::Shared);
    assert_eq!(explained(&lists, &wide, "row_splits"), Sharing::Copied);
    assert_eq!(shared(&large, &ragged(&["x"], Vec::new())), (true, vec![true]));
}

#[test]
fn ragged_slices_share_values_and_rebase_offsets_that_begin_later() {
    let large = batch(vec![("x", Arc::new(large_list_of(floats(4), vec![0, 1, 3, 4])))]);
    let wide = varlen_ragged("x", SplitsDType::Int64);
    assert_eq!(shared(&large.slice(0, 2), &wide), (true, vec![true]));
    assert_eq!(shared(&large.slice(1, 2), &wide), (true, vec![false]));
}

#[test]
fn partitions_share_values() {
    let large = batch(vec![("x", Arc::new(large_list_of(floats(4), vec![0, 2, 4])))]);
    let partitions = ragged(&["x"], vec![Partition::Uniform(2)]);
    assert_eq!(shared(&large, &partitions), (true, vec![false]));
    assert_eq!(explained(&large, &partitions, "row_splits"), Sharing::Computed);
}

#[test]
fn structs_are_shared_field_by_field() {
    let fields = Fields::from(vec![Field::new("y", arrow_schema::DataType::Float32, true)]);
    let structs: ArrayRef = Arc::new(StructArray::new(fields, vec![floats(4)], None));
    let batch = batch(vec![("x", Arc::new(large_list_of(structs, vec![0, 1, 4])))]);
    let tensor = convert(&batch, &structured(&["x"])).unwrap();
    let friends = &tensor.as_structured().unwrap().fields()[0].1;
    let data = values_of(friends).array().to_data();
    assert!(is_inside(&batch, data.buffers()[0].as_ptr()));
    assert!(is_inside(&batch, splits_start(&friends.row_splits()[0])));
    assert_eq!(explained(&batch, &structured(&["x"]), "x.y values"), Sharing::Shared);
    assert_eq!(explained(&batch, &structured(&["x"]), "x row_splits"), Sharing::Shared);
}

#[test]
fn nulls_that_are_filled_make_a_copy() {
    let rows = [Some(vec![Some(1.0), None]), Some(vec![Some(2.0)])];
    let column: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows));
    let batch = batch(vec![("x", column)]);
    let options = arrowfeed_tensor::AdapterOptions {
        inner_nulls: arrowfeed_tensor::InnerNulls::Fill,
        ..Default::default()
    };
    let representation = varlen("x");
    let adapter = TensorAdapter::with_options(batch.schema(), [("t", &representation)], options).unwrap();
    let tensor = adapter.convert(&batch).unwrap().into_iter().next().unwrap().1;
    assert!(!is_inside(&batch, values_of(&tensor).buffer().unwrap().as_ptr()));
    let expected = "t: sparse float32 [?, ?]\n  values: shared; copied where a null list has stored values, or a \
                    null among them is filled\n  indices: computed, from the lengths of the lists";
    assert_eq!(adapter.explain()[0].to_string(), expected);
}
