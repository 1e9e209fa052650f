use super::*;
use crate::AvroSchema;
use crate::schema::graph::{Decimal, FixedLogical, IntLogical, LongLogical, Type};

pub(in crate::schema) fn parsed(json: &str) -> AvroSchema {
    AvroSchema::parse(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

pub(in crate::schema) fn root(json: &str) -> Type {
    let schema = parsed(json);
    assert_eq!(schema.warnings(), [""; 0], "{json}");
    schema.graph().types[schema.graph().root].clone()
}

#[track_caller]
pub(in crate::schema) fn refused(cases: &[(&str, &str)]) {
    for (json, message) in cases {
        let error = AvroSchema::parse(json).expect_err(json);
        assert_eq!(error.to_string(), *message, "{json}");
        assert_eq!(error.kind(), FeedErrorKind::Schema, "{json}");
    }
}

#[track_caller]
pub(in crate::schema) fn canonical_forms(cases: &[(&str, &str)]) {
    for (json, canonical) in cases {
        let schema = parsed(json);
        assert_eq!(schema.canonical(), *canonical, "{json}");
        assert_eq!(schema.warnings(), [""; 0], "{json}");
    }
}

#[test]
fn a_value_that_is_not_a_type_is_refused() {
    refused(&[
        ("5", "expected a type, found 5"),
        ("null", "expected a type, found null"),
        ("true", "expected a type, found true"),
        ("{}", r#"expected a type as "type", found none"#),
        (r#"{"type": 5}"#, r#"expected a type as "type", found 5"#),
        (r#"{"type": null}"#, r#"expected a type as "type", found null"#),
        (r#"{"type": "array"}"#, r#"expected a type as "items", found none"#),
        (r#"{"type": "array", "items": 7}"#, "expected a type, found 7"),
        (r#"{"type": "map", "items": "int"}"#, r#"expected a type as "values", found none"#),
        (r#"{"type": "map", "values": null}"#, "expected a type, found null"),
    ]);
}

#[test]
fn an_unknown_name_is_refused_with_a_suggestion() {
    let unknown = "expected a type, found the unknown name";
    let suggested =
        [("bool", "boolean"), ("String", "string"), ("INT", "int"), ("int64", "long"), ("str", "string")];
    for (name, standard) in suggested {
        let message = format!(r#"{unknown} "{name}": did you mean "{standard}"?"#);
        refused(&[(&format!("\"{name}\""), &message), (&format!(r#"{{"type": "{name}"}}"#), &message)]);
    }
    refused(&[
        (r#""Color""#, &format!(r#"{unknown} "Color""#)),
        (r#""a\"b\u0000""#, &format!(r#"{unknown} "a\"b\0""#)),
        (r#""""#, &format!(r#"{unknown} """#)),
        (r#""array""#, &format!(r#"{unknown} "array": write {{"type": "array", ...}} in place of it"#)),
        (
            r#"{"type": "record", "name": "R", "fields": [
                {"name": "x", "type": "record", "fields": []}]}"#,
            &format!(r#"x: {unknown} "record": write {{"type": "record", ...}} in place of it"#),
        ),
        (
            r#"[{"type": "fixed", "name": "a.F", "size": 1}, {"type": "array", "items": "F"}]"#,
            &format!(r#"{unknown} "F": did you mean "a.F"?"#),
        ),
        (
            // A name is only known after its definition.
            r#"[{"type": "array", "items": "F"}, {"type": "fixed", "name": "F", "size": 1}]"#,
            &format!(r#"{unknown} "F""#),
        ),
        (
            // An alias cannot be used as a reference.
            r#"[{"type": "fixed", "name": "F", "aliases": ["G"], "size": 1}, {"type": "array", "items": "G"}]"#,
            &format!(r#"{unknown} "G""#),
        ),
    ]);
}

#[test]
fn errors_are_placed_by_the_names_of_fields() {
    let inner = |ty: &str| {
        format!(
            r#"{{"type": "record", "name": "R", "fields": [{{"name": "ok", "type": "int"}}, {{"name": "user", "type":
            ["null", {{"type": "array", "items": {{"type": "record", "name": "U", "fields": [
                {{"name": "scores", "type": {{"type": "map", "values": {ty}}}}}]}}}}]}}]}}"#
        )
    };
    refused(&[
        (&inner("5"), "user.scores: expected a type, found 5"),
        (
            &inner(r#""bool""#),
            r#"user.scores: expected a type, found the unknown name "bool": did you mean "boolean"?"#,
        ),
    ]);
    let schema = parsed(&inner(r#"{"type": "int", "logicalType": "uuid"}"#));
    let warning = r#"user.scores: ignored the logical type "uuid" of int: expected string or fixed(16)"#;
    assert_eq!(schema.warnings(), [warning]);
}

#[test]
fn wrong_unions_are_refused() {
    let twice = |name: &str| format!("expected each type once in a union, found {name} twice");
    let nested = "expected a branch that is not a union, found a union in a union";
    refused(&[
        ("[]", "expected a union of at least one branch, found none"),
        (r#"["int", "int"]"#, &twice("int")),
        (r#"["int", {"type": "int", "logicalType": "date"}]"#, &twice("int")),
        (r#"[{"type": "array", "items": "int"}, {"type": "array", "items": "long"}]"#, &twice("array")),
        (r#"[{"type": "map", "values": "int"}, {"type": "map", "values": "long"}]"#, &twice("map")),
        (r#"[{"type": "fixed", "name": "a.F", "size": 1}, "a.F"]"#, &twice(r#""a.F""#)),
        (r#"["null", ["int"]]"#, nested),
        (r#"["null", {"type": ["int"]}]"#, nested),
        (r#"["null", {"type": "map", "values": []}]"#, "expected a union of at least one branch, found none"),
    ]);
}

#[test]
fn legal_oddities_are_accepted() {
    canonical_forms(&[
        (r#"{"type": "error", "name": "E", "fields": []}"#, r#"{"name":"E","type":"record","fields":[]}"#),
        (r#"{"type": {"type": {"type": "int"}}}"#, r#""int""#),
        (r#"{"type": ["null", "int"]}"#, r#"["null","int"]"#),
        (r#"["null"]"#, r#"["null"]"#),
        (r#"{"type": "fixed", "name": "F", "size": 0}"#, r#"{"name":"F","type":"fixed","size":0}"#),
        (r#"{"type": "int", "doc": 5, "items": 3, "precision": "x", "fields": {}}"#, r#""int""#),
        (
            // A type may have the same name as a kind.
            r#"[{"type": "record", "name": "record", "fields": []}, {"type": "array", "items": "record"}]"#,
            r#"[{"name":"record","type":"record","fields":[]},{"type":"array","items":"record"}]"#,
        ),
        (
            r#"{"n\u0061me": "f\u006fo", "type": "enum", "doc": "a\"b\n", "symbols": ["\u0041"]}"#,
            r#"{"name":"foo","type":"enum","symbols":["A"]}"#,
        ),
        (
            // If a key occurs twice, the last value counts.
            r#"{"type": "string", "type": "bytes"}"#,
            r#""bytes""#,
        ),
    ]);
}

#[test]
fn logical_types_reach_the_graph() {
    let of =
        |base: &str, logical: &str| root(&format!(r#"{{"type": "{base}", "logicalType": "{logical}"}}"#));
    assert_eq!(of("int", "date"), Type::Int(Some(IntLogical::Date)));
    assert_eq!(of("int", "time-millis"), Type::Int(Some(IntLogical::TimeMillis)));
    assert_eq!(of("long", "time-micros"), Type::Long(Some(LongLogical::TimeMicros)));
    assert_eq!(of("long", "timestamp-millis"), Type::Long(Some(LongLogical::TimestampMillis)));
    assert_eq!(of("long", "timestamp-micros"), Type::Long(Some(LongLogical::TimestampMicros)));
    assert_eq!(of("long", "timestamp-nanos"), Type::Long(Some(LongLogical::TimestampNanos)));
    assert_eq!(of("long", "local-timestamp-millis"), Type::Long(Some(LongLogical::LocalTimestampMillis)));
    assert_eq!(of("long", "local-timestamp-micros"), Type::Long(Some(LongLogical::LocalTimestampMicros)));
    assert_eq!(of("long", "local-timestamp-nanos"), Type::Long(Some(LongLogical::LocalTimestampNanos)));
    assert_eq!(of("string", "uuid"), Type::String { uuid: true });
    let decimal = Decimal { precision: 4, scale: 2 };
    let json = r#"{"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}"#;
    assert_eq!(root(json), Type::Bytes(Some(decimal)));
    let fixed = |size: usize, rest: &str| {
        let json = format!(r#"{{"type": "fixed", "name": "F", "size": {size}, "logicalType": {rest}}}"#);
        let Type::Fixed(fixed) = root(&json) else { panic!("expected a fixed") };
        assert_eq!(fixed.size, size);
        fixed.logical
    };
    assert_eq!(fixed(2, r#""decimal", "precision": 4, "scale": 2"#), Some(FixedLogical::Decimal(decimal)));
    assert_eq!(fixed(12, r#""duration""#), Some(FixedLogical::Duration));
    assert_eq!(fixed(16, r#""uuid""#), Some(FixedLogical::Uuid));
}

#[test]
fn an_invalid_logical_type_leaves_its_base_and_a_warning() {
    let cases = [
        (
            r#"{"type": "string", "logicalType": "date"}"#,
            Type::String { uuid: false },
            "of string: expected int",
        ),
        (r#"{"type": "long", "logicalType": "date"}"#, Type::Long(None), "of long: expected int"),
        (
            r#"{"type": "bytes", "logicalType": "decimal"}"#,
            Type::Bytes(None),
            "of bytes: expected a precision of 1 or more, found none",
        ),
        (r#"{"type": "double", "logicalType": 1}"#, Type::Double, "of double: expected a string"),
    ];
    for (json, ty, warning) in cases {
        let schema = parsed(json);
        assert_eq!(schema.graph().types, [ty], "{json}");
        let [found] = schema.warnings() else { panic!("{json}: expected one warning") };
        assert!(found.starts_with("ignored the logical type ") && found.ends_with(warning), "{found}");
    }
    let schema = parsed(r#"{"type": "fixed", "name": "F", "size": 11, "logicalType": "duration"}"#);
    assert!(
        matches!(&schema.graph().types[0], Type::Fixed(fixed) if fixed.size == 11 && fixed.logical.is_none())
    );
    assert_eq!(
        schema.warnings(),
        [r#"ignored the logical type "duration" of fixed(11): expected fixed(12)"#]
    );
}

#[test]
fn a_logical_type_beside_a_type_is_ignored() {
    let elsewhere = |json: &str| parsed(json).warnings().to_vec();
    let warning = |path: &str, of: &str| {
        vec![format!(
            r#"{path}ignored the logical type "date" of {of}: expected it in the JSON object of the type"#
        )]
    };
    let date = r#""logicalType": "date""#;
    let record =
        format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "a", "type": "int", {date}}}]}}"#);
    assert_eq!(elsewhere(&record), warning("a: ", "a field"));
    assert_eq!(elsewhere(&format!(r#"{{"type": {{"type": "int"}}, {date}}}"#)), warning("", "a nested type"));
    let named = format!(
        r#"[{{"type": "fixed", "name": "F", "size": 1}}, {{"type": "array", "items": {{"type": "F", {date}}}}}]"#
    );
    assert_eq!(elsewhere(&named), warning("", "a reference"));
    for (kind, rest) in [
        ("array", r#""items": "int""#),
        ("map", r#""values": "int""#),
        ("record", r#""name": "R", "fields": []"#),
        ("enum", r#""name": "E", "symbols": ["A"]"#),
    ] {
        let json = format!(r#"{{"type": "{kind}", {rest}, {date}}}"#);
        assert_eq!(elsewhere(&json), [format!(r#"ignored the logical type "date" of {kind}: expected int"#)]);
    }
}

#[test]
fn a_hundred_warnings_are_kept_and_the_others_counted() {
    let field = |i: usize| format!(r#"{{"name": "f{i}", "type": {{"type": "int", "logicalType": "x"}}}}"#);
    let fields: Vec<String> = (0..1234).map(field).collect();
    let schema = parsed(&format!(r#"{{"type": "record", "name": "R", "fields": [{}]}}"#, fields.join(",")));
    assert_eq!(schema.warnings().len(), 101);
    let last = r#"f99: ignored the logical type "x" of int: the Avro specification does not define it"#;
    assert_eq!(schema.warnings()[99..], [last, "ignored in 1,134 more places"]);
}

#[test]
fn types_are_counted() {
    let limits = Limits { expanded_fields: 3, ..Limits::default() };
    assert!(AvroSchema::parse_with(r#"["null", "int"]"#, &limits).is_ok());
    let error = AvroSchema::parse_with(r#"["null", "int", "long"]"#, &limits).unwrap_err();
    assert_eq!(error.to_string(), "expected a schema of at most 3 types, found more");
    assert_eq!(error.limit(), Some("expanded_fields"));
}
