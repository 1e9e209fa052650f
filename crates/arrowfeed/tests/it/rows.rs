//! Tests of rows by number: they are the rows of the whole dataset, in the order of the numbers.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::dataset::ROW_CACHE_BYTES;
use arrowfeed::source::format::{ChunkFormat, ChunkOptions, ChunkSource};
use arrowfeed::source::{FeedErrorKind, Interrupt};
use arrowfeed::{Dataset, DatasetError, DatasetOptions, FeedError, IterationOptions, RowOptions, RowReader};
use proptest::prelude::*;

use crate::faults::with_a_wrong_chunk;
use crate::files::{Directory, Format, all, batch, dataset, formats, numbers, schema, write, write_as};

fn threads(count: usize) -> RowOptions {
    RowOptions { threads: NonZeroUsize::new(count), ..Default::default() }
}

/// The item of a list that Python finds at an index.
fn item(list: &[i64], index: i64) -> Option<i64> {
    let at = if index < 0 { list.len() as i64 + index } else { index };
    usize::try_from(at).ok().and_then(|at| list.get(at).copied())
}

fn feed_error(error: DatasetError) -> FeedError {
    match error {
        DatasetError::Feed(error) => error,
        other => panic!("expected an error of a file, found {other}"),
    }
}

proptest! {
    #![proptest_config(crate::random_config::config(50))]

    #[test]
    fn rows_by_number_are_those_of_the_whole_dataset(
        format in formats(),
        rows in proptest::collection::vec(0_usize..80, 1..5),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        (skipped, taken) in prop_oneof![Just((0, u64::MAX)), (0_u64..60, 0_u64..200)],
        splits in any::<bool>(),
        calls in proptest::collection::vec(proptest::collection::vec(any::<i64>(), 0..60), 1..4),
        cache_bytes in prop_oneof![Just(0_usize), 0_usize..20_000, Just(ROW_CACHE_BYTES)],
        thread_count in 1_usize..4,
    ) {
        let directory = Directory::new();
        let mut part = dataset(&write_as(format, &directory, &rows, chunk_bytes)).skip(skipped);
        if splits {
            part = part.split(0.4, 3).unwrap().1;
        }
        part = part.take(taken);
        let whole = all(&part, &IterationOptions::default()).concat();
        let count = whole.len() as i64;
        let reader = part.row_reader(cache_bytes).unwrap();
        prop_assert_eq!(reader.num_rows(None).unwrap(), whole.len() as u64);
        for call in calls {
            let asked: Vec<i64> = call.iter().filter(|_| count > 0).map(|n| n.rem_euclid(2 * count) - count).collect();
            let expected: Vec<i64> = asked.iter().map(|n| item(&whole, *n).unwrap()).collect();
            for found in [part.rows(&asked, &threads(thread_count)), reader.rows(&asked, &threads(thread_count))] {
                let found = found.unwrap();
                prop_assert_eq!(found.schema_ref(), part.arrow_schema());
                prop_assert_eq!(found.num_rows(), asked.len());
                if !asked.is_empty() {
                    prop_assert_eq!(&numbers(&found), &expected);
                }
            }
            // A number that may be out of range is an error before a chunk is decoded.
            if let Some(number) = call.first().filter(|number| item(&whole, **number).is_none()) {
                let error = reader.rows(&[asked.clone(), vec![*number]].concat(), &threads(1)).unwrap_err();
                let is_named = matches!(&error, DatasetError::RowNumber { number: found, rows }
                    if *found == i128::from(*number) && *rows == whole.len() as u64);
                prop_assert!(is_named, "{}", error);
            }
        }
    }
}

#[test]
fn numbers_out_of_range_are_named() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[30, 30], 200));
    let message = |dataset: &Dataset, number| dataset.rows(&[number], &threads(1)).unwrap_err().to_string();
    let expected = "expected the number of a row, from -60 to 59 in a dataset of 60 rows, found ";
    for number in [60, -61, i64::MAX, i64::MIN] {
        assert_eq!(message(&dataset, number), format!("{expected}{number}"));
    }
    for number in [0, -1] {
        let expected = format!("expected no number in a dataset of 0 rows, found {number}");
        assert_eq!(message(&dataset.take(0), number), expected);
    }
    let ends = dataset.rows(&[59, -60, -1, 0], &threads(2)).unwrap();
    assert_eq!(numbers(&ends), [59, 0, 59, 0]);
    let expected = "expected the number of a row, from -10 to 9 in a dataset of 10 rows, found ";
    for number in [10, -11] {
        assert_eq!(message(&dataset.skip(20).take(10), number), format!("{expected}{number}"));
    }
    assert_eq!(dataset.rows(&[], &threads(1)).unwrap().num_rows(), 0);
    assert_eq!(dataset.row_tensors(&[5, 5], &threads(1)).unwrap().len(), 3);
}

