//! Key expressions on layouts that JSON cannot express, and the memory that their tensors share with the batch.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeListArray, Int32Array, Int64Array, LargeListViewArray,
    ListViewArray, RecordBatch, StringArray, StructArray, TimestampSecondArray, UnionArray,
};
use arrow_schema::{Field, UnionFields};
use arrowfeed_tensor::feature::{Dense, Feature, FixedLenSequence, Ragged, RowDefault, VarLen};
use arrowfeed_tensor::{DefaultValue, ExpressionPlan, KeyExpression, SplitsDType, Tensor, TensorAdapter};
use serde_json::{Value, json};

use crate::support::{self, batch, int64, json as trees, lists, types};

fn selected(batch: &RecordBatch, key: &str) -> Value {
    let plan = ExpressionPlan::try_new(batch.schema(), &KeyExpression::parse(key).unwrap()).unwrap();
    support::nested::rows_of(&plan.evaluate(batch).unwrap())
}

fn tensor(batch: &RecordBatch, feature: Feature) -> Tensor {
    let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
    adapter.convert(batch).unwrap().into_iter().next().unwrap().1
}

fn explained(batch: &RecordBatch, feature: Feature) -> String {
    let adapter = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
    adapter.explain()[0].to_string()
}

fn ragged(key: &str, row_splits_dtype: SplitsDType) -> Feature {
    Feature::Ragged(Ragged { key: key.to_owned(), row_splits_dtype, ..Ragged::default() })
}

/// A column of lists with one struct each. The structs have the field `x`.
fn each_in_a_list(x: ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("x", x.data_type().clone(), true));
    let elements: ArrayRef = Arc::new(StructArray::from(vec![(field, x)]));
    let item = Arc::new(Field::new("item", elements.data_type().clone(), true));
    Arc::new(FixedSizeListArray::new(item, 1, elements, None))
}

#[test]
fn a_null_among_the_values_of_a_dictionary_is_a_null() {
    let values = Arc::new(StringArray::from(vec![Some("a"), None]));
    let keys = Int32Array::from(vec![Some(0), Some(1), None]);
    let dictionary: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, values));
    let batch = batch(vec![("l", each_in_a_list(dictionary))]);
    assert_eq!(selected(&batch, "l[x='a'].x"), json!([["a"], [], []]));
    assert_eq!(selected(&batch, "l[x=null].x"), json!([[], [null], [null]]));
    assert_eq!(selected(&batch, "l[x!='a'].x"), json!([[], [null], [null]]));
    assert_eq!(selected(&batch, "l[x=@l[0].x].x"), json!([["a"], [null], [null]]));
}

#[test]
fn a_dictionary_without_values_is_all_nulls() {
    let dictionary =
        DictionaryArray::<Int32Type>::new(Int32Array::new_null(2), Arc::new(StringArray::new_null(0)));
    let batch = batch(vec![("l", each_in_a_list(Arc::new(dictionary)))]);
    assert_eq!(selected(&batch, "l[x='a'].x"), json!([[], []]));
    assert_eq!(selected(&batch, "l[x=null].x"), json!([[null], [null]]));
}

#[test]
fn a_dictionary_may_stand_for_records() {
    let fields = types::fields("a: int32, l: list<int32>");
    let records = trees::batch(&fields, &[json!({"a": 1, "l": [1, 2]}), json!({"a": 2, "l": []})]);
    let keys = Int32Array::from(vec![Some(1), None, Some(0), Some(0)]);
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(StructArray::from(records))));
    let batch = batch(vec![("d", dictionary)]);
    assert_eq!(selected(&batch, "d.a"), json!([2, null, 1, 1]));
    assert_eq!(selected(&batch, "d.l[*]"), json!([[], [], [1, 2], [1, 2]]));
    assert_eq!(selected(&batch.slice(1, 2), "d.l[-1]"), json!([null, 2]));
}

