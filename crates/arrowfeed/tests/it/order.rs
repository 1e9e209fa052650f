//! Tests of which rows are yielded, and in which order.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::IterationOptions;
use proptest::prelude::*;

use crate::files::{Directory, all, dataset, formats, write, write_as};

/// Files whose sizes are not multiples of the batch size, some of them empty.
fn some_files() -> impl Strategy<Value = (Vec<usize>, usize)> {
    (proptest::collection::vec(0_usize..200, 1..6), prop_oneof![Just(40_usize), Just(300), Just(64_000)])
}

fn threads(n: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(n)
}

proptest! {
    #![proptest_config(crate::random_config::config(15))]

    #[test]
    fn without_shuffle_rows_come_in_file_order_in_whole_batches(
        format in formats(),
        (rows, block_bytes) in some_files(),
        batch_size in 1_usize..120,
        drop_remainder: bool,
        epochs in 1_u64..3,
        n in 1_usize..4,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, block_bytes));
        let total: i64 = rows.iter().sum::<usize>() as i64;
        prop_assert_eq!(dataset.num_rows().unwrap(), total as u64);
        let one: Vec<i64> = (0..total).collect();
        let mut expected: Vec<Vec<i64>> = one.chunks(batch_size).map(<[i64]>::to_vec).collect();
        if drop_remainder {
            expected.retain(|batch| batch.len() == batch_size);
        }
        let expected = vec![expected; epochs as usize].concat();
        let epochs = NonZeroU64::new(epochs);
        let options = IterationOptions { batch_size, drop_remainder, epochs, threads: threads(n), ..Default::default() };
        prop_assert_eq!(all(&dataset, &options), expected);
    }

    #[test]
    fn shuffled_rows_come_once_an_epoch_in_an_order_of_its_own(
        format in formats(),
        (rows, block_bytes) in some_files(),
        batch_size in 1_usize..120,
        shuffle_buffer_size in 1_usize..500,
        seed: u64,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, block_bytes));
        let total: usize = rows.iter().sum();
        let (seed, epochs) = (Some(seed), NonZeroU64::new(2));
        let options =
            IterationOptions { batch_size, shuffle_buffer_size, seed, epochs, threads: threads(1), ..Default::default() };
        let batches = all(&dataset, &options);
        let given = batches.concat();
        prop_assert_eq!(given.len(), 2 * total);
        for epoch in given.chunks(total.max(1)) {
            let mut sorted = epoch.to_vec();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..total as i64).collect::<Vec<_>>());
        }
        if total > 50 {
            prop_assert_ne!(&given[..total], &given[total..]);
        }
        for batch in batches.iter().take(total / batch_size) {
            prop_assert_eq!(batch.len(), batch_size);
        }
        for (n, prefetch_bytes) in [(1, 1000), (2, 0), (3, 64 << 20)] {
            let other =
                IterationOptions { threads: threads(n), decodes_ahead: true, prefetch_bytes, ..options.clone() };
            prop_assert_eq!(&all(&dataset, &other), &batches);
        }
    }

    #[test]
    fn batches_across_epochs_are_whole_but_for_the_very_last(
        format in formats(),
        (rows, block_bytes) in some_files(),
        batch_size in 1_usize..120,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(50)],
        drop_remainder: bool,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, block_bytes));
        let (seed, epochs) = (Some(5), NonZeroU64::new(3));
        let options = IterationOptions { batch_size, shuffle_buffer_size, seed, epochs, ..Default::default() };
        let given = all(&dataset, &options).concat();
        let mut expected: Vec<Vec<i64>> = given.chunks(batch_size).map(<[i64]>::to_vec).collect();
        if drop_remainder {
            expected.retain(|batch| batch.len() == batch_size);
        }
        let options = IterationOptions { across_epochs: true, drop_remainder, ..options };
        prop_assert_eq!(all(&dataset, &options), expected);
    }
}

#[test]
fn at_the_end_all_blocks_are_counted() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[60, 50], 200));
    for shuffle_buffer_size in [0, 20, 1000] {
        let counted = [1, 2].map(|n| {
            let options = IterationOptions {
                batch_size: 10,
                shuffle_buffer_size,
                threads: threads(n),
                ..Default::default()
            };
            let mut batches = dataset.record_batches(options).unwrap();
            assert_eq!(batches.by_ref().map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 110);
            let report = batches.report();
            (report.rows, report.blocks, report.bytes)
        });
        assert_eq!(counted[0], counted[1], "{shuffle_buffer_size}");
        assert!(counted[0].1 > 4);
    }
}

#[test]
fn the_order_of_a_seed_never_changes() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[6, 5, 5], 20));
    let options =
        IterationOptions { batch_size: 20, shuffle_buffer_size: 8, seed: Some(7), ..Default::default() };
    let expected = [[15, 8, 10, 1, 7, 14, 6, 2, 9, 0, 13, 5, 3, 4, 11, 12]];
    assert_eq!(all(&dataset, &options), expected);
}

#[test]
fn without_a_seed_two_iterations_differ() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[500], 200));
    let options = IterationOptions { shuffle_buffer_size: 500, ..Default::default() };
    assert_ne!(all(&dataset, &options), all(&dataset, &options));
}

#[test]
fn endless_epochs_over_no_rows_end() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[0, 0], 200));
    for shuffle_buffer_size in [0, 10] {
        let options = IterationOptions { epochs: None, shuffle_buffer_size, ..Default::default() };
        assert!(all(&dataset, &options).is_empty());
        let across = IterationOptions { across_epochs: true, ..options.clone() };
        assert!(all(&dataset, &across).is_empty());
        // Too few rows for a full batch yield none, and the iteration ends.
        let other = Directory::new();
        let few = self::dataset(&write(&other, &[3], 200));
        let whole = IterationOptions { drop_remainder: true, batch_size: 4, ..options };
        assert!(all(&few, &whole).is_empty());
    }
}

/// Measures how well a shuffle mixes: how far rows move, and how many neighbours remain neighbours. A block has about
/// 40 rows.
#[test]
fn the_shuffle_moves_rows_far_and_parts_neighbours() {
    let directory = Directory::new();
    let rows = 20_000;
    let dataset = dataset(&write(&directory, &[rows / 2, rows / 2], 400));
    let options = IterationOptions { shuffle_buffer_size: 1000, seed: Some(1), ..Default::default() };
    let given = all(&dataset, &options).concat();
    let moved: f64 =
        given.iter().enumerate().map(|(i, n)| (i as f64 - *n as f64).abs()).sum::<f64>() / rows as f64;
    // A perfect shuffle moves rows by a third of the number of rows on average.
    assert!((moved / rows as f64 - 1.0 / 3.0).abs() < 0.05, "{moved}");
    let neighbours = given.windows(2).filter(|pair| (pair[0] - pair[1]).abs() <= 40).count();
    // The expected share is 4 % for a block of 40 rows among 1,000; in file order it is 100 %.
    let share = neighbours as f64 / rows as f64;
    assert!(share < 0.08, "{share}");
}
