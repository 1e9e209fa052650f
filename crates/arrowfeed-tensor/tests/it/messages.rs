//! Complete error messages for representations that do not compile, and for batches and names that do not fit the adapter.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Decimal128Array, FixedSizeListArray, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Fields, Schema};
use arrowfeed_tensor::{
    AdapterOptions, DefaultValue, Dense, Duplicates, Partition, Representation, RepresentationErrorKind,
    Sparse, SplitsDType, TensorAdapter, Tensors,
};

use crate::support::*;

fn columns() -> RecordBatch {
    let fields = Fields::from(vec![Field::new("b", DataType::Int64, true)]);
    let a: ArrayRef = Arc::new(StructArray::new(fields, vec![int64(&[1])], None));
    let inner = lists(&[Some(&[1])]);
    let item = Arc::new(Field::new("item", inner.data_type().clone(), true));
    let fixed: ArrayRef = Arc::new(FixedSizeListArray::new(item, 1, inner.clone(), None));
    batch(vec![
        ("a", a),
        ("list", inner),
        ("nested", fixed),
        ("plain", int64(&[1])),
        ("text", Arc::new(StringArray::from(vec!["x"]))),
        ("decimal", Arc::new(Decimal128Array::from(vec![1]))),
    ])
}

fn message(representation: Representation) -> String {
    unfit(&columns(), &representation)
}

fn with_default(column: &str, default: DefaultValue) -> String {
    message(Representation::Dense(Dense { default: Some(default), ..dense(column, &[1]) }))
}

#[test]
fn missing_columns_are_named() {
    assert_eq!(
        message(varlen("a.c")),
        r#"tensor "t", column "a.c": expected a field of "a", one of ["b"], found "c""#
    );
    assert_eq!(
        message(varlen("a.b.c")),
        r#"tensor "t", column "a.b.c": expected a struct with the field "c", found Int64"#
    );
    assert_eq!(
        message(varlen("plain.b")),
        r#"tensor "t", column "plain.b": expected a struct with the field "b", found Int64"#
    );
    assert_eq!(
        message(varlen("z.c")),
        r#"tensor "t", column "z.c": expected a column of this name, one of ["a", "list", "nested", "plain", "text", "decimal"], found none"#
    );
    assert_eq!(
        message(ragged(&["a", "c"], vec![])),
        r#"tensor "t", column "a.c": expected a field of "a", one of ["b"], found "c""#
    );
    assert_eq!(
        message(ragged(&[], vec![])),
        r#"tensor "t", column "": expected a column of this name, one of ["a", "list", "nested", "plain", "text", "decimal"], found none"#
    );
}

#[test]
fn types_that_do_not_fit() {
    assert_eq!(
        message(varlen("decimal")),
        r#"tensor "t", column "decimal": expected a column of numbers, bools, byte strings or times, found Decimal128(38, 10)"#
    );
    assert_eq!(
        message(varlen("a")),
        r#"tensor "t", column "a": expected a column of numbers, bools, byte strings or times, found Struct("b": Int64)"#
    );
    assert_eq!(
        message(ragged(&["plain"], vec![])),
        r#"tensor "t", column "plain": expected lists on the path, found Int64"#
    );
    assert_eq!(
        message(Representation::Sparse(sparse(&["text"], "list", &[None]))),
        r#"tensor "t", column "text": expected integers as indices, found Utf8"#
    );
    assert_eq!(
        message(Representation::Sparse(sparse(&["nested"], "list", &[None]))),
        r#"tensor "t", column "nested": expected one list in each row, found lists of depth 2"#
    );
}

#[test]
fn shapes_that_do_not_fit() {
    let of = |column: &str, shape: &[usize]| message(Representation::Dense(dense(column, shape)));
    assert_eq!(
        of("plain", &[2]),
        r#"tensor "t", column "plain": expected the shape [], for a column without lists, found [2]"#
    );
    assert_eq!(
        of("nested", &[2, 1]),
        r#"tensor "t", column "nested": expected a shape of 2 dimensions, of sizes [1, any], found [2, 1]"#
    );
    assert_eq!(
        of("nested", &[1]),
        r#"tensor "t", column "nested": expected a shape of 2 dimensions, of sizes [1, any], found [1]"#
    );
    assert_eq!(
        message(Representation::Sparse(sparse(&["list"], "list", &[]))),
        r#"tensor "t": expected 1 dimension, one for each index column, found 0"#
    );
}

#[test]
fn defaults_that_do_not_fit() {
    assert_eq!(
        with_default("list", DefaultValue::Float(0.0)),
        r#"tensor "t", column "list": expected an integer of type int64 as default value, found the float 0.0"#
    );
    assert_eq!(
        with_default("list", DefaultValue::UInt(u64::MAX)),
        r#"tensor "t", column "list": expected an integer of type int64 as default value, found the integer 18446744073709551615"#
    );
    assert_eq!(
        with_default("text", DefaultValue::Bytes(vec![0xff])),
        r#"tensor "t", column "text": expected UTF-8 as default value of a string column, found the bytes "\xff""#
    );
    assert_eq!(
        message(Representation::Dense(Dense { pad: true, ..dense("list", &[1]) })),
        r#"tensor "t": expected a default value to pad with, found none"#
    );
}

