//! Small batches of large blocks: time is proportional to the rows, and batches are returned one at a time.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use arrowfeed_avro::{AvroFormat, AvroOptions, Codec, FileSource, OnError, ReadOptions};

use crate::proportional::{is_proportional, time};
use crate::support_hostile::container::Container;
use crate::support_hostile::wire::{long, longs};

fn reading(batch_size: usize, threads: usize) -> ReadOptions {
    let (batch_size, threads) = (Some(batch_size), NonZeroUsize::new(threads));
    ReadOptions { batch_size, threads, ..ReadOptions::default() }
}

fn rows(file: &[u8], reading: ReadOptions) -> usize {
    rows_as(file, AvroOptions::default(), reading)
}

fn rows_as(file: &[u8], options: AvroOptions, reading: ReadOptions) -> usize {
    let reader = AvroFormat::read([FileSource::bytes(file.to_vec())], options, reading).unwrap();
    reader.map(|batch| batch.unwrap().num_rows()).sum()
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn batches_of_a_block_take_time_in_proportion() {
    let file = |n: i64| Container::new("\"long\"", Codec::Null).block(n, &longs(0..n)).bytes;
    let files = [file(100_000), Vec::new(), Vec::new(), file(400_000)];
    is_proportional(|times| time(|| assert_eq!(rows(&files[times - 1], reading(8, 1)), 100_000 * times)));
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn wrong_blocks_of_a_batch_take_time_in_proportion() {
    let file = |n: i64| {
        let file = Container::new("\"boolean\"", Codec::Null);
        (0..n).fold(file, |file, _| file.block(1, &[1]).block(1, &[7])).bytes
    };
    let files = [file(10_000), Vec::new(), Vec::new(), file(40_000)];
    is_proportional(|times| {
        let reading = ReadOptions { on_error: OnError::SkipBlock, ..reading(1_000_000, 1) };
        time(|| assert_eq!(rows(&files[times - 1], reading), 10_000 * times))
    });
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn small_blocks_take_time_in_proportion() {
    let file = |n: usize| {
        let file = Container::new("\"long\"", Codec::Null);
        (0..n).fold(file, |file, _| file.block(1, &[5]).block(0, &[])).bytes
    };
    let files = [file(20_000), Vec::new(), Vec::new(), file(80_000)];
    is_proportional(|times| time(|| assert_eq!(rows(&files[times - 1], reading(8192, 1)), 20_000 * times)));
}

#[test]
fn rows_without_bytes_come_batch_by_batch() {
    let empty = r#"{"type":"record","name":"R","fields":[]}"#;
    let file = Container::new(empty, Codec::Null).block(100_000_000, &[]).bytes;
    assert!(file.len() < 150);
    // Two sources, because a single small file would not start threads.
    for threads in [1, 2] {
        let sources = [(); 2].map(|()| FileSource::bytes(file.clone()));
        let mut reader = AvroFormat::read(sources, AvroOptions::default(), reading(64, threads)).unwrap();
        for _ in 0..10 {
            assert_eq!(reader.next().unwrap().unwrap().num_rows(), 64);
        }
        // A batch counts as 96 bytes, so the budget of 32 MiB is an eighth of the 3,000,000 batches.
        let stats = reader.stats();
        assert!(stats.batches_ready < 400_000, "{threads}: {stats:?}");
    }
}

#[test]
fn every_row_without_bytes_is_read() {
    let empty = r#"{"type":"record","name":"R","fields":[{"name":"a","type":"null"}]}"#;
    let file = Container::new(empty, Codec::Null).block(20_000_000, &[]).block(7, &[]).bytes;
    for (batch_size, threads) in [(64, 1), (8192, 1), (8192, 2), (usize::MAX, 1)] {
        assert_eq!(rows(&file, reading(batch_size, threads)), 20_000_007);
    }
}

#[test]
fn elements_without_bytes_take_no_time_of_their_own() {
    let empty =
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"null"},{"name":"b","type":"null"}]}"#;
    let deep = (0..40).fold(empty.to_owned(), |inner, n| {
        format!(r#"{{"type":"record","name":"R{n}","fields":[{{"name":"f","type":{inner}}}]}}"#)
    });
    let list = [long(10_000_000), vec![0]].concat();
    for items in [empty, &deep] {
        let schema = format!(r#"{{"type":"array","items":{items}}}"#);
        let file = Container::new(&schema, Codec::Null).block(100_000, &list.repeat(100_000)).bytes;
        for columns in [None, Some(Vec::new())] {
            let started = Instant::now();
            let options = AvroOptions { columns, ..AvroOptions::default() };
            assert_eq!(rows_as(&file, options, reading(8192, 1)), 100_000);
            // The file has 10^12 elements, which would take a quarter of an hour.
            assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
        }
    }
}
