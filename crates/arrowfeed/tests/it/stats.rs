//! Tests of the figures of an iteration: they agree with the report and the clock, and name the bottleneck.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrowfeed::avro::{AvroFormat, AvroOptions, Codec, WriteOptions, write_avro};
use arrowfeed::source::Report;
use arrowfeed::source::run::ReadOptions;
use arrowfeed::source::stats::{self, Stage, Stats};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
use proptest::prelude::*;

use crate::files::{Directory, Format, batch, dataset, formats, write, write_as};
use crate::objects::slow_source;

const STEP: Duration = Duration::from_millis(4);

/// Checks that figures agree with each other, with the report, and with the time that passed since before the first request.
fn check(stats: &Stats, report: &Report, passed: Duration) {
    assert_eq!((stats.rows, stats.blocks, stats.bytes), (report.rows, report.blocks, report.bytes));
    assert_eq!(stats.requests, report.requests);
    assert!(stats.time <= passed && stats.waits.time <= stats.time, "{stats:?} {passed:?}");
    assert!(stats.first_batch.is_none_or(|first| first <= stats.time), "{stats:?}");
    assert!((0.0..=1.0).contains(&stats.waits.share), "{stats:?}");
    assert!(stats.waits.p50 <= stats.waits.p95 && stats.waits.p95 <= stats.waits.p99, "{stats:?}");
    // With a pool, the thread of the caller works too.
    let threads = stats.threads as u32 + 1;
    assert!(stats.stages.total() <= stats.time * threads, "{stats:?}");
    let of_formats: Duration = stats.formats.iter().map(|format| format.stages.total()).sum();
    assert!(of_formats <= stats.stages.total(), "{stats:?}");
}

fn options(threads: usize, batch_size: usize) -> IterationOptions {
    IterationOptions { threads: NonZeroUsize::new(threads), batch_size, ..Default::default() }
}

/// Avro files of a codec whose blocks take some time.
fn compressed(directory: &Directory, codec: Codec, count: i64) -> Vec<PathBuf> {
    let path = directory.0.join("compressed.avro");
    let batches = (0..count).map(|number| Ok(batch(1000 * number..1000 * (number + 1))));
    let options = WriteOptions { codec, ..Default::default() };
    let batches = arrow_array::RecordBatchIterator::new(batches, batch(0..1).schema());
    write_avro(batches, &path, &options).unwrap();
    vec![path]
}

proptest! {
    #![proptest_config(crate::random_config::config(15))]

    #[test]
    fn figures_agree_with_the_report_and_the_clock(
        format in formats(),
        rows in proptest::collection::vec(0_usize..200, 1..6),
        batch_size in 1_usize..120,
        shuffle_buffer_size in prop_oneof![Just(0_usize), 1_usize..300],
        threads in 1_usize..4,
        decodes_ahead: bool,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, 300));
        let (seed, epochs) = (Some(1), NonZeroU64::new(2));
        let options =
            IterationOptions { shuffle_buffer_size, seed, epochs, decodes_ahead, ..options(threads, batch_size) };
        let start = Instant::now();
        let mut batches = dataset.record_batches(options.clone()).unwrap();
        prop_assert_eq!(&batches.stats().time, &Duration::ZERO);
        let mut count = 0;
        while let Some(batch) = batches.next() {
            batch.unwrap();
            count += 1;
            check(&batches.stats(), &batches.report(), start.elapsed());
        }
        let stats = batches.stats();
        check(&stats, &batches.report(), start.elapsed());
        prop_assert_eq!((stats.batches, stats.batches_ready, stats.ready_bytes), (count, 0, 0));
        prop_assert_eq!((stats.threads, stats.shard), (threads, (0, 1)));
        let read = &stats.formats[0];
        prop_assert_eq!((read.rows, read.blocks, read.bytes), (stats.rows, stats.blocks, stats.bytes));
        prop_assert_eq!(batches.stats(), stats);
    }
}

