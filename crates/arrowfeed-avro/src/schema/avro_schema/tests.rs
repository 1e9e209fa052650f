use std::thread;

use arrowfeed_source::{FeedErrorKind, Limits};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::AvroSchema;
use crate::schema::graph::{Graph, Type, TypeId};

fn parsed(json: &str) -> AvroSchema {
    AvroSchema::parse(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Runs `f` with an eighth of the default stack of a Rust thread, or with all of it under a sanitizer, whose frames are
/// larger.
fn with_small_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    let stack = if std::env::var_os("ARROWFEED_SANITIZED").is_some() { 2 << 20 } else { 256 << 10 };
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(stack);
        builder.spawn_scoped(scope, f).unwrap().join().unwrap()
    })
}

fn nested_records(depth: usize) -> String {
    (0..depth).fold(r#""int""#.into(), |inner, i| {
        format!(r#"{{"type": "record", "name": "R{i}", "fields": [{{"name": "f", "type": {inner}}}]}}"#)
    })
}

fn nested_arrays(depth: usize) -> String {
    format!("{}\"int\"{}", r#"{"type": "array", "items": "#.repeat(depth), "}".repeat(depth))
}

#[test]
fn a_schema_keeps_its_text() {
    let text = " {\"type\":\t\"int\"}\n";
    let schema: AvroSchema = text.parse().unwrap();
    assert_eq!((schema.json(), schema.to_string().as_str()), (text, text));
    assert_eq!(format!("{schema:?}"), r#"AvroSchema(" {\"type\":\t\"int\"}\n")"#);
    assert!("int".parse::<AvroSchema>().is_err());
}

#[test]
fn schemas_are_equal_by_their_types() {
    let schema = |rest: &str| {
        let json = format!(
            r#"{{"type": "record", "name": "a.R", "fields": [{{"name": "f", "type": "int"{rest}}}]}}"#
        );
        parsed(&json)
    };
    let plain = schema("");
    assert_eq!(plain, schema(r#", "doc": "d", "x": 1"#));
    let reordered = r#"{"fields": [{"type": {"type": "int"}, "name": "f"}], "namespace": "a", "name": "R", "type": "record"}"#;
    assert_eq!(plain, parsed(reordered));
    assert_ne!(plain, schema(r#", "default": 1"#));
    assert_ne!(plain, schema(r#", "aliases": ["g"]"#));
    assert_ne!(parsed(r#""int""#), parsed(r#"{"type": "int", "logicalType": "date"}"#));
}

#[test]
fn schemas_can_be_shared_by_threads() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    shared::<AvroSchema>();
}

fn record_fields(graph: &Graph, id: TypeId) -> Vec<(&str, TypeId)> {
    let Type::Record(record) = &graph.types[id] else {
        panic!("expected a record, found {:?}", graph.types[id])
    };
    record.fields.iter().map(|field| (field.name.as_str(), field.ty)).collect()
}

#[test]
fn recursion_is_a_cycle_of_indexes() {
    let list =
        parsed(r#"{"type": "record", "name": "L", "fields": [{"name": "next", "type": ["null", "L"]}]}"#);
    let graph = list.graph();
    let [("next", next)] = record_fields(graph, graph.root)[..] else { panic!("expected one field") };
    let Type::Union(branches) = &graph.types[next] else { panic!("expected a union") };
    assert_eq!((graph.types[branches[0]].clone(), branches[1]), (Type::Null, graph.root));

    let tree = parsed(
        r#"{"type": "record", "name": "T", "fields": [{"name": "children", "type": {"type": "array", "items": "T"}}]}"#,
    );
    let graph = tree.graph();
    let [("children", children)] = record_fields(graph, graph.root)[..] else { panic!("expected one field") };
    assert_eq!(graph.types[children], Type::Array(graph.root));

    let infinite = parsed(r#"{"type": "record", "name": "I", "fields": [{"name": "self", "type": "I"}]}"#);
    assert_eq!(record_fields(infinite.graph(), infinite.graph().root), [("self", infinite.graph().root)]);
}

#[test]
fn mutual_recursion_runs_through_maps_and_definitions_in_each_other() {
    let schema = parsed(
        r#"{"type": "record", "name": "A", "fields": [
            {"name": "b", "type": {"type": "map", "values": {"type": "record", "name": "B", "fields": [
                {"name": "a", "type": {"type": "map", "values": "A"}}, {"name": "b", "type": ["null", "B"]}]}}},
            {"name": "again", "type": "B"}]}"#,
    );
    let graph = schema.graph();
    let [("b", map), ("again", b)] = record_fields(graph, graph.root)[..] else {
        panic!("expected two fields")
    };
    assert_eq!(graph.types[map], Type::Map(b));
    let [("a", back), ("b", own)] = record_fields(graph, b)[..] else { panic!("expected two fields") };
    assert_eq!(graph.types[back], Type::Map(graph.root));
    assert!(matches!(&graph.types[own], Type::Union(branches) if branches[1] == b));
}

#[test]
fn types_nest_64_deep_and_no_deeper() {
    with_small_stack(|| {
        for nested in [nested_records, nested_arrays] {
            let schema = parsed(&nested(64));
            assert_eq!(parsed(&schema.canonical()), schema);
            let error = AvroSchema::parse(&nested(65)).unwrap_err();
            assert_eq!(error.message(), "expected types nested at most 64 deep, found more");
            assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("schema_depth")));
        }
    });
}

#[test]
fn the_depth_can_be_raised_to_128_and_no_further() {
    with_small_stack(|| {
        let limits = Limits { schema_depth: 1000, ..Limits::default() };
        for nested in [nested_records, nested_arrays] {
            assert!(AvroSchema::parse_with(&nested(128), &limits).is_ok());
            let error = AvroSchema::parse_with(&nested(129), &limits).unwrap_err();
            assert_eq!(error.message(), "expected types nested at most 128 deep, found more");
        }
    });
}

#[test]
fn very_deep_json_is_refused_before_it_is_parsed() {
    with_small_stack(|| {
        let wrapped = format!("{}\"int\"{}", r#"{"type": "#.repeat(20_000), "}".repeat(20_000));
        let unions = format!("{}\"int\"{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        let default = format!(
            r#"{{"type": "record", "name": "R", "fields": [{{"name": "f", "type": "int", "default": {unions}}}]}}"#
        );
        let cases = [nested_arrays(20_000), wrapped, unions, default, "[{".repeat(500_000)];
        for json in cases {
            let error = AvroSchema::parse(&json).unwrap_err();
            assert_eq!(error.to_string(), "expected at most 272 nested brackets in a schema, found more");
            assert_eq!(error.limit(), Some("schema_depth"));
        }
    });
}

#[test]
fn a_chain_of_references_needs_no_stack() {
    let mut branches = vec![r#"{"type": "fixed", "name": "R0", "size": 1}"#.to_owned()];
    for i in 1..5_000 {
        let field = format!(r#"{{"name": "f", "type": "R{}"}}"#, i - 1);
        branches.push(format!(r#"{{"type": "record", "name": "R{i}", "fields": [{field}]}}"#));
    }
    let json = format!("[{}]", branches.join(","));
    let schema = with_small_stack(|| parsed(&json));
    assert_eq!(schema.canonical().len(), with_small_stack(|| parsed(&schema.canonical()).canonical().len()));
}

/// JSON made of the keywords of schemas; most of it is not a valid schema.
fn schema_like_json() -> impl Strategy<Value = Value> {
    let words = [
        "null", "int", "long", "bytes", "string", "record", "error", "enum", "fixed", "array", "map", "R",
        "a.R", "decimal", "date", "uuid", "duration", "f", "é", "", "a-b",
    ];
    let keys = [
        "type",
        "name",
        "namespace",
        "fields",
        "items",
        "values",
        "symbols",
        "size",
        "default",
        "aliases",
        "logicalType",
        "precision",
        "scale",
        "doc",
    ];
    let leaf = prop_oneof![
        8 => prop::sample::select(words.to_vec()).prop_map(Value::from),
        1 => any::<i8>().prop_map(Value::from),
        1 => prop_oneof![Just(json!(null)), Just(json!(true)), Just(json!(1.5)), Just(json!(u64::MAX))],
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(keys.to_vec()), inner), 0..8).prop_map(|members| {
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
            }),
        ]
    })
}

const SYMBOLS: [&str; 4] = ["A", "B", "é", "D"];

/// Schemas that are valid except for the names of definitions and of `parent` references, which [`number_names`] sets.
fn type_tree() -> impl Strategy<Value = Value> {
    let primitive =
        prop::sample::select(vec!["null", "boolean", "int", "long", "float", "double", "bytes", "string"]);
    let leaf = prop_oneof![
        4 => primitive.prop_map(Value::from),
        1 => Just(json!({"type": "int", "logicalType": "date"})),
        1 => (0..40_u8).prop_map(|size| json!({"type": "fixed", "name": "", "size": size, "logicalType": "uuid"})),
        1 => (1..=SYMBOLS.len()).prop_map(|n| json!({"type": "enum", "name": "", "symbols": &SYMBOLS[..n]})),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let fields = prop::collection::vec((inner.clone(), any::<bool>()), 0..5);
        prop_oneof![
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            inner.clone().prop_map(|values| json!({"type": "map", "values": {"type": values}})),
            inner.prop_map(|branch| if branch == json!("null") || branch.is_array() {
                branch
            } else {
                json!(["null", branch])
            }),
            fields.prop_map(|fields| {
                let field = |(i, (ty, recursive)): (usize, (Value, bool))| {
                    let ty = if recursive { json!({"type": "array", "items": "parent"}) } else { ty };
                    json!({"name": format!("f{i}"), "type": ty, "default": 5, "doc": "d"})
                };
                let fields: Vec<Value> = fields.into_iter().enumerate().map(field).collect();
                json!({"type": "record", "name": "", "fields": fields})
            }),
        ]
    })
}

/// Gives each definition a unique name, every third one in a namespace of its own, and replaces `parent` by the name of
/// the enclosing record.
fn number_names(ty: &mut Value, next: &mut usize, parent: &str) {
    match ty {
        Value::String(name) if name == "parent" => *name = parent.into(),
        Value::Array(branches) => branches.iter_mut().for_each(|branch| number_names(branch, next, parent)),
        Value::Object(object) => {
            let mut parent = parent.to_owned();
            if object.get("name").is_some_and(|name| name == "") {
                parent =
                    if next.is_multiple_of(3) { format!("n{next}.é.N{next}") } else { format!("m.N{next}") };
                *next += 1;
                object.insert("name".into(), parent.clone().into());
            }
            for (key, value) in object {
                if ["items", "values", "fields", "type"].contains(&key.as_str()) {
                    number_names(value, next, &parent);
                }
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn json_of_any_shape_is_a_schema_or_an_error(json in schema_like_json()) {
        match AvroSchema::parse(&json.to_string()) {
            Ok(schema) => _ = schema.canonical(),
            Err(error) => prop_assert_ne!(error.kind(), FeedErrorKind::Internal, "{}: {}", json, error),
        }
    }

    #[test]
    fn text_of_any_kind_is_a_schema_or_an_error(text in "[\\[\\]{}\":,a-z0-9\\\\ \u{0}\u{e9}-]{0,60}") {
        _ = AvroSchema::parse(&text);
    }

    #[test]
    fn a_canonical_form_is_a_schema_with_that_canonical_form(mut json in type_tree()) {
        number_names(&mut json, &mut 0, "int");
        let schema = AvroSchema::parse(&json.to_string());
        prop_assert!(schema.is_ok(), "{}: {:?}", json, schema);
        let canonical = schema?.canonical();
        prop_assert_eq!(AvroSchema::parse(&canonical)?.canonical(), canonical);
    }
}
