use arrow_schema::DataType;
use arrowfeed_c::ErrorKind;
use serde_json::{Value, json};

use crate::support::*;

fn refused(options: Value) -> String {
    let failure = open(&example_with(options)).err().unwrap();
    assert_eq!(failure.kind, ErrorKind::Options, "{failure:?}");
    failure.message
}

#[test]
fn an_unknown_key_names_the_valid_ones() {
    let expected = "options: unknown field `colums`, expected one of `paths`, `format`, `format_options`, `columns`, `exclude`, \
                    `filter`, `skip`, `take`, `limits`, `partitioning`, `file_column`, `row_column`, `index`, `storage_options`, \
                    `cache`, `cache_bytes`, `tensors`";
    assert_eq!(open("{\"colums\": 1}").err().unwrap().message, expected);
    let expected = "format_options of avro: unknown field `reader`, expected one of `reader_schema`, `merge_schemas`, \
                    `max_batch_bytes`, `encoding`, `string_type`, `unions`, `fixed_lengths`, `double_as_float`, `raw`";
    assert_eq!(refused(json!({"format_options": {"reader": 1}})), expected);
    let failure = open(&example_with(json!({}))).unwrap().read("{\"batch\": 1}").err().unwrap();
    let expected = "options: unknown field `batch`, expected one of `batch_size`, `global`, `by_length`, `drop_remainder`, \
                    `across_epochs`, `epochs`, `start_epoch`, `rows`, `shuffle_buffer_size`, `seed`, `shard`, `threads`, \
                    `decodes_ahead`, `prefetch_bytes`, `on_error`, `file_match`";
    assert_eq!(failure.shown(), (ErrorKind::Options, expected.to_owned()));
}

#[test]
fn invalid_values_are_errors_that_say_what_is_expected() {
    assert_eq!(open("{").err().unwrap().message, "options: EOF while parsing an object at line 1 column 1");
    assert_eq!(open("{}").err().unwrap().message, "options: missing field `paths`");
    let none = open("{\"paths\": []}").err().unwrap();
    assert_eq!(none.message, "expected at least one file, found an empty list");
    let one = open("{\"paths\": 1}").err().unwrap();
    assert_eq!(one.message, "options: paths: expected a string or a list of strings");
    let format = open("{\"paths\": [], \"format\": \"orc\"}").err().unwrap();
    assert_eq!(
        format.message,
        "options: format: expected one of avro, parquet, arrow, tfrecord, jsonl, csv, found \"orc\""
    );
    assert_eq!(
        refused(json!({"filter": "id >"})),
        "filter: position 5: expected a number, a string in quotes, true or false, found the end"
    );
    assert_eq!(
        refused(json!({"storage_options": {"key": {"secret": 1}}})),
        "storage_options: \"key\": expected a string, a number or a boolean, found another value"
    );
    assert_eq!(refused(json!({"cache_bytes": 1})), "cache_bytes: expected cache as well, found none");
    assert_eq!(
        refused(json!({"partitioning": [{"name": "a", "type": "Text"}]})),
        "options: partitioning: \"a\": expected an Arrow type such as Int64, Timestamp(ms) or List(Utf8), found \"Text\""
    );
    let partitioning = refused(json!({"partitioning": [{"name": "a", "typ": "Int32"}]}));
    assert_eq!(partitioning, "options: unknown field `typ`, expected one of `name`, `type`, `nullable`");
    let partitioning = refused(json!({"partitioning": "hives"}));
    let expected = "options: partitioning: invalid value: string \"hives\", expected \"hive\" or the columns";
    assert_eq!(partitioning, expected);
    let padding = |to: Value| {
        let tensor = json!({"kind": "var_len_ragged", "column": "id", "padding": {"to": to}});
        refused(json!({"tensors": {"t": tensor}}))
    };
    let expected = "options: unknown field `multiple`, expected `multiple_of`";
    assert_eq!(padding(json!({"multiple": 8})), expected);
    let expected = "options: tensors.t: invalid value: string \"long\", expected \"longest\", a length, or {\"multiple_of\": 8}";
    assert_eq!(padding(json!("long")), expected);
}

/// Arrays would make the order in which Rust declares fields part of the interface.
#[test]
fn an_object_is_not_an_array() {
    let expected = "invalid type: sequence, expected a JSON object";
    for text in [
        "[\"a.avro\"]".to_owned(),
        example_with(json!({"format_options": []})),
        example_with(json!({"limits": [1000]})),
        example_with(json!({"partitioning": [["a", "Int64", true]]})),
        example_with(json!({"tensors": {"t": ["dense", "id"]}})),
    ] {
        let failure = open(&text).err().unwrap();
        assert!(failure.message.contains(expected), "{text}: {}", failure.message);
        assert_eq!(failure.kind, ErrorKind::Options, "{text}");
    }
    let failure = open(&example_with(json!({}))).unwrap().read("{\"global\": [8]}").err().unwrap();
    assert_eq!(failure.message, format!("options: global: {expected}"));
}

