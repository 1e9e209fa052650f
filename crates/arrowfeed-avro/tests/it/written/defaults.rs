//! Fields of a specified schema without a column.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StructArray};
use arrowfeed_avro::{AvroOptions, AvroSchema, AvroWriter, FileSource, WriteOptions};

use super::laws::{header, write};
use crate::support::case::read_all;
use crate::support::open::open_as;

const FIELDS: &str = r#"
    {"name": "id", "type": "long"},
    {"name": "none", "type": ["null", "int"], "default": null},
    {"name": "flag", "type": "boolean", "default": true},
    {"name": "count", "type": "int", "default": -7},
    {"name": "rate", "type": "double", "default": 0.5},
    {"name": "name", "type": "string", "default": "größe"},
    {"name": "key", "type": {"type": "fixed", "name": "Key", "size": 2}, "default": "\u0000\u00ff"},
    {"name": "suit", "type": {"type": "enum", "name": "Suit", "symbols": ["C", "D"]}, "default": "D"},
    {"name": "tags", "type": {"type": "array", "items": "string"}, "default": ["a", "b"]},
    {"name": "votes", "type": {"type": "map", "values": "long"}, "default": {"a": 1}},
    {"name": "user", "type": {"type": "record", "name": "User", "fields": [
        {"name": "age", "type": "long"}, {"name": "city", "type": "string", "default": "?"}]},
        "default": {"age": 3}}"#;

fn schema(fields: &str) -> AvroSchema {
    let json = format!(r#"{{"type": "record", "name": "Row", "fields": [{fields}]}}"#);
    AvroSchema::parse(&json).unwrap()
}

fn written(columns: Vec<(&str, ArrayRef)>, schema: &AvroSchema) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = WriteOptions { schema: Some(schema.clone()), ..WriteOptions::default() };
    write(&batch, std::slice::from_ref(&batch), options)
}

fn read(bytes: Vec<u8>, reader_schema: Option<&AvroSchema>) -> Vec<RecordBatch> {
    let options = AvroOptions { reader_schema: reader_schema.cloned(), ..AvroOptions::default() };
    read_all(open_as(FileSource::bytes(bytes), options))
}

/// The written value of a field without a column equals the value that a reader uses for a field that was not written.
#[test]
fn a_field_without_a_column_has_its_default() {
    let whole = schema(FIELDS);
    let ids = || -> ArrayRef { Arc::new(Int64Array::from_iter_values(0..300)) };
    let bytes = written(vec![("id", ids())], &whole);
    assert_eq!(header(&bytes).schema(), &whole);
    let short = schema(r#"{"name": "id", "type": "long"}"#);
    let expected = read(written(vec![("id", ids())], &short), Some(&whole));
    assert_eq!(expected[0].num_columns(), 11);
    assert_eq!(read(bytes, None), expected);
}

#[test]
fn a_field_of_a_struct_has_its_default_too() {
    let whole = schema(FIELDS);
    let ages: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let users = StructArray::try_from(vec![("age", ages.clone())]).unwrap();
    let bytes = written(vec![("id", ages), ("user", Arc::new(users))], &whole);
    let rows = read(bytes, None);
    let users: &StructArray = rows[0].column_by_name("user").unwrap().as_any().downcast_ref().unwrap();
    let cities: &arrow_array::StringArray = users.column(1).as_any().downcast_ref().unwrap();
    assert_eq!(cities.iter().collect::<Vec<_>>(), [Some("?"); 2]);
}

#[test]
fn defaults_that_no_reader_would_take_are_refused() {
    let cases = [
        (r#""int", "default": "x""#, "n: expected a default of type int, found \"x\""),
        (
            r#"{"type": "int", "logicalType": "time-millis"}, "default": -1"#,
            "n: expected a time of day of 0 to 86,399,999 milliseconds, found -1 in the default of the schema",
        ),
    ];
    let batch =
        RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
    for (ty, message) in cases {
        let broken = schema(&format!(r#"{{"name": "id", "type": "long"}}, {{"name": "n", "type": {ty}}}"#));
        let options = WriteOptions { schema: Some(broken), ..WriteOptions::default() };
        let error = AvroWriter::to_sink(Vec::new(), batch.schema(), options).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
