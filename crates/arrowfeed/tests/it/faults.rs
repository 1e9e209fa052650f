//! Files with corrupt data: iteration and resume either fail, or yield all rows except the skipped ones.

use std::fs::File;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrowfeed::avro::{FeedErrorKind, Interrupt, OnError};
use arrowfeed::dataset::{Even, GlobalBatches};
use arrowfeed::{Dataset, IterationOptions};

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::chunks::Chunks;
use crate::files::{Directory, Format, all, dataset, numbers, write, write_as};
use crate::random_run;

/// Writes three files of about 10 chunks each. Bytes in the middle of the second one are wrong.
pub(crate) fn with_a_wrong_chunk(format: Format, directory: &Directory) -> Vec<PathBuf> {
    let paths = write_as(format, directory, &[100, 100, 100], 100);
    if format == Format::Chunks {
        Chunks::read(&paths[1]).with_wrong(4).write();
        return paths;
    }
    let mut bytes = std::fs::read(&paths[1]).unwrap();
    let wrong = match format {
        Format::Chunks => unreachable!("such a file has no bytes of rows"),
        // Corrupts about 30 bytes of deflated data.
        Format::Avro => bytes.len() / 2..bytes.len() / 2 + 30,
        // The header of a page, because pages have no checksum.
        Format::Parquet => {
            let file = SerializedFileReader::new(File::open(&paths[1]).unwrap()).unwrap();
            let (start, _) = file.metadata().row_group(5).column(0).byte_range();
            start as usize..start as usize + 12
        }
        // The first bytes of the body of a record batch: the bitmap of nulls of the text and its offsets. Numbers have no checksum.
        Format::Ipc | Format::IpcStream => {
            let text = bytes.windows(8).position(|text| text == b"row 151r").unwrap();
            text - 40..text - 4
        }
        // Some bytes of a record or of its header.
        Format::Example | Format::SequenceExample => bytes.len() / 2..bytes.len() / 2 + 12,
        // The digits of an `id`. Other wrong bytes could result in a valid file, because text has no checksum.
        Format::Csv | Format::JsonLines => {
            let id = bytes.windows(3).position(|digits| digits == b"150").unwrap();
            id..id + 3
        }
        // Truncates the file. Other bytes could be the compressed form of another valid text.
        Format::CsvGzip | Format::JsonLinesGzip => {
            bytes.truncate(bytes.len() * 3 / 4);
            0..0
        }
        // Corrupts deflated data, so that the rest of the file cannot be read.
        Format::ExampleGzip => bytes.len() / 2..bytes.len() / 2 + 30,
    };
    for byte in &mut bytes[wrong] {
        *byte ^= 0x55;
    }
    std::fs::write(&paths[1], bytes).unwrap();
    paths
}

