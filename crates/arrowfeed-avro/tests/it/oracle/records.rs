//! Records without a file.

use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use arrowfeed_avro::{AvroOptions, AvroSchema, FeedErrorKind, RecordDecoder};
use proptest::prelude::*;

use super::resolution::times_are_of_a_day;
use crate::support::case::{Case, assert_rows, cases, config};
use crate::support::encode::Encoder;
use crate::support::evolve::evolve;
use crate::support::mapping::Mapping;
use crate::support::resolve::Resolver;
use crate::support::rows::Rows;
use crate::support::schema::Schema;
use crate::support::shapes::Kinds;
use crate::support::value::Value;

fn options(case: &Case) -> AvroOptions {
    AvroOptions { string_type: case.strings, ..AvroOptions::default() }
}

fn encoded(schema: &Schema, row: &Value, seed: u64) -> Vec<u8> {
    let mut encoder = Encoder::new(schema, seed);
    encoder.row(row);
    encoder.out
}

fn flushed(decoder: &mut RecordDecoder) -> Vec<RecordBatch> {
    let batches: Vec<RecordBatch> = std::iter::from_fn(|| decoder.flush().unwrap()).collect();
    assert_eq!(decoder.rows(), 0);
    batches
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn records_are_the_rows_of_a_file(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let schema = AvroSchema::parse(&case.file.schema).unwrap();
        let tight = AvroOptions { max_batch_bytes: Some(1 + seed.below(2000)), ..options(&case) };
        for options in [options(&case), tight] {
            let most = case.batch_size;
            let is_tight = options.max_batch_bytes.is_some();
            let mut decoder = RecordDecoder::new(&schema, options).unwrap();
            decoder.set_batch_size(most).unwrap();
            prop_assert_eq!(&**decoder.schema(), &ArrowSchema::new(case.mapping().columns()));
            let mut batches = Vec::new();
            for (number, row) in case.rows.iter().enumerate() {
                let result = decoder.decode(&encoded(&case.schema, row, seed.next()));
                result.unwrap_or_else(|error| panic!("{number}: {error}"));
                if seed.one_in(20) {
                    batches.extend(decoder.flush().unwrap());
                }
            }
            let last = flushed(&mut decoder);
            prop_assert!(last.iter().all(|batch| batch.num_rows() <= most));
            let but_one = last.split_last().map_or(&[][..], |(_, before)| before);
            prop_assert!(is_tight || but_one.iter().all(|batch| batch.num_rows() == most));
            batches.extend(last);
            assert_rows(&batches, &case.cells());
        }
    }

    #[test]
    fn a_damaged_record_is_an_error_of_its_own(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let schema = AvroSchema::parse(&case.file.schema).unwrap();
        let mut decoder = RecordDecoder::new(&schema, options(&case)).unwrap();
        decoder.set_batch_size(case.batch_size).unwrap();
        let (mut good, mut number) = (Vec::new(), 0);
        for (row, cells) in case.rows.iter().zip(case.cells()) {
            let mut record = encoded(&case.schema, row, seed.next());
            if seed.one_in(3) {
                record.push(0);
                let error = decoder.decode(&record).unwrap_err();
                prop_assert_eq!(error.kind(), FeedErrorKind::CorruptBlock);
                prop_assert_eq!(error.location().record, Some(number));
                prop_assert_eq!(error.location().offset, Some(record.len() as u64 - 1));
                prop_assert_eq!(error.message(), "expected the end of the record, found 1 more byte");
                number += 1;
            }
            if record.len() > 1 && seed.one_in(3) {
                record.pop();
                record.pop();
                if decoder.decode(&record).is_ok() {
                    // The remaining bytes happen to be a record too.
                    return Ok(());
                }
                number += 1;
            }
            decoder.decode(&encoded(&case.schema, row, seed.next())).unwrap();
            number += 1;
            good.push(cells);
        }
        assert_rows(&flushed(&mut decoder), &good);
    }

    #[test]
    fn records_of_two_writers_come_in_their_order(case in cases(Kinds::All)) {
        let mut seed = case.seed.clone();
        let reader = evolve(&case.schema, &mut seed);
        let resolver = Resolver { writer: &case.schema, reader: &reader };
        let schemas = [&case.file.schema, &reader.to_json()].map(|json| AvroSchema::parse(json).unwrap());
        let new = Rows::new(&reader, seed.next()).rows(case.rows.len());
        let old: Vec<Value> = case.rows.iter().map(|row| resolver.row(row)).collect();
        if !old.iter().all(|row| times_are_of_a_day(&reader, &reader.root, row)) {
            return Ok(());
        }
        let options = AvroOptions { reader_schema: Some(schemas[1].clone()), ..options(&case) };
        let mut decoder = RecordDecoder::new(&schemas[0], options).unwrap();
        decoder.set_batch_size(case.batch_size).unwrap();
        let newer = decoder.add_writer(&schemas[1]).unwrap();
        prop_assert_eq!(decoder.add_writer(&schemas[1].clone()).unwrap(), newer);
        let mapping = Mapping::new(&reader, case.strings);
        let mut expected = Vec::new();
        for (number, (old, new)) in old.iter().zip(&new).enumerate() {
            if seed.one_in(2) {
                decoder.decode(&encoded(&case.schema, &case.rows[number], seed.next())).unwrap();
                expected.push(mapping.cells(old));
            }
            if seed.one_in(2) {
                decoder.decode_of(newer, &encoded(&reader, new, seed.next())).unwrap();
                expected.push(mapping.cells(new));
            }
        }
        prop_assert_eq!(decoder.rows(), expected.len());
        assert_rows(&flushed(&mut decoder), &expected);
    }
}