#[test]
fn a_reader_has_figures() {
    let directory = Directory::local();
    let paths = compressed(&directory, Codec::Zstandard, 20);
    // A single small file is decoded by the thread of the caller.
    for (copies, threads, used) in [(2, 1, 1), (2, 2, 2), (1, 2, 1)] {
        let paths = paths.iter().cycle().take(copies * paths.len());
        let files = AvroFormat::files(paths, AvroOptions::default(), None).unwrap();
        let options =
            ReadOptions { threads: NonZeroUsize::new(threads), batch_size: Some(100), ..Default::default() };
        let start = Instant::now();
        let mut reader = files.read_files(options).unwrap();
        let count = reader.by_ref().map(Result::unwrap).count() as u64;
        let stats = reader.stats();
        check(&stats, &reader.report(), start.elapsed());
        let rows = 20_000 * copies as u64;
        assert_eq!((stats.batches, stats.threads, stats.rows), (count, used, rows));
        assert_eq!((stats.formats[0].name, stats.formats[0].rows), ("avro", rows));
        for stage in [Stage::Open, Stage::Read, Stage::Decompress(stats::Codec::Zstandard), Stage::Decode] {
            assert!(!stats.stages.of(stage).is_zero(), "{stage:?} {stats:?}");
        }
    }
}

/// The figures of a consumer that works between the batches, and the time of its work.
fn slow_consumer(dataset: &Dataset, threads: usize) -> (Stats, Duration) {
    let mut batches = dataset.record_batches(options(threads, 250)).unwrap();
    let mut worked = Duration::ZERO;
    for batch in batches.by_ref() {
        batch.unwrap();
        let start = Instant::now();
        sleep(STEP);
        worked += start.elapsed();
    }
    (batches.stats(), worked)
}

/// The figures of a loader whose requests each take some time.
fn slow_loader(path: &Path, threads: usize) -> Stats {
    let files = AvroFormat::files([slow_source(path, STEP)], AvroOptions::default(), None).unwrap();
    let dataset = Dataset::open(files, DatasetOptions::default()).unwrap();
    let mut batches = dataset.record_batches(options(threads, 250)).unwrap();
    assert_eq!(batches.by_ref().map(Result::unwrap).count(), 40);
    batches.stats()
}

