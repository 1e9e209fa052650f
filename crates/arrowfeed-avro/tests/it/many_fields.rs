//! Schemas of many fields: the time to resolve them is proportional to the number of fields.

use std::time::{Duration, Instant};

use arrowfeed_avro::{AvroOptions, AvroSchema, Codec, FileSource};

use crate::proportional;
use crate::support::open::{columns, open_as};
use crate::support_hostile::container::Container;

/// The schema of one record.
fn record(fields: impl IntoIterator<Item = String>) -> String {
    let fields: Vec<String> = fields.into_iter().collect();
    format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","))
}

fn name(number: usize) -> String {
    format!("a_long_start_that_all_names_have_{number}")
}

fn longs(fields: usize) -> String {
    record((0..fields).map(|number| format!(r#"{{"name":"{}","type":"long"}}"#, name(number))))
}

/// The time in which a file without rows is opened.
fn time(schema: &str, options: AvroOptions) -> Duration {
    let source = FileSource::bytes(Container::new(schema, Codec::Null).bytes);
    let started = Instant::now();
    let reader = open_as(source, options).unwrap();
    let elapsed = started.elapsed();
    assert!(!reader.schema().fields().is_empty());
    elapsed
}

fn resolved_to(schema: AvroSchema) -> AvroOptions {
    AvroOptions { reader_schema: Some(schema), ..AvroOptions::default() }
}

/// Asserts that the time is proportional to the number of fields.
#[track_caller]
fn is_proportional(time: impl Fn(usize) -> Duration) {
    proportional::is_proportional(|times| time(5_000 * times));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn all_fields_are_read() {
    is_proportional(|fields| time(&longs(fields), AvroOptions::default()));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn fields_are_chosen_by_name() {
    is_proportional(|fields| time(&longs(fields), columns((0..fields).rev().step_by(2).map(name))));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn fields_of_nested_records_are_chosen_by_path() {
    is_proportional(|fields| {
        let nested = format!(r#"{{"name":"inner.of","type":{}}}"#, longs(fields));
        let schema = record([nested]).replacen("\"R\"", "\"Outer\"", 1);
        let paths = (0..fields).map(|number| format!("inner.of.{}", name(number)));
        time(&schema, columns(paths))
    });
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn fields_are_renamed_by_aliases() {
    is_proportional(|fields| {
        let alias =
            |number| format!(r#"{{"name":"x{number}","type":"long","aliases":["{}"]}}"#, name(number));
        let reader = AvroSchema::parse(&record((0..fields).map(alias))).unwrap();
        time(&longs(fields), resolved_to(reader))
    });
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn fields_get_defaults() {
    is_proportional(|fields| {
        let default = |number| format!(r#"{{"name":"x{number}","type":"long","default":1}}"#);
        let reader = AvroSchema::parse(&record((0..fields).map(default))).unwrap();
        time(&longs(fields), resolved_to(reader))
    });
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn symbols_of_an_enum_are_resolved() {
    is_proportional(|symbols| {
        let symbols: Vec<String> = (0..symbols).map(|number| format!("\"{}\"", name(number))).collect();
        let schema = |symbols: &[String]| {
            let symbols = symbols.join(",");
            record([format!(r#"{{"name":"e","type":{{"type":"enum","name":"E","symbols":[{symbols}]}}}}"#)])
        };
        let reversed: Vec<String> = symbols.iter().rev().cloned().collect();
        let reader = AvroSchema::parse(&schema(&reversed)).unwrap();
        time(&schema(&symbols), resolved_to(reader))
    });
}
