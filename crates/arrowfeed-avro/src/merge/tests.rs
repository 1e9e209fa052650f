use arrowfeed_source::{FeedError, Limits};
use serde_json::{Value, json};

use super::MergedSchema;
use crate::AvroSchema;

/// Merges schemas of the files `1`, `2` and so on.
fn merge(schemas: &[Value]) -> Result<MergedSchema, FeedError> {
    let schemas: Vec<(String, AvroSchema)> = schemas
        .iter()
        .enumerate()
        .map(|(number, json)| ((number + 1).to_string(), AvroSchema::parse(&json.to_string()).unwrap()))
        .collect();
    let named = schemas.iter().map(|(name, schema)| (name.as_str(), schema));
    MergedSchema::of_schemas(named, &Limits::default())
}

fn record(fields: Value) -> Value {
    json!({ "type": "record", "name": "R", "fields": fields })
}

fn field(ty: Value) -> Value {
    record(json!([{ "name": "x", "type": ty }]))
}

/// The merged type of a field with these types in files, and the changes.
fn merged_field(types: &[Value]) -> (Value, Vec<String>) {
    let schemas: Vec<Value> = types.iter().cloned().map(field).collect();
    let merged = merge(&schemas).unwrap_or_else(|error| panic!("{types:?}: {error}"));
    let json: Value = serde_json::from_str(merged.schema.json()).unwrap();
    (json["fields"][0]["type"].clone(), merged.changes.iter().map(ToString::to_string).collect())
}

fn refusal(schemas: &[Value]) -> String {
    merge(schemas).unwrap_err().to_string()
}

#[test]
fn fields_are_united_in_the_order_of_the_files() {
    let first =
        record(json!([{ "name": "a", "type": "int" }, { "name": "b", "type": "string", "default": "?" }]));
    let second = record(json!([{ "name": "c", "type": ["double", "null"] }, { "name": "a", "type": "int" }]));
    let third = record(json!([{ "name": "d", "type": "null" }]));
    let merged = merge(&[first.clone(), second, third]).unwrap();
    let expected = json!({ "type": "record", "name": "R", "namespace": "", "fields": [
        { "name": "a", "type": ["null", "int"], "default": null },
        { "name": "b", "type": ["null", "string"], "default": null },
        { "name": "c", "type": ["null", "double"], "default": null },
        { "name": "d", "type": "null", "default": null },
    ] });
    assert_eq!(serde_json::from_str::<Value>(merged.schema.json()).unwrap(), expected);
    let changes: Vec<String> = merged.changes.iter().map(ToString::to_string).collect();
    let expected = [
        "2: b: made nullable: the file does not have it",
        "2: c: added with the union of double, null",
        "3: a: made nullable: the file does not have it",
        "3: d: added with the type null",
    ];
    assert_eq!(changes, expected);
    let alone = merge(&[first]).unwrap();
    assert!(alone.changes.is_empty());
    assert_eq!(
        alone.schema.canonical(),
        r#"{"name":"R","type":"record","fields":[{"name":"a","type":"int"},{"name":"b","type":"string"}]}"#
    );
}

