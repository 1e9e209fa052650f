//! Inference of the column types of JSON Lines files.

use crate::support::{error_of, gzip, json, schema, shown, whole};
use arrow_schema::DataType;
use arrowfeed_source::{FeedErrorKind, Limits};
use arrowfeed_text::JsonLinesOptions;

fn types(file: &[u8], options: JsonLinesOptions) -> Vec<String> {
    let files = json(file, options).unwrap();
    let fields = files.schema().fields().iter();
    fields.map(|field| format!("{} {}", field.name(), field.data_type())).collect()
}

#[test]
fn types_are_inferred_over_all_records() {
    let file = b"\n{\"b\": 1, \"t\": \"x\"}\n{\"a\": [1, 2], \"b\": 0.5, \"n\": null}\n{\"t\": 7, \"s\": {\"y\": true}}\n";
    let all = ["a List(Int64)", "b Float64", "n Null", "s Struct(\"y\": Boolean)", "t Utf8"];
    assert_eq!(types(file, JsonLinesOptions::default()), all);
    assert_eq!(types(&gzip(file), JsonLinesOptions::default()), all);
    let sample = types(file, JsonLinesOptions { sample: Some(1), ..Default::default() });
    assert_eq!(sample, ["b Int64", "t Utf8"]);
    let rows = shown(&whole(&json(file, JsonLinesOptions::default()).unwrap()));
    let expected = [
        "null | 1.0 | null | null | x",
        "[1, 2] | 0.5 | null | null | null",
        "null | null | null | {y: true} | 7",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn given_types_replace_inferred_ones() {
    let file = b"{\"a\": 18446744073709551615, \"b\": {\"a\": 1}}\n{\"a\": 2, \"b\": null}\n";
    let of = |columns| JsonLinesOptions { types: Some(schema(columns)), ..Default::default() };
    let given = of(&[("a", DataType::UInt64)]);
    assert_eq!(types(file, given.clone()), ["a UInt64", "b Struct(\"a\": Int64)"]);
    let rows = shown(&whole(&json(file, given).unwrap()));
    assert_eq!(rows, ["18446744073709551615 | {a: 1}", "2 | null"]);
    let given = of(&[("a", DataType::UInt64), ("c", DataType::Utf8)]);
    let error = json(file, given).unwrap_err();
    assert_eq!(error.to_string(), "types: expected the column \"c\", found the columns \"a\", \"b\"");
    assert_eq!(error.kind(), FeedErrorKind::Schema);
}

#[test]
fn null_has_every_type() {
    let cases: [(&[&str], &str); 13] = [
        (&["null", "1"], "Int64"),
        (&["[]", "[null]"], "List(Null)"),
        (&["[null, 1]", "null", "[]"], "List(Int64)"),
        (&["[null, {\"y\": 1}]"], "List(Struct(\"y\": Int64))"),
        (&["[{\"y\": 1}, null]"], "List(Struct(\"y\": Int64))"),
        (&["[null]", "[{\"y\": 1}]"], "List(Struct(\"y\": Int64))"),
        (&["[{\"y\": 1}]", "[null]"], "List(Struct(\"y\": Int64))"),
        (&["[null, [1]]"], "List(List(Int64))"),
        (&["[[1], null]"], "List(List(Int64))"),
        (&["[null]", "[[1]]"], "List(List(Int64))"),
        (
            &["[]", "[{\"b\": []}]", "[{\"b\": [{\"c\": null}, {\"c\": \"q\"}]}]"],
            "List(Struct(\"b\": List(Struct(\"c\": Utf8))))",
        ),
        (&["{\"x\": null}", "null", "{\"x\": [1]}"], "Struct(\"x\": List(Int64))"),
        (&["[{}, {\"b\": 1}, {\"a\": 2.5}]"], "List(Struct(\"a\": Float64, \"b\": Int64))"),
    ];
    for (values, expected) in cases {
        let lines: String = values.iter().map(|value| format!("{{\"k\": {value}}}\n")).collect();
        assert_eq!(types(lines.as_bytes(), JsonLinesOptions::default()), [format!("k {expected}")]);
        let rows = shown(&whole(&json(lines.as_bytes(), JsonLinesOptions::default()).unwrap()));
        assert_eq!(rows.len(), values.len());
    }
}

#[test]
fn scalars_have_the_narrowest_type_that_keeps_them() {
    let cases = [
        ("1", "-2", "Int64"),
        ("1", "2.5", "Float64"),
        ("1e3", "1", "Float64"),
        ("true", "false", "Boolean"),
        ("true", "1", "Utf8"),
        ("2.5", "\"x\"", "Utf8"),
        ("9223372036854775807", "-9223372036854775808", "Int64"),
        ("9223372036854775808.0", "1e300", "Float64"),
    ];
    for (one, other, expected) in cases {
        for (one, other) in [(one, other), (other, one)] {
            let lines = format!("{{\"k\": {one}}}\n{{\"k\": {other}}}\n{{\"l\": [{one}, {other}]}}\n");
            let expected = [format!("k {expected}"), format!("l List({expected})")];
            assert_eq!(types(lines.as_bytes(), JsonLinesOptions::default()), expected);
        }
    }
}

fn refused(file: &[u8], kind: FeedErrorKind) -> String {
    let error = json(file, JsonLinesOptions::default()).unwrap_err();
    assert_eq!(error.kind(), kind);
    error.to_string()
}

#[test]
fn a_scalar_a_list_and_an_object_have_no_common_type() {
    let values = [("a scalar", "1"), ("a list", "[\"x\"]"), ("an object", "{\"x\": 1}")];
    for (before, first) in values {
        for (found, second) in values.into_iter().filter(|(found, _)| *found != before) {
            let lines =
                format!("{{\"t\": null}}\n{{\"t\": {first}}}\n{{\"t\": {first}}}\n{{\"t\": {second}}}\n");
            assert_eq!(
                refused(lines.as_bytes(), FeedErrorKind::Schema),
                format!(
                    "file: block 0, record 3: t: expected {before}, as in record 1 of block 0 of file, found {found}: \
                     give a schema without this key"
                )
            );
        }
    }
    assert_eq!(
        refused(b"{\"a\": {\"b.c\": [{}, {\"d\": 1}, {\"d\": []}]}}\n", FeedErrorKind::Schema),
        "file: block 0, record 0: a['b.c'][2].d: expected a scalar, as in record 0 of block 0 of file, found a list: give a \
         schema without this key"
    );
}

#[test]
fn a_line_that_is_not_an_object_is_named() {
    let cases: [(&[u8], &str); 5] = [
        (b"{\"a\"}", "expected `:` at column 5"),
        (b"[1]", "[1]"),
        (b"null", "null"),
        (b"{\"a\": 1} 2", "trailing characters at column 10"),
        // The invalid syntax is the error, not the list before it.
        (b"{\"a\": [], 2}", "key must be a string at column 11"),
    ];
    for (line, found) in cases {
        assert_eq!(
            refused(&[b"{\"a\": 1}\n", line, b"\n"].concat(), FeedErrorKind::CorruptBlock),
            format!("file: block 0, record 1: expected a JSON object, found {found}")
        );
    }
    let expected = "expected records with keys to make columns from, found none: give a schema";
    assert_eq!(refused(b"{}\n", FeedErrorKind::Schema), expected);
}

/// The lines of both cases are read by one parser.
#[test]
fn a_record_has_the_same_error_with_a_schema_and_without_one() {
    let list = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let cases = [
        ("{\"f\": 1e400}".to_owned(), "f: expected a value of Float64, found 1e400"),
        ("{\"f\": 1}\x0c".to_owned(), "expected a JSON object, found trailing characters at column 9"),
        (
            "{\"f\": \"\t\"}".to_owned(),
            "expected a JSON object, found control character (\\u0000-\\u001F) found while parsing a string at column 8",
        ),
        ("{\"f\": 01}".to_owned(), "expected a JSON object, found invalid number at column 8"),
        ("{\"f\": [1,]}".to_owned(), "expected a JSON object, found trailing comma at column 10"),
        ("{\"f\": 1,".to_owned(), "expected a JSON object, found EOF while parsing an object at column 8"),
        (
            "{\"f\": \"\\ud800\"}".to_owned(),
            "expected a JSON object, found unexpected end of hex escape at column 14",
        ),
        ("[\"a\\u0001\\n\"]".to_owned(), "expected a JSON object, found [\"a\\u0001\\n\"]"),
        (
            format!("{{\"f\": {}}}", list(100_000)),
            "expected a JSON object nested at most 100,000 deep, found a deeper one",
        ),
    ];
    for (line, expected) in cases {
        let file = format!("{{\"f\": 0.5}}\n{line}\n");
        let given = Some(schema(&[("f", DataType::Float64)]));
        for schema in [given, None] {
            let options = JsonLinesOptions { schema, ..Default::default() };
            let error = match json(file.as_bytes(), options) {
                Ok(files) => error_of(&files),
                Err(error) => error.to_string(),
            };
            let (place, error) = error.split_once("record 1: ").unwrap();
            assert!(place == "file: block 0, " || place == "file: block 0 at byte 11, ", "{place}");
            assert_eq!(error, expected);
        }
    }
}

#[test]
fn numbers_beyond_floats_are_texts_beside_texts() {
    let file = b"{\"k\": 1e400}\n{\"k\": \"x\"}\n";
    assert_eq!(types(file, JsonLinesOptions::default()), ["k Utf8"]);
    assert_eq!(shown(&whole(&json(file, JsonLinesOptions::default()).unwrap())), ["1e400", "x"]);
}

#[test]
fn a_value_too_deep_for_a_type_is_named() {
    let deep = |depth| format!("{{}}\n{{\"a\": {{\"b\": {}{}}}}}\n", "[".repeat(depth), "]".repeat(depth));
    let error = json(deep(1_000).as_bytes(), JsonLinesOptions::default()).unwrap_err();
    let path = format!("a.b{}", "[0]".repeat(127));
    let expected =
        format!("file: block 0, record 1: {path}: expected types nested at most 64 deep, found a deeper one");
    assert_eq!((error.to_string(), error.limit()), (expected, Some("schema_depth")));
    let limits = Limits { schema_depth: 128, ..Default::default() };
    let options = JsonLinesOptions { limits, ..Default::default() };
    assert!(json(deep(126).as_bytes(), options.clone()).is_ok());
    assert!(json(deep(127).as_bytes(), options).is_err());
}

#[test]
fn records_may_be_longer_than_a_header() {
    let limits = Limits { header_bytes: 4, ..Default::default() };
    assert_eq!(types(b"{\"k\": 1}\n", JsonLinesOptions { limits, ..Default::default() }), ["k Int64"]);
}

#[test]
fn an_integer_outside_of_int64_is_named() {
    for integer in [
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "100000000000000000001",
    ] {
        let file =
            format!("{{\"f\": 1e20}}\n{{\"f\": 1e20, \"i\": [{{\"x.y\": 1}}, {{\"x.y\": {integer}}}]}}\n");
        assert_eq!(
            refused(file.as_bytes(), FeedErrorKind::Schema),
            format!(
                "file: block 0, record 1: i[1]['x.y']: expected an integer that fits into int64, found {integer}: give a schema"
            )
        );
    }
}

#[test]
fn the_number_of_keys_is_limited() {
    let limits = Limits { expanded_fields: 4, ..Default::default() };
    let files = |lines: &[u8]| json(lines, JsonLinesOptions { limits: limits.clone(), ..Default::default() });
    assert!(files(b"{\"a\": 1, \"b\": {\"c\": 2, \"d\": 3}}\n").is_ok());
    let error = files(b"{\"a\": 1, \"b\": {\"c\": 2}}\n{\"d\": 3}\n{\"e\": 3}\n{\"f\": 4}\n").unwrap_err();
    assert_eq!(error.to_string(), "file: block 0, record 2: expected a schema of at most 4 fields, found 5");
    assert_eq!(error.limit(), Some("expanded_fields"));
}

#[test]
fn a_value_of_another_type_after_the_sample_is_explained() {
    let cases = [
        ("1", "\"x\"", "a value of Int64, found \"x\""),
        ("\"x\"", "[1]", "a value of Utf8, found [1]"),
        ("null", "1", "a value of Null, found 1"),
    ];
    for (first, later, expected) in cases {
        let file = format!("{{\"k\": {first}}}\n{{\"k\": {later}}}\n");
        let options = JsonLinesOptions { sample: Some(1), ..Default::default() };
        assert_eq!(
            error_of(&json(file.as_bytes(), options).unwrap()),
            format!(
                "file: block 0 at byte {}, record 1: k: expected {expected}: the type was inferred from the first 1 record, \
                 so give a schema or a larger sample",
                first.len() + 8
            )
        );
    }
}