#[test]
fn rows_of_a_mixture_are_an_error() {
    let directory = Directory::new();
    let one = dataset(&write(&directory, &[30], 200));
    let mixed = Dataset::mixed([(one.clone(), 1.0), (one, 1.0)]).unwrap();
    let errors = [
        feed_error(mixed.rows(&[0], &threads(1)).unwrap_err()),
        feed_error(mixed.row_tensors(&[0], &threads(1)).unwrap_err()),
        mixed.row_reader(0).unwrap_err(),
    ];
    for error in errors {
        let expected = "rows by number: expected a dataset of files, found a mixed dataset: use the datasets that are mixed";
        assert_eq!(error.to_string(), expected);
    }
}

/// The scan for the index finds the fault of a compressed file, or of the headers of records.
#[test]
fn only_a_chunk_with_damage_is_an_error() {
    for format in Format::ALL {
        let directory = Directory::new();
        let paths = with_a_wrong_chunk(format, &directory);
        let dataset = dataset(&paths);
        let name = format!("{}: ", paths[1].display());
        let Ok(reader) = dataset.row_reader(ROW_CACHE_BYTES).and_then(|reader| {
            reader.num_rows(None)?;
            Ok(reader)
        }) else {
            let error = feed_error(dataset.rows(&[0], &threads(1)).unwrap_err());
            assert!(error.to_string().starts_with(&name) && error.is_file_error(), "{format:?}: {error}");
            continue;
        };
        let mut wrong = Vec::new();
        for row in 0..300 {
            let both = [dataset.rows(&[row], &threads(1)), reader.rows(&[row], &threads(1))];
            let [one, kept] = both.map(|found| found.map(|batch| numbers(&batch)).map_err(feed_error));
            match (one, kept) {
                (Ok(one), Ok(kept)) => assert_eq!((one, kept), (vec![row], vec![row])),
                (Err(one), Err(kept)) => {
                    assert!(one.to_string().starts_with(&name) && one.is_file_error(), "{format:?}: {one}");
                    assert_eq!(one.to_string(), kept.to_string());
                    wrong.push(row);
                }
                (one, kept) => panic!("{format:?}: row {row}: {one:?} and {kept:?}"),
            }
        }
        let (first, last) = (wrong[0], *wrong.last().unwrap());
        assert!((100..200).contains(&first) && last < 200, "{format:?}: {wrong:?}");
        assert_eq!(wrong, (first..=last).collect::<Vec<_>>());
        let error = reader.rows(&[0, first, 299], &threads(2)).unwrap_err();
        assert_eq!(error.to_string(), reader.rows(&[first], &threads(1)).unwrap_err().to_string());
        assert_eq!(numbers(&reader.rows(&[299, 0], &threads(2)).unwrap()), [299, 0]);
    }
}

#[test]
fn a_file_that_has_changed_is_an_error() {
    let directory = Directory::local();
    let paths = write(&directory, &[100], 200);
    let reader = dataset(&paths).row_reader(1).unwrap();
    assert_eq!(numbers(&reader.rows(&[99], &threads(1)).unwrap()), [99]);
    std::fs::write(&paths[0], []).unwrap();
    let empty = feed_error(reader.rows(&[99], &threads(1)).unwrap_err());
    assert!(matches!(empty.kind(), FeedErrorKind::Changed | FeedErrorKind::Truncated), "{empty}");
    write(&directory, &[120], 200);
    assert_eq!(feed_error(reader.rows(&[99], &threads(1)).unwrap_err()).kind(), FeedErrorKind::Changed);
}

/// Rows in chunks of ten that are counted when they are read.
#[derive(Debug)]
struct CountedChunks {
    schema: SchemaRef,
    rows: Vec<u64>,
    reads: Arc<AtomicUsize>,
    slow: Duration,
}

impl ChunkSource for CountedChunks {
    fn name(&self) -> &str {
        "counted"
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn chunk_rows(&self) -> &[u64] {
        &self.rows
    }

    fn fingerprint(&self) -> [u8; 16] {
        [0; 16]
    }

    fn read(&self, chunk: u64, columns: &[usize]) -> Result<RecordBatch, FeedError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.slow);
        let start = chunk as i64 * 10;
        Ok(batch(start..start + 10).project(columns).unwrap())
    }
}

