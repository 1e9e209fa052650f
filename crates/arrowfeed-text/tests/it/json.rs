//! Keys, types and errors of JSON Lines files.

use crate::support::{error_of, json, options, read, schema, shown, whole};
use arrow_schema::DataType;
use arrowfeed_source::run::{Part, Workers};
use arrowfeed_source::{FeedErrorKind, OnError};
use arrowfeed_text::JsonLinesOptions;

#[test]
fn only_the_columns_that_are_asked_for_are_read() {
    let columns = Some(vec!["b".to_owned()]);
    let schema = schema(&[("a", DataType::Int64), ("b", DataType::Int8)]);
    let options = JsonLinesOptions { schema: Some(schema), columns, ..Default::default() };
    let file = b"{\"a\": \"no number\", \"b\": 1, \"c\": {}}\n{}\n";
    assert_eq!(shown(&whole(&json(file, options).unwrap())), ["1", "null"]);
}

#[test]
fn a_wrong_record_is_named_and_may_be_left_out() {
    let list = DataType::new_list(DataType::Int64, true);
    let schema = schema(&[("a", DataType::Int64), ("l", list)]);
    let given = JsonLinesOptions { schema: Some(schema), ..Default::default() };
    let cases: [(&str, &str); 12] = [
        ("{\"a\": 1", "expected a JSON object, found EOF while parsing an object at column 7"),
        ("{\"a\": 1}{\"a\": 2}", "expected a JSON object, found trailing characters at column 9"),
        ("{\"a\": 1} x", "expected a JSON object, found trailing characters at column 10"),
        ("[1]", "expected a JSON object, found [1]"),
        ("null", "expected a JSON object, found null"),
        ("5", "expected a JSON object, found 5"),
        ("{\"a\": 1.5}", "a: expected a value of Int64, found 1.5"),
        ("{\"a\": 9223372036854775808}", "a: expected a value of Int64, found 9223372036854775808"),
        ("{\"a\": \"x\"}", "a: expected a value of Int64, found \"x\""),
        ("{\"a\": true}", "a: expected a value of Int64, found true"),
        ("{\"l\": [1, 2.5]}", "l: expected a value of List(Int64), found [1,2.5]"),
        ("{\"l\": {}}", "l: expected a value of List(Int64), found {}"),
    ];
    let options_of = |on_error| options(2, on_error, Workers::Caller);
    for (record, expected) in cases {
        let file = format!("{{\"a\": 1}}\n{{\"a\": 2}}\n{record}\n{{\"a\": 4}}");
        let files = json(file.as_bytes(), given.clone()).unwrap();
        let (batches, _, error) = read(&files, vec![Part::whole(0)], options_of(OnError::Raise));
        let error = error.unwrap();
        assert_eq!(error.to_string(), format!("file: block 0 at byte 18, record 2: {expected}"));
        assert_eq!(error.kind(), FeedErrorKind::CorruptBlock);
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
        let (batches, report, error) = read(&files, vec![Part::whole(0)], options_of(OnError::SkipBlock));
        assert!(error.is_none());
        assert_eq!(shown(&crate::support::joined(&files, &batches)), ["1 | null", "2 | null", "4 | null"]);
        assert_eq!((report.skipped.len(), report.skipped[0].offset), (1, Some(18)));
    }
}

#[test]
fn an_object_on_two_lines_is_no_record() {
    let schema = schema(&[("a", DataType::Int64)]);
    let options = JsonLinesOptions { schema: Some(schema), ..Default::default() };
    let files = json(b"{\"a\":\n1}\n{\"a\": 2}\n", options).unwrap();
    let (batches, report, _) =
        read(&files, vec![Part::whole(0)], crate::support::options(9, OnError::SkipBlock, Workers::Caller));
    assert_eq!(shown(&crate::support::joined(&files, &batches)), ["2"]);
    assert_eq!(report.skipped.len(), 2);
}

#[test]
fn a_line_longer_than_the_limit_is_an_error() {
    let limits = arrowfeed_source::Limits { decoded_block_bytes: 20, ..Default::default() };
    let schema = Some(schema(&[("a", DataType::Utf8)]));
    let file = format!("{{\"a\": \"{}\"}}\n{{}}\n", "x".repeat(1_000_000));
    let files = json(file.as_bytes(), JsonLinesOptions { limits, schema, ..Default::default() }).unwrap();
    let expected =
        "file: block 0 at byte 0, record 0: expected a record of at most 20 bytes, found 1,000,010";
    assert_eq!(error_of(&files), expected);
}

#[test]
fn objects_without_values_do_not_take_memory_for_all_keys() {
    let keys: Vec<String> = (0..1000).map(|key| format!("\"k{key}\": 1")).collect();
    let file =
        format!("{{\"a\": [{{{}}}]}}\n{{\"a\": [{}{{}}]}}\n{{}}\n", keys.join(", "), "{},".repeat(100_000));
    let files = json(file.as_bytes(), JsonLinesOptions::default()).unwrap();
    let error = error_of(&files);
    let expected =
        "record 1: expected objects with at most 536,870,912 bytes of nulls, found up to 901,818,036";
    assert!(error.ends_with(expected), "{error}");
    let (batches, report, _) =
        read(&files, vec![Part::whole(0)], options(9, OnError::SkipBlock, Workers::Caller));
    assert_eq!((batches[0].num_rows(), report.skipped.len()), (2, 1));
}

#[test]
fn a_schema_deeper_than_the_limit_is_refused() {
    let file = format!("{{\"a\": {}1{}}}\n", "[".repeat(70), "]".repeat(70));
    let error = json(file.as_bytes(), JsonLinesOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "expected types nested at most 64 deep, found 71");
    assert_eq!(error.limit(), Some("schema_depth"));
}

/// A list of scalars that is alone in its column is converted without an index for each item.
#[test]
fn a_list_alone_has_the_values_and_errors_of_a_list_beside_others() {
    let lists = [
        (DataType::Int64, "[1, null, -3]", "[1, null, -3]"),
        (DataType::Utf8, "[\"a\\n\", 2, null, true]", "[a\n, 2, null, true]"),
        (DataType::Boolean, "[true, false]", "[true, false]"),
        (DataType::Null, "[null, null]", "[null, null]"),
        (DataType::Float64, "[]", "[]"),
        (DataType::Int64, "[[1]]", "l: expected a value of List(Int64), found [[1]]"),
        (DataType::Int64, "[1, {\"a\": 2}]", "l: expected a value of List(Int64), found [1,{\"a\":2}]"),
        (DataType::Utf8, "[[]]", "l: expected a value of List(Utf8), found [[]]"),
        (DataType::new_list(DataType::Int64, true), "[[1, 2], null, [3]]", "[[1, 2], null, [3]]"),
    ];
    for (item, list, expected) in lists {
        for lines in [format!("{{\"l\": {list}}}\n"), format!("{{\"l\": {list}}}\n{{\"l\": null}}\n")] {
            let schema = Some(schema(&[("l", DataType::new_list(item.clone(), true))]));
            let files = json(lines.as_bytes(), JsonLinesOptions { schema, ..Default::default() }).unwrap();
            if let Some(expected) = expected.strip_prefix("l: ") {
                let expected = format!("file: block 0 at byte 0, record 0: l: {expected}");
                assert_eq!(error_of(&files), expected);
            } else {
                assert_eq!(shown(&whole(&files))[0], expected);
            }
        }
    }
}
