//! Classes D8 and D9: defaults, and a reader's schema that differs from the writer's.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrowfeed_avro::{AvroOptions, AvroSchema, Codec};

use super::schema::{of, record};
use super::{accepted, refused};
use crate::support_hostile::container::Container;
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::ways::read_every_way;
use crate::support_hostile::wire::{long, string};

#[test]
fn d8_a_writers_default_is_never_looked_at() {
    for default in ["\"text\"", "{}", "1e999999", "[[[[]]]]", "\"\\u0100\"", "null"] {
        let field = format!(r#"{{"name":"a","type":"int","default":{default}}}"#);
        // A number that JSON cannot represent is rejected everywhere.
        if default == "1e999999" {
            refused(
                &of(&record(&field)),
                0,
                "Schema: expected a schema in JSON, found: number out of range at line 1 column 81",
            );
            continue;
        }
        let file = Container::new(&record(&field), Codec::Null);
        accepted(&file.block(1, &long(5)).bytes, 1);
    }
}

#[test]
fn d8_a_readers_default_is_checked() {
    let file = Container::new(&record(r#"{"name":"a","type":"int"}"#), Codec::Null).block(1, &long(5));
    let with = |field: &str| {
        let schema = record(&format!(r#"{{"name":"a","type":"int"}},{field}"#));
        let reader_schema = Some(AvroSchema::parse(&schema).unwrap());
        read_every_way(&file.bytes, &AvroOptions { reader_schema, ..AvroOptions::default() }).verdict()
    };
    assert_eq!(with(r#"{"name":"b","type":"long","default":3}"#), "ok");
    assert_eq!(
        with(r#"{"name":"b","type":"long"}"#),
        "Schema: b: expected the field in the writer's schema, found none, and the reader's schema has no default for it"
    );
    assert_eq!(
        with(r#"{"name":"b","type":"long","default":"3"}"#),
        r#"Schema: b: expected a default of type long, found "3""#
    );
    assert_eq!(
        with(r#"{"name":"b","type":"int","default":2147483648}"#),
        "Schema: b: expected a default of type int, found 2147483648"
    );
    assert_eq!(with(r#"{"name":"b","type":["null","int"],"default":3}"#), "ok");
    assert_eq!(
        with(r#"{"name":"b","type":"bytes","default":"\u0100"}"#),
        r#"Schema: b: expected a default of code points up to 255 for bytes, found "Ā""#
    );
    assert_eq!(
        with(r#"{"name":"b","type":"double","default":"NaN"}"#),
        r#"Schema: b: expected a default of type double, found "NaN""#
    );
}

fn read_as(writer: &str, reader: &str, payload: &[u8]) -> Outcome {
    let file = Container::new(writer, Codec::Null).block(1, payload);
    let reader_schema = Some(AvroSchema::parse(reader).unwrap());
    read_every_way(&file.bytes, &AvroOptions { reader_schema, ..AvroOptions::default() })
}

fn verdict(writer: &str, reader: &str, payload: &[u8]) -> String {
    read_as(writer, reader, payload).verdict()
}

/// The full table of resolution rules is tested next to the rules; these are the pitfalls.
#[test]
fn d9_resolution_refuses_wrong_conversions() {
    let enumeration = |symbols: &str| format!(r#"{{"type":"enum","name":"E","symbols":[{symbols}]}}"#);
    assert_eq!(
        verdict("\"long\"", "\"int\"", &long(5)),
        "Schema: value: expected int as in the reader's schema, found long in the writer's schema"
    );
    assert_eq!(
        verdict("\"double\"", "\"float\"", &[0; 8]),
        "Schema: value: expected float as in the reader's schema, found double in the writer's schema"
    );
    assert_eq!(
        verdict("\"int\"", "\"string\"", &long(5)),
        "Schema: value: expected string as in the reader's schema, found int in the writer's schema"
    );
    assert_eq!(
        verdict("\"bytes\"", "\"string\"", &[2, 0xff]),
        "CorruptBlock: block 0 at byte 60, record 0: value: expected a string in UTF-8, found other bytes after 0 bytes of it"
    );
    assert_eq!(verdict(&enumeration(r#""A","B""#), &enumeration(r#""A""#), &long(0)), "ok");
    assert_eq!(
        verdict(&enumeration(r#""A","B""#), &enumeration(r#""A""#), &long(1)),
        r#"CorruptBlock: block 0 at byte 99, record 0: value: expected a symbol of the reader's enum, which has no default, found "B""#
    );
    assert_eq!(
        verdict(r#"["int","string"]"#, "\"int\"", &[2, 2, b'x']),
        r#"CorruptBlock: block 0 at byte 69, record 0: value: expected a branch that resolves to the reader's int, found branch "string""#
    );
    assert_eq!(verdict(r#"["string","int"]"#, r#"["int","string"]"#, &[0, 2, b'x']), "ok");
    let fixed = |size: usize| format!(r#"{{"type":"fixed","name":"F","size":{size}}}"#);
    assert_eq!(
        verdict(&fixed(4), &fixed(5), &[0; 4]),
        "Schema: value: expected a fixed of 5 bytes as in the reader's schema, found 4 bytes in the writer's schema"
    );
    let swapped = read_as(
        &record(r#"{"name":"a","type":"int"},{"name":"skipped","type":"string"},{"name":"b","type":"int"}"#),
        &record(r#"{"name":"c","type":"long","aliases":["b"]},{"name":"a","type":"long"}"#),
        &[long(1), string("text"), long(2)].concat(),
    );
    let table = swapped.table().unwrap();
    let value = |i: usize| table.column(i).as_primitive::<Int64Type>().value(0);
    assert_eq!((value(0), value(1)), (2, 1));
}

#[test]
fn shared_aliases_matter_only_where_the_reader_cannot_tell_them_apart() {
    let fields = r#"{"name":"a","type":"int","aliases":["c"]},{"name":"b","type":"int","aliases":["c","a"]}"#;
    let fixed = |name: &str| format!(r#"{{"type":"fixed","name":"{name}","aliases":["H"],"size":1}}"#);
    let types = format!(r#"{{"name":"x","type":{}}},{{"name":"y","type":{}}}"#, fixed("F"), fixed("G"));
    let values = [long(1), long(2)].concat();
    // In the writer's schema, and as long as the writer has no such name, also in the reader's.
    assert_eq!(verdict(&record(fields), &record(fields), &values), "ok");
    assert_eq!(verdict(&record(&types), &record(&types), &[1, 2]), "ok");
    let [a, c] = ["a", "c"].map(|name| record(&format!(r#"{{"name":"{name}","type":"int"}}"#)));
    let optional = fields.replace(r#""int""#, r#"["null","int"],"default":null"#);
    let one = [2_u8];
    assert_eq!(verdict(&a, &record(&optional), &one), "ok");
    assert_eq!(
        verdict(&c, &record(&optional), &one),
        r#"Schema: expected an alias of only one field, found "c" of the fields "a" and "b""#
    );
    // Fields have types of other names.
    let of = |first: &str, second: &str| {
        record(&format!(r#"{{"name":"x","type":{first}}},{{"name":"y","type":{second}}}"#))
    };
    let written = r#"{"type":"fixed","name":"H","size":1}"#;
    assert_eq!(verdict(&of(written, "\"H\""), &record(&types), &[1, 2]), "ok");
    // Branches of a union.
    let branches = format!("[{},{}]", fixed("F"), fixed("G"));
    assert_eq!(verdict(&fixed("G"), &branches, &[1]), "ok");
    assert_eq!(
        verdict(written, &branches, &[1]),
        r#"Schema: value: expected an alias of only one branch, found "H" of the types "F" and "G""#
    );
    let exact = format!("[{},{written}]", fixed("F"));
    let table = read_as(written, &exact, &[7]).table().unwrap();
    assert_eq!(table.column(0).as_union().type_id(0), 1);
}