fn counted(chunks: usize, slow: Duration) -> (Dataset, Arc<AtomicUsize>) {
    let reads = Arc::default();
    let (schema, rows) = (schema(), vec![10; chunks]);
    let source = CountedChunks { schema, rows, reads: Arc::clone(&reads), slow };
    let source: Arc<dyn ChunkSource> = Arc::new(source);
    let files = ChunkFormat::files([source], ChunkOptions::default()).unwrap();
    (Dataset::open(files, DatasetOptions::default()).unwrap(), reads)
}

#[test]
fn each_chunk_is_decoded_once_in_a_call_and_kept_for_the_next() {
    let (dataset, reads) = counted(20, Duration::ZERO);
    let mixed_up: Vec<i64> = (0..400).map(|n| n * 77 % 200).collect();
    for threads in [1, 3].map(threads) {
        assert_eq!(numbers(&dataset.rows(&mixed_up, &threads).unwrap()), mixed_up);
        assert_eq!(reads.swap(0, Ordering::Relaxed), 20);
        assert_eq!(numbers(&dataset.rows(&[55, 50, 199, 51], &threads).unwrap()), [55, 50, 199, 51]);
        assert_eq!(reads.swap(0, Ordering::Relaxed), 2);
        let reader = dataset.row_reader(ROW_CACHE_BYTES).unwrap();
        for _ in 0..2 {
            assert_eq!(numbers(&reader.rows(&mixed_up, &threads).unwrap()), mixed_up);
        }
        assert_eq!(reads.swap(0, Ordering::Relaxed), 20);
    }
    // A chunk takes about 800 bytes.
    let reader = dataset.row_reader(8000).unwrap();
    let read = |row: i64| {
        assert_eq!(numbers(&reader.rows(&[row], &threads(1)).unwrap()), [row]);
        reads.swap(0, Ordering::Relaxed)
    };
    for _ in 0..2 {
        assert!((0..200).step_by(10).all(|row| read(row) == 1));
    }
    assert_eq!([195, 185, 191, 5, 195].map(read), [0, 0, 0, 1, 0]);
}

#[test]
fn threads_of_the_caller_share_the_chunks_that_they_decode() {
    let (dataset, reads) = counted(4, Duration::from_millis(20));
    let reader = dataset.row_reader(ROW_CACHE_BYTES).unwrap();
    let call = |reader: &RowReader, first: i64| {
        let asked = [first, first + 10, first + 20, first + 30];
        assert_eq!(numbers(&reader.rows(&asked, &threads(1)).unwrap()), asked);
    };
    std::thread::scope(|scope| {
        (0..8).for_each(|first| {
            drop(scope.spawn({
                let reader = &reader;
                move || call(reader, first)
            }))
        });
    });
    assert_eq!(reads.load(Ordering::Relaxed), 4);
}

#[test]
fn an_interrupt_stops_a_call_also_while_another_thread_decodes() {
    let (dataset, _) = counted(4, Duration::from_millis(200));
    let reader = dataset.row_reader(ROW_CACHE_BYTES).unwrap();
    let always: Interrupt = Arc::new(|| true);
    let stopped = RowOptions { interrupt: Some(always), ..threads(1) };
    let kind = |reader: &RowReader| feed_error(reader.rows(&[5], &stopped).unwrap_err()).kind();
    reader.num_rows(None).unwrap();
    assert_eq!(kind(&reader), FeedErrorKind::Interrupted);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| numbers(&reader.rows(&[5], &threads(1)).unwrap()));
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(kind(&reader), FeedErrorKind::Interrupted);
        assert_eq!(other.join().unwrap(), [5]);
    });
}

/// Of a large chunk that is not kept, the rows from the first to the last one are decoded.
#[test]
fn rows_of_large_chunks_are_found() {
    let directory = Directory::local();
    for format in [Format::Avro, Format::Parquet, Format::ExampleGzip, Format::CsvGzip] {
        let paths: Vec<PathBuf> = write_as(format, &directory, &[100_000], 20_000_000);
        let dataset = dataset(&paths);
        let reader = dataset.row_reader(1000).unwrap();
        let asked = [70_000, 99_999, 70_000, 12, -50_000];
        for _ in 0..2 {
            let expected = [70_000, 99_999, 70_000, 12, 50_000];
            assert_eq!(numbers(&dataset.rows(&asked, &threads(2)).unwrap()), expected, "{format:?}");
            assert_eq!(numbers(&reader.rows(&asked, &threads(2)).unwrap()), expected, "{format:?}");
            assert_eq!(numbers(&reader.rows(&[88_888], &threads(1)).unwrap()), [88_888], "{format:?}");
        }
    }
}
