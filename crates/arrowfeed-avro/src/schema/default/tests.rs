use super::*;
use crate::AvroSchema;

fn encode(schema: &str, json: &str) -> Result<Vec<u8>, FeedError> {
    let schema = AvroSchema::parse(schema).unwrap();
    encode_default(schema.graph(), schema.graph().root, &serde_json::from_str(json).unwrap())
}

#[track_caller]
fn encoded(schema: &str, json: &str, bytes: &[u8]) {
    assert_eq!(encode(schema, json).unwrap(), bytes, "{schema} {json}");
}

#[track_caller]
fn refused(schema: &str, json: &str, message: &str) {
    let error = encode(schema, json).expect_err(json);
    assert_eq!(error.to_string(), message, "{schema} {json}");
    assert_eq!(error.kind(), FeedErrorKind::Schema, "{schema} {json}");
}

const FIXED: &str = r#"{"type": "fixed", "name": "F", "size": 2}"#;
const ENUM: &str = r#"{"type": "enum", "name": "E", "symbols": ["A", "B"]}"#;
const INTS: &str = r#"{"type": "array", "items": "int"}"#;
const INT_MAP: &str = r#"{"type": "map", "values": "int"}"#;
const POINT: &str = r#"{"type": "record", "name": "P", "fields": [
    {"name": "x", "type": "int"}, {"name": "y", "type": "int", "default": 7}]}"#;

