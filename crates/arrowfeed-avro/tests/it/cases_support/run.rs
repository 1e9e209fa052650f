//! Runs a case in each of its encodings.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch, StructArray, make_array};
use arrow_schema::DataType;
use arrowfeed_avro::{
    AvroFormat, AvroHeader, AvroOptions, AvroSchema, ColumnEncoding, FeedError, FileSource, Limits,
    ReadOptions, StringType, Unions,
};
use serde_json::Value;

use super::case::{self, Case, Expected, Failure, Outcome};
use super::container::Container;
use super::{json, text};

/// Runs a case. Panics with the difference if an encoding does not give the expected result.
pub(crate) fn run(case: &Case) {
    let file = Container::of(case);
    let header = AvroHeader::read(FileSource::bytes(file.bytes.clone()), &Limits::default());
    let header = header.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(header.schema().warnings(), case.warnings, "warnings");
    for (encoding, outcome) in case.encodings() {
        let all = read(case, &file, encoding, 1000);
        let one_by_one = read(case, &file, encoding, 1);
        match outcome {
            Outcome::Batches(expected) => {
                let all = all.unwrap_or_else(|error| panic!("{encoding}: {error}"));
                check(encoding, expected, &all);
                let one_by_one = one_by_one.unwrap_or_else(|error| panic!("{encoding}: {error}"));
                assert_eq!(one_by_one.len(), expected.rows().len().max(1), "{encoding}: batches of one row");
                assert_eq!(rows(&one_by_one), expected.rows(), "{encoding}: in batches of one row");
                one_dictionary(encoding, expected, &one_by_one);
            }
            Outcome::Failure(failure) => {
                [all, one_by_one]
                    .into_iter()
                    .for_each(|result| check_error(encoding, failure, &file, result));
            }
        }
    }
}

fn read(case: &Case, file: &Container, encoding: &str, rows: usize) -> Result<Vec<RecordBatch>, FeedError> {
    let reader_schema = case.reader_schema().map(|text| AvroSchema::parse(&text)).transpose()?;
    let options = AvroOptions {
        columns: case.columns.clone(),
        reader_schema,
        encoding: match encoding {
            "native" => ColumnEncoding::Native,
            "feature" => ColumnEncoding::Feature,
            _ => ColumnEncoding::Tfx,
        },
        string_type: match case.string_type {
            case::StringType::Utf8 => StringType::Utf8,
            case::StringType::LargeUtf8 => StringType::LargeUtf8,
            case::StringType::Utf8View => StringType::Utf8View,
        },
        unions: match case.unions {
            case::Unions::Dense => Unions::Dense,
            case::Unions::Struct => Unions::Struct,
            case::Unions::Json => Unions::Json,
        },
        fixed_lengths: case.fixed_lengths.clone(),
        double_as_float: case.double_as_float,
        ..AvroOptions::default()
    };
    let reading = ReadOptions { batch_size: Some(rows), ..ReadOptions::default() };
    let reader = AvroFormat::read([FileSource::bytes(file.bytes.clone())], options, reading)?;
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>()?;
    for batch in &batches {
        assert_eq!(batch.schema(), schema, "{encoding}: a batch has the reader's schema");
    }
    // An empty batch, so that the schema of a file without rows can be checked.
    Ok(if batches.is_empty() { vec![RecordBatch::new_empty(schema)] } else { batches })
}

fn check(encoding: &str, expected: &Expected, batches: &[RecordBatch]) {
    let [batch] = batches else { panic!("{encoding}: expected one batch, found {}", batches.len()) };
    assert_eq!(text::fields(batch.schema().fields()), expected.schema(), "{encoding}: schema");
    assert_eq!(rows(batches), expected.rows(), "{encoding}: rows");
    for column in batch.columns() {
        column.to_data().validate_full().unwrap_or_else(|error| panic!("{encoding}: {error}"));
        null_lists_are_empty(encoding, column);
        union_offsets_rise(encoding, column);
    }
    for (name, offsets) in &expected.offsets {
        assert_eq!(&column_offsets(&batch[name.as_str()]), offsets, "{encoding}: offsets of {name}");
    }
    for (name, symbols) in &expected.symbols {
        let dictionary = batch[name.as_str()].as_dictionary::<Int32Type>().values().clone();
        let found: Vec<&str> = dictionary.as_string::<i32>().iter().flatten().collect();
        assert_eq!(&found, symbols, "{encoding}: symbols of {name}");
        let schema = batch.schema();
        let metadata = &schema.field_with_name(name).unwrap().metadata()["avro.enum.symbols"];
        assert_eq!(serde_json::from_str::<Vec<String>>(metadata).unwrap(), *symbols, "{encoding}: metadata");
    }
}