#[test]
fn a_sparse_union_has_its_branches_side_by_side() {
    let fields: UnionFields =
        [(5, types::fields("int: int32")[0].clone()), (2, types::fields("text: utf8")[0].clone())]
            .into_iter()
            .collect();
    let children: Vec<ArrayRef> =
        vec![Arc::new(Int32Array::from(vec![1, 9, 3])), Arc::new(StringArray::from(vec!["x", "y", "z"]))];
    let union: ArrayRef =
        Arc::new(UnionArray::try_new(fields, vec![5, 2, 5].into(), None, children).unwrap());
    let batch = batch(vec![("u", union)]);
    assert_eq!(selected(&batch, "u:int"), json!([1, null, 3]));
    assert_eq!(selected(&batch.slice(1, 2), "u:text"), json!(["y", null]));
}

#[test]
fn views_may_share_elements_and_stand_in_any_order() {
    let item = Arc::new(Field::new("item", arrow_schema::DataType::Int64, true));
    let values = int64(&[1, 2, 3, 4]);
    let list: ArrayRef = Arc::new(ListViewArray::new(
        item.clone(),
        vec![2, 0, 1].into(),
        vec![2, 3, 0].into(),
        values.clone(),
        None,
    ));
    let large: ArrayRef =
        Arc::new(LargeListViewArray::new(item, vec![3, 0, 0].into(), vec![1, 1, 4].into(), values, None));
    let batch = batch(vec![("l", list), ("m", large)]);
    assert_eq!(selected(&batch, "l[*]"), json!([[3, 4], [1, 2, 3], []]));
    assert_eq!(selected(&batch, "l[-1]"), json!([4, 3, null]));
    assert_eq!(selected(&batch, "m[*]"), json!([[4], [1], [1, 2, 3, 4]]));
    assert_eq!(selected(&batch.slice(1, 2), "m[1]"), json!([null, 2]));
}

#[test]
fn times_are_compared_as_they_are_stored() {
    let times = |times: &[i64]| -> ArrayRef { Arc::new(TimestampSecondArray::from(times.to_vec())) };
    let batch = batch(vec![("l", each_in_a_list(times(&[1, 2, 3]))), ("t", times(&[1, 5, 3]))]);
    let count = |key: &str| {
        let plan = ExpressionPlan::try_new(batch.schema(), &KeyExpression::parse(key).unwrap()).unwrap();
        plan.evaluate(&batch).unwrap().row_splits()[0].iter().collect::<Vec<_>>()
    };
    assert_eq!(count("l[x=@t].x"), [0, 1, 1, 2]);
    assert_eq!(count("l[x!=2].x"), [0, 1, 1, 2]);
}

#[test]
fn floats_that_are_no_numbers_equal_nothing() {
    let floats: ArrayRef = Arc::new(arrow_array::Float64Array::from(vec![f64::NAN, 0.0, -0.0]));
    let batch = batch(vec![("l", each_in_a_list(floats.clone())), ("f", floats)]);
    let splits = |key: &str| {
        let plan = ExpressionPlan::try_new(batch.schema(), &KeyExpression::parse(key).unwrap()).unwrap();
        plan.evaluate(&batch).unwrap().row_splits()[0].iter().collect::<Vec<_>>()
    };
    assert_eq!(splits("l[x=@f].x"), [0, 0, 1, 2]);
    assert_eq!(splits("l[x!=@f].x"), [0, 1, 1, 1]);
    assert_eq!(splits("l[x=0].x"), [0, 0, 1, 2]);
}

/// The address of the values of a tensor.
fn address(values: &arrow_array::ArrayRef) -> *const u8 {
    values.to_data().buffers()[0].as_ptr()
}

