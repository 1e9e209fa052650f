//! Inference of the column types of JSON Lines files.

use crate::support::{error_of, gzip, json, shown, whole};
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