#[test]
fn partitions_that_do_not_fit() {
    let by = |name: &str| message(ragged(&["list"], vec![Partition::RowLength(name.to_owned())]));
    assert_eq!(by("text"), r#"tensor "t", column "text": expected integers as row lengths, found Utf8"#);
    assert_eq!(
        by("nested"),
        r#"tensor "t", column "nested": expected lists of depth 1, as "list" has, found depth 2"#
    );
    assert_eq!(
        message(ragged(&["list"], vec![Partition::Uniform(0)])),
        r#"tensor "t": expected a uniform row length above 0 and below 9223372036854775807, found 0"#
    );
}

#[test]
fn unknown_and_repeated_names_are_errors() {
    let columns = columns();
    let (x, y) = (varlen("list"), varlen("nested"));
    let error = TensorAdapter::try_new(columns.schema(), [("x", &x), ("x", &y)]).unwrap_err();
    assert_eq!(error.to_string(), r#"tensor "x": expected a representation for each name, found two"#);
    assert_eq!((error.kind(), error.tensor()), (RepresentationErrorKind::Name, Some("x")));
    let adapter = TensorAdapter::try_new(columns.schema(), [("x", &x), ("y", &y)]).unwrap();
    let expected = r#"expected the name of a tensor, one of ["x", "y"], found "z""#;
    assert_eq!(adapter.project(&["z"]).unwrap_err().to_string(), expected);
    assert_eq!(adapter.convert_only(&columns, &["z"]).unwrap_err().to_string(), expected);
    let names = |tensors: Tensors| tensors.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(adapter.convert_only(&columns, &["y", "x"]).unwrap()), ["y", "x"]);
    assert_eq!(names(adapter.project(&["y"]).unwrap().convert(&columns).unwrap()), ["y"]);
}

#[test]
fn names_that_several_columns_or_fields_have_are_ambiguous() {
    let twice = batch(vec![("a", int64(&[1])), ("a", int64(&[2])), ("b", int64(&[3]))]);
    let expected =
        r#"tensor "t", column "a": expected one column or field named "a", found 2: the name is ambiguous"#;
    assert_eq!(unfit(&twice, &Representation::Dense(dense("a", &[]))), expected);
    assert_eq!(unfit(&twice, &structured(&["a"])), expected);
    let error = adapter(&twice, &varlen("a")).unwrap_err();
    assert_eq!((error.kind(), error.column()), (RepresentationErrorKind::Name, Some("a")));
    assert!(adapter(&twice, &varlen("b")).is_ok());
    let fields = ["x", "y", "x"].map(|name| Field::new(name, DataType::Int64, true));
    let columns = [1, 2, 3].map(|value| int64(&[value])).to_vec();
    let user: ArrayRef = Arc::new(StructArray::new(fields.to_vec().into(), columns, None));
    let user = batch(vec![("user", user)]);
    let expected = r#"tensor "t", column "user.x": expected one column or field named "x", found 2: the name is ambiguous"#;
    for representation in [structured(&["user"]), structured(&["user.x"]), varlen("user.x")] {
        assert_eq!(unfit(&user, &representation), expected);
    }
    assert!(adapter(&user, &structured(&["user.y"])).is_ok());
}

#[test]
fn defaults_out_of_the_range_of_a_narrow_float() {
    let halves: ArrayRef = Arc::new(arrow_array::Float16Array::from(vec![half::f16::ONE]));
    let singles: ArrayRef = Arc::new(arrow_array::Float32Array::from(vec![1.0]));
    let columns = batch(vec![("half", halves), ("single", singles)]);
    let with = |column: &str, value: f64| {
        Representation::Dense(Dense { default: Some(DefaultValue::Float(value)), ..dense(column, &[]) })
    };
    let found = |column, value| unfit(&columns, &with(column, value));
    assert_eq!(
        found("half", 70_000.0),
        r#"tensor "t", column "half": expected a default value in the range of float16, found 70000"#
    );
    assert_eq!(
        found("single", -1e39),
        r#"tensor "t", column "single": expected a default value in the range of float32, found -1000000000000000000000000000000000000000"#
    );
    for fits in [65_504.0, f64::INFINITY, f64::NAN] {
        assert!(adapter(&columns, &with("half", fits)).is_ok(), "{fits}");
    }
}

#[test]
fn sizes_beyond_memory_are_reported_for_one_row_and_one_value() {
    let column = batch(vec![("x", lists(&[Some(&[1])]))]);
    let huge = 1 << 62;
    assert_eq!(
        refused(&column, &Representation::Dense(dense("x", &[huge]))),
        r#"tensor "t", column "x": expected at most 576460752303423487 values in a tensor, found 1 row of 4611686018427387904 values"#
    );
}

#[test]
fn batches_of_another_schema() {
    let adapter = adapter(&columns(), &varlen("list")).unwrap();
    let error = |batch: &RecordBatch| adapter.convert(batch).unwrap_err().to_string();
    let one = batch(vec![("a", int64(&[1]))]);
    assert_eq!(
        error(&one),
        r#"tensor "t", column "list": expected List(Int64) in column 1, found a batch of 1 column"#
    );
    let named = batch(vec![("a", int64(&[1])), ("other", lists(&[None]))]);
    assert_eq!(
        error(&named),
        r#"tensor "t", column "list": expected List(Int64) in column 1, found the column "other""#
    );
    let typed = batch(vec![("a", int64(&[1])), ("list", int64(&[1]))]);
    assert_eq!(error(&typed), r#"tensor "t", column "list": expected List(Int64) in column 1, found Int64"#);
}

#[test]
fn other_names_of_items_nullability_and_unused_columns_do_not_matter() {
    let adapter = adapter(&columns(), &varlen("list")).unwrap();
    let array = lists(&[Some(&[4])]);
    let element = Arc::new(Field::new("element", DataType::Int64, true));
    let list = arrow_array::cast::AsArray::as_list::<i32>(&array).clone();
    let (_, offsets, values, _) = list.into_parts();
    let list: ArrayRef = Arc::new(arrow_array::ListArray::new(element, offsets, values, None));
    let fields =
        vec![Field::new("b", DataType::Utf8, false), Field::new("list", list.data_type().clone(), false)];
    let columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec!["x"])), list];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    assert_eq!(adapter.convert(&batch).unwrap()[0].1.as_sparse().unwrap().dense_shape(), [1, 1]);
}

