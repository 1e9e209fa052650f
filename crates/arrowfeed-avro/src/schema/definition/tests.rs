use arrowfeed_source::Limits;

use crate::AvroSchema;
use crate::schema::graph::Type;
use crate::schema::normalise::tests::{canonical_forms, parsed, refused, root};

#[test]
fn wrong_records_are_refused() {
    let record = |fields: &str| format!(r#"{{"type": "record", "name": "R", "fields": [{fields}]}}"#);
    refused(&[
        (r#"{"type": "record", "name": "R"}"#, r#"expected an array of fields as "fields", found none"#),
        (
            r#"{"type": "record", "name": "R", "fields": {}}"#,
            r#"expected an array of fields as "fields", found an object"#,
        ),
        (r#"{"type": "record", "fields": []}"#, r#"expected a name as "name", found none"#),
        (r#"{"type": "record", "name": 1, "fields": []}"#, r#"expected a name as "name", found 1"#),
        (&record(r#""int""#), r#"expected a field as a JSON object, found "int""#),
        (&record(r#"{"type": "int"}"#), r#"expected a name as "name", found none"#),
        (&record(r#"{"name": ["a"], "type": "int"}"#), r#"expected a name as "name", found an array"#),
        (&record(r#"{"name": "a"}"#), r#"a: expected a type as "type", found none"#),
        (
            &record(r#"{"name": "a\u0000", "type": "int"}"#),
            r#"expected a name without the character U+0000, found "a\0""#,
        ),
        (
            &record(r#"{"name": "a.b", "type": {"type": "array", "items": "bool"}}"#),
            r#"['a.b']: expected a type, found the unknown name "bool": did you mean "boolean"?"#,
        ),
        (
            &record(r#"{"name": "a", "type": "int"}, {"name": "a", "type": "long"}"#),
            r#"expected each field name once, found "a" twice"#,
        ),
        (
            &record(r#"{"name": "a", "type": "int", "aliases": "b"}"#),
            r#"a: expected an array of strings as "aliases", found "b""#,
        ),
        (
            &record(r#"{"name": "a", "type": "int", "aliases": [1]}"#),
            r#"a: expected an array of strings as "aliases", found an array"#,
        ),
    ]);
}

#[test]
fn wrong_enums_are_refused() {
    let symbols = |symbols: &str| format!(r#"{{"type": "enum", "name": "E", "symbols": {symbols}}}"#);
    refused(&[
        (r#"{"type": "enum", "name": "E"}"#, r#"expected an array of strings as "symbols", found none"#),
        (&symbols(r#""A""#), r#"expected an array of strings as "symbols", found "A""#),
        (&symbols("[]"), "expected an enum of at least one symbol, found none"),
        (&symbols("[1]"), "expected an enum symbol as a string, found 1"),
        (&symbols(r#"["A", "B", "A"]"#), r#"expected each enum symbol once, found "A" twice"#),
    ]);
}

#[test]
fn wrong_fixed_sizes_are_refused() {
    let fixed = |size: &str| format!(r#"{{"type": "fixed", "name": "F", "size": {size}}}"#);
    refused(&[(
        r#"{"type": "fixed", "name": "F"}"#,
        r#"expected an integer of 0 or more as "size", found none"#,
    )]);
    for size in ["-1", "1000.0", "1.5", "\"16\"", "null", "18446744073709551616"] {
        let found = size.replace("18446744073709551616", "1.8446744073709552e+19");
        refused(&[(&fixed(size), &format!(r#"expected an integer of 0 or more as "size", found {found}"#))]);
    }
    for (size, text) in [("268435457", "268,435,457"), ("18446744073709551615", "18,446,744,073,709,551,615")]
    {
        let error = AvroSchema::parse(&fixed(size)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("expected a fixed of at most 268,435,456 bytes, found one of {text}")
        );
        assert_eq!(error.limit(), Some("decoded_block_bytes"));
    }
}

#[test]
fn wrong_names_are_refused() {
    let fixed = |attributes: &str| format!(r#"{{"type": "fixed", "size": 1, {attributes}}}"#);
    let primitive = "expected a type name that is not a primitive type, found";
    refused(&[
        (
            &fixed(r#""name": "a\u0000b\n""#),
            r#"expected a name without the character U+0000, found "a\0b\n""#,
        ),
        (
            &fixed(r#""name": "F", "namespace": "a\u0000""#),
            r#"expected a name without the character U+0000, found "a\0.F""#,
        ),
        (&fixed(r#""name": "int""#), &format!(r#"{primitive} "int""#)),
        (&fixed(r#""name": ".string""#), &format!(r#"{primitive} "string""#)),
        (
            &fixed(r#""name": "F", "namespace": 5"#),
            r#"expected names joined by dots as "namespace", found 5"#,
        ),
        (&fixed(r#""name": "F", "aliases": 5"#), r#"expected an array of strings as "aliases", found 5"#),
    ]);
}

#[test]
fn a_name_is_defined_once() {
    refused(&[(
        r#"[{"type": "fixed", "name": "a.F", "size": 1},
            {"type": "fixed", "name": "F", "namespace": "a", "size": 1}]"#,
        r#"expected each type defined once, found "a.F" twice"#,
    )]);
}

#[test]
fn names_take_the_namespace_around_them_unless_they_have_their_own() {
    let record = |name: &str, field: &str| {
        format!(r#"{{{name}, "type": "record", "fields": [{{"name": "f", "type": {field}}}]}}"#)
    };
    let fixed = |name: &str| format!(r#"{{{name}, "type": "fixed", "size": 1}}"#);
    let inner_name = |outer: &str, inner: &str| {
        let schema = parsed(&record(outer, &fixed(inner)));
        let Type::Fixed(fixed) = &schema.graph().types[1] else { panic!("expected a fixed") };
        fixed.name.clone()
    };
    assert_eq!(inner_name(r#""name": "R", "namespace": "a.b""#, r#""name": "F""#), "a.b.F");
    assert_eq!(inner_name(r#""name": "a.b.R""#, r#""name": "F""#), "a.b.F");
    assert_eq!(inner_name(r#""name": "a.b.R", "namespace": "x""#, r#""name": "F""#), "a.b.F");
    assert_eq!(inner_name(r#""name": "a.b.R""#, r#""name": "c.F""#), "c.F");
    assert_eq!(inner_name(r#""name": "a.b.R""#, r#""name": "F", "namespace": "c""#), "c.F");
    assert_eq!(inner_name(r#""name": "a.b.R""#, r#""name": "F", "namespace": """#), "F");
    assert_eq!(inner_name(r#""name": "a.b.R""#, r#""name": "F", "namespace": null"#), "a.b.F");
    assert_eq!(inner_name(r#""name": "R""#, r#""name": "F""#), "F");
}

#[test]
fn references_are_full_or_in_the_namespace_around_them_or_in_none() {
    let schema = |reference: &str| {
        format!(
            r#"{{"type": "record", "name": "a.R", "fields": [
                {{"name": "f", "type": {{"type": "fixed", "name": "F", "size": 1}}}},
                {{"name": "g", "type": {{"type": "fixed", "name": "F", "namespace": "", "size": 2}}}},
                {{"name": "h", "type": {{"type": "fixed", "name": "G", "namespace": "", "size": 3}}}},
                {{"name": "again", "type": {reference}}}]}}"#
        )
    };
    for (reference, size) in [(r#""F""#, 1), (r#""a.F""#, 1), (r#""G""#, 3), (r#"{"type": "F"}"#, 1)] {
        let schema = parsed(&schema(reference));
        let Type::Record(record) = &schema.graph().types[0] else { panic!("expected a record") };
        let Type::Fixed(fixed) = &schema.graph().types[record.fields[3].ty] else {
            panic!("expected a fixed")
        };
        assert_eq!(fixed.size, size, "{reference}");
    }
}

#[test]
fn aliases_are_full_names_without_repeats() {
    let schema = parsed(
        r#"{"type": "record", "name": "a.R", "aliases": ["S", "x.T", "S", "R"], "fields": [
            {"name": "f", "type": "int", "aliases": ["g", "old-name", "g", "f"]}]}"#,
    );
    let Type::Record(record) = &schema.graph().types[0] else { panic!("expected a record") };
    assert_eq!(record.aliases, ["a.S", "x.T"]);
    assert_eq!(record.fields[0].aliases, ["g", "old-name"]);
}

/// Java computes the same canonical forms for these texts, see `tests/java`.
#[test]
fn names_of_existing_writers_are_accepted() {
    let java = r#"{"type": "record", "name": "Outer", "namespace": "org.apache.Job$", "fields": [
        {"name": "inner", "type": {"type": "record", "name": "Inner$1", "fields": [
            {"name": "again", "type": ["null", "Outer", "org.apache.Job$.Inner$1"]}]}}]}"#;
    let polars = r#"{"type": "record", "name": "", "fields": [
        {"name": "", "type": "int"}, {"name": "9 a-b.c", "type": ["null", ""]}]}"#;
    let clickhouse = r#"{"type": "enum", "name": "e", "symbols": ["hello world", "", "a.b", "9", "-"]}"#;
    let dots = r#"{"type": "record", "name": "a..C", "fields": [
        {"name": "d", "type": {"type": "fixed", "name": ".D", "size": 1}},
        {"name": "e", "type": {"type": "fixed", "name": "E", "namespace": "x.", "size": 2}},
        {"name": "f", "type": ["D", "x..E", "C"]}]}"#;
    let primitive = r#"{"type": "record", "name": "R", "namespace": "a", "fields": [
        {"name": "s", "type": {"type": "fixed", "name": "string", "size": 1}},
        {"name": "t", "type": ["string", "a.string"]}]}"#;
    canonical_forms(&[
        (
            java,
            r#"{"name":"org.apache.Job$.Outer","type":"record","fields":[{"name":"inner","type":{"name":"org.apache.Job$.Inner$1","type":"record","fields":[{"name":"again","type":["null","org.apache.Job$.Outer","org.apache.Job$.Inner$1"]}]}}]}"#,
        ),
        (
            polars,
            r#"{"name":"","type":"record","fields":[{"name":"","type":"int"},{"name":"9 a-b.c","type":["null",""]}]}"#,
        ),
        (clickhouse, r#"{"name":"e","type":"enum","symbols":["hello world","","a.b","9","-"]}"#),
        (
            primitive,
            r#"{"name":"a.R","type":"record","fields":[{"name":"s","type":{"name":"a.string","type":"fixed","size":1}},{"name":"t","type":["string","a.string"]}]}"#,
        ),
    ]);
    // The canonical form cannot express that a type inside a namespace has no namespace.
    assert_eq!(
        parsed(dots).canonical(),
        r#"{"name":"a..C","type":"record","fields":[{"name":"d","type":{"name":"D","type":"fixed","size":1}},{"name":"e","type":{"name":"x..E","type":"fixed","size":2}},{"name":"f","type":["D","x..E","a..C"]}]}"#
    );
    // The form does not escape names either, as in Java.
    let quotes = r#"{"type": "record", "name": "a\"b", "fields": [{"name": "c\\\n", "type": "int"}]}"#;
    assert_eq!(
        parsed(quotes).canonical(),
        "{\"name\":\"a\"b\",\"type\":\"record\",\"fields\":[{\"name\":\"c\\\n\",\"type\":\"int\"}]}"
    );
}

#[test]
fn names_in_other_scripts_are_accepted() {
    canonical_forms(&[(
        r#"{"type": "record", "name": "größe.名前", "fields": [
            {"name": "na\u00efve", "type": {"type": "enum", "name": "Цвет", "symbols": ["красный"]}},
            {"name": "next", "type": ["null", "名前", "größe.Цвет"]}]}"#,
        r#"{"name":"größe.名前","type":"record","fields":[{"name":"naïve","type":{"name":"größe.Цвет","type":"enum","symbols":["красный"]}},{"name":"next","type":["null","größe.名前","größe.Цвет"]}]}"#,
    )]);
}

#[test]
fn any_default_is_kept_unchanged() {
    let defaults =
        ["5", "null", "\"x\"", "[[{}]]", r#"{"a": [1.5e300, -0.0]}"#, "[]", "\"\\u0100\"", "false"];
    for ty in [r#""int""#, r#"["null", "string"]"#, r#"{"type": "fixed", "name": "F", "size": 2}"#] {
        for default in defaults {
            let json = format!(
                r#"{{"type": "record", "name": "R", "fields": [{{"name": "a", "type": {ty}, "default": {default}}}]}}"#
            );
            let Type::Record(record) = root(&json) else { panic!("expected a record") };
            assert_eq!(record.fields[0].default, Some(serde_json::from_str(default).unwrap()));
        }
    }
    let Type::Record(record) =
        root(r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}"#)
    else {
        panic!("expected a record")
    };
    assert_eq!(record.fields[0].default, None);
}

#[test]
fn an_enum_default_is_a_symbol_or_ignored() {
    let with_default = |default: &str| {
        let schema = parsed(&format!(
            r#"{{"type": "enum", "name": "E", "symbols": ["A", "B"], "default": {default}}}"#
        ));
        let Type::Enum(symbols) = &schema.graph().types[0] else { panic!("expected an enum") };
        (symbols.default, schema.warnings().to_vec())
    };
    assert_eq!(with_default(r#""B""#), (Some(1), vec![]));
    for (default, found) in [(r#""C""#, r#""C""#), ("1", "1"), ("null", "null"), ("[]", "an array")] {
        let warning = format!("ignored the enum default {found}: expected one of the symbols");
        assert_eq!(with_default(default), (None, vec![warning]));
    }
}

#[test]
fn full_names_are_counted() {
    let fixed: Vec<String> = (0..40)
        .map(|i| format!(r#"{{"name": "f{i}", "type": {{"type": "fixed", "name": "F{i}", "size": 1}}}}"#))
        .collect();
    let namespace = "n".repeat(1_000);
    let json = |fields: &[String]| {
        let fields = fields.join(",");
        format!(r#"{{"type": "record", "name": "{namespace}.R", "fields": [{fields}]}}"#)
    };
    let limits = Limits { schema_bytes: 10_000, ..Limits::default() };
    assert!(AvroSchema::parse_with(&json(&fixed[..38]), &limits).is_ok());
    let error = AvroSchema::parse_with(&json(&fixed), &limits).unwrap_err();
    assert_eq!(error.message(), "expected full names of at most 40,000 bytes in a schema, found more");
    assert_eq!(error.limit(), Some("schema_bytes"));
}

#[test]
fn many_aliases_take_linear_time() {
    let aliases: Vec<String> = (0..200_000).map(|i| format!("\"a{i}\"")).collect();
    let aliases = aliases.join(",");
    let schema = parsed(&format!(
        r#"{{"type": "record", "name": "R", "aliases": [{aliases}], "fields": [
            {{"name": "f", "type": "int", "aliases": [{aliases}]}}]}}"#
    ));
    let Type::Record(record) = &schema.graph().types[0] else { panic!("expected a record") };
    assert_eq!((record.aliases.len(), record.fields[0].aliases.len()), (200_000, 200_000));
}
