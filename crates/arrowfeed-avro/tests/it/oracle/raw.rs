//! Records that are kept as bytes.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use arrowfeed_avro::{
    AvroFormat, AvroOptions, AvroSchema, Codec, ColumnEncoding, FeedErrorKind, FileSource, ReadOptions,
    RecordDecoder,
};
use proptest::prelude::*;

use super::reading::mutate;
use crate::support::case::{Case, assert_rows, cases, cases_with, config, read, read_all};
use crate::support::open::open_as;
use crate::support::shapes::Kinds;

/// Options for raw records. Some batches end early.
fn raw(case: &Case) -> AvroOptions {
    let mut seed = case.seed.clone();
    let max_batch_bytes = seed.one_in(3).then(|| 1 + seed.below(500));
    AvroOptions { raw: true, max_batch_bytes, ..AvroOptions::default() }
}

fn records(batches: &[RecordBatch]) -> Vec<Vec<u8>> {
    let of_batch = |batch: &RecordBatch| {
        let records = batch["record"].as_binary::<i64>();
        records.to_data().validate_full().unwrap();
        assert_eq!(records.null_count(), 0);
        (0..records.len()).map(|row| records.value(row).to_vec()).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

proptest! {
    #![proptest_config(config(30))]

    /// All records together are the bytes of the blocks, and each record decodes to its row.
    #[test]
    fn each_record_is_the_bytes_of_its_row(case in cases(Kinds::All)) {
        let schema = AvroSchema::parse(&case.file.schema).unwrap();
        let reader = case.open_as(raw(&case)).unwrap();
        let column = Field::new("record", DataType::LargeBinary, false);
        prop_assert_eq!(reader.schema(), std::sync::Arc::new(ArrowSchema::new(vec![column])));
        let batches = read_all(Ok(reader));
        prop_assert!(batches.iter().all(|batch| batch.num_rows() <= case.batch_size));
        let records = records(&batches);
        prop_assert_eq!(records.len(), case.rows.len());
        let payloads: Vec<&[u8]> = case.file.blocks.iter().map(|block| &block.payload[..]).collect();
        prop_assert_eq!(records.concat(), payloads.concat());
        let options = AvroOptions { string_type: case.strings, ..AvroOptions::default() };
        let mut decoder = RecordDecoder::new(&schema, options).unwrap();
        let decoded = records.iter().map(|record| {
            decoder.decode(record).unwrap();
            decoder.flush().unwrap().unwrap()
        });
        assert_rows(&decoded.collect::<Vec<_>>(), &case.cells());
    }

    /// Includes recursive types, which have no columns.
    #[test]
    fn records_of_any_type_are_kept(case in cases(Kinds::Recursive)) {
        let records = records(&read_all(case.open_as(raw(&case))));
        prop_assert_eq!(records.len(), case.rows.len());
        let payloads: Vec<&[u8]> = case.file.blocks.iter().map(|block| &block.payload[..]).collect();
        prop_assert_eq!(records.concat(), payloads.concat());
    }

    /// Records that can be decoded are kept. For records that are not kept, decoding fails too, in the same block.
    #[test]
    fn damage_is_found_as_in_fields_that_are_not_read(case in cases_with(Kinds::All, Just(Codec::Null), 6)) {
        let mut case = case;
        let mut seed = case.seed.clone();
        let damaged = seed.below(case.file.blocks.len());
        mutate(&mut case.file.blocks[damaged].payload, &mut seed);
        let (kept, error) = read(case.open_as(raw(&case)));
        let (_, of_columns) = read(case.open());
        match (error, of_columns) {
            (None, _) => {
                let payloads: Vec<&[u8]> = case.file.blocks.iter().map(|block| &block.payload[..]).collect();
                prop_assert_eq!(records(&kept).concat(), payloads.concat());
            }
            (Some(error), Some(of_columns)) => {
                prop_assert_eq!(error.location().block, of_columns.location().block);
                // Columns may find an earlier fault: text that is not UTF-8, or another number of items.
                prop_assert!(of_columns.location().record <= error.location().record.or(Some(u64::MAX)));
                prop_assert_ne!(error.kind(), FeedErrorKind::Internal, "{}", error);
            }
            (Some(error), None) => prop_assert!(false, "{}", error),
        }
    }
}

fn file(schema: &str, payload: &[u8]) -> FileSource {
    let mut bytes = b"Obj\x01\x02\x16avro.schema".to_vec();
    bytes.push(u8::try_from(schema.len() * 2).unwrap());
    bytes.extend_from_slice(schema.as_bytes());
    bytes.push(0);
    bytes.extend([7; 16]);
    bytes.extend([2, u8::try_from(payload.len() * 2).unwrap()]);
    bytes.extend_from_slice(payload);
    bytes.extend([7; 16]);
    FileSource::bytes(bytes)
}

fn opened(sources: Vec<FileSource>, options: AvroOptions) -> Result<Vec<Vec<u8>>, String> {
    let reader = AvroFormat::read(sources, options, ReadOptions::default());
    let batches: Result<Vec<RecordBatch>, _> = reader.and_then(|reader| reader.collect());
    batches.map(|batches| records(&batches)).map_err(|error| error.to_string())
}

#[test]
fn a_root_of_any_type_and_encoding_is_kept() {
    let raw = AvroOptions { raw: true, ..AvroOptions::default() };
    assert_eq!(opened(vec![file("\"long\"", &[6])], raw.clone()).unwrap(), [[6]]);
    assert_eq!(opened(vec![file("\"null\"", &[])], raw.clone()).unwrap(), [[0_u8; 0]]);
    let tfx = AvroOptions { encoding: ColumnEncoding::Tfx, ..raw };
    let reader = open_as(file("\"long\"", &[6]), tfx).unwrap();
    let item = Field::new("item", DataType::LargeBinary, true);
    let found = reader.schema().field(0).data_type().clone();
    assert!(matches!(&found, DataType::LargeList(field) if field.data_type() == item.data_type()), "{found}");
}

#[test]
fn files_have_the_schema_of_the_first_one() {
    let raw = AvroOptions { raw: true, ..AvroOptions::default() };
    let date = r#"{"type": "int", "logicalType": "date"}"#;
    let same = vec![file("\"int\"", &[4]).with_name("a"), file(date, &[6]).with_name("b")];
    assert_eq!(opened(same, raw.clone()).unwrap(), [[4], [6]]);
    let other = vec![file("\"int\"", &[4]).with_name("a"), file("\"long\"", &[6]).with_name("b")];
    let error = opened(other, raw).unwrap_err();
    assert_eq!(error, "b: expected raw records with the schema of a, found a different schema");
}

#[test]
fn options_that_raw_records_do_not_have_are_refused() {
    let raw = AvroOptions { raw: true, ..AvroOptions::default() };
    let reader_schema = Some(AvroSchema::parse("\"long\"").unwrap());
    let with_schema = AvroOptions { reader_schema, ..raw.clone() };
    let refused = "expected no reader_schema for raw records, which are not converted, found one";
    let source = || vec![file("\"int\"", &[4]).with_name("a")];
    assert_eq!(opened(source(), with_schema.clone()).unwrap_err(), refused);
    assert_eq!(AvroFormat::files(source(), with_schema, None).unwrap_err().to_string(), refused);
    let of = |columns: &[&str]| AvroOptions {
        columns: Some(columns.iter().map(ToString::to_string).collect()),
        ..raw.clone()
    };
    assert_eq!(opened(source(), of(&["record"])).unwrap(), [[4]]);
    assert_eq!(
        opened(source(), of(&["id"])).unwrap_err(),
        "a: expected the column \"record\", the only column of raw records, found \"id\""
    );
    let reader = AvroFormat::read(source(), of(&[]), ReadOptions::default()).unwrap();
    let rows: Vec<(usize, usize)> =
        reader.map(|batch| batch.unwrap()).map(|batch| (batch.num_rows(), batch.num_columns())).collect();
    assert_eq!(rows, [(1, 0)]);
}
