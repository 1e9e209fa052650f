//! Laws of reading, with random files.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, RangeOptions, Workers};
use arrowfeed_source::{FeedError, OnError, Report};

use crate::random_run;
use crate::toy::{framed, set};

/// A random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Files of random records, and the records that are valid. If `damaged` is true, some records are not valid, and some bytes
/// are not a record.
fn files(random: &mut Random, most: u64, damaged: bool) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut files, mut records) = (Vec::new(), Vec::new());
    for _ in 0..1 + random.below(3) {
        let mut file = Vec::new();
        for _ in 0..random.below(most) {
            match random.below(20) {
                0 if damaged => file.extend(framed(b"?")),
                1 if damaged => {
                    file.extend(vec![255; 1 + random.below(30) as usize].into_iter().chain([b'\n']))
                }
                _ => {
                    // No length is the byte of a `\n`.
                    let length = 11 + random.below(50);
                    let record: Vec<u8> = (0..length).map(|_| b'a' + random.below(26) as u8).collect();
                    file.extend(framed(&record));
                    records.push(record);
                }
            }
        }
        files.push(file);
    }
    (files, records)
}

/// The rows of a batch with their origins.
type Batch = (Vec<Vec<u8>>, Vec<RowOrigin>);

/// The batches, the error and the report of a reading.
fn read(set: &Arc<FileSet>, parts: Vec<Part>, options: PartOptions) -> (Vec<Batch>, Option<String>, Report) {
    let mut reader = PartReader::new(set.clone(), parts, options).unwrap();
    let (mut batches, mut error) = (Vec::new(), None);
    for found in &mut reader {
        match found {
            Ok(found) => batches.push((rows(found.batch.column(0).as_binary::<i32>().iter()), found.origins)),
            Err(failure) => error = Some(failure.to_string()),
        }
    }
    (batches, error, reader.take_report())
}

fn rows<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> Vec<Vec<u8>> {
    values.map(|value| value.expect("no nulls").to_vec()).collect()
}

fn joined(batches: &[Batch]) -> Vec<Vec<u8>> {
    batches.iter().flat_map(|(rows, _)| rows.clone()).collect()
}

fn options(batch_size: usize, on_error: OnError, threads: usize) -> PartOptions {
    PartOptions {
        batch_size: Some(batch_size),
        boundaries: BatchBoundaries::Continue(0),
        on_error,
        workers: Workers::Own(threads),
        prefetch_bytes: 1 << 20,
        interrupt: None,
        claim: None,
    }
}

fn whole(set: &FileSet) -> Vec<Part> {
    (0..set.len()).map(Part::whole).collect()
}

#[test]
fn any_number_of_threads_returns_the_same_batches() {
    for seed in random_run::seeds(5) {
        let random = &mut Random(seed);
        let (files, _) = files(random, 50_000, seed % 2 == 0);
        let set = set(&files, 1 + random.below(30_000));
        let on_error = if seed % 4 == 0 { OnError::SkipBlock } else { OnError::Raise };
        let batch_size = 1 + random.below(50) as usize;
        // A file starts a new batch. Otherwise skipped rows would move the batches of the next file, with threads that decode
        // both files at the same time.
        let boundaries = BatchBoundaries::PerPart;
        let of_threads = |threads| {
            let options = PartOptions { boundaries, ..options(batch_size, on_error, threads) };
            read(&set, whole(&set), options)
        };
        let ((one, first_error, first_report), (many, error, report)) = (of_threads(1), of_threads(3));
        assert_eq!((one.len(), first_error), (many.len(), error), "seed {seed}");
        assert!(one == many && first_report == report, "seed {seed}");
    }
}

#[test]
fn any_size_of_chunks_returns_the_same_rows() {
    for seed in random_run::seeds(20) {
        let random = &mut Random(seed);
        let (files, records) = files(random, 300, false);
        let batch_size = 1 + random.below(50) as usize;
        for chunk_bytes in [1, 1 + random.below(500), 1 << 20] {
            let set = set(&files, chunk_bytes);
            let (batches, error, _) = read(&set, whole(&set), options(batch_size, OnError::Raise, 1));
            assert_eq!((joined(&batches), error), (records.clone(), None), "seed {seed}");
            assert!(batches.iter().all(|(rows, _)| rows.len() <= batch_size));
        }
    }
}

#[test]
fn damage_is_an_error_or_is_skipped() {
    for seed in random_run::seeds(20) {
        let random = &mut Random(seed);
        let (files, records) = files(random, 300, true);
        let set = set(&files, 1 + random.below(500));
        let (batches, error, report) = read(&set, whole(&set), options(20, OnError::SkipBlock, 1));
        assert_eq!((joined(&batches), error), (records.clone(), None), "seed {seed}");
        let (batches, error, _) = read(&set, whole(&set), options(20, OnError::Raise, 1));
        assert_eq!(error.is_some(), !report.skipped.is_empty(), "seed {seed}");
        assert!(records.starts_with(&joined(&batches)), "seed {seed}");
    }
}

#[test]
fn splits_cover_each_record_once() -> Result<(), FeedError> {
    for seed in random_run::seeds(20) {
        let random = &mut Random(seed);
        let (files, records) = files(random, 300, seed % 2 == 0);
        let chunk_bytes = 1 + random.below(500);
        let mut found = Vec::new();
        for file in &files {
            let (set, len) = (set(std::slice::from_ref(file), chunk_bytes), file.len() as u64);
            let mut cuts: Vec<u64> = (0..random.below(4)).map(|_| random.below(len + 1)).collect();
            cuts.extend([0, len]);
            cuts.sort_unstable();
            for range in cuts.windows(2) {
                let options = RangeOptions { on_error: OnError::SkipBlock, ..RangeOptions::default() };
                for batch in (*set).clone().read_range(range[0]..range[1], options)? {
                    found.extend(rows(batch?.column(0).as_binary::<i32>().iter()));
                }
            }
        }
        assert_eq!(found, records, "seed {seed}");
    }
    Ok(())
}

#[test]
fn a_reading_continues_at_the_origin_of_any_row() {
    for seed in random_run::seeds(20) {
        let random = &mut Random(seed);
        let (files, _) = files(random, 300, false);
        let set = set(&files, 1 + random.below(500));
        let (all, ..) = read(&set, vec![Part::whole(0)], options(7, OnError::Raise, 1));
        for (number, (_, origins)) in all.iter().enumerate() {
            let origin = origins[0];
            let part = Part::after(0, origin.chunk, origin.offset, origin.before);
            let (rest, error, _) = read(&set, vec![part], options(7, OnError::Raise, 1 + 2 * (number % 2)));
            assert_eq!((&rest[..], error), (&all[number..], None), "seed {seed}, batch {number}");
        }
    }
}
