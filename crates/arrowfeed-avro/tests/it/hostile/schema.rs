//! Class D: schemas in headers. Their resolution to a reader's schema is in [`resolution`](super::resolution).

use arrow_schema::DataType;
use arrowfeed_avro::{AvroOptions, AvroSchema, Codec, Limits};

use super::{accepted, refused, refused_within};
use crate::support_hostile::container::Container;
use crate::support_hostile::ways::{read, read_every_way};
use crate::support_hostile::wire::long;

/// A file of one empty block with this schema.
pub(crate) fn of(schema: &str) -> Vec<u8> {
    Container::new(schema, Codec::Null).data(0, &[]).bytes
}

/// A record with these fields.
pub(crate) fn record(fields: &str) -> String {
    format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#)
}

/// Runs `work` on a small stack, because stack sizes of threads differ; on a larger one under a sanitizer, whose frames are
/// larger.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let stack = if std::env::var_os("ARROWFEED_SANITIZED").is_some() { 4 << 20 } else { 512 << 10 };
    let thread = std::thread::Builder::new().stack_size(stack).spawn(work).unwrap();
    thread.join().expect("neither a panic nor an overflow");
}

#[test]
fn d1_deep_schemas_are_refused_before_they_are_parsed() {
    let arrays = |depth: usize| {
        let open = r#"{"type":"array","items":"#.repeat(depth);
        format!("{open}\"int\"{}", "}".repeat(depth))
    };
    let records = |depth: usize| {
        let open: String = (0..depth)
            .map(|i| format!(r#"{{"type":"record","name":"R{i}","fields":[{{"name":"f","type":"#))
            .collect();
        format!("{open}\"int\"{}", "}]}".repeat(depth))
    };
    refused(&of(&arrays(65)), 0, "Limit schema_depth: expected types nested at most 64 deep, found more");
    refused(
        &of(&records(65)),
        0,
        "Limit schema_depth: f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f.f: expected types nested at most 64 deep, found more",
    );
    for depth in [20_000, 150_000] {
        refused(
            &of(&arrays(depth)),
            0,
            "Limit schema_depth: expected at most 272 nested brackets in a schema, found more",
        );
    }
    refused(
        &of(&"[".repeat(1_000_000)),
        0,
        "Limit schema_depth: expected at most 272 nested brackets in a schema, found more",
    );
    on_a_small_stack(move || {
        accepted(&of(&arrays(64)), 0);
        accepted(&of(&records(64)), 0);
        let limits = Limits { schema_depth: usize::MAX, ..Limits::default() };
        let options = AvroOptions { limits, ..AvroOptions::default() };
        assert_eq!(read(&of(&records(128)), &options).verdict(), "ok");
        assert_ne!(read(&of(&records(129)), &options).verdict(), "ok");
        assert_ne!(read(&of(&records(20_000)), &options).verdict(), "ok");
    });
}

#[test]
fn d2_a_recursive_type_is_refused_where_it_is_read() {
    refused(
        &of(&record(r#"{"name":"id","type":"long"},{"name":"next","type":["null","R"]}"#)),
        0,
        r#"Schema: next: record "R" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`"#,
    );
    refused(
        &of(&record(r#"{"name":"next","type":"R"}"#)),
        0,
        r#"Schema: next: record "R" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`"#,
    );
    refused(
        &of(&record(r#"{"name":"next","type":{"type":"array","items":"R"}}"#)),
        0,
        r#"Schema: next[]: record "R" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`"#,
    );
    refused(
        &of(&record(r#"{"name":"next","type":{"type":"map","values":"R"}}"#)),
        0,
        r#"Schema: next[]: record "R" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`"#,
    );
    let mutual =
        r#"{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"b","type":["null","R"]}]}}"#;
    refused(
        &of(&record(mutual)),
        0,
        r#"Schema: a.b: record "R" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`"#,
    );
}

#[test]
fn d2_a_recursive_value_is_skipped_without_the_stack() {
    let schema = record(r#"{"name":"id","type":"long"},{"name":"next","type":["null","R"]}"#);
    let options = AvroOptions { columns: Some(vec!["id".to_owned()]), ..AvroOptions::default() };
    let chain = |depth: usize| [[long(7), vec![2]].concat().repeat(depth), long(7), vec![0]].concat();
    on_a_small_stack(move || {
        let file = Container::new(&schema, Codec::Null);
        let outcome = read_every_way(&file.clone().block(1, &chain(40_000)).bytes, &options);
        assert_eq!((outcome.rows(), outcome.verdict().as_str()), (1, "ok"));
        let outcome = read_every_way(&file.clone().block(1, &chain(200_000)).bytes, &options);
        assert_eq!(
            outcome.verdict(),
            "Limit skipped_depth: block 0 at byte 160, record 0: next: over the limit skipped_depth of 100,000"
        );
        // An endless value is impossible, because each level takes a byte.
        let recursion_error = record(r#"{"name":"id","type":"long"},{"name":"next","type":"R"}"#);
        let file = Container::new(&recursion_error, Codec::Null);
        let outcome = read_every_way(&file.block(1, &long(7).repeat(1000)).bytes, &options);
        assert_eq!(
            outcome.verdict(),
            "CorruptBlock: block 0 at byte 150, record 0: next: expected a long, 0 bytes left"
        );
    });
}

#[test]
fn d3_names_stand_once() {
    let twice = |name: &str| format!(r#"{{"name":"a","type":"int"}},{{"name":"{name}","type":"long"}}"#);
    refused(&of(&record(&twice("a"))), 0, r#"Schema: expected each field name once, found "a" twice"#);
    accepted(&of(&record(&twice("A"))), 0);
    refused(
        &of(r#"{"type":"enum","name":"E","symbols":["A","B","A"]}"#),
        0,
        r#"Schema: expected each enum symbol once, found "A" twice"#,
    );
    let same_type = r#"{"name":"a","type":{"type":"fixed","name":"F","size":1}},{"name":"b","type":{"type":"fixed","name":"F","size":2}}"#;
    refused(&of(&record(same_type)), 0, r#"Schema: b: expected each type defined once, found "F" twice"#);
    accepted(&of(&record(r#"{"name":"a","type":"int"},{"name":"b","aliases":["a"],"type":"int"}"#)), 0);
    refused(
        &of(r#"{"type":"fixed","name":"int","size":4}"#),
        0,
        r#"Schema: expected a type name that is not a primitive type, found "int""#,
    );
}

#[test]
fn d4_names_are_any_text_without_a_zero_and_escaped_in_messages() {
    let field = |name: &str| record(&format!(r#"{{"name":"{name}","type":"int"}}"#));
    for name in
        ["", "a.b", "9", "🦀", "../x", "a$", "a b", "a-b", r#"\""#, r"\\", "__class__", r"a\n\u001b[31m"]
    {
        accepted(&of(&field(name)), 0);
    }
    refused(
        &of(&field("a\\u0000b")),
        0,
        "Schema: expected a name without the character U+0000, found \"a\\0b\"",
    );
    let unknown = |name: &str| record(&format!(r#"{{"name":"{name}","type":"{name}"}}"#));
    let hostile = "a\\nb\\u001b[31m\\u202e\\u200f";
    let escaped = r"a\nb\u{1b}[31m\u{202e}\u{200f}";
    let message = format!("Schema: ['{escaped}']: expected a type, found the unknown name \"{escaped}\"");
    refused(&of(&unknown(hostile)), 0, &message);
    accepted(&of(&field(&"x".repeat(1 << 20))), 0);
    accepted(&of(r#"{"type":"record","name":"a.","fields":[]}"#), 0);
    let long_name = format!("{}-", "x".repeat(1 << 20));
    let (place, name) = ("x".repeat(200), format!("{}…", "x".repeat(200)));
    let message = format!("Schema: {place}: expected a type, found the unknown name \"{name}\"");
    refused(&of(&unknown(&long_name)), 0, &message);
}

#[test]
fn d5_an_enum_has_symbols_a_union_has_types_a_fixed_has_a_size() {
    refused(
        &of(r#"{"type":"enum","name":"E","symbols":[]}"#),
        0,
        "Schema: expected an enum of at least one symbol, found none",
    );
    refused(&of("[]"), 0, "Schema: expected a union of at least one branch, found none");
    refused(
        &of(r#"["null",["null","int"]]"#),
        0,
        "Schema: expected a branch that is not a union, found a union in a union",
    );
    refused(
        &of(r#"["int","string","int"]"#),
        0,
        "Schema: expected each type once in a union, found int twice",
    );
    let fixed = |size: &str| of(&format!(r#"{{"type":"fixed","name":"F","size":{size}}}"#));
    accepted(&fixed("0"), 0);
    refused(&fixed("-1"), 0, r#"Schema: expected an integer of 0 or more as "size", found -1"#);
    refused(
        &fixed("1099511627776"),
        0,
        "Limit decoded_block_bytes: expected a fixed of at most 268,435,456 bytes, found one of 1,099,511,627,776",
    );
    refused(
        &fixed("9223372036854775807"),
        0,
        "Limit decoded_block_bytes: expected a fixed of at most 268,435,456 bytes, found one of 9,223,372,036,854,775,807",
    );
    refused(
        &fixed("99999999999999999999"),
        0,
        r#"Schema: expected an integer of 0 or more as "size", found 1e+20"#,
    );
    refused(&fixed("1e3"), 0, r#"Schema: expected an integer of 0 or more as "size", found 1000.0"#);
    refused(&fixed("\"16\""), 0, r#"Schema: expected an integer of 0 or more as "size", found "16""#);
}

#[test]
fn d5_many_symbols_and_many_branches_have_limits() {
    let symbols: Vec<String> = (0..10_000).map(|i| format!("\"S{i}\"")).collect();
    let symbols = format!(r#"{{"type":"enum","name":"E","symbols":[{}]}}"#, symbols.join(","));
    let file = Container::new(&symbols, Codec::Null).block(1, &long(9_999));
    accepted(&file.bytes, 1);
    let branches = |n: usize| {
        let branches: Vec<String> =
            (0..n).map(|i| format!(r#"{{"type":"fixed","name":"F{i}","size":1}}"#)).collect();
        of(&format!("[{}]", branches.join(",")))
    };
    accepted(&branches(127), 0);
    refused(&branches(128), 0, "Schema: value: expected a union of at most 127 branches, found 128");
    refused(&branches(2000), 0, "Schema: value: expected a union of at most 127 branches, found 2000");
    let limits = Limits { expanded_fields: 2000, ..Limits::default() };
    refused_within(
        &limits,
        &branches(2000),
        0,
        "Limit expanded_fields: expected a schema of at most 2,000 types, found more",
    );
}

#[test]
fn d6_a_schema_that_doubles_with_each_name_is_not_expanded() {
    let mut fields = vec![
        r#"{"name":"r0","type":{"type":"record","name":"R0","fields":[{"name":"x","type":"int"}]}}"#
            .to_owned(),
    ];
    for i in 1..30 {
        let below = i - 1;
        fields.push(format!(
            r#"{{"name":"r{i}","type":{{"type":"record","name":"R{i}","fields":[{{"name":"a","type":"R{below}"}},{{"name":"b","type":"R{below}"}}]}}}}"#
        ));
    }
    let schema = record(&fields.join(","));
    refused(
        &of(&schema),
        0,
        "Limit expanded_fields: r15.a.a.a.a.a.b.a.a.a.b.b.b.a: the schema is over the limit expanded_fields of 100,000",
    );
    let options = AvroOptions { columns: Some(vec!["r0".to_owned()]), ..AvroOptions::default() };
    assert_eq!(read_every_way(&of(&schema), &options).verdict(), "ok");
}

#[test]
fn d6_optional_records_in_optional_records_are_resolved_once_each() {
    let nested = (0..30).fold("\"long\"".to_owned(), |ty, i| {
        format!(r#"["null",{{"type":"record","name":"R{i}","fields":[{{"name":"f","type":{ty}}}]}}]"#)
    });
    accepted(
        &Container::new(&nested, Codec::Null).block(2, &[vec![2; 30], long(7), vec![0]].concat()).bytes,
        2,
    );
}

#[test]
fn d7_an_invalid_logical_type_is_its_base_type() {
    let cases = [
        (r#"{"type":"bytes","logicalType":"decimal","precision":0}"#, 1, DataType::Binary),
        (r#"{"type":"bytes","logicalType":"decimal","precision":-4}"#, 1, DataType::Binary),
        (r#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":5}"#, 1, DataType::Binary),
        (
            r#"{"type":"fixed","name":"F","size":2,"logicalType":"decimal","precision":5}"#,
            2,
            DataType::FixedSizeBinary(2),
        ),
        (r#"{"type":"int","logicalType":"uuid"}"#, 1, DataType::Int32),
        (
            r#"{"type":"fixed","name":"F","size":11,"logicalType":"duration"}"#,
            11,
            DataType::FixedSizeBinary(11),
        ),
        (r#"{"type":"string","logicalType":"timestamp-millis"}"#, 1, DataType::Utf8),
        (r#"{"type":"long","logicalType":"date"}"#, 1, DataType::Int64),
        (r#"{"type":"long","logicalType":"no-such-type"}"#, 1, DataType::Int64),
    ];
    for (schema, bytes, expected) in cases {
        let file = Container::new(schema, Codec::Null).block(1, &vec![0; bytes]);
        let table = accepted(&file.bytes, 1).unwrap();
        assert_eq!(table.column(0).data_type(), &expected, "{schema}");
        assert_eq!(AvroSchema::parse(schema).unwrap().warnings().len(), 1, "{schema}");
    }
}

#[test]
fn d7_a_decimal_of_more_digits_than_arrow_has_is_its_base_type() {
    let schema = r#"{"type":"bytes","logicalType":"decimal","precision":2147483648}"#;
    let table = accepted(&Container::new(schema, Codec::Null).block(1, &[0]).bytes, 1).unwrap();
    assert_eq!(table.column(0).data_type(), &DataType::Binary);
}

#[test]
fn a_schema_has_a_limit_of_bytes() {
    let limits = Limits { schema_bytes: 10, ..Limits::default() };
    refused_within(
        &limits,
        &of(r#"{"type": "long"}"#),
        0,
        "Limit schema_bytes: byte 17: expected the schema to have at most 10 bytes, found 16",
    );
}