#[test]
fn rows_that_do_not_fit() {
    let nulls = lists_with_nulls(&[Some(&[Some(1)]), Some(&[None])]);
    let of_two = |index: ArrayRef| batch(vec![("v", lists(&[Some(&[1]), Some(&[2, 3])])), ("i", index)]);
    let representation = Representation::Sparse(sparse(&["i"], "v", &[Some(5)]));
    let longer = lists_with_nulls(&[Some(&[Some(1)]), Some(&[Some(0), None])]);
    assert_eq!(
        refused(&of_two(longer), &representation),
        r#"tensor "t", column "i", row 1: expected an index, found a null"#
    );
    assert_eq!(
        refused(&of_two(lists(&[Some(&[-1]), Some(&[0, 1])])), &representation),
        r#"tensor "t", column "i", row 0: expected an index of 0 or more, below 5, found -1"#
    );
    assert_eq!(
        refused(&of_two(lists(&[Some(&[1]), None])), &representation),
        r#"tensor "t", column "i", row 1: expected 2 entries as in "v", found 0"#
    );
    let twice = of_two(lists(&[Some(&[1]), Some(&[4, 4])]));
    let options = AdapterOptions { duplicates: Duplicates::Error, ..AdapterOptions::default() };
    let adapter = TensorAdapter::with_options(twice.schema(), [("t", representation)], options).unwrap();
    assert_eq!(
        adapter.convert(&twice).unwrap_err().to_string(),
        r#"tensor "t", column "v", row 1: expected each index once, found [4] twice"#
    );
    let apart = batch(vec![("v", lists(&[Some(&[1, 2, 3])])), ("i", lists(&[Some(&[4, 0, 4])]))]);
    for already_sorted in [false, true] {
        let sparse = Representation::Sparse(Sparse { already_sorted, ..sparse(&["i"], "v", &[Some(5)]) });
        let adapter = TensorAdapter::with_options(apart.schema(), [("t", sparse)], options).unwrap();
        assert_eq!(
            adapter.convert(&apart).unwrap_err().to_string(),
            r#"tensor "t", column "v", row 0: expected each index once, found [4] twice"#
        );
    }
    assert_eq!(
        refused(&batch(vec![("v", lists(&[Some(&[1]), None])), ("i", nulls)]), &lengths()),
        r#"tensor "t", column "i", row 1: expected values without nulls, found a null"#
    );
    assert_eq!(
        refused(&of_two(lists(&[Some(&[1]), Some(&[3, -1])])), &lengths()),
        r#"tensor "t", column "i", row 1: expected a row length of 0 or more, found -1"#
    );
}

fn lengths() -> Representation {
    ragged(&["v"], vec![Partition::RowLength("i".to_owned())])
}

#[test]
fn adapters_go_from_thread_to_thread() {
    fn check<T: Send + Sync + Clone>() {}
    check::<TensorAdapter>();
    check::<arrowfeed_tensor::Tensor>();
    assert_eq!(SplitsDType::default(), SplitsDType::Int64);
}
