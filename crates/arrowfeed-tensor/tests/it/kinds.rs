//! The result of each kind of representation on plain columns.

use std::sync::Arc;

use arrow_array::types::{Float32Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, FixedSizeListArray, Float32Array, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use arrowfeed_tensor::{DefaultValue, Dense, Partition, Representation, Sparse, SplitsDType, Tensor};

use crate::support::*;

fn dense_numbers(tensor: &Tensor) -> (Vec<usize>, Vec<i64>) {
    let tensor = tensor.as_dense().expect("a dense tensor");
    (tensor.shape().to_vec(), numbers::<Int64Type>(tensor.values()))
}

#[test]
fn dense_takes_equal_lists_and_fills_missing_rows() {
    let column = batch(vec![("x", lists(&[Some(&[1, 2]), None, Some(&[3, 4])]))]);
    let plain = Representation::Dense(dense("x", &[2]));
    assert_eq!(
        refused(&column, &plain),
        r#"tensor "t", column "x", row 1: expected 2 values, found null: give the tensor a `default`, which fills nulls"#
    );
    let filled = Representation::Dense(Dense { default: Some(DefaultValue::Int(-1)), ..dense("x", &[2]) });
    assert_eq!(dense_numbers(&convert(&column, &filled).unwrap()), (vec![3, 2], vec![1, 2, -1, -1, 3, 4]));
}

#[test]
fn padding_fills_short_and_empty_rows() {
    let column = batch(vec![("x", lists(&[Some(&[1]), Some(&[]), None, Some(&[2, 3])]))]);
    let filled = Dense { default: Some(DefaultValue::Int(0)), ..dense("x", &[2]) };
    let message = refused(&column, &Representation::Dense(filled.clone()));
    assert_eq!(message, r#"tensor "t", column "x", row 0: expected 2 values, found 1"#);
    let padded = Representation::Dense(Dense { pad: true, ..filled });
    let found = dense_numbers(&convert(&column, &padded).unwrap());
    assert_eq!(found, (vec![4, 2], vec![1, 0, 0, 0, 0, 0, 2, 3]));
    let too_long = batch(vec![("x", lists(&[Some(&[1]), Some(&[1, 2, 3])]))]);
    let message = refused(&too_long, &padded);
    assert_eq!(message, r#"tensor "t", column "x", row 1: expected 2 values, found 3"#);
}

#[test]
fn dense_takes_nested_lists_and_fixed_size_lists() {
    let inner = lists(&[Some(&[1, 2]), Some(&[3, 4]), Some(&[5, 6]), Some(&[7, 8])]);
    let field = Arc::new(Field::new("item", inner.data_type().clone(), true));
    let nested = ListArray::new(field.clone(), OffsetBuffer::new(vec![0, 2, 4].into()), inner.clone(), None);
    let fixed = FixedSizeListArray::new(field, 2, inner, None);
    for column in [Arc::new(nested) as ArrayRef, Arc::new(fixed)] {
        let column = batch(vec![("x", column)]);
        let tensor = convert(&column, &Representation::Dense(dense("x", &[2, 2]))).unwrap();
        assert_eq!(dense_numbers(&tensor), (vec![2, 2, 2], vec![1, 2, 3, 4, 5, 6, 7, 8]));
        let message = refused_or_unfit(&column, &[2, 3]);
        assert!(message.starts_with(r#"tensor "t", column "x""#), "{message}");
    }
}

fn refused_or_unfit(column: &arrow_array::RecordBatch, shape: &[usize]) -> String {
    let representation = Representation::Dense(dense("x", shape));
    match adapter(column, &representation) {
        Err(error) => error.to_string(),
        Ok(adapter) => adapter.convert(column).unwrap_err().to_string(),
    }
}

#[test]
fn dense_takes_plain_columns_and_struct_paths() {
    let b: ArrayRef = int64(&[1, 2, 3]);
    let fields = Fields::from(vec![Field::new("b", DataType::Int64, true)]);
    let a = StructArray::new(fields, vec![b], Some(NullBuffer::from(vec![true, false, true])));
    let column = batch(vec![("a", Arc::new(a)), ("p", int64(&[7, 8, 9]))]);
    let plain = convert(&column, &Representation::Dense(dense("p", &[]))).unwrap();
    assert_eq!(dense_numbers(&plain), (vec![3], vec![7, 8, 9]));
    let path = Dense { default: Some(DefaultValue::Int(0)), ..dense("a.b", &[1]) };
    let path = convert(&column, &Representation::Dense(path)).unwrap();
    assert_eq!(dense_numbers(&path), (vec![3, 1], vec![1, 0, 3]));
    let message = refused(&column, &Representation::Dense(dense("a.b", &[])));
    assert_eq!(
        message,
        r#"tensor "t", column "a.b", row 1: expected 1 value, found null: give the tensor a `default`, which fills nulls"#
    );
}

#[test]
fn varlen_sparse_has_a_dimension_for_each_list() {
    let inner = lists(&[Some(&[1, 2]), None, Some(&[3])]);
    let field = Arc::new(Field::new("item", inner.data_type().clone(), true));
    let nested = ListArray::new(field, OffsetBuffer::new(vec![0, 2, 2, 3].into()), inner, None);
    let column = batch(vec![("x", Arc::new(nested)), ("y", lists(&[Some(&[5]), None, Some(&[6, 7])]))]);
    let rank3 = convert(&column, &varlen("x")).unwrap();
    let rank3 = rank3.as_sparse().unwrap();
    assert_eq!(rank3.indices()[..], [0, 0, 0, 0, 0, 1, 2, 0, 0]);
    assert_eq!(rank3.dense_shape(), [3, 2, 2]);
    assert_eq!(numbers::<Int64Type>(rank3.values()), [1, 2, 3]);
    let rank2 = convert(&column, &varlen("y")).unwrap();
    let rank2 = rank2.as_sparse().unwrap();
    assert_eq!((rank2.dense_shape(), &rank2.indices()[..]), (&[3, 2][..], &[0, 0, 2, 0, 2, 1][..]));
}

#[test]
fn sparse_is_bounded_sorted_and_may_take_its_size_from_the_batch() {
    let values = Arc::new(Float32Array::from(vec![0.5, 1.5, 2.5]));
    let field = Arc::new(Field::new("item", DataType::Float32, true));
    let values = ListArray::new(field, OffsetBuffer::new(vec![0, 2, 2, 3].into()), values, None);
    let index = lists(&[Some(&[4, 1]), None, Some(&[2])]);
    let column = batch(vec![("v", Arc::new(values)), ("i", index)]);
    let tensor = convert(&column, &Representation::Sparse(sparse(&["i"], "v", &[None]))).unwrap();
    let tensor = tensor.as_sparse().unwrap();
    assert_eq!((&tensor.indices()[..], tensor.dense_shape()), (&[0, 1, 0, 4, 2, 2][..], &[3, 5][..]));
    assert_eq!(numbers::<Float32Type>(tensor.values()), [1.5, 0.5, 2.5]);
    let as_stored = Sparse { already_sorted: true, ..sparse(&["i"], "v", &[Some(5)]) };
    let as_stored = convert(&column, &Representation::Sparse(as_stored)).unwrap();
    assert_eq!(as_stored.as_sparse().unwrap().indices()[..], [0, 4, 0, 1, 2, 2]);
    let message = refused(&column, &Representation::Sparse(sparse(&["i"], "v", &[Some(4)])));
    assert_eq!(message, r#"tensor "t", column "i", row 0: expected an index of 0 or more, below 4, found 4"#);
}

#[test]
fn ragged_is_divided_by_partitions() {
    let values = lists(&[Some(&[1, 2, 3, 4, 5, 6]), None, Some(&[7, 8])]);
    let lengths = lists(&[Some(&[1, 2]), Some(&[]), Some(&[1])]);
    let column = batch(vec![("v", values), ("n", lengths)]);
    let partitions = vec![Partition::RowLength("n".to_owned()), Partition::Uniform(2)];
    let tensor = convert(&column, &ragged(&["v"], partitions)).unwrap();
    assert_eq!(splits(&tensor), [vec![0, 2, 2, 3], vec![0, 1, 3, 4]]);
    let flat = tensor.as_ragged().unwrap().flat_values();
    assert_eq!(
        (flat.shape(), numbers::<Int64Type>(flat.values())),
        (&[4, 2][..], vec![1, 2, 3, 4, 5, 6, 7, 8])
    );
    let message = refused(&column, &ragged(&["v"], vec![Partition::RowLength("n".to_owned())]));
    let expected = r#"tensor "t", column "n", row 0: expected row lengths with the sum 6, found 3"#;
    assert_eq!(message, expected);
    let uneven = refused(&column, &ragged(&["v"], vec![Partition::Uniform(4)]));
    assert_eq!(uneven, r#"tensor "t", column "v", row 0: expected a multiple of 4 values, found 6"#);
}

#[test]
fn varlen_ragged_takes_lists_as_they_are_and_fixed_sizes_as_inner_dimensions() {
    let pairs = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
        [Some(vec![Some(1), Some(2)]), Some(vec![Some(3), Some(4)])],
        2,
    );
    let field = Arc::new(Field::new("item", pairs.data_type().clone(), true));
    let column = ListArray::new(field, OffsetBuffer::new(vec![0, 0, 2].into()), Arc::new(pairs), None);
    let column = batch(vec![("x", Arc::new(column))]);
    let tensor = convert(&column, &varlen_ragged("x", SplitsDType::Int32)).unwrap();
    assert_eq!(splits(&tensor), [vec![0, 0, 2]]);
    assert_eq!(tensor.as_ragged().unwrap().flat_values().shape(), [2, 2]);
}

#[test]
fn structured_keeps_the_nesting_and_shares_row_splits() {
    let tags = lists(&[Some(&[1]), None, Some(&[2, 3])]);
    let fields = Fields::from(vec![
        Field::new("id", DataType::Int64, true),
        Field::new("tags", tags.data_type().clone(), true),
    ]);
    let friends = StructArray::new(fields, vec![int64(&[10, 20, 30]), tags], None);
    let field = Arc::new(Field::new("item", friends.data_type().clone(), true));
    let friends = ListArray::new(field, OffsetBuffer::new(vec![0, 2, 3].into()), Arc::new(friends), None);
    let column = batch(vec![("friends", Arc::new(friends)), ("age", int64(&[5, 6]))]);
    let tensor = convert(&column, &structured(&["friends", "age"])).unwrap();
    let tensor = tensor.as_structured().unwrap();
    assert_eq!(dense_numbers(tensor.field("age").unwrap()), (vec![2], vec![5, 6]));
    let friends = tensor.field("friends").unwrap();
    assert_eq!(splits(friends), [vec![0, 2, 3]]);
    let (id, tags) =
        friends.as_structured().map(|it| (it.field("id").unwrap(), it.field("tags").unwrap())).unwrap();
    assert_eq!((splits(id), splits(tags)), (vec![vec![0, 2, 3]], vec![vec![0, 2, 3], vec![0, 1, 1, 3]]));
    let address = |tensor: &Tensor| tensor.row_splits()[0].as_i64().unwrap().inner().as_ptr();
    assert_eq!((address(id), address(tags)), (address(friends), address(friends)));
}

#[test]
fn sparse_tensors_are_of_any_rank() {
    let (last, zero) = (lists(&[Some(&[2, 1]), Some(&[0])]), lists(&[Some(&[0, 0]), Some(&[0])]));
    let values = lists(&[Some(&[7, 8]), Some(&[9])]);
    let column = batch(vec![("v", values), ("0", zero), ("last", last)]);
    let names = ["0", "0", "0", "0", "last"];
    for rank in 1..=5 {
        let indices = &names[5 - rank..];
        let tensor =
            convert(&column, &Representation::Sparse(sparse(indices, "v", &vec![None; rank]))).unwrap();
        let tensor = tensor.as_sparse().unwrap();
        assert_eq!(numbers::<Int64Type>(tensor.values()), [8, 7, 9]);
        let of_last: Vec<i64> = tensor.indices().chunks(rank + 1).map(|entry| entry[rank]).collect();
        assert_eq!((of_last, tensor.dense_shape()[rank]), (vec![1, 2, 0], 3));
    }
    let rows_only = convert(&column, &Representation::Sparse(sparse(&[], "v", &[]))).unwrap();
    let rows_only = rows_only.as_sparse().unwrap();
    assert_eq!((&rows_only.indices()[..], rows_only.dense_shape()), (&[0, 0, 1][..], &[2][..]));
}

#[test]
fn maps_are_lists_of_keys_and_values() {
    use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    builder.keys().append_value("a");
    builder.values().append_value(1);
    builder.append(true).unwrap();
    builder.append(false).unwrap();
    let column = batch(vec![("m", Arc::new(builder.finish()))]);
    let tensor = convert(&column, &varlen_ragged("m.values", SplitsDType::Int32)).unwrap();
    assert_eq!(splits(&tensor), [vec![0, 1, 1]]);
    assert_eq!(numbers::<Int64Type>(tensor.as_ragged().unwrap().flat_values().values()), [1]);
}

#[test]
fn a_null_struct_in_a_list_is_a_null_value_of_each_field() {
    let fields = Fields::from(vec![Field::new("x", DataType::Int64, true)]);
    let structs = StructArray::new(fields, vec![int64(&[1, 2])], Some(NullBuffer::from(vec![true, false])));
    let field = Arc::new(Field::new("item", structs.data_type().clone(), true));
    let list = ListArray::new(field, OffsetBuffer::new(vec![0, 0, 2].into()), Arc::new(structs), None);
    let column = batch(vec![("l", Arc::new(list))]);
    let expected = r#"tensor "t", column "l.x", row 1: expected values without nulls, found a null"#;
    assert_eq!(refused(&column, &varlen_ragged("l.x", SplitsDType::Int64)), expected);
    assert_eq!(refused(&column, &structured(&["l"])), expected);
}

#[test]
fn structured_takes_fields_by_path_and_columns_without_lists() {
    let fields =
        Fields::from(vec![Field::new("x", DataType::Int64, true), Field::new("y", DataType::Int64, true)]);
    let user = StructArray::new(fields, vec![int64(&[1, 2]), int64(&[3, 4])], None);
    let pairs = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
        [Some(vec![Some(1), Some(2)]), Some(vec![Some(3), Some(4)])],
        2,
    );
    let column = batch(vec![("user", Arc::new(user)), ("pair", Arc::new(pairs))]);
    let representation = structured(&["user.y", "pair"]);
    let spec = &adapter(&column, &representation).unwrap().specs()[0].1.to_string();
    assert_eq!(spec, "structured [?] {user: structured [?] {y: dense int64 [?]}, pair: dense int32 [?, 2]}");
    let tensor = convert(&column, &representation).unwrap();
    let user = tensor.as_structured().unwrap().field("user").and_then(Tensor::as_structured).unwrap();
    assert_eq!(user.fields().len(), 1);
    assert_eq!(dense_numbers(user.field("y").unwrap()), (vec![2], vec![3, 4]));
}

#[test]
fn a_dictionary_that_stands_for_too_much_is_an_error() {
    let keys = arrow_array::Int8Array::from(vec![0; 2100]);
    let long = arrow_array::StringArray::from(vec!["x".repeat(1 << 20)]);
    let dictionary = arrow_array::DictionaryArray::new(keys, Arc::new(long));
    let column = batch(vec![("x", Arc::new(dictionary))]);
    let representation = Representation::Dense(dense("x", &[]));
    let message = refused(&column, &representation);
    let expected = "at most 536870912 bytes of copied values (the limit batch_bytes)";
    let found = "more: convert fewer rows at a time";
    assert_eq!(message, format!(r#"tensor "t", column "x": expected {expected}, found {found}"#));
    // Without this limit, the width of 32-bit offsets is the limit.
    let options = arrowfeed_tensor::AdapterOptions {
        batch_bytes: usize::MAX,
        ..arrowfeed_tensor::AdapterOptions::default()
    };
    let adapter =
        arrowfeed_tensor::TensorAdapter::with_options(column.schema(), [("t", representation)], options);
    let message = adapter.unwrap().convert(&column).unwrap_err().to_string();
    let expected = r#"tensor "t", column "x": expected values that fit in one array, found 2100 values: "#;
    assert!(message.starts_with(expected), "{message}");
}
