//! Laws of global batches: batch `k` is a function of the files, the options, the seed, the epoch and `k` alone.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::dataset::{Even, GlobalBatches};
use arrowfeed::{Dataset, IterationOptions};
use proptest::prelude::*;

use crate::files::{Directory, Format, all, dataset, formats, numbers, write_as};

/// The rows in file order, read by one thread in batches of one row.
fn rows_of(dataset: &Dataset) -> Vec<i64> {
    let options = IterationOptions { batch_size: 1, threads: NonZeroUsize::new(1), ..Default::default() };
    all(dataset, &options).concat()
}

/// The batches that all processes make together. Some may have no rows of the last batches.
fn together(dataset: &Dataset, options: &IterationOptions, processes: u64) -> Vec<Vec<i64>> {
    let own = |index| all(dataset, &IterationOptions { shard: (index, processes), ..options.clone() });
    let each: Vec<Vec<Vec<i64>>> = (0..processes).map(own).collect();
    let most = each.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).map(|k| each.iter().filter_map(|batches| batches.get(k)).flatten().copied().collect()).collect()
}

/// The numbers of processes that divide `streams`.
fn divisors(streams: u64) -> Vec<u64> {
    (1..=streams).filter(|count| streams.is_multiple_of(*count)).collect()
}

fn even() -> impl Strategy<Value = Option<Even>> {
    prop_oneof![Just(None), Just(Some(Even::Drop)), Just(Some(Even::Repeat))]
}

/// The global batches of one epoch in file order, from their definition.
pub(crate) fn expected(rows: &[i64], global: &GlobalBatches, drop_remainder: bool) -> Vec<Vec<i64>> {
    let (total, streams, each) = (rows.len(), global.streams as usize, global.size / global.streams as usize);
    let border = |stream: usize| total * stream / streams;
    let mut batches = Vec::new();
    for k in 0..total.div_ceil(global.size) {
        let is_short = (k + 1) * global.size > total;
        if is_short && (global.even == Some(Even::Drop) || drop_remainder && global.even.is_none()) {
            break;
        }
        let mut batch = Vec::new();
        for stream in 0..streams {
            let (start, end) = (border(stream), border(stream + 1));
            for row in k * each..(k + 1) * each {
                match global.even {
                    Some(Even::Repeat) => batch.push(rows[start + row % (end - start).max(1)]),
                    _ if start + row < end => batch.push(rows[start + row]),
                    _ => {}
                }
            }
        }
        batches.push(batch);
    }
    batches
}

proptest! {
    #![proptest_config(crate::random_config::config(20))]

    #[test]
    fn in_file_order_a_batch_has_the_next_rows_of_each_stream(
        format in formats(),
        rows in proptest::collection::vec(0_usize..150, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        streams in 1_u64..13,
        each in 1_usize..9,
        even in even(),
        drop_remainder in any::<bool>(),
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
        pick in 0_usize..100,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, block_bytes));
        let global = GlobalBatches { streams, even, ..GlobalBatches::new(each * streams as usize) };
        let expected = expected(&rows_of(&dataset), &global, drop_remainder);
        let counts = divisors(streams);
        for count in [1, counts[pick % counts.len()]] {
            let options = IterationOptions {
                global: Some(global), drop_remainder, threads: NonZeroUsize::new(threads), ..Default::default()
            };
            prop_assert_eq!(&together(&dataset, &options, count), &expected);
            for index in 0..count {
                let options = IterationOptions { shard: (index, count), ..options.clone() };
                let batches = all(&dataset, &options);
                prop_assert_eq!(dataset.num_batches(&options).unwrap(), Some(batches.len() as u64));
                if even.is_some() {
                    let own = global.size / count as usize;
                    prop_assert!(batches.len() == expected.len() && batches.iter().all(|batch| batch.len() == own));
                }
            }
        }
    }

    #[test]
    fn any_number_of_processes_makes_the_same_batches_from_any_position_on(
        format in formats(),
        rows in proptest::collection::vec(0_usize..120, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        streams in prop_oneof![1_u64..13, Just(24)],
        each in 1_usize..6,
        even in even(),
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30), Just(1000)],
        (drop_remainder, across_epochs, is_mixed, is_split) in any::<(bool, bool, bool, bool)>(),
        epochs in 1_u64..4,
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
        picks in proptest::collection::vec(0_usize..100, 3),
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, block_bytes));
        let mut dataset = whole.clone();
        if is_split {
            dataset = whole.skip(7).split(0.6, 3).unwrap().0.take(200);
        }
        let mut expected = rows_of(&dataset);
        if is_mixed {
            let other = whole.take(40);
            expected.extend(rows_of(&other));
            dataset = Dataset::mixed([(dataset, 1.0), (other, 0.5)]).unwrap();
        }
        let total = expected.len();
        // A process may have no row of the last batch of an epoch. It then begins the next epoch one batch earlier.
        let is_uneven = even.is_none() && !(drop_remainder || across_epochs || is_mixed);
        let epochs = if is_uneven { 1 } else { epochs };
        let global = GlobalBatches { streams, even, ..GlobalBatches::new(each * streams as usize) };
        let options = IterationOptions {
            global: Some(global), shuffle_buffer_size, drop_remainder, across_epochs, epochs: NonZeroU64::new(epochs),
            seed: Some(5), threads: NonZeroUsize::new(threads), ..Default::default()
        };
        let batches = together(&dataset, &options, 1);
        let counts = divisors(streams);
        let count = counts[picks[0] % counts.len()];
        prop_assert_eq!(&together(&dataset, &options, count), &batches);

        // Each row once in an epoch.
        let mut given = batches.concat();
        let mut all_rows = expected.repeat(epochs as usize);
        given.sort_unstable();
        all_rows.sort_unstable();
        match even {
            None if !drop_remainder => prop_assert_eq!(&given, &all_rows),
            Some(Even::Repeat) => {
                let is_continuous = across_epochs || is_mixed;
                let rounds = if is_continuous { (total * epochs as usize).div_ceil(global.size) } else { total.div_ceil(global.size) * epochs as usize };
                prop_assert_eq!(given.len(), rounds * global.size);
                if total > 0 {
                    given.dedup();
                    all_rows.dedup();
                    prop_assert_eq!(&given, &all_rows);
                }
            }
            _ => prop_assert!(batches.iter().all(|batch| batch.len() == global.size)),
        }

        // A state of any process resumes in any process of any number.
        let from = IterationOptions { shard: (picks[1] as u64 % count, count), ..options.clone() };
        let mut iterator = dataset.record_batches(from.clone()).unwrap();
        let own = dataset.num_batches(&from).unwrap().unwrap();
        let passed = picks[2] as u64 % (own + 1);
        for _ in 0..passed {
            iterator.next().unwrap().unwrap();
        }
        let state = iterator.state().unwrap();
        let to = counts[(picks[0] + picks[1]) % counts.len()];
        let mut rest = Vec::new();
        for index in 0..to {
            let options = IterationOptions { shard: (index, to), ..options.clone() };
            let mut resumed = dataset.record_batches(options).unwrap();
            resumed.load_state(&state).unwrap();
            prop_assert_eq!(
                strip_report(&resumed.state().unwrap()),
                strip_report(&state)
            );
            rest.push(resumed.map(|batch| numbers(&batch.unwrap())).collect::<Vec<_>>());
        }
        let most = rest.iter().map(Vec::len).max().unwrap();
        let rest: Vec<Vec<i64>> = (0..most)
            .map(|k| rest.iter().filter_map(|batches| batches.get(k)).flatten().copied().collect())
            .collect();
        prop_assert_eq!(&rest, &batches[passed as usize..]);
    }
}

