//! The cases of `tests/cases/text`: texts and numbers, and the values that each type has for them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, TimeUnit};
use arrowfeed_source::FeedError;
use arrowfeed_source::run::{FileSet, Part, Workers};
use arrowfeed_text::{CsvOptions, JsonLinesOptions};
use serde::Deserialize;
use toml::Value;

use crate::support::{csv, json, options, read, schema};

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "type")]
    name: String,
    texts: Vec<Vec<Value>>,
    #[serde(default)]
    numbers: Vec<Vec<Value>>,
}

/// The type of a notation that `tests/README.md` describes.
fn type_of(name: &str) -> DataType {
    let (word, rest) = name.split_once(['(', '[']).unwrap_or((name, ""));
    let parts: Vec<&str> = rest.trim_end_matches([')', ']']).split(", ").collect();
    let unit = || match parts[0] {
        "s" => TimeUnit::Second,
        "ms" => TimeUnit::Millisecond,
        "us" => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    };
    let (precision, scale) = (|| parts[0].parse().unwrap(), || parts[1].parse().unwrap());
    match word {
        "int8" => DataType::Int8,
        "int32" => DataType::Int32,
        "int64" => DataType::Int64,
        "uint8" => DataType::UInt8,
        "uint64" => DataType::UInt64,
        "float16" => DataType::Float16,
        "float32" => DataType::Float32,
        "float64" => DataType::Float64,
        "decimal32" => DataType::Decimal32(precision(), scale()),
        "decimal64" => DataType::Decimal64(precision(), scale()),
        "decimal128" => DataType::Decimal128(precision(), scale()),
        "decimal256" => DataType::Decimal256(precision(), scale()),
        "date32" => DataType::Date32,
        "date64" => DataType::Date64,
        "time32" => DataType::Time32(unit()),
        "time64" => DataType::Time64(unit()),
        "timestamp" => DataType::Timestamp(unit(), parts.get(1).map(|zone| Arc::from(*zone))),
        "duration" => DataType::Duration(unit()),
        other => panic!("{other:?} is no type"),
    }
}

/// The column `x` of a file, or the error of its only record.
fn column(files: Result<FileSet, FeedError>) -> Result<ArrayRef, String> {
    let files = files.unwrap();
    let how = options(10, arrowfeed_source::OnError::Raise, Workers::Caller);
    let (batches, _, error) = read(&files, vec![Part::whole(0)], how);
    match error {
        Some(error) => Err(error.to_string()),
        None => Ok(batches[0].column(0).clone()),
    }
}

fn check(found: Result<ArrayRef, String>, expected: Option<&Value>, error: &str, label: &str) {
    let Some(expected) = expected else {
        assert_eq!(
            found.map(|array| array_value_to_string(&array, 0).unwrap()),
            Err(error.to_owned()),
            "{label}"
        );
        return;
    };
    let found = found.unwrap_or_else(|error| panic!("{label}: {error}"));
    assert_eq!((found.len(), found.null_count()), (1, 0), "{label}");
    match expected {
        Value::Integer(expected) => {
            let stored = match found.data_type() {
                DataType::Time32(_) => cast(&cast(&found, &DataType::Int32).unwrap(), &DataType::Int64),
                _ => cast(&found, &DataType::Int64),
            };
            assert_eq!(stored.unwrap().as_primitive::<Int64Type>().value(0), *expected, "{label}");
        }
        Value::Float(expected) => {
            let value = cast(&found, &DataType::Float64).unwrap().as_primitive::<Float64Type>().value(0);
            assert!(value == *expected || value.is_nan() && expected.is_nan(), "{label}: {value}");
        }
        expected => {
            assert_eq!(array_value_to_string(&found, 0).unwrap(), expected.as_str().unwrap(), "{label}")
        }
    }
}

#[test]
fn a_text_is_a_value_that_its_type_stores_or_an_error() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/text/values.toml");
    let cases: Cases = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(cases.case.len() > 20);
    for case in &cases.case {
        let data_type = type_of(&case.name);
        let columns = schema(&[("x", data_type.clone())]);
        let items = schema(&[("x", DataType::new_list(data_type.clone(), true))]);
        let read_json = |value: &str| {
            let options = JsonLinesOptions { schema: Some(columns.clone()), ..Default::default() };
            column(json(format!("{{\"x\": {value}}}").as_bytes(), options))
        };
        let read_csv = |text: &str, schema| {
            let options = CsvOptions { schema: Some(schema), ..Default::default() };
            column(csv(format!("x,y\n\"{text}\",1\n").as_bytes(), options))
        };
        for pair in &case.texts {
            let (text, expected, label) =
                (pair[0].as_str().unwrap(), pair.get(1), format!("{} {}", case.name, pair[0]));
            let message = |offset, found: &DataType| {
                format!(
                    "file: block 0 at byte {offset}, record 0: x: expected a value of {found}, found \"{text}\""
                )
            };
            check(read_csv(text, columns.clone()), expected, &message(4, &data_type), &label);
            let list = read_csv(text, items.clone()).map(|lists| lists.as_list::<i32>().value(0));
            check(list, expected, &message(4, items.field(0).data_type()), &label);
            check(read_json(&format!("\"{text}\"")), expected, &message(0, &data_type), &label);
        }
        for pair in &case.numbers {
            let (number, expected) = (pair[0].as_str().unwrap(), pair.get(1));
            let message = format!(
                "file: block 0 at byte 0, record 0: x: expected a value of {data_type}, found {number}"
            );
            check(read_json(number), expected, &message, &format!("{} number {number}", case.name));
        }
    }
}