#[test]
fn a_fault_is_an_error_and_the_state_before_it_stays() {
    let directory = Directory::new();
    let paths = with_a_wrong_chunk(Format::Avro, &directory);
    let options = IterationOptions { batch_size: 30, ..Default::default() };
    let mut batches = dataset(&paths).record_batches(options.clone()).unwrap();
    let mut given = Vec::new();
    let error = loop {
        match batches.next().unwrap() {
            Ok(batch) => given.extend(numbers(&batch)),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().starts_with(&format!("{}: ", paths[1].display())), "{error}");
    assert!(batches.next().is_none());
    assert_eq!(given, (0..given.len() as i64).collect::<Vec<_>>());
    assert!(given.len() >= 90);
    let state = batches.state().unwrap();
    let mut again = dataset(&paths).record_batches(options).unwrap();
    again.load_state(&state).unwrap();
    assert_eq!(again.next().unwrap().unwrap_err().to_string(), error.to_string());
}

#[test]
fn skipped_rows_are_the_same_for_all_threads_and_after_every_resume() {
    let seed = random_run::seed() as usize;
    for (nth, format) in Format::ALL.into_iter().enumerate() {
        what_is_left_out_is_the_same(format, 1 + (nth + seed) % 2);
    }
}

/// Resumes from the states of an iteration with `threads` threads.
fn what_is_left_out_is_the_same(format: Format, threads: usize) {
    let directory = Directory::new();
    let paths = with_a_wrong_chunk(format, &directory);
    let dataset = dataset(&paths);
    // An iteration has about 18 states. The small number of cases resumes from every fourth, the large number from each.
    let every = if random_run::cases(100) < 1000 { 4 } else { 1 };
    let first = random_run::seed() as usize % every;
    for on_error in [OnError::SkipBlock, OnError::SkipFile] {
        for (shuffle_buffer_size, shard) in [(0, (0, 1)), (50, (0, 1)), (0, (0, 2)), (50, (1, 2))] {
            let options = |threads| IterationOptions {
                batch_size: 17,
                shuffle_buffer_size,
                shard,
                on_error,
                seed: Some(2),
                threads: NonZeroUsize::new(threads),
                ..Default::default()
            };
            let whole = all(&dataset, &options(1));
            assert_eq!(all(&dataset, &options(3)), whole);
            let rows = whole.concat();
            let declared = 300 / shard.1 as usize;
            assert!(whole[..whole.len() - 1].iter().all(|batch| batch.len() == 17));
            if shard == (0, 1) {
                assert!(rows.len() < 300 && rows.len() > 150, "{}", rows.len());
            }
            let mut unique = rows.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), rows.len());
            let mut batches = dataset.record_batches(options(threads)).unwrap();
            for given in 0..=whole.len() {
                if given % every != first && given != whole.len() {
                    batches.next().transpose().unwrap();
                    continue;
                }
                let state = batches.state().unwrap();
                let mut resumed = dataset.record_batches(options(2)).unwrap();
                resumed.load_state(&state).unwrap();
                let rest: Vec<Vec<i64>> = resumed.by_ref().map(|batch| numbers(&batch.unwrap())).collect();
                assert_eq!(rest, whole[given..], "{on_error:?} {shuffle_buffer_size} {shard:?} {given}");
                batches.next().transpose().unwrap();
                if given == whole.len() {
                    assert_eq!(batches.report().skipped, resumed.report().skipped);
                    let skipped = batches.report().skipped.len();
                    // A compressed file has two entries: the wrong record, and the rest of the file, whose records are
                    // not found.
                    let rest = usize::from(format == Format::ExampleGzip && skipped == 2);
                    assert_eq!(skipped, usize::from(rows.len() < declared) + rest);
                }
            }
        }
    }
}

/// The rows of each process for each batch. A process may have fewer batches than others.
fn of_processes(dataset: &Dataset, options: &IterationOptions, count: u64) -> Vec<Vec<Vec<i64>>> {
    (0..count)
        .map(|index| all(dataset, &IterationOptions { shard: (index, count), ..options.clone() }))
        .collect()
}

/// The batches that the processes make together.
fn joined(processes: &[Vec<Vec<i64>>]) -> Vec<Vec<i64>> {
    let most = processes.iter().map(Vec::len).max().unwrap_or(0);
    let batch = |k| processes.iter().filter_map(move |batches| batches.get(k)).flatten().copied().collect();
    (0..most).map(batch).collect()
}

