//! Defects of tfx_bsl's adapter. Each test shows the right answer or an error. The numbers are those of the study of the
//! adapter.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, ListArray, StringViewArray,
    TimestampMillisecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use arrowfeed_tensor::{
    AdapterOptions, DType, DefaultValue, Dense, InnerNulls, Partition, Representation, SplitsDType,
    TensorAdapter,
};

use crate::support::*;

/// 3: tfx_bsl checks the total number of values, not that of each row.
#[test]
fn a_long_row_does_not_make_up_for_a_missing_one() {
    let column = batch(vec![("x", lists(&[Some(&[1, 2]), None]))]);
    let message = refused(&column, &Representation::Dense(dense("x", &[])));
    assert_eq!(message, r#"tensor "t", column "x", row 0: expected 1 value, found 2"#);
}

/// 4: nulls turn integers into floats, and become `None` among bytes.
#[test]
fn inner_nulls_are_errors_or_filled_and_never_change_the_type() {
    let column = batch(vec![("x", lists_with_nulls(&[Some(&[Some(1), Some(2)]), Some(&[None, Some(4)])]))]);
    let plain = Representation::Dense(dense("x", &[2]));
    let expected = r#"tensor "t", column "x", row 1: expected values without nulls, found a null"#;
    assert_eq!(refused(&column, &plain), expected);
    assert_eq!(refused(&column, &varlen("x")), expected);
    assert_eq!(refused(&column, &varlen_ragged("x", SplitsDType::Int64)), expected);
    let options = AdapterOptions { inner_nulls: InnerNulls::Fill, ..AdapterOptions::default() };
    let filled = Representation::Dense(Dense { default: Some(DefaultValue::Int(-1)), ..dense("x", &[2]) });
    let all = [("default", &filled), ("zero", &plain)];
    let adapter = TensorAdapter::with_options(column.schema(), all, options).unwrap();
    let tensors = adapter.convert(&column).unwrap();
    let found = tensors.iter().map(|(_, tensor)| numbers::<Int32Type>(tensor.as_dense().unwrap().values()));
    assert_eq!(found.collect::<Vec<_>>(), [[1, 2, -1, 4], [1, 2, 0, 4]]);
}

/// 5: a slice from the start gives a corrupt ragged tensor; any other slice is rejected.
#[test]
fn slices_are_ragged_tensors_like_any_other() {
    let column = batch(vec![("x", lists(&[Some(&[1]), Some(&[2, 3]), None, Some(&[4])]))]);
    let representation = ragged(&["x"], Vec::new());
    let first = convert(&column.slice(0, 2), &representation).unwrap();
    assert_eq!(
        (splits(&first), first.as_ragged().unwrap().flat_values().shape()),
        (vec![vec![0, 1, 3]], &[3][..])
    );
    let last = convert(&column.slice(1, 3), &representation).unwrap();
    assert_eq!(splits(&last), [vec![0, 2, 2, 3]]);
    let flat = last.as_ragged().unwrap().flat_values();
    assert_eq!(numbers::<arrow_array::types::Int64Type>(flat.values()), [2, 3, 4]);
}

/// 6: index columns and row lengths are accepted if their total is right but the rows are wrong.
#[test]
fn indices_and_row_lengths_are_compared_row_by_row() {
    let column =
        batch(vec![("v", lists(&[Some(&[1, 2]), Some(&[3])])), ("i", lists(&[Some(&[0]), Some(&[1, 2])]))]);
    let message = refused(&column, &Representation::Sparse(sparse(&["i"], "v", &[Some(5)])));
    assert_eq!(message, r#"tensor "t", column "i", row 0: expected 2 entries as in "v", found 1"#);
    let lengths = ragged(&["v"], vec![Partition::RowLength("i".to_owned())]);
    let message = refused(&column, &lengths);
    assert_eq!(message, r#"tensor "t", column "i", row 0: expected row lengths with the sum 2, found 0"#);
}

/// 7: a size of -1 in the shape of a sparse representation stays -1 in the shape of the tensor.
#[test]
fn an_unknown_size_is_that_of_the_batch() {
    let column = batch(vec![("v", lists(&[Some(&[1]), None])), ("i", lists(&[Some(&[6]), None]))]);
    let representation = Representation::Sparse(sparse(&["i"], "v", &[None]));
    assert_eq!(convert(&column, &representation).unwrap().as_sparse().unwrap().dense_shape(), [2, 7]);
    let empty = convert(&column.slice(1, 1), &representation).unwrap();
    assert_eq!(empty.as_sparse().unwrap().dense_shape(), [1, 0]);
    let adapter = adapter(&column, &representation).unwrap();
    assert_eq!(adapter.specs()[0].1.to_string(), "sparse int64 [?, ?]");
}

/// 8: a missing column is a `KeyError` in some representations and a `ValueError` in others.
#[test]
fn a_missing_column_is_named_with_the_existing_ones() {
    let column = batch(vec![("x", lists(&[])), ("y", lists(&[]))]);
    let message = unfit(&column, &varlen("z"));
    let expected = r#"tensor "t", column "z": expected a column of this name, one of ["x", "y"], found none"#;
    assert_eq!(message, expected);
    let message = unfit(&column, &ragged(&["x", "z"], Vec::new()));
    assert_eq!(message, r#"tensor "t", column "x.z": expected a struct with the field "z", found Int64"#);
}

/// 9: the default value fills only null rows, and not empty ones.
#[test]
fn empty_rows_are_filled_when_that_is_asked_for() {
    let column = batch(vec![("x", lists(&[Some(&[]), None, Some(&[5])]))]);
    let filled = Dense { default: Some(DefaultValue::Int(9)), ..dense("x", &[1]) };
    let message = refused(&column, &Representation::Dense(filled.clone()));
    assert_eq!(message, r#"tensor "t", column "x", row 0: expected 1 value, found 0"#);
    let padded = convert(&column, &Representation::Dense(Dense { pad: true, ..filled })).unwrap();
    assert_eq!(numbers::<arrow_array::types::Int64Type>(padded.as_dense().unwrap().values()), [9, 9, 5]);
}

/// 14: two sparse tensors cannot share an index column, and unsigned default values are rejected.
#[test]
fn tensors_share_columns_and_take_unsigned_defaults() {
    let column =
        batch(vec![("v", lists(&[Some(&[1])])), ("w", lists(&[Some(&[2])])), ("i", lists(&[Some(&[0])]))]);
    let v = Representation::Sparse(sparse(&["i"], "v", &[Some(1)]));
    let w = Representation::Sparse(sparse(&["i"], "w", &[Some(1)]));
    let u = Representation::Dense(Dense { default: Some(DefaultValue::UInt(1)), ..dense("i", &[]) });
    let adapter = TensorAdapter::try_new(column.schema(), [("v", &v), ("w", &w), ("u", &u)]).unwrap();
    assert_eq!(adapter.convert(&column).unwrap().len(), 3);
}

/// 24: fixed-size lists, bools, dictionaries, views and timestamps are not supported.
#[test]
fn every_layout_and_type_has_its_tensor() {
    let views: ArrayRef = Arc::new(StringViewArray::from(vec!["a", "b"]));
    let dictionary: arrow_array::DictionaryArray<Int32Type> = ["a", "b"].into_iter().collect();
    let fixed = FixedSizeBinaryArray::try_from_iter([b"ab", b"cd"].into_iter()).unwrap();
    let halves: ArrayRef = Arc::new(arrow_array::Float16Array::from(vec![half::f16::ONE; 2]));
    let columns: [(ArrayRef, DType); 6] = [
        (Arc::new(BooleanArray::from(vec![true, false])), DType::Bool),
        (Arc::new(TimestampMillisecondArray::from(vec![1, 2])), DType::Int64),
        (views, DType::Bytes),
        (Arc::new(dictionary), DType::Bytes),
        (Arc::new(fixed), DType::Bytes),
        (halves, DType::Float16),
    ];
    for (values, dtype) in columns {
        let field = Arc::new(Field::new("item", values.data_type().clone(), true));
        let list =
            ListArray::new(field.clone(), OffsetBuffer::new(vec![0, 1, 2].into()), values.clone(), None);
        let of_one = FixedSizeListArray::new(field, 1, values.clone(), None);
        for column in [values, Arc::new(list), Arc::new(of_one)] {
            let column = batch(vec![("x", column)]);
            let tensor = convert(&column, &Representation::Dense(dense("x", &[]))).unwrap();
            assert_eq!((tensor.as_dense().unwrap().values().dtype(), tensor.rows()), (dtype, 2));
            assert_eq!(
                convert(&column, &varlen("x")).unwrap().as_sparse().unwrap().indices()[..],
                [0, 0, 1, 0]
            );
        }
    }
}

/// 24: a null list over stored values gives a reshape error, or leaks the values.
#[test]
fn values_under_a_null_row_are_in_no_tensor() {
    let field = Arc::new(Field::new("item", DataType::Int64, true));
    let nulls = NullBuffer::from(vec![true, false, true]);
    let offsets = OffsetBuffer::new(vec![0, 1, 3, 4].into());
    let list = ListArray::new(field, offsets, int64(&[1, 2, 3, 4]), Some(nulls));
    let column = batch(vec![("x", Arc::new(list))]);
    let tensor = convert(&column, &varlen("x")).unwrap();
    let tensor = tensor.as_sparse().unwrap();
    assert_eq!(numbers::<arrow_array::types::Int64Type>(tensor.values()), [1, 4]);
    assert_eq!(tensor.indices()[..], [0, 0, 2, 0]);
    let tensor = convert(&column, &varlen_ragged("x", SplitsDType::Int32)).unwrap();
    assert_eq!(splits(&tensor), [vec![0, 1, 1, 2]]);
}