#[test]
fn no_key_appears_twice() {
    let twice = |others: &str| {
        let options = format!("{{\"paths\": {:?}, {others}}}", example());
        let failure = open(&options).err().unwrap();
        assert_eq!(failure.kind, ErrorKind::Options);
        failure.message
    };
    assert!(twice("\"skip\": 1, \"skip\": 2").starts_with("options: duplicate field `skip`"));
    let message = twice("\"format_options\": {\"raw\": true, \"raw\": false}");
    assert!(message.starts_with("format_options of avro: duplicate field `raw`"), "{message}");
    let message = twice("\"format_options\": {\"fixed_lengths\": {\"a\": 1, \"a\": 2}}");
    assert!(message.starts_with("format_options of avro: fixed_lengths: duplicate name \"a\""), "{message}");
}

#[test]
fn features_of_tfrecord_are_given_or_inferred() {
    let refused = |options: Value| {
        let options = json!({"paths": example(), "format": "tfrecord", "format_options": options});
        open(&options.to_string()).err().unwrap().shown()
    };
    let expected = |message: &str| (ErrorKind::Options, format!("format_options of tfrecord: {message}"));
    assert_eq!(
        refused(json!({"features": {"id": "int64"}, "sample": 1})),
        expected("sample: expected either features or their number of records, found both")
    );
    assert_eq!(
        refused(json!({"format": "sequence_example", "context": [], "sample": 1})),
        expected("sample: expected either features or their number of records, found both")
    );
    assert_eq!(
        refused(json!({"format": "sequence_example", "sequence_column": "steps"})),
        expected("sequence_column: expected context or sequence as well, found neither")
    );
    assert_eq!(
        refused(json!({"format": "raw", "features": []})),
        expected("features: expected the format example, found raw")
    );
    assert_eq!(
        refused(json!({"format": "raw", "sample": 1})),
        expected("sample: expected a format with features, found raw")
    );
    assert_eq!(
        refused(json!({"features": [{"name": "id", "kind": "int32"}]})),
        expected("features[0].kind: expected one of bytes, float, int64, null, found \"int32\"")
    );
}

#[test]
fn options_of_formats_reach_the_format() {
    let schema = json!({"type": "record", "name": "r", "fields": [{"name": "id", "type": "double"}]});
    for schema in [schema.clone(), Value::String(schema.to_string())] {
        let options = json!({"format_options": {"reader_schema": schema, "string_type": "large_utf8"}});
        let batches = open(&example_with(options)).unwrap().batches("{}");
        assert_eq!(batches[0].schema().field(0).data_type(), &DataType::Float64);
    }
    let cells = TempFile::new("options.csv", b"1;2026-01-02\n3;\n");
    let options = json!({
        "paths": cells.0,
        "format_options": {
            "header": false, "delimiter": ";", "names": ["a", "b"],
            "types": [{"name": "a", "type": "Int16"}, {"name": "b", "type": "Date32"}],
        },
    });
    let dataset = open(&options.to_string()).unwrap();
    let types: Vec<_> = dataset.batches("{}")[0]
        .schema()
        .fields()
        .iter()
        .map(|field| field.data_type().to_string())
        .collect();
    assert_eq!(types, ["Int16", "Date32"]);
    let long = json!({"paths": cells.0, "format_options": {"delimiter": ";;"}});
    assert_eq!(
        open(&long.to_string()).err().unwrap().message,
        "format_options of csv: delimiter: expected one ASCII character, found \";;\""
    );
}

#[test]
fn a_deep_type_is_an_error() {
    let deep = format!("{}Int64{}", "List(".repeat(10_000), ")".repeat(10_000));
    let options = json!({"partitioning": [{"name": "a", "type": deep}]});
    let expected =
        "options: partitioning: \"a\": expected an Arrow type that is at most 64 types deep, found \"List(";
    assert!(refused(options).starts_with(expected));
    // Neither parentheses in names nor many fields make a type deep.
    let hidden = format!("{}Int64{}", "Struct(\")\": ".repeat(100), ")".repeat(100));
    let wide = (0..100).map(|field| format!("\"(a{field}\": List(Int64)")).collect::<Vec<_>>().join(", ");
    let lines = TempFile::new("wide.jsonl", b"{}\n");
    let of = |data_type: String| {
        let schema = json!([{"name": "a", "type": data_type}]);
        open(&json!({"paths": lines.0, "format_options": {"schema": schema}}).to_string())
    };
    assert!(of(hidden).err().unwrap().message.contains("at most 64 types deep"));
    let batches = of(format!("Struct({wide})")).unwrap().batches("{}");
    assert!(
        matches!(batches[0].schema().field(0).data_type(), DataType::Struct(fields) if fields.len() == 100)
    );
}