/// Parts of streams that are decoded together may have gaps between them, such as rows that another process has.
#[test]
fn rows_between_those_of_the_streams_of_a_process_are_left_out() {
    for format in Format::ALL {
        let directory = Directory::local();
        let whole = dataset(&write_as(format, &directory, &[36, 23, 67], 300));
        let mixed = Dataset::mixed([(whole.take(70), 1.0), (whole.take(40), 0.5)]).unwrap();
        for (streams, each) in [(24, 4), (12, 2), (8, 1)] {
            let global = GlobalBatches { streams, ..GlobalBatches::new(each * streams as usize) };
            let options = IterationOptions {
                global: Some(global),
                drop_remainder: true,
                epochs: NonZeroU64::new(2),
                seed: Some(5),
                threads: NonZeroUsize::new(1),
                ..Default::default()
            };
            let batches = together(&mixed, &options, 1);
            let mut iterator = mixed.record_batches(options.clone()).unwrap();
            for passed in 0..=batches.len() {
                let state = iterator.state().unwrap();
                for count in [1, 2, 4] {
                    let each = (0..count).map(|index| {
                        let options = IterationOptions { shard: (index, count), ..options.clone() };
                        let mut resumed = mixed.record_batches(options).unwrap();
                        resumed.load_state(&state).unwrap();
                        resumed.map(|batch| numbers(&batch.unwrap())).collect::<Vec<_>>()
                    });
                    let each: Vec<_> = each.collect();
                    let joined = |k: usize| each.iter().flat_map(|own| own[k].clone()).collect::<Vec<_>>();
                    let found: Vec<_> = (0..each[0].len()).map(joined).collect();
                    assert_eq!(found, batches[passed..], "{format:?} {streams} {count} {passed}");
                }
                iterator.next();
            }
        }
    }
}

#[test]
fn each_block_is_counted_once_whatever_the_number_of_streams() {
    for format in Format::ALL {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &[60, 50], 200));
        let counted = |options: &IterationOptions, processes: u64| {
            let each = (0..processes).map(|index| {
                let options = IterationOptions { shard: (index, processes), ..options.clone() };
                let mut batches = dataset.record_batches(options).unwrap();
                batches.by_ref().for_each(|batch| drop(batch.unwrap()));
                let report = batches.report();
                (report.rows, report.blocks)
            });
            each.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1))
        };
        let expected = counted(&IterationOptions { batch_size: 10, ..Default::default() }, 1);
        for (streams, processes) in [(1, 1), (2, 2), (6, 1), (12, 3), (40, 2)] {
            for shuffle_buffer_size in [0, 50] {
                let global = GlobalBatches { streams, ..GlobalBatches::new(streams as usize * 2) };
                let options = IterationOptions {
                    global: Some(global),
                    shuffle_buffer_size,
                    seed: Some(1),
                    ..Default::default()
                };
                let found = counted(&options, processes);
                assert_eq!(found, expected, "{format:?} {streams} {processes} {shuffle_buffer_size}");
            }
        }
    }
}

/// A state without the counts of the process.
fn strip_report(state: &str) -> String {
    state.split("\"report\"").next().unwrap().to_owned()
}
