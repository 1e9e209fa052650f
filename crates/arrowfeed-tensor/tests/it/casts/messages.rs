//! Complete messages of conversions that do not exist, that are not allowed, and of values that do not fit; and reports.

use std::sync::Arc;

use arrow_array::types::Float64Type;
use arrow_array::{
    ArrayRef, Decimal128Array, Float32Array, Float64Array, Int32Array, ListArray, RecordBatch, StringArray,
    TimestampSecondArray,
};
use arrowfeed_tensor::feature::{
    Casts, Dense, Feature, FixedLenSequence, Ragged, RowDefault, Sparse, VarLen,
};
use arrowfeed_tensor::{ConversionErrorKind, DType, DefaultValue, RepresentationErrorKind, TensorAdapter};

use crate::support;

fn batch() -> RecordBatch {
    let lists = [Some(vec![Some(1.5), Some(-7.25)]), None, Some(vec![Some(3.0), Some(1e39), Some(f64::NAN)])];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i", Arc::new(Int32Array::from(vec![Some(1), None, Some(300)]))),
        ("f", Arc::new(Float32Array::from(vec![1.0, f32::NAN, f32::INFINITY]))),
        ("d", Arc::new(Float64Array::from(vec![1.0, -2.0, 1e300]))),
        ("s", Arc::new(StringArray::from(vec!["a", "b", "c"]))),
        ("when", Arc::new(TimestampSecondArray::from(vec![1, 2, 3]))),
        ("cost", Arc::new(Decimal128Array::from(vec![1, 2, 3]).with_precision_and_scale(4, 2).unwrap())),
        ("l", Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists))),
    ];
    support::batch(columns)
}

fn dense(key: &str, dtype: Option<DType>, casts: Casts, default: Option<DefaultValue>) -> Feature {
    let default = default.map(RowDefault::Scalar);
    Feature::Dense(Dense { key: key.to_owned(), dtype, casts, default, ..Dense::default() })
}

fn adapter(feature: Feature) -> Result<TensorAdapter, String> {
    TensorAdapter::from_features(batch().schema(), [("t", feature)]).map_err(|error| {
        let text = error.to_string();
        text.strip_prefix("tensor \"t\", ").expect("the tensor comes first").to_owned()
    })
}

fn unfit(feature: Feature) -> String {
    adapter(feature).expect_err("an error")
}

fn refused(feature: Feature) -> String {
    let error = adapter(feature).unwrap().convert(&batch()).expect_err("an error");
    let text = error.to_string();
    text.strip_prefix("tensor \"t\", ").expect("the tensor comes first").to_owned()
}

#[test]
fn a_refused_conversion_names_the_option_that_allows_it() {
    use Casts::{Exact, Lossy, Refused};
    for (key, dtype, casts, expected) in [
        (
            "i",
            DType::Float32,
            Exact,
            "values that float32 holds exactly, found int32 (`lossy` converts them)",
        ),
        ("d", DType::Int64, Exact, "values that int64 holds exactly, found float64 (`lossy` converts them)"),
        ("i", DType::Int64, Refused, "values of int64, found Int32, which is int32"),
        ("i", DType::Float32, Refused, "values of float32, found Int32, which is int32"),
        ("i", DType::Bool, Lossy, "values of bool, found Int32, which is int32"),
        ("i", DType::Bytes, Lossy, "values of bytes, found Int32, which is int32"),
        ("s", DType::Int32, Lossy, "values of int32, found Utf8, which is bytes"),
        ("when", DType::Float64, Lossy, "values of float64, found Timestamp(s), which is int64"),
        (
            "cost",
            DType::Float64,
            Exact,
            "values that float64 holds exactly, found Decimal128(4, 2) (`lossy` converts them)",
        ),
        ("cost", DType::Float64, Refused, "values of float64, found Decimal128(4, 2)"),
        ("cost", DType::Int64, Lossy, "values of int64, found Decimal128(4, 2)"),
    ] {
        let message = unfit(dense(key, Some(dtype), casts, None));
        assert_eq!(message, format!("key {key:?}: expected {expected}"));
    }
    let error =
        TensorAdapter::from_features(batch().schema(), [("t", dense("i", Some(DType::Int8), Exact, None))]);
    assert_eq!(error.unwrap_err().kind(), RepresentationErrorKind::Type);
}

#[test]
fn a_decimal_without_a_dtype_lists_the_dtypes() {
    let expected = "key \"cost\": expected numbers, bools, byte strings or times, found Decimal128(4, 2)";
    let hint = " (dtype float32 or float64, and `lossy`, convert them)";
    assert_eq!(unfit(dense("cost", None, Casts::Exact, None)), format!("{expected}{hint}"));
    assert_eq!(unfit(dense("cost", None, Casts::Refused, None)), expected);
}