#[test]
fn types_are_promoted() {
    let date = json!({ "type": "int", "logicalType": "date" });
    let uuid = json!({ "type": "string", "logicalType": "uuid" });
    let cases = [
        (vec![json!("int"), json!("long")], json!("long"), vec!["2: x: changed from int to long"]),
        (vec![json!("long"), json!("int")], json!("long"), vec![]),
        (vec![json!("int"), json!("float")], json!("double"), vec!["2: x: changed from int to double"]),
        (vec![json!("float"), json!("long")], json!("double"), vec!["2: x: changed from float to double"]),
        (vec![json!("float"), json!("double")], json!("double"), vec!["2: x: changed from float to double"]),
        (
            vec![json!("int"), json!("long"), json!("double")],
            json!("double"),
            vec!["2: x: changed from int to long", "3: x: changed from long to double"],
        ),
        (vec![json!("string"), json!("bytes")], json!("bytes"), vec!["2: x: changed from string to bytes"]),
        (vec![json!("bytes"), json!("string")], json!("bytes"), vec![]),
        (vec![date.clone(), date.clone()], date.clone(), vec![]),
        (vec![date.clone(), json!("int")], json!("int"), vec!["2: x: changed from int (date) to int"]),
        (vec![json!("int"), date], json!("int"), vec![]),
        (vec![uuid, json!("string")], json!("string"), vec!["2: x: changed from string (uuid) to string"]),
        (vec![json!("null"), json!("int")], json!(["null", "int"]), vec!["2: x: changed from null to int"]),
        (
            vec![json!("int"), json!("null")],
            json!(["null", "int"]),
            vec!["2: x: made nullable, as in the file"],
        ),
        (
            vec![json!("int"), json!(["null", "long"])],
            json!(["null", "long"]),
            vec!["2: x: changed from int to long", "2: x: made nullable, as in the file"],
        ),
        (vec![json!(["int", "null"]), json!("int")], json!(["null", "int"]), vec![]),
        (vec![json!(["int"]), json!("int")], json!("int"), vec![]),
        (
            vec![
                json!({ "type": "array", "items": "int" }),
                json!({ "type": "array", "items": ["null", "long"] }),
            ],
            json!({ "type": "array", "items": ["null", "long"] }),
            vec!["2: x[]: changed from int to long", "2: x[]: made nullable, as in the file"],
        ),
        (
            vec![json!({ "type": "map", "values": "int" }), json!({ "type": "map", "values": "long" })],
            json!({ "type": "map", "values": "long" }),
            vec!["2: x[]: changed from int to long"],
        ),
    ];
    for (types, expected, changes) in cases {
        let (found, texts) = merged_field(&types);
        assert_eq!(
            (found, texts),
            (expected, changes.iter().map(ToString::to_string).collect()),
            "{types:?}"
        );
    }
}

#[test]
fn unions_with_several_types_get_more_branches() {
    let cases = [
        (
            vec![json!(["int", "string"]), json!("boolean")],
            json!(["int", "string", "boolean"]),
            vec!["2: x: added the branch boolean"],
        ),
        (
            vec![json!("boolean"), json!(["int", "string"])],
            json!(["boolean", "int", "string"]),
            vec!["2: x: added the branch int", "2: x: added the branch string"],
        ),
        (
            vec![json!(["int", "string"]), json!(["null", "string", "long"])],
            json!(["null", "long", "string"]),
            vec!["2: x: changed from int to long", "2: x: made nullable, as in the file"],
        ),
        // Another number keeps an int from being promoted: a reader would choose the float for it.
        (
            vec![json!(["float", "int"]), json!(["float", "long"])],
            json!(["float", "int", "long"]),
            vec!["2: x: added the branch long"],
        ),
    ];
    for (types, expected, changes) in cases {
        let (found, texts) = merged_field(&types);
        assert_eq!(
            (found, texts),
            (expected, changes.iter().map(ToString::to_string).collect()),
            "{types:?}"
        );
    }
}

