//! Messages of the compiler, and examples of each rule.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Date32Array, DictionaryArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use arrowfeed_predicate::{Lists, Literal, Node, Predicate, col};

fn schema() -> Schema {
    let list = |item| DataType::new_list(item, true);
    let inner: Fields = vec![Field::new("b", DataType::Int64, true)].into();
    let fields = [
        ("age", DataType::Int64),
        ("name", DataType::Utf8),
        ("active", DataType::Boolean),
        ("price", DataType::Decimal128(10, 2)),
        ("tags", list(DataType::Utf8)),
        ("nested", list(list(DataType::Int64))),
        ("a", DataType::Struct(inner)),
        ("local", DataType::Timestamp(TimeUnit::Millisecond, None)),
        ("utc", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        ("day", DataType::Date32),
        ("time", DataType::Time64(TimeUnit::Microsecond)),
        ("wait", DataType::Duration(TimeUnit::Second)),
        ("raw", DataType::Binary),
        ("country", DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))),
    ];
    Schema::new(fields.map(|(name, data_type)| Field::new(name, data_type, true)).to_vec())
}

#[test]
fn errors_name_the_column_its_type_and_the_literal() {
    for (text, message) in [
        (r#"age >= "x""#, r#"column age is Int64: expected a number, found "x""#),
        ("age == true", "column age is Int64: expected a number, found true"),
        ("name == 1", "column name is Utf8: expected a string, found 1"),
        (r#"name == x"00""#, r#"column name is Utf8: expected a string, found x"00""#),
        ("active > 1", "column active is Boolean: expected true or false, found 1"),
        ("name", "column name is Utf8: expected a string, found true"),
        (
            r#"price < "cheap""#,
            r#"column price is Decimal128(10, 2): expected a number such as 18, -1.5 or 1e6, found "cheap""#,
        ),
        ("price < true", "column price is Decimal128(10, 2): expected a number, found true"),
        (r#"age in [1, "x"]"#, r#"column age is Int64: expected a number, found "x""#),
        (r#"age starts with "1""#, r#"column age is Int64: expected a string, found age starts with "1""#),
        (
            r#"tags == "x""#,
            r#"column tags is List(Utf8): expected list_length of the column, found tags == "x""#,
        ),
        ("list_length(age) > 1", "column age is Int64: expected a list, found list_length(age)"),
        ("list_length(tags) > true", "column tags is List(Utf8): expected a number, found true"),
        ("a == 1", "column a is Struct(\"b\": Int64): expected a field of the struct, found a == 1"),
        (
            r#"local > "2026-01-01T00:00:00Z""#,
            r#"column local is Timestamp(ms): expected a timestamp without a time zone, such as "2026-01-31T12:30:00", found "2026-01-01T00:00:00Z""#,
        ),
        (
            r#"utc > "2026-01-01 00:00""#,
            r#"column utc is Timestamp(µs, "UTC"): expected a timestamp with a time zone, such as "2026-01-31T12:30:00Z", found "2026-01-01 00:00""#,
        ),
        (
            "utc > 5",
            r#"column utc is Timestamp(µs, "UTC"): expected a timestamp with a time zone, such as "2026-01-31T12:30:00Z", found 5"#,
        ),
        (
            r#"day == "2026-02-30""#,
            r#"column day is Date32: expected a date such as "2026-01-31", found "2026-02-30""#,
        ),
        (
            r#"time == "24:00""#,
            r#"column time is Time64(µs): expected a time such as "12:30:00", found "24:00""#,
        ),
        (
            r#"time == "1230""#,
            r#"column time is Time64(µs): expected a time such as "12:30:00", found "1230""#,
        ),
        (
            r#"utc > "2026-01-01T00:00:00+01:60""#,
            r#"column utc is Timestamp(µs, "UTC"): expected a timestamp with a time zone, such as "2026-01-31T12:30:00Z", found "2026-01-01T00:00:00+01:60""#,
        ),
        (
            r#"utc > "2026-01-01T00:00:00+02:""#,
            r#"column utc is Timestamp(µs, "UTC"): expected a timestamp with a time zone, such as "2026-01-31T12:30:00Z", found "2026-01-01T00:00:00+02:""#,
        ),
        ("wait > 5", r#"column wait is Duration(s): expected a duration such as "PT1.5S", found 5"#),
        ("raw > 5", "column raw is Binary: expected bytes or a string, found 5"),
        ("country == 1", "column country is Dictionary(Int32, Utf8): expected a string, found 1"),
        (
            "a.c == 1",
            r#"column a.c: expected a column of this name, one of "age", "name", "active", "price", "tags", "nested", "a", "local", "utc", "day", "time", "wait", "raw", "country", found none"#,
        ),
    ] {
        let predicate = Predicate::parse(text).unwrap();
        let error = predicate.compile(&schema(), Lists::AreValues).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let nested =
        Predicate::parse("nested == 1").unwrap().compile(&schema(), Lists::HoldOneValue).unwrap_err();
    let message = "column nested is List(List(Int64)): expected list_length of the column, found nested == 1";
    assert_eq!(nested.to_string(), message);
}

/// The rows of a column that a predicate keeps.
#[track_caller]
fn kept(column: ArrayRef, text: &str) -> Vec<Option<bool>> {
    let schema = Schema::new(vec![Field::new("x", column.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![column]).unwrap();
    let compiled = Predicate::parse(text).unwrap().compile(&schema, Lists::HoldOneValue);
    compiled.unwrap_or_else(|error| panic!("{error}")).evaluate(&batch).unwrap().iter().collect()
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

#[test]
fn floats_are_compared_as_ieee_754_defines() {
    let column =
        || Arc::new(Float64Array::from(vec![Some(f64::NAN), Some(-0.0), Some(1.0), None])) as ArrayRef;
    assert_eq!(kept(column(), "x == nan"), [NO, NO, NO, None]);
    assert_eq!(kept(column(), "x != nan"), [YES, YES, YES, None]);
    assert_eq!(kept(column(), "x != 1"), [YES, YES, NO, None]);
    assert_eq!(kept(column(), "x < 1"), [NO, YES, NO, None]);
    assert_eq!(kept(column(), "not x < 1"), [YES, NO, YES, None]);
    assert_eq!(kept(column(), "x < 0"), [NO, NO, NO, None]);
    assert_eq!(kept(column(), "x >= 0"), [NO, YES, YES, None]);
    let negative = Arc::new(Float64Array::from(vec![-f64::NAN, f64::NEG_INFINITY]));
    assert_eq!(kept(negative.clone(), "x < 1"), [NO, YES]);
    assert_eq!(kept(negative, "x in [nan, -inf]"), [NO, YES]);
    assert_eq!(kept(column(), "x in [0, nan]"), [NO, YES, NO, None]);
    assert_eq!(kept(column(), "x not in [0, nan]"), [YES, NO, YES, None]);
    assert_eq!(kept(column(), "x in []"), [NO, NO, NO, None]);
    let large = Arc::new(Float64Array::from(vec![9_007_199_254_740_992.0, 0.1, f64::INFINITY]));
    assert_eq!(kept(large.clone(), "x == 9007199254740993"), [NO, NO, NO]);
    assert_eq!(kept(large.clone(), "x < 9007199254740993"), [YES, YES, NO]);
    // The nearest float of this number is above it.
    let above = Arc::new(Float64Array::from(vec![9_007_199_254_740_994.0, 9_007_199_254_740_996.0]));
    assert_eq!(kept(above.clone(), "x <= 9007199254740995"), [YES, NO]);
    assert_eq!(kept(above, "x > 9007199254740995"), [NO, YES]);
    assert_eq!(kept(large.clone(), "x == 0.1"), [NO, YES, NO]);
    assert_eq!(kept(large, "x > 1e400"), [NO, NO, YES]);
}

#[test]
fn temporal_texts_are_converted_by_the_type_of_the_column() {
    let days = || Arc::new(Date32Array::from(vec![20_483, 20_484, 20_485])) as ArrayRef;
    assert_eq!(kept(days(), r#"x >= "2026-01-31""#), [NO, YES, YES]);
    assert_eq!(kept(days(), r#"x == "2026-1-31""#), [NO, YES, NO]);
    assert_eq!(kept(days(), r#"x == "20260131""#), [NO, YES, NO]);
    let milliseconds = vec![1_769_817_600_000, 1_769_817_600_001];
    let local = || Arc::new(TimestampMillisecondArray::from(milliseconds.clone())) as ArrayRef;
    let utc =
        || Arc::new(TimestampMillisecondArray::from(milliseconds.clone()).with_timezone("UTC")) as ArrayRef;
    assert_eq!(kept(local(), r#"x > "2026-01-31""#), [NO, YES]);
    assert_eq!(kept(local(), r#"x == "2026-01-31T00:00:00.0010""#), [NO, YES]);
    assert_eq!(kept(local(), r#"x <= "2026-01-31 00:00:00.000999999""#), [YES, NO]);
    assert_eq!(kept(utc(), r#"x > "2026-01-31""#), [NO, YES]);
    assert_eq!(kept(utc(), r#"x == "2026-01-31T02:00+02:00""#), [YES, NO]);
    assert_eq!(kept(utc(), r#"x == "2026-01-30T22:30:00-0130""#), [YES, NO]);
    assert_eq!(kept(utc(), r#"x < "2026-01-31T00:00:00.000000001Z""#), [YES, NO]);
}

#[test]
fn enums_are_compared_as_their_text() {
    let column = || {
        let values: DictionaryArray<Int32Type> = [Some("de"), None, Some("fr")].into_iter().collect();
        Arc::new(values) as ArrayRef
    };
    assert_eq!(kept(column(), r#"x > "de""#), [NO, None, YES]);
    assert_eq!(kept(column(), r#"x in ["de", "x"]"#), [YES, None, NO]);
    assert_eq!(kept(column(), r#"x starts with "f""#), [NO, None, YES]);
    assert_eq!(kept(column(), "x is null"), [NO, YES, NO]);
}

#[test]
fn a_list_is_its_one_value_where_lists_hold_one_value() {
    let lists = |rows: Vec<Option<Vec<Option<i32>>>>| {
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows)) as ArrayRef
    };
    let column = || lists(vec![Some(vec![Some(1)]), Some(vec![]), None, Some(vec![None])]);
    assert_eq!(kept(column(), "x == 1"), [YES, None, None, None]);
    assert_eq!(kept(column(), "x is null"), [NO, NO, YES, NO]);
    assert_eq!(kept(column(), "x is not null"), [YES, YES, NO, YES]);
    assert_eq!(kept(column(), "x is null or list_length(x) == 0"), [NO, YES, YES, NO]);
    assert_eq!(kept(column(), "x in [1]"), [YES, None, None, None]);
    assert_eq!(kept(column(), "x != 1"), [NO, None, None, None]);
    assert_eq!(kept(column(), "list_length(x) == 1"), [YES, NO, None, YES]);
    let several = lists(vec![Some(vec![Some(1)]), Some(vec![Some(1), Some(2), Some(3)])]);
    assert_eq!(kept(several.clone(), "x is null"), [NO, NO]);
    assert_eq!(kept(several.clone(), "list_length(x) > 2"), [NO, YES]);

    let schema = Schema::new(vec![Field::new("x", several.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![several]).unwrap();
    let compiled = Predicate::parse("x == 1").unwrap().compile(&schema, Lists::HoldOneValue).unwrap();
    let error = compiled.evaluate(&batch).unwrap_err();
    assert_eq!(error.to_string(), "column x, row 1: expected a list with at most one value, found 3 values");
}

#[test]
fn a_tree_whose_and_or_or_has_no_parts_is_an_error() {
    for (node, operator) in [(Node::And(Vec::new()), "and"), (Node::Or(Vec::new()), "or")] {
        let message = format!("expected at least two predicates that \"{operator}\" joins, found none");
        for predicate in [Predicate::from(node.clone()), !Predicate::from(node) & col("age").eq(1)] {
            let error = predicate.compile(&schema(), Lists::AreValues).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
    let one = Predicate::from(Node::And(vec![col("age").eq(1)]));
    let batch =
        RecordBatch::try_from_iter([("age", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef)]).unwrap();
    let kept = one.compile(&batch.schema(), Lists::AreValues).unwrap().keeps(&batch).unwrap();
    assert_eq!(kept, vec![true, false].into());
}

#[test]
fn a_number_of_millions_of_digits_is_an_error() {
    let digits = "9".repeat(2_000_000);
    let expected = "expected a number with at most 76 digits, found \"99999999999999999999";
    for number in [digits.clone(), format!("-{digits}"), format!("0.{digits}"), format!("{digits}e-2000000")]
    {
        let error = Predicate::parse(&format!("age == {number}")).unwrap_err().to_string();
        assert!(error.len() < 200 && error.contains("at most 76 digits"), "{error:.200}");
        let error = Literal::decimal(&number).unwrap_err().to_string();
        assert!(error.len() < 200 && error.contains("at most 76 digits"), "{error:.200}");
        for predicate in [col("price").eq(number.clone()), col("price").is_in([number])] {
            let error = predicate.compile(&schema(), Lists::AreValues).unwrap_err().to_string();
            assert!(error.len() < 200 && error.contains("at most 76 digits"), "{error:.200}");
        }
    }
    let error = col("price").eq(digits).compile(&schema(), Lists::AreValues).unwrap_err().to_string();
    assert!(error.starts_with(&format!("column price is Decimal128(10, 2): {expected}")), "{error:.200}");
    let zeros = format!("1{}", "0".repeat(2_000_000));
    assert_eq!(Literal::decimal(&zeros).unwrap().to_string(), "1e2000000");
    let largest = arrow_buffer::i256::MAX.to_string();
    assert_eq!(Literal::decimal(&largest).unwrap().to_string(), largest);
}

#[test]
fn a_batch_of_another_schema_is_an_error() {
    let compiled = Predicate::parse("age == 1").unwrap().compile(&schema(), Lists::AreValues).unwrap();
    let other = Schema::new(vec![Field::new("age", DataType::Utf8, true)]);
    let batch = RecordBatch::try_new(Arc::new(other), vec![Arc::new(StringArray::from(vec!["x"]))]).unwrap();
    let error = compiled.evaluate(&batch).unwrap_err().to_string();
    assert_eq!(error, "column age: expected the type Int64 of the compiled schema, found Utf8");
}

#[test]
fn of_several_readings_of_a_path_the_longest_first_name_counts() {
    let inner: Fields = vec![Field::new("b", DataType::Int64, true)].into();
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let parent = arrow_array::StructArray::new(inner, vec![Arc::new(Int64Array::from(vec![2]))], None);
    let batch = RecordBatch::try_from_iter([("a", Arc::new(parent) as ArrayRef), ("a.b", column)]).unwrap();
    for (path, expected) in [("a.b", 1), ("['a.b']", 1), ("['a'].b", 2), ("a['b']", 2)] {
        let predicate = col(path).eq(expected);
        let compiled = predicate.compile(&batch.schema(), Lists::AreValues).unwrap();
        assert_eq!(compiled.keeps(&batch).unwrap(), vec![true].into(), "{path}");
    }
}