#[test]
fn the_bytes_of_a_batch_are_those_of_all_writers() {
    let writers: Vec<AvroSchema> = (0..4)
        .map(|n| {
            format!(
                r#"{{"type": "record", "name": "Row{n}", "fields": [{{"name": "text", "type": "string"}}]}}"#
            )
        })
        .map(|json| AvroSchema::parse(&json).unwrap())
        .collect();
    let options = AvroOptions { max_batch_bytes: Some(10_000), ..AvroOptions::default() };
    let rows_of_batches = |writers: &[AvroSchema]| -> Vec<usize> {
        let mut decoder = RecordDecoder::new(&writers[0], options.clone()).unwrap();
        let ids: Vec<_> = writers.iter().map(|writer| decoder.add_writer(writer).unwrap()).collect();
        for row in 0..400 {
            let record = [&[100][..], &[b'a'; 50]].concat();
            decoder.decode_of(ids[row % ids.len()], &record).unwrap();
        }
        flushed(&mut decoder).iter().map(RecordBatch::num_rows).collect()
    };
    let of_one = rows_of_batches(&writers[..1]);
    assert!(of_one.len() > 1);
    assert_eq!(rows_of_batches(&writers), of_one);
}

#[test]
fn a_schema_that_contains_itself_has_a_schema_of_its_other_columns() {
    let schema = r#"{"type": "record", "name": "Node", "fields": [
        {"name": "id", "type": "long"}, {"name": "next", "type": ["null", "Node"]}]}"#;
    let (writer, options) = (AvroSchema::parse(schema).unwrap(), AvroOptions::default());
    let (columns, recursion_error) = RecordDecoder::schema_of(&writer, &options).unwrap();
    assert_eq!(columns.fields().iter().map(|field| field.name()).collect::<Vec<_>>(), ["id"]);
    assert_eq!(
        recursion_error.unwrap().to_string(),
        RecordDecoder::new(&writer, options.clone()).unwrap_err().to_string()
    );
    let options = AvroOptions { columns: Some(vec!["id".to_owned()]), ..options };
    let (columns, recursion_error) = RecordDecoder::schema_of(&writer, &options).unwrap();
    assert!(recursion_error.is_none());
    assert_eq!(columns, *RecordDecoder::new(&writer, options).unwrap().schema());
}

#[test]
fn invalid_arguments_are_refused() {
    let long = AvroSchema::parse(r#""long""#).unwrap();
    let error = RecordDecoder::new(&long, AvroOptions::default()).unwrap().set_batch_size(0).unwrap_err();
    assert_eq!(error.to_string(), "expected a batch_size of 1 or more, found 0");
    let none = AvroOptions { max_batch_bytes: Some(0), ..AvroOptions::default() };
    let error = RecordDecoder::new(&long, none).unwrap_err();
    assert_eq!(error.to_string(), "expected max_batch_bytes of 1 or more, found 0");
    let mut decoder = RecordDecoder::new(&long, AvroOptions::default()).unwrap();
    let error = decoder.add_writer(&AvroSchema::parse(r#""string""#).unwrap()).unwrap_err();
    let message = "expected a writer's schema with the columns of the first writer's schema: column \"value\" to be Int64, found \"value\" as Utf8; set `reader_schema` to read both";
    assert_eq!(error.to_string(), message);
}