#[test]
fn enums_get_more_symbols() {
    let of = |name: &str, symbols: &[&str], aliases: &[&str]| json!({ "type": "enum", "name": name, "symbols": symbols, "aliases": aliases });
    let (found, changes) = merged_field(&[of("n.E", &["A", "B"], &[]), of("n.E", &["C", "A", "D"], &[])]);
    let expected = json!({ "type": "enum", "name": "E", "namespace": "n", "symbols": ["A", "B", "C", "D"] });
    assert_eq!((found, changes), (expected, vec![r#"2: x: added the symbols "C", "D""#.to_owned()]));
    let (found, changes) = merged_field(&[of("E", &["A"], &[]), of("F", &["A"], &["E"])]);
    let expected =
        json!({ "type": "enum", "name": "E", "namespace": "", "aliases": [".F"], "symbols": ["A"] });
    assert_eq!((found, changes), (expected, vec![]));
    let expected = r#"2: x: expected enum "E" as in 1, found enum "F", which cannot be merged"#;
    assert_eq!(refusal(&[field(of("E", &["A"], &[])), field(of("F", &["A"], &[]))]), expected);
}

#[test]
fn a_field_gets_the_name_of_the_schema_that_knows_both() {
    let old = record(json!([{ "name": "old", "type": "int" }]));
    let new = record(json!([{ "name": "new", "type": "int", "aliases": ["old"] }]));
    let expected = json!([{ "name": "new", "type": "int", "aliases": ["old"] }]);
    for (schemas, changes) in [
        ([old.clone(), new.clone()], vec![r#"2: new: renamed from "old""#]),
        ([new.clone(), old.clone()], vec![]),
    ] {
        let merged = merge(&schemas).unwrap();
        let json: Value = serde_json::from_str(merged.schema.json()).unwrap();
        assert_eq!(json["fields"], expected);
        assert_eq!(merged.changes.iter().map(ToString::to_string).collect::<Vec<_>>(), changes);
    }
    let both = record(json!([{ "name": "new", "type": "int" }, { "name": "old", "type": "int" }]));
    let expected = r#"3: old: expected "old" as an alias of the field "new" as in 1, found fields "old" and "new", which cannot be merged"#;
    assert_eq!(refusal(&[old.clone(), new.clone(), both.clone()]), expected);
    // No file has the alias as a name, so it may become the name of a field.
    let merged = merge(&[new.clone(), both]).unwrap();
    let json: Value = serde_json::from_str(merged.schema.json()).unwrap();
    let expected = json!([
        { "name": "new", "type": "int" },
        { "name": "old", "type": ["null", "int"], "default": null },
    ]);
    assert_eq!(json["fields"], expected);
    let twice = record(json!([
        { "name": "a", "type": "int", "aliases": ["old"] },
        { "name": "b", "type": "int", "aliases": ["old"] },
    ]));
    assert_eq!(refusal(&[old, twice]), r#"2: old: expected aliases that name one field, found "a" and "b""#);
}

#[test]
fn named_types_are_shared_and_recursive_types_end() {
    let node = |fields: Value| json!({ "type": "record", "name": "n.Node", "fields": fields });
    let first =
        node(json!([{ "name": "value", "type": "int" }, { "name": "next", "type": ["null", "Node"] }]));
    let second =
        node(json!([{ "name": "next", "type": ["null", "Node"] }, { "name": "value", "type": "long" }]));
    let merged = merge(&[first.clone(), second]).unwrap();
    let expected = json!({ "type": "record", "name": "Node", "namespace": "n", "fields": [
        { "name": "value", "type": "long" }, { "name": "next", "type": ["null", "n.Node"] },
    ] });
    assert_eq!(serde_json::from_str::<Value>(merged.schema.json()).unwrap(), expected);
    // A type that a file uses in a new place is the one that is defined.
    let point = |fields: Value| json!({ "type": "record", "name": "Point", "fields": fields });
    let one = record(json!([{ "name": "a", "type": point(json!([{ "name": "x", "type": "int" }])) }]));
    let two = record(json!([{ "name": "b", "type": point(json!([{ "name": "x", "type": "long" }])) }]));
    let merged = merge(&[one, two]).unwrap();
    let json: Value = serde_json::from_str(merged.schema.json()).unwrap();
    let shared = json!({ "type": "record", "name": "Point", "namespace": "", "fields": [{ "name": "x", "type": "long" }] });
    let expected = json!([
        { "name": "a", "type": ["null", shared], "default": null },
        { "name": "b", "type": ["null", "Point"], "default": null },
    ]);
    assert_eq!(json["fields"], expected);
}

#[test]
fn a_type_without_a_namespace_is_named_inside_one() {
    let inner =
        json!({ "type": "record", "name": "T", "namespace": "", "fields": [{ "name": "v", "type": "int" }] });
    let hiding = json!({ "type": "fixed", "name": "n.T", "size": 1 });
    let schema = json!({ "type": "record", "name": "n.R", "fields": [
        { "name": "a", "type": inner }, { "name": "b", "type": hiding }, { "name": "c", "type": ".T" }, { "name": "d", "type": "T" },
    ] });
    let parsed = AvroSchema::parse(&schema.to_string()).unwrap();
    let merged = merge(&[schema.clone(), schema]).unwrap();
    assert_eq!(merged.schema, parsed);
    assert!(merged.changes.is_empty());
}

#[test]
fn conflicts_name_both_files_and_the_field() {
    let logical = |ty: &str, name: &str| json!({ "type": ty, "logicalType": name });
    let fixed = |name: &str, size: usize| json!({ "type": "fixed", "name": name, "size": size });
    let cases = [
        (json!("int"), json!("string"), "x: expected int as in 1, found string"),
        (json!(["null", "int"]), json!(["null", "string"]), "x: expected int as in 1, found string"),
        (json!("boolean"), json!("int"), "x: expected boolean as in 1, found int"),
        (json!({ "type": "array", "items": "int" }), json!("int"), "x: expected array as in 1, found int"),
        (field(json!("int")), json!("int"), r#"x: expected record "S" as in 1, found int"#),
        (
            logical("long", "timestamp-millis"),
            logical("long", "timestamp-micros"),
            "x: expected long (timestamp-millis) as in 1, found long (timestamp-micros)",
        ),
        (logical("int", "date"), json!("long"), "x: expected int (date) as in 1, found long"),
        (fixed("F", 4), fixed("F", 5), "x: expected a fixed of 4 bytes as in 1, found a fixed of 5 bytes"),
        (fixed("F", 4), fixed("G", 4), r#"x: expected fixed "F" as in 1, found fixed "G""#),
        (
            fixed("F", 4),
            json!({ "type": "enum", "name": "F", "symbols": ["A"] }),
            r#"x: expected fixed "F" as in 1, found enum "F""#,
        ),
    ];
    for (first, second, expected) in cases {
        let mut first = first;
        if first["name"] == "R" {
            first["name"] = "S".into();
        }
        let expected = format!("2: {expected}, which cannot be merged");
        assert_eq!(refusal(&[field(first), field(second)]), expected);
    }
    // The type is that of the last file that changed it.
    let types = ["int", "long", "int", "string"].map(|ty| field(json!(ty)));
    assert_eq!(refusal(&types), "4: x: expected long as in 2, found string, which cannot be merged");
    // Types of one name are one type.
    let two = |ty: Value| record(json!([{ "name": "a", "type": "int" }, { "name": "b", "type": ty }]));
    let named = |ty: &str| json!({ "type": "record", "name": "P", "fields": [{ "name": "x", "type": ty }] });
    let other = json!({ "type": "enum", "name": "P", "symbols": ["A"] });
    let added = record(json!([{ "name": "c", "type": other }]));
    let expected = r#"2: c: expected record "P" as in 1, found enum "P", which cannot be merged"#;
    assert_eq!(refusal(&[two(named("int")), added]), expected);
    let added = record(json!([{ "name": "c", "type": named("string") }]));
    assert_eq!(
        refusal(&[two(named("int")), added]),
        "2: c.x: expected int as in 1, found string, which cannot be merged"
    );
}

#[test]
fn limits_bound_the_merged_schema() {
    let limits = Limits { expanded_fields: 20, ..Limits::default() };
    let of = |file: usize| {
        let fields: Vec<Value> =
            (0..5).map(|i| json!({ "name": format!("f{file}_{i}"), "type": "int" })).collect();
        AvroSchema::parse(&record(fields.into()).to_string()).unwrap()
    };
    let schemas: Vec<AvroSchema> = (0..5).map(of).collect();
    let error = MergedSchema::of_schemas(schemas.iter().map(|schema| ("a", schema)), &limits).unwrap_err();
    assert_eq!(error.limit(), Some("expanded_fields"));
    assert_eq!(error.to_string(), "a: f1_4: expected a merged schema of at most 20 types, found more");
    let none = MergedSchema::of_schemas([], &limits).unwrap_err();
    assert_eq!(none.to_string(), "expected at least one schema, found none");
}

#[test]
fn a_chain_of_references_does_not_exhaust_the_stack() {
    // Each record refers to the one that the text defines before it, so the text is not nested.
    let chain = |name: &str| {
        let mut fields = vec![
            json!({ "name": "f0", "type": { "type": "record", "name": format!("{name}0"), "fields": [] } }),
        ];
        for number in 1..3000 {
            let inner = json!([{ "name": "inner", "type": format!("{name}{}", number - 1) }]);
            let ty = json!({ "type": "record", "name": format!("{name}{number}"), "fields": inner });
            fields.push(json!({ "name": format!("f{number}"), "type": ty }));
        }
        fields
    };
    let (first, mut second) = (chain("A"), chain("B"));
    second.truncate(2999);
    second.push(json!({ "name": "f2999", "type": { "type": "record", "name": "B2999", "fields": [
        { "name": "inner", "type": "B2998" }, { "name": "more", "type": "int" },
    ] } }));
    let merged = merge(&[record(first.clone().into()), record(second.into())]).unwrap();
    assert_eq!(merged.changes.len(), 1);
    // In the reverse order, the deepest record is met first.
    let reversed: Vec<Value> = {
        let mut fields: Vec<Value> = (0..3000)
            .map(|number| json!({ "name": format!("g{number}"), "type": format!("A{number}") }))
            .collect();
        fields.reverse();
        let last = json!({ "name": "all", "type": record(first.into()) });
        let mut all = vec![last];
        all[0]["type"]["name"] = "All".into();
        all.extend(fields);
        all
    };
    let opened = record(json!([{ "name": "g2999", "type": "int" }]));
    let error = merge(&[opened, record(reversed.into())]).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"2: g2999: expected int as in 1, found record "A2999", which cannot be merged"#
    );
}
