//! Tests of rows of many bytes: batches end before they exceed `batch_bytes`, whatever the footer says about their size.

use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, cast::AsArray};
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_source::{FeedErrorKind, Limits, OnError};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::support::{open, promise, read};

const ROWS: usize = 400;
const LEN: usize = 10_000;
const LIMIT: usize = 1 << 20;

/// Rows of 10 KB each, in one row group.
fn long_rows(len: impl Fn(usize) -> usize) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..ROWS).map(|row| vec![1_u8; len(row)])));
    RecordBatch::try_from_iter([("id", ids), ("bytes", bytes)]).unwrap()
}

/// With a dictionary, the footer does not tell how long the rows are.
fn file(batch: &RecordBatch, dictionary: bool) -> Vec<u8> {
    let properties = WriterProperties::builder().set_dictionary_enabled(dictionary).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn limited(batch_bytes: usize) -> ParquetOptions {
    ParquetOptions { limits: Limits { batch_bytes, ..Limits::default() }, ..Default::default() }
}

fn ids(batches: &[RecordBatch]) -> Vec<i64> {
    batches.iter().flat_map(|batch| batch["id"].as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[test]
fn batches_of_long_rows_end_early_at_the_same_rows_for_any_number_of_threads() {
    let rows = long_rows(|_| LEN);
    for dictionary in [false, true] {
        let bytes = file(&rows, dictionary);
        for batch_size in [1000, 97, 20] {
            let read = |threads, on_error| {
                let files = open([bytes.clone()], limited(LIMIT)).unwrap();
                let (batches, error) = read(files, batch_size, threads, on_error);
                assert!(error.is_none(), "{error:?}");
                batches
            };
            let batches = read(1, OnError::Raise);
            assert_eq!(ids(&batches), (0..ROWS as i64).collect::<Vec<_>>());
            let mut row = 0;
            for batch in &batches {
                assert_eq!(&batch["bytes"], &rows["bytes"].slice(row, batch.num_rows()));
                assert!(batch.get_array_memory_size() <= LIMIT);
                // No batch has rows on both sides of a multiple of the size.
                assert_eq!(row / batch_size, (row + batch.num_rows() - 1) / batch_size);
                row += batch.num_rows();
            }
            assert!(batches.len() <= if batch_size == 20 { 20 } else { 40 }, "{}", batches.len());
            assert_eq!(read(2, OnError::Raise), batches);
            assert_eq!(read(1, OnError::SkipBlock), batches);
        }
    }
}

#[test]
fn batches_of_short_rows_have_the_requested_size() {
    let files = open([file(&long_rows(|_| 10), true)], limited(LIMIT)).unwrap();
    let (batches, _) = read(files, 150, 1, OnError::Raise);
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [150, 150, 100]);
}

#[test]
fn a_single_row_over_the_limit_is_an_error_after_the_rows_before_it() {
    let long = |row| if row == 300 { 2 * LIMIT } else { 100 };
    for dictionary in [false, true] {
        let files = open([file(&long_rows(long), dictionary)], limited(LIMIT)).unwrap();
        let (batches, error) = read(files, 1000, 1, OnError::Raise);
        let ids = ids(&batches);
        assert_eq!(ids, (0..ids.len() as i64).collect::<Vec<_>>());
        // The `parquet` crate allocates the mean size of the rows of a page, so the row before the long one counts as long.
        assert!((299..=300).contains(&ids.len()), "{}", ids.len());
        let error = error.unwrap();
        assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("batch_bytes")));
        let expected = "a: block 0 at byte 4: expected 1 row to take at most 1,048,576 bytes, found ";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(error.to_string().ends_with(": raise the limit batch_bytes"), "{error}");
    }
}

#[test]
fn rows_that_become_longer_by_a_conversion_end_batches_too() {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10_000));
    let rows = RecordBatch::try_from_iter([("id", numbers)]).unwrap();
    let wide = Schema::new(vec![Field::new("id", DataType::Decimal256(30, 0), true)]);
    let limits = Limits { batch_bytes: 100_000, ..Limits::default() };
    let files = open([file(&rows, false)], ParquetOptions { limits, ..promise(wide) }).unwrap();
    let (batches, error) = read(files, 10_000, 1, OnError::Raise);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 10_000);
    assert!(batches.iter().all(|batch| batch.get_array_memory_size() <= 100_000));
}

#[test]
fn rows_before_a_value_that_does_not_fit_are_returned_from_divided_batches() {
    let rows = long_rows(|_| LEN);
    let ids = Schema::new(vec![
        Field::new("id", DataType::Int8, true),
        Field::new("bytes", DataType::Binary, true),
    ]);
    let limits = Limits { batch_bytes: LIMIT, ..Limits::default() };
    let files = open([file(&rows, true)], ParquetOptions { limits, ..promise(ids) }).unwrap();
    let (batches, error) = read(files, 1000, 1, OnError::Raise);
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 128);
    let expected = "a: block 0 at byte 4, record 128: id: expected a value that Int8 can hold, found 128";
    assert_eq!(error.unwrap().to_string(), expected);
}
