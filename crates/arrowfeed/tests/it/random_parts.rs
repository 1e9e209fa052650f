//! Tests of `split`: two parts have each row once, and a part is read like a dataset of its rows alone.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use arrowfeed::avro::{AvroFormat, AvroOptions};
use arrowfeed::source::OnError;
use arrowfeed::source::run::RangeOptions;
use arrowfeed::{Dataset, DatasetOptions, IterationOptions, Limits};
use proptest::prelude::*;

use crate::files::{Directory, Format, all, check_resumes, dataset, formats, write, write_as};

/// The rows in file order, read by one thread in batches of one row.
fn rows_of(dataset: &Dataset) -> Vec<i64> {
    let options = IterationOptions { batch_size: 1, threads: NonZeroUsize::new(1), ..Default::default() };
    all(dataset, &options).concat()
}

proptest! {
    #![proptest_config(crate::random_config::config(20))]

    #[test]
    fn a_part_is_read_like_its_rows_alone(
        format in formats(),
        rows in proptest::collection::vec(0_usize..80, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        fraction in prop_oneof![Just(0.0), Just(0.1), Just(0.5), Just(0.9), Just(1.0), 0.0..1.0],
        before in prop_oneof![Just((0_usize, usize::MAX)), (0_usize..60, 0_usize..200)],
        inside in prop_oneof![Just((0_usize, usize::MAX)), (0_usize..30, 0_usize..100)],
        again in any::<bool>(),
        is_rest in any::<bool>(),
        batch_size in 1_usize..50,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30), Just(1000)],
        count in prop_oneof![Just(1_u64), Just(3)],
        (across_epochs, drop_remainder) in any::<(bool, bool)>(),
        threads in 1_usize..3,
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, block_bytes));
        let divided = whole.skip(before.0 as u64).take(before.1 as u64);
        let (first, rest) = divided.split(fraction, 7).unwrap();
        let both = (rows_of(&first), rows_of(&rest));
        let mut together = [both.0.clone(), both.1.clone()].concat();
        prop_assert!(both.0.is_sorted() && both.1.is_sorted());
        together.sort_unstable();
        prop_assert_eq!(together, rows_of(&divided));

        let (mut part, mut expected) = if is_rest { (rest, both.1) } else { (first, both.0) };
        part = part.skip(inside.0 as u64).take(inside.1 as u64);
        expected = expected.into_iter().skip(inside.0).take(inside.1).collect();
        if again {
            // The seed of the first division: the second one still divides what is left.
            part = part.split(0.5, 7).unwrap().0;
            let left = rows_of(&part);
            prop_assert!(left.iter().all(|row| expected.contains(row)));
            expected = left;
        }
        prop_assert_eq!(part.num_rows().unwrap(), expected.len() as u64);
        let mut given = Vec::new();
        for index in 0..count {
            let (epochs, threads) = (NonZeroU64::new(2), NonZeroUsize::new(threads));
            let options = IterationOptions {
                batch_size, shuffle_buffer_size, shard: (index, count), epochs, threads, seed: Some(5),
                across_epochs, drop_remainder, ..Default::default()
            };
            let batches = all(&part, &options);
            prop_assert_eq!(Some(batches.len() as u64), part.num_batches(&options).unwrap());
            let last = batches.len().saturating_sub(1);
            prop_assert!(across_epochs.then_some(&batches[..last]).into_iter().flatten().all(|it| it.len() == batch_size));
            given.extend(batches.concat());
            check_resumes(&part, &options, &batches)?;
        }
        if drop_remainder {
            prop_assert!(given.iter().all(|row| expected.contains(row)));
            return Ok(());
        }
        let mut twice = [expected.clone(), expected].concat();
        if shuffle_buffer_size > 0 || count > 1 {
            given.sort_unstable();
            twice.sort_unstable();
        }
        prop_assert_eq!(given, twice);
    }
}

#[test]
fn the_parts_have_about_their_fraction_and_depend_on_the_seed() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[5_000, 5_000], 2_000));
    let part = |fraction, seed| rows_of(&dataset.split(fraction, seed).unwrap().0);
    for (fraction, expected) in [(0.1, 1_000), (0.5, 5_000), (0.9, 9_000)] {
        let found = part(fraction, 1).len();
        assert!(found.abs_diff(expected) < 200, "{fraction}: {found}");
    }
    assert_eq!(part(0.5, 1), part(0.5, 1));
    // Two seeds agree on about half of the rows.
    let (one, other) = (part(0.5, 1), part(0.5, 2));
    let common = one.iter().filter(|row| other.binary_search(row).is_ok()).count();
    assert!(common.abs_diff(2_500) < 200, "{common}");
    // A row of a larger part belongs to it with every larger fraction.
    assert!(part(0.2, 1).iter().all(|row| one.contains(row)));
}