#[test]
fn values_are_encoded_as_a_writer_would() {
    encoded(r#""null""#, "null", &[]);
    encoded(r#""boolean""#, "true", &[1]);
    encoded(r#""boolean""#, "false", &[0]);
    encoded(r#""int""#, "-1", &[1]);
    encoded(r#""int""#, "2147483647", &[0xfe, 0xff, 0xff, 0xff, 0x0f]);
    encoded(r#""int""#, "-2147483648", &[0xff, 0xff, 0xff, 0xff, 0x0f]);
    encoded(r#""long""#, "64", &[0x80, 1]);
    let largest = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    encoded(r#""long""#, "9223372036854775807", &largest);
    encoded(r#""float""#, "1.5", &1.5_f32.to_le_bytes());
    encoded(r#""float""#, "3", &3_f32.to_le_bytes());
    encoded(r#""double""#, "-0.0", &(-0.0_f64).to_le_bytes());
    encoded(r#""double""#, "18446744073709551615", &1.844_674_407_370_955_2e19_f64.to_le_bytes());
    encoded(r#""bytes""#, r#""\u00ff\u0000a""#, &[6, 0xff, 0, b'a']);
    encoded(r#""string""#, r#""é""#, &[4, 0xc3, 0xa9]);
    encoded(FIXED, r#""\u0001\u00fe""#, &[1, 0xfe]);
    encoded(ENUM, r#""B""#, &[2]);
    encoded(INTS, "[]", &[0]);
    encoded(INTS, "[1, 2]", &[4, 2, 4, 0]);
    encoded(INT_MAP, "{}", &[0]);
    encoded(INT_MAP, r#"{"k": 3}"#, &[2, 2, b'k', 6, 0]);
    encoded(r#"{"type": "int", "logicalType": "date"}"#, "5", &[10]);
}

#[test]
fn a_value_of_another_type_is_refused() {
    for (schema, name) in [
        (r#""null""#, "null"),
        (r#""boolean""#, "boolean"),
        (r#""int""#, "int"),
        (r#""long""#, "long"),
        (r#""float""#, "float"),
        (r#""double""#, "double"),
        (INTS, "array"),
        (INT_MAP, "map"),
        (POINT, r#"record "P""#),
    ] {
        refused(schema, r#""x""#, &format!(r#"expected a default of type {name}, found "x""#));
    }
    for (schema, name) in
        [("\"bytes\"", "bytes"), ("\"string\"", "string"), (FIXED, "fixed \"F\""), (ENUM, "enum \"E\"")]
    {
        refused(schema, "5", &format!("expected a default of type {name}, found 5"));
    }
    refused(r#""string""#, "null", "expected a default of type string, found null");
    refused(r#""string""#, "[1]", "expected a default of type string, found an array");
    refused(INTS, r#"[1, "x"]"#, r#"expected a default of type int, found "x""#);
    refused(INT_MAP, r#"{"k": {}}"#, "expected a default of type int, found an object");
}

#[test]
fn numbers_are_in_range_and_whole() {
    refused(r#""int""#, "2147483648", "expected a default of type int, found 2147483648");
    refused(r#""int""#, "1.0", "expected a default of type int, found 1.0");
    refused(r#""long""#, "9223372036854775808", "expected a default of type long, found 9223372036854775808");
    refused(r#""long""#, "1e3", "expected a default of type long, found 1000.0");
    refused(r#""float""#, "1e300", "expected a default of type float, found 1e+300");
    refused(r#""double""#, r#""NaN""#, r#"expected a default of type double, found "NaN""#);
    refused(r#""float""#, r#""Infinity""#, r#"expected a default of type float, found "Infinity""#);
}

#[test]
fn bytes_are_code_points_up_to_255() {
    refused(r#""bytes""#, r#""aĀ""#, r#"expected a default of code points up to 255 for bytes, found "Ā""#);
    refused(FIXED, r#""🦀""#, r#"expected a default of code points up to 255 for fixed "F", found "🦀""#);
    refused(FIXED, r#""abc""#, r#"expected a default of 2 bytes for fixed "F", found 3"#);
    encoded(FIXED, r#""é\u0080""#, &[0xe9, 0x80]);
}

#[test]
fn an_enum_default_is_a_symbol() {
    refused(ENUM, r#""C""#, r#"expected a default that is a symbol of enum "E", found "C""#);
}

#[test]
fn a_field_that_is_left_out_takes_its_own_default() {
    encoded(POINT, r#"{"x": 1, "y": 2}"#, &[2, 4]);
    encoded(POINT, r#"{"x": 1}"#, &[2, 14]);
    encoded(POINT, r#"{"x": 1, "other": "ignored"}"#, &[2, 14]);
    refused(POINT, "{}", r#"expected a default for field "x" of record "P", found none"#);
}

#[test]
fn a_union_takes_the_first_branch_that_fits() {
    let union = r#"["null", "int", "long", "double", "string", {"type": "array", "items": "int"}]"#;
    encoded(union, "null", &[0]);
    encoded(union, "1", &[2, 2]);
    encoded(union, "2147483648", &[4, 0x80, 0x80, 0x80, 0x80, 0x10]);
    encoded(union, "1.5", &[&[6], &1.5_f64.to_le_bytes()[..]].concat());
    encoded(union, r#""a""#, &[8, 2, b'a']);
    encoded(union, "[1]", &[10, 2, 2, 0]);
    let message = "expected a default of type null or int or long or double or string or array, found true";
    refused(union, "true", message);
    let records = r#"[{"type": "record", "name": "A", "fields": [{"name": "x", "type": "int"}]},
        {"type": "record", "name": "B", "fields": [{"name": "x", "type": "string"}]}]"#;
    encoded(records, r#"{"x": "s"}"#, &[2, 2, b's']);
    let branches: Vec<String> =
        (0..9).map(|i| format!(r#"{{"type": "fixed", "name": "F{i}", "size": {i}}}"#)).collect();
    refused(&format!("[{}]", branches.join(",")), "5", "expected a default of type union, found 5");
}

#[test]
fn a_default_that_holds_itself_is_too_deep() {
    let list = r#"{"type": "record", "name": "L", "fields": [{"name": "next", "type": "L", "default": {}}]}"#;
    let error = encode(list, "{}").unwrap_err();
    assert_eq!(error.to_string(), "expected a default nested at most 128 deep, found a deeper one");
    assert_eq!(error.limit(), Some("schema_depth"));
}

fn too_large(schema: &str, json: &str) {
    let error = encode(schema, json).unwrap_err();
    let message = "expected a default of at most 4,194,304 values and bytes, found a larger one";
    assert_eq!(error.to_string(), message);
    assert_eq!(error.limit(), Some("schema_bytes"));
}

#[test]
fn defaults_that_double_with_each_level_end() {
    let mut record =
        r#"{"type": "record", "name": "R0", "fields": [{"name": "a", "type": "int", "default": 1}]}"#
            .to_owned();
    for i in 1..50 {
        record = format!(
            r#"{{"type": "record", "name": "R{i}", "fields": [{{"name": "a", "type": {record}, "default": {{}}}},
                {{"name": "b", "type": "R{}", "default": {{}}}}]}}"#,
            i - 1
        );
    }
    too_large(&record, "{}");
}

#[test]
fn branches_that_fail_at_their_end_only_are_given_up() {
    let union = r#"[{"type": "record", "name": "A", "fields": [{"name": "x", "type": ["null",
        {"type": "record", "name": "B", "fields": [{"name": "x", "type": ["null", "A", "B"]}]}, "A"]}]}, "B"]"#;
    let value = format!("{}5{}", r#"{"x": "#.repeat(60), "}".repeat(60));
    too_large(union, &value);
}

#[test]
fn many_symbols_of_a_large_enum_are_given_up() {
    let symbols: Vec<String> = (0..200_000).map(|i| format!("\"S{i}\"")).collect();
    let symbols = symbols.join(",");
    let array =
        format!(r#"{{"type": "array", "items": {{"type": "enum", "name": "E", "symbols": [{symbols}]}}}}"#);
    encoded(&array, r#"["S1"]"#, &[2, 2, 0]);
    too_large(&array, &format!("[{}\"S199999\"]", "\"S199999\",".repeat(400)));
}