#[test]
fn a_wrong_chunk_moves_only_the_rows_of_its_streams_in_global_batches() {
    let (seed, every) = (random_run::seed() as usize, if random_run::cases(100) < 1000 { 3 } else { 1 });
    for (nth, format) in Format::ALL.into_iter().enumerate() {
        let directory = Directory::new();
        let undamaged = Directory::new();
        let whole = dataset(&write_as(format, &undamaged, &[100, 100, 100], 100));
        let dataset = dataset(&with_a_wrong_chunk(format, &directory));
        let threads = NonZeroUsize::new(1 + (nth + seed) % 3);
        for (kind, (on_error, even)) in [
            (OnError::SkipBlock, None),
            (OnError::SkipFile, None),
            (OnError::SkipBlock, Some(Even::Drop)),
            (OnError::SkipFile, Some(Even::Repeat)),
        ]
        .into_iter()
        .enumerate()
        {
            for (order, (shuffle_buffer_size, across_epochs)) in
                [(0, false), (60, false), (0, true), (60, true)].into_iter().enumerate()
            {
                // The small number of cases takes every third combination, the large number each.
                if (nth + kind + order + seed) % every != 0 {
                    continue;
                }
                let global = GlobalBatches { streams: 6, even, ..GlobalBatches::new(18) };
                let options = IterationOptions {
                    global: Some(global),
                    shuffle_buffer_size,
                    across_epochs,
                    on_error,
                    seed: Some(2),
                    epochs: NonZeroU64::new(2),
                    threads,
                    ..Default::default()
                };
                let one = joined(&of_processes(&dataset, &options, 1));
                let three = of_processes(&dataset, &options, 3);
                assert_eq!(joined(&three), one, "{format:?} {options:?}");
                if even.is_some() {
                    assert!(one.iter().all(|batch| batch.len() == 18), "{format:?} {options:?}");
                }
                let is_declared = dataset.num_rows().is_ok_and(|rows| rows == 300);
                if is_declared && shuffle_buffer_size == 0 && even.is_none() && !across_epochs {
                    // The wrong chunk is in stream 2 or 3; the shard of a process has two streams.
                    let options = IterationOptions { on_error: OnError::Raise, ..options.clone() };
                    let undamaged = of_processes(&whole, &options, 3);
                    assert_eq!(three[0], undamaged[0], "{format:?}");
                    assert_eq!(three[2], undamaged[2], "{format:?}");
                    let mut rows = three[1].concat();
                    rows.sort_unstable();
                    assert!(rows.len() < 200 && rows.windows(3).all(|rows| rows[0] < rows[2]), "{format:?}");
                }
                // A state of one process resumes in others. They repeat what comes before it in the epoch.
                let passed = (nth * 7 + usize::from(across_epochs) * 3) % one.len();
                let mut batches =
                    dataset.record_batches(IterationOptions { shard: (0, 3), ..options.clone() }).unwrap();
                for _ in 0..passed.min(three[0].len()) {
                    batches.next().unwrap().unwrap();
                }
                let state = batches.state().unwrap();
                let rest: Vec<Vec<Vec<i64>>> = (0..2)
                    .map(|index| {
                        let options = IterationOptions { shard: (index, 2), ..options.clone() };
                        let mut resumed = dataset.record_batches(options).unwrap();
                        resumed.load_state(&state).unwrap();
                        resumed.map(|batch| numbers(&batch.unwrap())).collect()
                    })
                    .collect();
                assert_eq!(joined(&rest), one[passed.min(three[0].len())..], "{format:?} {options:?}");
            }
        }
    }
}

#[test]
fn counting_rows_can_be_stopped_at_any_block() {
    // A reader of objects asks while it waits, so the number of questions depends on the time of the responses.
    let directory = Directory::local();
    let dataset = dataset(&write(&directory, &[200], 100));
    let asked = Arc::new(AtomicUsize::new(0));
    let counting = asked.clone();
    let interrupt: Interrupt = Arc::new(move || counting.fetch_add(1, Ordering::Relaxed) == 5);
    let error = dataset.num_rows_with(Some(interrupt)).unwrap_err();
    assert_eq!(error.kind(), FeedErrorKind::Interrupted);
    assert_eq!(asked.load(Ordering::Relaxed), 6);
    assert_eq!(dataset.num_rows().unwrap(), 200);
}

#[test]
fn a_file_that_changes_under_a_dataset_is_an_error() {
    let directory = Directory::new();
    let paths = write(&directory, &[100, 100], 100);
    let dataset = dataset(&paths);
    assert_eq!(dataset.num_rows().unwrap(), 200);
    write(&directory, &[100, 90], 100);
    let options = IterationOptions { batch_size: 50, ..Default::default() };
    let error = dataset.record_batches(options).unwrap().find_map(Result::err).unwrap();
    assert!(
        error.to_string().contains("expected the file to be unchanged since it was first read"),
        "{error}"
    );
}