#[test]
fn a_value_out_of_range_names_its_row() {
    let lossy = |key, dtype| dense(key, Some(dtype), Casts::Lossy, Some(DefaultValue::Int(0)));
    for (key, dtype, row, expected) in [
        ("i", DType::Int8, 2, "a value in the range of int8, found 300"),
        ("f", DType::Int32, 1, "a value in the range of int32, found NaN"),
        ("d", DType::Float32, 2, "a value in the range of float32, found 1e300"),
        ("d", DType::UInt8, 1, "a value in the range of uint8, found -2.0"),
        ("l[1]", DType::Float32, 2, "a value in the range of float32, found 1e39"),
    ] {
        let message = refused(lossy(key, dtype));
        assert_eq!(message, format!("key {key:?}, row {row}: expected {expected}"));
    }
    let ragged =
        Ragged { key: "l".to_owned(), dtype: Some(DType::Int64), casts: Casts::Lossy, ..Ragged::default() };
    let message = refused(Feature::Ragged(ragged));
    assert_eq!(message, "key \"l[*]\", row 2: expected a value in the range of int64, found 1e39");
    let error = adapter(lossy("i", DType::Int8)).unwrap().convert(&batch()).unwrap_err();
    assert_eq!(error.kind(), ConversionErrorKind::Overflow);
}

#[test]
fn an_integer_default_of_a_float_tensor_is_exact() {
    let floats = |key: &str, dtype, value| dense(key, dtype, Casts::Lossy, Some(value));
    assert!(adapter(floats("f", None, DefaultValue::Int(0))).is_ok());
    assert!(adapter(floats("f", None, DefaultValue::UInt(1 << 63))).is_ok());
    for (dtype, value, held) in [
        (DType::Float32, DefaultValue::Int(16_777_217), "the integer 16777217"),
        (DType::Float64, DefaultValue::UInt(u64::MAX), "the integer 18446744073709551615"),
        (DType::Float16, DefaultValue::Int(65536), "the integer 65536"),
    ] {
        let message = unfit(floats("d", Some(dtype), value));
        let expected =
            format!("key \"d\": expected a default value that {dtype} holds exactly, found {held}");
        assert_eq!(message, expected);
    }
    let message = unfit(dense("i", None, Casts::Lossy, Some(DefaultValue::Float(0.0))));
    assert_eq!(message, "key \"i\": expected an integer of type int32 as default value, found the float 0.0");
}

#[test]
fn nothing_to_truncate_to_is_an_error() {
    let sequence = |shape: &[Option<usize>]| {
        let shape = shape.to_vec();
        Feature::FixedLenSequence(FixedLenSequence {
            key: "l".to_owned(),
            shape,
            truncate: true,
            ..FixedLenSequence::default()
        })
    };
    let expected =
        "key \"l[*]\": expected a key of two or more dimensions and a known size, to truncate lists to it";
    assert_eq!(unfit(sequence(&[])), format!("{expected}, found a key of 1 dimension, and the shape []"));
    assert_eq!(
        unfit(sequence(&[Some(2)])),
        format!("{expected}, found a key of 1 dimension, and the shape [2]")
    );
    for shape in [None, Some(vec![None])] {
        let varlen = VarLen { key: "l".to_owned(), shape, truncate: true, ..VarLen::default() };
        let message = unfit(Feature::VarLen(varlen));
        assert_eq!(
            message,
            "key \"l[*]\": expected a shape with a known size, to truncate lists to it, found none"
        );
    }
}

#[test]
fn a_report_names_the_type_that_is_converted() {
    let report = |feature| adapter(feature).unwrap().explain()[0].to_string();
    assert_eq!(
        report(dense("i", Some(DType::Float64), Casts::Exact, None)),
        "t: dense float64 [?]\n  values: copied, converted from int32"
    );
    assert_eq!(
        report(dense("cost", Some(DType::Float32), Casts::Lossy, None)),
        "t: dense float32 [?]\n  values: copied, converted from Decimal128(4, 2)"
    );
    assert_eq!(
        report(dense("i", Some(DType::Int32), Casts::Lossy, None)),
        "t: dense int32 [?]\n  values: shared"
    );
    let cut = Dense { key: "l".to_owned(), shape: vec![2], truncate: true, ..Dense::default() };
    assert_eq!(
        report(Feature::Dense(cut)),
        "t: dense float64 [?, 2]\n  values: shared; copied where a list is too long and truncated"
    );
    let sparse = Sparse {
        index_keys: vec!["@i".to_owned()],
        value_key: "@d".to_owned(),
        size: vec![None],
        dtype: Some(DType::Float32),
        casts: Casts::Lossy,
        ..Sparse::default()
    };
    assert_eq!(
        report(Feature::Sparse(sparse)),
        "t: sparse float32 [?, ?]\n  values: copied, converted from float64\n  indices: copied, rows and index keys side by side"
    );
}