/// A change of this test changes the parts of all users.
#[test]
fn the_parts_stay_the_same_in_every_version() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[12, 12], 40));
    let rest = rows_of(&dataset.split(0.7, 42).unwrap().1);
    assert_eq!(rest, [4, 5, 6, 7, 12, 13, 16, 17, 21, 23]);
}

#[test]
fn a_broken_block_does_not_move_rows_to_the_other_part() {
    let directory = Directory::new();
    let paths = write(&directory, &[60, 60], 100);
    let (train, test) = dataset(&paths).split(0.5, 3).unwrap();
    let whole = (rows_of(&train), rows_of(&test));
    let mut bytes = std::fs::read(&paths[0]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4].fill(0xff);
    std::fs::write(&paths[0], bytes).unwrap();
    for shuffle_buffer_size in [0, 20] {
        let (train, test) = dataset(&paths).split(0.5, 3).unwrap();
        let options = IterationOptions {
            on_error: OnError::SkipBlock,
            shuffle_buffer_size,
            seed: Some(1),
            ..Default::default()
        };
        let found = (all(&train, &options).concat(), all(&test, &options).concat());
        assert!(found.0.len() + found.1.len() < 120);
        assert!(found.0.iter().all(|row| whole.0.contains(row)));
        assert!(found.1.iter().all(|row| whole.1.contains(row)));
    }
}

/// Avro files whose batches end early.
fn limited(paths: &[PathBuf], batch_bytes: usize) -> Dataset {
    let limits = Limits { batch_bytes, ..Limits::default() };
    let files = AvroFormat::files(paths, AvroOptions { limits, ..Default::default() }, None).unwrap();
    Dataset::open(files, DatasetOptions::default()).unwrap()
}

/// The last piece of the last chunk of a window often has no row of a small part.
#[test]
fn a_shuffle_of_a_part_reads_chunks_in_several_pieces() {
    let directory = Directory::new();
    let blocks = limited(&write(&directory, &[4_000], 20_000), 4_000);
    // As an object of the store of these tests, whose responses wait, this file would take minutes.
    let local = Directory::local();
    let groups = dataset(&write_as(Format::Parquet, &local, &[60_000], 200_000));
    for (dataset, fractions) in [(blocks, [0.02, 0.3]), (groups, [0.0005, 0.002])] {
        for fraction in fractions {
            for part in <[_; 2]>::from(dataset.split(fraction, 1).unwrap()) {
                let options = IterationOptions { batch_size: 5, ..Default::default() };
                let expected = all(&part, &options).concat();
                for (seed, on_error) in [(1, OnError::Raise), (2, OnError::SkipBlock), (3, OnError::Raise)] {
                    let options = IterationOptions {
                        shuffle_buffer_size: 1_000,
                        seed: Some(seed),
                        on_error,
                        ..options.clone()
                    };
                    let mut found = all(&part, &options).concat();
                    found.sort_unstable();
                    assert!(found == expected, "{fraction}: {} of {} rows", found.len(), expected.len());
                }
            }
        }
    }
}

#[test]
fn states_fingerprints_and_reports_know_the_part() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[30], 200));
    let options = IterationOptions { batch_size: 10, ..Default::default() };
    let (train, test) = dataset.split(0.9, 1).unwrap();
    let state = train.record_batches(options.clone()).unwrap().state().unwrap();
    let load = |dataset: &Dataset| {
        dataset.record_batches(options.clone()).unwrap().load_state(&state).map_err(|error| error.to_string())
    };
    assert_eq!(load(&dataset.split(0.9, 1).unwrap().0), Ok(()));
    let expected = "state: expected split(0.9, seed=1)[1], as requested, found split(0.9, seed=1)[0]";
    assert_eq!(load(&test).unwrap_err(), expected);
    let expected =
        "state: expected rows 0 to 20, split(0.9, seed=1)[0], as requested, found split(0.9, seed=1)[0]";
    assert_eq!(load(&dataset.take(20).split(0.9, 1).unwrap().0).unwrap_err(), expected);
    assert_ne!(train.fingerprint().unwrap(), dataset.fingerprint().unwrap());
    assert_ne!(train.fingerprint().unwrap(), test.fingerprint().unwrap());
    assert!(train.take(5).explain().contains("\nsplit(0.9, seed=1)[0]\nrows 0 to 5"));
    let split = dataset.plan_splits(1_000_000, None).unwrap().remove(0);
    for part in [&train, &dataset.take(20), &dataset.skip(1)] {
        for (method, error) in [
            ("plan_splits", part.plan_splits(100, None).unwrap_err()),
            ("read_split", part.read_split(&split, None, RangeOptions::default()).unwrap_err()),
        ] {
            let expected =
                format!("{method}: expected a dataset of all rows, found one after take, skip or split");
            assert_eq!(error.to_string(), expected);
        }
    }
    for fraction in [-0.1, 1.1, f64::NAN] {
        let error = dataset.split(fraction, 1).unwrap_err();
        let expected = format!("fraction: expected a number from 0 to 1, found {fraction}");
        assert_eq!(error.to_string(), expected);
    }
}