#[test]
fn names_and_all_elements_share_the_values_and_the_splits() {
    let batch = batch(vec![("l", lists(&[Some(&[1, 2]), Some(&[3])])), ("x", int64(&[1, 2]))]);
    let list = arrow_array::cast::AsArray::as_list::<i32>(batch.column(0)).clone();
    let varlen = tensor(&batch, Feature::VarLen(VarLen { key: "l[*]".to_owned(), ..VarLen::default() }));
    assert_eq!(address(varlen.as_sparse().unwrap().values().array()), address(list.values()));
    let shared = tensor(&batch, ragged("l[*]", SplitsDType::Int32));
    let shared = shared.as_ragged().unwrap();
    assert_eq!(address(shared.flat_values().values().array()), address(list.values()));
    assert_eq!(shared.row_splits()[0].as_i32().unwrap().as_ptr(), list.offsets().as_ptr());
    let dense = Feature::Dense(Dense { key: "x".to_owned(), ..Dense::default() });
    assert_eq!(address(tensor(&batch, dense).as_dense().unwrap().values().array()), address(batch.column(1)));
}

#[test]
fn rows_of_the_shape_are_shared_and_others_are_filled() {
    let shared = batch(vec![("l", lists(&[Some(&[1, 2]), Some(&[3, 4])]))]);
    let dense = |key: &str| {
        let default = Some(RowDefault::Row {
            shape: vec![2],
            values: vec![DefaultValue::Int(8), DefaultValue::Int(9)],
        });
        Feature::Dense(Dense { key: key.to_owned(), shape: vec![2], default, ..Dense::default() })
    };
    let list = arrow_array::cast::AsArray::as_list::<i32>(shared.column(0)).clone();
    let found = tensor(&shared, dense("l[*]"));
    assert_eq!(address(found.as_dense().unwrap().values().array()), address(list.values()));
    let short = batch(vec![("l", lists(&[Some(&[1]), None]))]);
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![1, 9, 8, 9]));
    assert_eq!(tensor(&short, dense("l[*]")).as_dense().unwrap().values().array(), &expected);
}

#[test]
fn an_adapter_explains_what_it_shares() {
    let batch = batch(vec![("l", lists(&[Some(&[1, 2])])), ("x", int64(&[1]))]);
    assert_eq!(
        explained(&batch, ragged("l[*]", SplitsDType::Int32)),
        "t: ragged int64 [?, ?] (row splits int32)\n  values: shared; copied where a null list has stored values\n  row_splits: shared; copied where the lists' offsets are not int32"
    );
    assert_eq!(
        explained(&batch, Feature::VarLen(VarLen { key: "l[0]".to_owned(), ..VarLen::default() })),
        "t: sparse int64 [?, ?]\n  values: copied, they are picked out of their column\n  indices: computed, from the lengths of the lists"
    );
    let blocks = Ragged { key: "l[*]".to_owned(), inner_shape: vec![2], ..Ragged::default() };
    assert_eq!(
        explained(&batch, Feature::Ragged(blocks)),
        "t: ragged int64 [?, ?, 2] (row splits int64)\n  values: shared; copied where a null list has stored values\n  row_splits[0]: computed, the innermost lists are divided into blocks"
    );
    let default = Some(RowDefault::Scalar(DefaultValue::Int(0)));
    assert_eq!(
        explained(&batch, Feature::Dense(Dense { key: "x".to_owned(), default, ..Dense::default() })),
        "t: dense int64 [?]\n  values: shared; copied where values of a row are missing and filled"
    );
}

#[test]
fn a_padding_that_no_memory_holds_is_an_error() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"; 2]));
    let batch = batch(vec![("l", each_in_a_list(text))]);
    let default = Some(RowDefault::Scalar(DefaultValue::Bytes(b"x".to_vec())));
    let dense = Dense { key: "l[*].x".to_owned(), shape: vec![1 << 55], default, ..Dense::default() };
    let adapter = TensorAdapter::from_features(batch.schema(), [("t", Feature::Dense(dense))]).unwrap();
    let message = adapter.convert(&batch).unwrap_err().to_string();
    assert!(message.starts_with(r#"tensor "t", key "l[*].x": expected "#), "{message}");
    let sequence = FixedLenSequence { key: "l[*].x".to_owned(), ..FixedLenSequence::default() };
    assert_eq!(tensor(&batch, Feature::FixedLenSequence(sequence)).as_dense().unwrap().shape(), [2, 1]);
}