#[test]
fn only_the_time_in_which_the_consumer_waits_is_a_wait() {
    let directory = Directory::local();
    let paths = compressed(&directory, Codec::Null, 10);
    let dataset = dataset(&paths);
    for threads in [1, 2] {
        let (stats, worked) = slow_consumer(&dataset, threads);
        assert!(stats.waits.time + worked <= stats.time, "{stats:?} {worked:?}");
        let stats = slow_loader(&paths[0], threads);
        assert!(stats.first_batch >= Some(STEP), "{stats:?}");
        assert!(stats.requests.requests > 3, "{stats:?}");
    }
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn the_share_of_the_wait_names_the_bottleneck() {
    let directory = Directory::local();
    let paths = compressed(&directory, Codec::Null, 10);
    let dataset = dataset(&paths);
    for threads in [1, 2] {
        let (stats, _) = slow_consumer(&dataset, threads);
        assert!(stats.waits.share < 0.1, "{stats:?}");
        let verdict = "the consumer is the bottleneck: it waited for batches for ";
        assert!(stats.verdict().starts_with(verdict), "{}", stats.verdict());
        let stats = slow_loader(&paths[0], threads);
        assert!(stats.waits.share > 0.5, "{stats:?}");
        let (verdict, advice) = ("the loader is the bottleneck: ", "read more ahead, or keep a local cache");
        let found = stats.verdict();
        assert!(found.starts_with(verdict) && found.ends_with(advice), "{found} {stats:?}");
    }
}

#[test]
fn figures_start_again_with_a_state_or_an_epoch() {
    let directory = Directory::local();
    let dataset = dataset(&write(&directory, &[60, 50], 200));
    for threads in [1, 2] {
        let mut batches = dataset.record_batches(options(threads, 20)).unwrap();
        batches.next().unwrap().unwrap();
        let state = batches.state().unwrap();
        batches.next().unwrap().unwrap();
        batches.load_state(&state).unwrap();
        let zero = |stats: Stats| {
            assert_eq!((stats.batches, stats.rows, stats.bytes, stats.batches_ready), (0, 0, 0, 0));
            assert_eq!((stats.time, stats.stages.total(), stats.formats[0].rows), Default::default());
        };
        zero(batches.stats());
        assert_eq!(batches.by_ref().map(Result::unwrap).count(), 5);
        assert_eq!((batches.stats().batches, batches.stats().rows, batches.report().rows), (5, 90, 110));
        batches.start_at_epoch(0);
        zero(batches.stats());
        assert_eq!(batches.by_ref().map(Result::unwrap).count(), 6);
        assert_eq!(batches.stats().batches, 6);
    }
}

#[test]
fn figures_remain_after_an_error_and_after_the_end() {
    let directory = Directory::local();
    let paths = write(&directory, &[60, 50], 200);
    let last = std::fs::read(&paths[1]).unwrap();
    std::fs::write(&paths[1], &last[..last.len() - 30]).unwrap();
    let dataset = dataset(&paths);
    for threads in [1, 2] {
        let mut batches = dataset.record_batches(options(threads, 20)).unwrap();
        assert_eq!(batches.by_ref().filter(Result::is_err).count(), 1);
        let stats = batches.stats();
        assert_eq!(stats.rows, batches.report().rows);
        sleep(STEP);
        assert!(batches.next().is_none());
        batches.close();
        assert_eq!(batches.stats(), stats);
    }
}

#[test]
fn another_thread_reads_the_figures_while_batches_are_made() {
    let directory = Directory::local();
    let paths = compressed(&directory, Codec::Null, 20);
    let files = AvroFormat::files([slow_source(&paths[0], STEP)], AvroOptions::default(), None).unwrap();
    let dataset = Dataset::open(files, DatasetOptions::default()).unwrap();
    let mut batches = dataset.record_batches(options(2, 100)).unwrap();
    let (meter, has_ended) = (batches.meter().clone(), Arc::new(AtomicBool::new(false)));
    let watched = has_ended.clone();
    let watcher = std::thread::spawn(move || {
        let (mut before, mut while_waiting) = (meter.stats(), false);
        while !watched.load(Ordering::Relaxed) {
            let stats = meter.stats();
            assert!(before.rows <= stats.rows && before.stages.total() <= stats.stages.total());
            assert!(stats.waits.time <= stats.time && stats.waits.share <= 1.0);
            while_waiting |= stats.batches == before.batches && stats.waits.time > before.waits.time;
            before = stats;
        }
        while_waiting
    });
    assert_eq!(batches.by_ref().map(Result::unwrap).count(), 200);
    has_ended.store(true, Ordering::Relaxed);
    assert!(watcher.join().unwrap(), "expected a wait to count before it ends");
}

#[test]
fn a_mixture_has_figures_for_each_format() {
    let directories = [Directory::local(), Directory::local()];
    let parts = [Format::Avro, Format::Parquet]
        .into_iter()
        .zip(&directories)
        .map(|(format, directory)| (dataset(&write_as(format, directory, &[100], 300)), 1.0));
    let mixed = Dataset::mixed(parts).unwrap();
    let start = Instant::now();
    let mut batches = mixed.record_batches(options(2, 30)).unwrap();
    assert_eq!(batches.by_ref().map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 200);
    let stats = batches.stats();
    check(&stats, &batches.report(), start.elapsed());
    let formats: Vec<_> = stats.formats.iter().map(|format| (format.name, format.rows)).collect();
    assert_eq!(formats, [("avro", 100), ("parquet", 100)]);
    assert_eq!(stats.formats.iter().map(|format| format.bytes).sum::<u64>(), stats.bytes);
    assert!(stats.to_string().contains("\nformat   rows"), "{stats}");
}
