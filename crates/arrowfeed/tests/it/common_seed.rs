//! Tests of orders that several processes read together without a seed: no row is lost, and none comes twice.

use std::num::NonZeroUsize;

use arrowfeed::dataset::{Even, GlobalBatches, LengthBatches};
use arrowfeed::{Dataset, IterationOptions};

use crate::files::{Directory, all, dataset, numbers, write};

const ROWS: i64 = 96;

fn mixed(directory: &Directory) -> Dataset {
    let whole = dataset(&write(directory, &[ROWS as usize], 40));
    Dataset::mixed([(whole.take(30), 1.0), (whole.skip(30), 3.0)]).unwrap()
}

fn sorted(mut rows: Vec<i64>) -> Vec<i64> {
    rows.sort_unstable();
    rows
}

/// The options of each process, of two that divide the streams and two that take turns in each of them.
fn processes(options: &IterationOptions) -> Vec<IterationOptions> {
    let of = |(index, turn): (u64, u64)| {
        let global = options.global.map(|global| GlobalBatches { turn: (turn, 2), ..global });
        IterationOptions { shard: (index, 2), global, ..options.clone() }
    };
    [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().map(of).collect()
}

#[test]
fn processes_mix_global_batches_in_one_order() {
    let directory = Directory::local();
    let mixed = mixed(&directory);
    for even in [None, Some(Even::Drop), Some(Even::Repeat)] {
        let global = GlobalBatches { streams: 4, even, ..GlobalBatches::new(8) };
        let options =
            IterationOptions { global: Some(global), threads: NonZeroUsize::new(1), ..Default::default() };
        let processes = processes(&options);
        let rows = processes.iter().flat_map(|options| all(&mixed, options).concat()).collect();
        assert_eq!(sorted(rows), (0..ROWS).collect::<Vec<_>>(), "{even:?}");

        // A state of one process resumes all of them.
        let mut read: Vec<i64> = Vec::new();
        let mut state = String::new();
        for index in 0..2 {
            let options = IterationOptions { shard: (index, 2), ..options.clone() };
            let mut batches = mixed.record_batches(options).unwrap();
            read.extend(batches.by_ref().take(5).flat_map(|batch| numbers(&batch.unwrap())));
            state = batches.state().unwrap();
        }
        for options in &processes {
            let mut batches = mixed.record_batches(options.clone()).unwrap();
            batches.load_state(&state).unwrap();
            read.extend(batches.flat_map(|batch| numbers(&batch.unwrap())));
        }
        assert_eq!(sorted(read), (0..ROWS).collect::<Vec<_>>(), "{even:?}");
    }
}

#[test]
fn processes_take_turns_with_batches_by_length_of_one_mixture() {
    let directory = Directory::local();
    let mixed = mixed(&directory);
    let by_length = LengthBatches { takes_turns: true, ..LengthBatches::new("list", 40) };
    let options = IterationOptions { batch_size: 4, by_length: Some(by_length), ..Default::default() };
    let own = |index| all(&mixed, &IterationOptions { shard: (index, 2), ..options.clone() });
    let (first, second) = (own(0), own(1));
    assert_eq!(first.len(), second.len());
    let mut rows = [first.concat(), second.concat()].concat();
    let count = rows.len();
    rows = sorted(rows);
    rows.dedup();
    assert_eq!(rows.len(), count);
    assert!(count > ROWS as usize - 8, "{count}");
}

#[test]
fn shards_of_a_mixture_have_each_row_once() {
    let directory = Directory::local();
    let mixed = mixed(&directory);
    let own = |index| {
        let options = IterationOptions { batch_size: 7, shard: (index, 3), ..Default::default() };
        all(&mixed, &options).concat()
    };
    assert_eq!(sorted((0..3).flat_map(own).collect()), (0..ROWS).collect::<Vec<_>>());
}

#[test]
fn turns_with_a_shuffle_need_a_seed_that_they_share() {
    let directory = Directory::local();
    let mixed = mixed(&directory);
    let files = dataset(&write(&directory, &[10], 100));
    let global = GlobalBatches { streams: 1, turn: (0, 2), ..GlobalBatches::new(2) };
    let options = IterationOptions { global: Some(global), shuffle_buffer_size: 5, ..Default::default() };
    for dataset in [&mixed, &files] {
        let error = dataset.record_batches(options.clone()).unwrap_err().to_string();
        assert_eq!(error, "seed: expected an integer, the same for all shards, found none");
        assert!(dataset.record_batches(IterationOptions { seed: Some(0), ..options.clone() }).is_ok());
    }
}

/// The order of the batches of a window depends on the seed too, not only that of the rows.
#[test]
fn batches_by_length_resume_with_the_seed_of_the_state() {
    let directory = Directory::local();
    let whole = dataset(&write(&directory, &[ROWS as usize], 40));
    for seed in [Some(7), None] {
        let options = IterationOptions {
            batch_size: 4,
            by_length: Some(LengthBatches::new("list", 48)),
            shuffle_buffer_size: 96,
            seed,
            ..Default::default()
        };
        let mut saved = whole.record_batches(options.clone()).unwrap();
        let mut rows: Vec<i64> = saved.by_ref().take(5).flat_map(|batch| numbers(&batch.unwrap())).collect();
        let mut resumed = whole.record_batches(IterationOptions { seed: None, ..options }).unwrap();
        resumed.load_state(&saved.state().unwrap()).unwrap();
        rows.extend(resumed.flat_map(|batch| numbers(&batch.unwrap())));
        assert_eq!(sorted(rows), (0..ROWS).collect::<Vec<_>>(), "{seed:?}");
    }
}