/// Checks that batches share the dictionaries of their enums.
fn one_dictionary(encoding: &str, expected: &Expected, batches: &[RecordBatch]) {
    for name in expected.symbols.keys() {
        let dictionary = |batch: &RecordBatch| batch[name.as_str()].as_any_dictionary().values().to_data();
        let shared = batches.windows(2).all(|pair| dictionary(&pair[0]).ptr_eq(&dictionary(&pair[1])));
        assert!(shared, "{encoding}: a dictionary of {name} for each batch");
    }
}

fn rows(batches: &[RecordBatch]) -> Vec<Value> {
    let rows = |batch: &RecordBatch| {
        let rows = StructArray::from(batch.clone());
        (0..batch.num_rows()).map(|i| json::row(&rows, i)).collect::<Vec<_>>()
    };
    batches.iter().flat_map(rows).collect()
}

/// Checks that null lists are empty: readers that use only offsets, tfx_bsl among them, treat items behind a null as values.
fn null_lists_are_empty(encoding: &str, array: &ArrayRef) {
    fn empty<O: OffsetSizeTrait>(array: &ArrayRef) -> bool {
        let list = array.as_list::<O>();
        (0..list.len()).all(|i| list.is_valid(i) || list.value_length(i) == O::zero())
    }
    let good = match array.data_type() {
        DataType::List(_) => empty::<i32>(array),
        DataType::LargeList(_) => empty::<i64>(array),
        _ => true,
    };
    assert!(good, "{encoding}: a null list holds items");
    array.to_data().child_data().iter().for_each(|child| {
        null_lists_are_empty(encoding, &make_array(child.clone()));
    });
}

/// Checks that the offsets of each branch of a union rise, as Arrow requires; no validation in its Rust library does so.
fn union_offsets_rise(encoding: &str, array: &ArrayRef) {
    if let Some(union) = array.as_union_opt() {
        for tag in union.type_ids() {
            let slots = (0..union.len()).filter(|i| union.type_id(*i) == *tag);
            assert!(slots.map(|i| union.value_offset(i)).is_sorted(), "{encoding}: offsets of branch {tag}");
        }
    }
    array.to_data().child_data().iter().for_each(|child| {
        union_offsets_rise(encoding, &make_array(child.clone()));
    });
}

fn column_offsets(array: &ArrayRef) -> Vec<i64> {
    match array.data_type() {
        DataType::LargeList(_) => array.as_list::<i64>().offsets().to_vec(),
        DataType::Map(..) => array.as_map().offsets().iter().map(|offset| i64::from(*offset)).collect(),
        _ => array.as_list::<i32>().offsets().iter().map(|offset| i64::from(*offset)).collect(),
    }
}

fn check_error(
    encoding: &str,
    failure: &Failure,
    file: &Container,
    result: Result<Vec<RecordBatch>, FeedError>,
) {
    let error = match result {
        Ok(batches) => panic!("{encoding}: expected an error, found {batches:?}"),
        Err(error) => Arc::new(error),
    };
    assert_eq!(error.to_string(), whole_message(failure, file), "{encoding}: message");
    assert_eq!(format!("{:?}", error.kind()), failure.kind, "{encoding}: kind");
}

/// `<123 bytes>: block 0 at byte 119, record 2: x[4]: expected ...`
fn whole_message(failure: &Failure, file: &Container) -> String {
    let mut place = Vec::new();
    place.extend(failure.at.map(|at| format!("block 0 at byte {}: ", file.data_start + at)));
    if let (Some(place), Some(record)) = (place.last_mut(), failure.record) {
        *place = place.replace(": ", &format!(", record {record}: "));
    }
    place.extend(failure.field.as_ref().map(|field| format!("{field}: ")));
    format!("<{} bytes>: {}{}", file.bytes.len(), place.concat(), failure.message)
}