/// Writes a file of `blocks` blocks of one row each. A block with an invalid header follows each of them.
fn with_broken_blocks(directory: &Directory, blocks: usize) -> PathBuf {
    const MARKER: [u8; 16] = *b"0123456789abcdef";
    let schema = br#"{"type":"record","name":"R","fields":[{"name":"id","type":"int"}]}"#;
    let mut bytes = b"Obj\x01\x02\x16avro.schema\x84\x01".to_vec();
    bytes.extend(schema);
    bytes.push(0);
    bytes.extend(MARKER);
    for _ in 0..blocks {
        // One record of one byte; then a block of -1 records.
        bytes.extend(b"\x02\x02\x02");
        bytes.extend(MARKER);
        bytes.extend(b"\x01");
        bytes.extend(MARKER);
    }
    let path = directory.0.join("broken.avro");
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Reads a file with broken blocks in each order. Returns the time.
fn with_many_faults(blocks: usize) -> Duration {
    let directory = Directory::local();
    let dataset = dataset(&[with_broken_blocks(&directory, blocks)]);
    let start = Instant::now();
    for shuffle_buffer_size in [0, 100] {
        let options = IterationOptions {
            shuffle_buffer_size,
            on_error: OnError::SkipBlock,
            epochs: NonZeroU64::new(2),
            ..Default::default()
        };
        let mut batches = dataset.record_batches(options).unwrap();
        let rows: usize = batches.by_ref().map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!(rows, 2 * blocks);
        assert_eq!(batches.report().skipped.len(), blocks);
    }
    start.elapsed()
}

#[test]
fn each_of_many_faults_is_reported_once() {
    with_many_faults(50_000);
}

/// Four times as many would take 16 times as long if they were compared with each other.
#[test]
#[ignore = "compares times: make test-alone runs it"]
fn many_faults_take_a_time_that_grows_with_their_number() {
    let fastest = |blocks| (0..3).map(|_| with_many_faults(blocks)).min().unwrap();
    let (few, many) = (fastest(12_500), fastest(50_000));
    assert!(many < 10 * few, "{few:?}, and of four times as many {many:?}");
}

/// Encodes a number as Avro does.
fn varint(n: i64) -> Vec<u8> {
    let mut left = (n << 1) as u64 ^ (n >> 63) as u64;
    let mut bytes = Vec::new();
    while left > 0x7f {
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
    bytes
}

#[test]
fn a_block_that_claims_more_rows_than_memory_holds_is_an_error_of_a_shuffle() {
    let directory = Directory::new();
    let paths = write(&directory, &[20], 64_000);
    let mut bytes = std::fs::read(&paths[0]).unwrap();
    let (sync, offset) = (bytes[bytes.len() - 16..].to_vec(), bytes.len());
    bytes.extend([varint(1 << 60), varint(3), vec![1, 2, 3], sync].concat());
    std::fs::write(&paths[0], bytes).unwrap();
    let options = IterationOptions { shuffle_buffer_size: 1 << 40, seed: Some(1), ..Default::default() };
    let error = dataset(&paths).record_batches(options.clone()).unwrap().next().unwrap().unwrap_err();
    let path = paths[0].display();
    let most = "expected at most 268,435,456 rows in a chunk, found 1,152,921,504,606,846,976";
    assert_eq!(error.to_string(), format!("{path}: block 1 at byte {offset}: {most}"));
    let options = IterationOptions { on_error: OnError::SkipBlock, ..options };
    assert_eq!(all(&dataset(&paths), &options).concat().len(), 20);
}

#[test]
fn one_cancellation_is_an_error_and_loses_no_row_before_it() {
    let directory = Directory::new();
    let paths = write(&directory, &[100, 30, 2000, 7], 300);
    for threads in [1, 2] {
        for shuffle_buffer_size in [0, 50] {
            for stop_at in 0..40 {
                let asked = Arc::new(AtomicUsize::new(0));
                let interrupt: Interrupt = Arc::new(move || asked.fetch_add(1, Ordering::Relaxed) == stop_at);
                let options = IterationOptions {
                    batch_size: 64,
                    epochs: NonZeroU64::new(2),
                    seed: Some(1),
                    shuffle_buffer_size,
                    threads: NonZeroUsize::new(threads),
                    ..Default::default()
                };
                let whole = all(&dataset(&paths), &options);
                let options = IterationOptions { interrupt: Some(interrupt), ..options };
                let found: Vec<_> = dataset(&paths).record_batches(options).unwrap().collect();
                let given: Vec<Vec<i64>> = found.iter().flatten().map(numbers).collect();
                assert_eq!(given, whole[..given.len()], "{threads} {shuffle_buffer_size} {stop_at}");
                let stopped = found.last().is_some_and(|last| last.is_err());
                assert!(stopped || given.len() == whole.len(), "{threads} {shuffle_buffer_size} {stop_at}");
            }
        }
    }
}
