//! Tests of shards: together they yield each row once.

use arrowfeed::IterationOptions;
use proptest::prelude::*;

use crate::files::{Directory, all, dataset, formats, write, write_as};

proptest! {
    #![proptest_config(crate::random_config::config(15))]

    #[test]
    fn shards_are_equal_parts_of_all_rows(
        format in formats(),
        rows in proptest::collection::vec(0_usize..200, 1..6),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        count in 1_u64..7,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(50)],
        batch_size in 1_usize..100,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, block_bytes));
        let total: usize = rows.iter().sum();
        let mut given = Vec::new();
        for index in 0..count {
            let shard = (index, count);
            let options =
                IterationOptions { batch_size, shard, shuffle_buffer_size, seed: Some(3), ..Default::default() };
            let own = all(&dataset, &options).concat();
            let least = total / count as usize;
            prop_assert!((least..=least + 1).contains(&own.len()));
            given.extend(own);
        }
        if shuffle_buffer_size > 0 {
            given.sort_unstable();
        }
        prop_assert_eq!(given, (0..total as i64).collect::<Vec<_>>());
    }
}

#[test]
fn a_shard_out_of_range_is_refused() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[3], 200));
    let error = dataset.record_batches(IterationOptions { shard: (2, 2), ..Default::default() }).unwrap_err();
    assert_eq!(error.to_string(), "shard: expected an index below the count, found (2, 2)");
}

#[test]
fn shards_of_a_shuffle_need_a_seed_that_they_share() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[10], 100));
    let options = IterationOptions { shuffle_buffer_size: 5, shard: (0, 2), ..Default::default() };
    let error = dataset.record_batches(options.clone()).unwrap_err().to_string();
    assert_eq!(error, "seed: expected an integer, the same for all shards, found none");
    assert!(dataset.record_batches(IterationOptions { seed: Some(0), ..options.clone() }).is_ok());
    assert!(dataset.record_batches(IterationOptions { shuffle_buffer_size: 0, ..options }).is_ok());
}
