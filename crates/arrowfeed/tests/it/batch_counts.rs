//! Laws of `num_batches` and of the options of mixtures: the numbers that are said are those that are made.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::dataset::{Even, GlobalBatches};
use arrowfeed::predicate::col;
use arrowfeed::{Dataset, IterationOptions};
use proptest::prelude::*;

use crate::files::{Directory, all, dataset, formats, write_as};

fn even() -> impl Strategy<Value = Option<Even>> {
    prop_oneof![Just(None), Just(Some(Even::Drop)), Just(Some(Even::Repeat))]
}

/// The rows of an epoch in file order.
fn rows_of(dataset: &Dataset) -> Vec<i64> {
    let options = IterationOptions { threads: NonZeroUsize::new(1), ..Default::default() };
    all(dataset, &options).concat()
}

proptest! {
    #![proptest_config(crate::random_config::config(30))]

    #[test]
    fn the_number_of_batches_is_that_of_the_batches(
        format in formats(),
        rows in proptest::collection::vec(0_usize..60, 1..4),
        block_bytes in prop_oneof![Just(40_usize), Just(300)],
        (streams, each) in (prop_oneof![1_u64..7, Just(12), Just(60)], 1_usize..5),
        (every, first) in (1_u64..5, 0_u64..5),
        even in even(),
        (drop_remainder, across_epochs, is_mixed, is_filtered, is_global) in any::<(bool, bool, bool, bool, bool)>(),
        epochs in 1_u64..4,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(20)],
        limit in 0_i64..120,
        pick in any::<usize>(),
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, block_bytes));
        let total = rows.iter().sum::<usize>() as i64;
        let limit = if is_filtered { limit } else { total };
        let cut = total as u64 / 3;
        let mut dataset = match is_mixed {
            true => Dataset::mixed([(whole.take(cut), 2.0), (whole.skip(cut), 1.0)]).unwrap(),
            false => whole,
        };
        if is_filtered {
            dataset = dataset.filter(&col("id").lt(limit)).unwrap();
        }
        let expected: Vec<i64> = (0..total.min(limit)).collect();
        prop_assert_eq!(dataset.num_rows().unwrap(), expected.len() as u64);
        let counts: Vec<u64> = (1..=streams).filter(|count| streams.is_multiple_of(*count)).collect();
        let count = counts[pick % counts.len()];
        let global = GlobalBatches { streams, even, turn: (0, 1), ..GlobalBatches::new(each * streams as usize) };
        let options = IterationOptions {
            batch_size: 7, global: is_global.then_some(global), drop_remainder, across_epochs, shuffle_buffer_size,
            epochs: NonZeroU64::new(epochs), seed: Some(3), threads: NonZeroUsize::new(1), ..Default::default()
        };
        let mut given = Vec::new();
        for index in 0..count {
            let options = IterationOptions { shard: (index, count), ..options.clone() };
            let batches = all(&dataset, &options);
            prop_assert_eq!(dataset.num_batches(&options).unwrap(), Some(batches.len() as u64));
            let turn = (first, every);
            let turns = IterationOptions { global: is_global.then_some(GlobalBatches { turn, ..global }), ..options };
            let own = all(&dataset, &turns);
            prop_assert_eq!(dataset.num_batches(&turns).unwrap(), Some(own.len() as u64));
            if is_global {
                let expected: Vec<Vec<i64>> =
                    batches.iter().skip(first as usize).step_by(every as usize).cloned().collect();
                prop_assert_eq!(own, expected);
            }
            given.extend(batches.concat());
        }
        // Without options that drop or repeat rows, each row comes once in an epoch.
        given.sort_unstable();
        let mut all_rows = expected.repeat(epochs as usize);
        all_rows.sort_unstable();
        match (is_global, even, drop_remainder) {
            (true, None, false) | (false, _, false) => prop_assert_eq!(given, all_rows),
            (true, Some(Even::Repeat), _) => {
                given.dedup();
                prop_assert_eq!(given, expected);
            }
            _ => prop_assert!(given.len() <= all_rows.len()),
        }
    }

    /// A stream without rows repeats a row of its neighbour, of which the filter may leave a whole chunk.
    #[test]
    fn streams_repeat_the_rows_that_pass_as_those_of_files_that_have_no_others(
        format in formats(),
        rows in 1_usize..21,
        block_bytes in prop_oneof![Just(40_usize), Just(120)],
        streams in prop_oneof![Just(2_u64), Just(4), Just(6), Just(12)],
        limit in 1_i64..21,
        threads in 1_usize..3,
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &[rows], block_bytes));
        let filtered = whole.filter(&col("id").lt(limit)).unwrap();
        let plain = whole.take(limit as u64);
        prop_assert_eq!(rows_of(&filtered), rows_of(&plain));
        let global = GlobalBatches { streams, even: Some(Even::Repeat), ..GlobalBatches::new(streams as usize) };
        let options = IterationOptions { global: Some(global), threads: NonZeroUsize::new(threads), ..Default::default() };
        prop_assert_eq!(all(&filtered, &options), all(&plain, &options));
    }
}
