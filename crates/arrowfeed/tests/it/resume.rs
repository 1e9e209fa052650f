//! Tests of states: resuming after any batch yields the rest of the uninterrupted run, and other states are rejected.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use arrowfeed::avro::OnError;
use arrowfeed::{IterationOptions, StateErrorKind};
use proptest::prelude::*;

use crate::files::{Directory, all, dataset, formats, numbers, write, write_as};

proptest! {
    #![proptest_config(crate::random_config::config(10))]

    #[test]
    fn from_every_batch_on_comes_the_rest(
        format in formats(),
        rows in proptest::collection::vec(0_usize..80, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        batch_size in 1_usize..50,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30), Just(1000)],
        shard in prop_oneof![Just((0_u64, 1_u64)), Just((1, 3))],
        drop_remainder: bool,
        across_epochs: bool,
        threads in 1_usize..3,
        decodes_ahead: bool,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, block_bytes));
        let (epochs, threads) = (NonZeroU64::new(2), NonZeroUsize::new(threads));
        let options = IterationOptions {
            batch_size, shuffle_buffer_size, shard, drop_remainder, across_epochs, epochs, threads, decodes_ahead,
            seed: Some(5), ..Default::default()
        };
        let whole = all(&dataset, &options);
        let mut batches = dataset.record_batches(options.clone()).unwrap();
        for given in 0..=whole.len() {
            let state = batches.state().unwrap();
            let mut resumed = dataset.record_batches(options.clone()).unwrap();
            resumed.load_state(&state).unwrap();
            prop_assert_eq!(resumed.state().unwrap(), state);
            let rest: Vec<Vec<i64>> = resumed.by_ref().map(|batch| numbers(&batch.unwrap())).collect();
            prop_assert_eq!(&rest, &whole[given..]);
            prop_assert_eq!(resumed.report().rows as usize, whole.concat().len());
            batches.next().transpose().unwrap();
        }
    }
}

fn options() -> IterationOptions {
    IterationOptions { batch_size: 10, seed: Some(5), shuffle_buffer_size: 40, ..Default::default() }
}

fn refusal(paths: &[PathBuf], options: IterationOptions, state: &str) -> (StateErrorKind, String) {
    let mut batches = dataset(paths).record_batches(options).unwrap();
    match batches.load_state(state).unwrap_err() {
        arrowfeed::DatasetError::State(error) => (error.kind(), error.to_string()),
        other => panic!("{other}"),
    }
}

#[test]
fn a_state_of_other_files_or_options_is_refused_by_name() {
    let directory = Directory::new();
    let paths = write(&directory, &[50, 60], 200);
    let mut batches = dataset(&paths).record_batches(options()).unwrap();
    batches.next().unwrap().unwrap();
    let state = batches.state().unwrap();
    let refused = |paths: &[PathBuf], options| refusal(paths, options, &state);
    use StateErrorKind::{Files, Invalid, Options};
    let expected = |kind, text: &str| (kind, format!("state: {text}"));
    assert_eq!(
        refused(&paths, IterationOptions { batch_size: 11, ..options() }),
        expected(Options, "expected batch_size 11, as requested, found batch_size 10")
    );
    assert_eq!(
        refused(&paths, IterationOptions { seed: Some(6), ..options() }),
        expected(Options, "expected seed 6, as requested, found seed 5")
    );
    assert_eq!(
        refused(&paths, IterationOptions { shard: (0, 2), ..options() }),
        expected(
            Options,
            "expected shard [0,2], as requested, found shard [0,1]: to change the number of shards, begin a later epoch with \
             `start_epoch` and no state; states of global batches can be loaded by any number of processes"
        )
    );
    assert_eq!(
        refused(&paths, IterationOptions { on_error: OnError::SkipBlock, ..options() }),
        expected(Options, "expected on_error \"skip_block\", as requested, found on_error \"raise\"")
    );
    assert_eq!(refused(&paths[..1], options()), expected(Files, "expected 1 file, found a state of 2"));
    let turned = [paths[1].clone(), paths[0].clone()];
    let name = paths[1].display();
    assert_eq!(
        refused(&turned, options()),
        expected(
            Files,
            &format!(
                "expected {name} as file 0 of the list, found a state of a file with a different name or size"
            )
        )
    );
    let invalid = |text: &str| refusal(&paths, options(), text).0;
    assert_eq!([invalid(""), invalid("{}"), invalid("[1]"), invalid(r#"{"version": 2}"#)], [Invalid; 4]);
    // Another writer chooses another sync marker. In a shuffle, the different block sizes are detected.
    write(&directory, &[50, 60], 100);
    let (kind, _) = refused(&paths, options());
    assert_eq!(kind, Files);
}

#[test]
fn a_file_that_was_written_again_is_refused() {
    let directory = Directory::new();
    let paths = write(&directory, &[50], 200);
    let options = || IterationOptions { batch_size: 10, ..Default::default() };
    let mut batches = dataset(&paths).record_batches(options()).unwrap();
    batches.next().unwrap().unwrap();
    let state = batches.state().unwrap();
    write(&directory, &[50], 200);
    assert_eq!(refusal(&paths, options(), &state).0, StateErrorKind::Files);
}

#[test]
fn a_drawn_seed_is_in_the_state() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[90], 200));
    let options = || IterationOptions { seed: None, ..options() };
    let mut batches = dataset.record_batches(options()).unwrap();
    let state = batches.state().unwrap();
    let whole: Vec<Vec<i64>> = batches.map(|batch| numbers(&batch.unwrap())).collect();
    let mut again = dataset.record_batches(options()).unwrap();
    again.load_state(&state).unwrap();
    assert_eq!(again.map(|batch| numbers(&batch.unwrap())).collect::<Vec<_>>(), whole);
}

#[test]
fn the_state_of_ten_thousand_files_is_small() {
    let directory = Directory::new();
    let paths = write(&directory, &[1], 200);
    let paths = vec![paths[0].clone(); 10_000];
    for shuffle_buffer_size in [0, 100] {
        let options = IterationOptions { batch_size: 64, shuffle_buffer_size, ..Default::default() };
        let mut batches = dataset(&paths).record_batches(options).unwrap();
        batches.next().unwrap().unwrap();
        assert!(batches.state().unwrap().len() <= 64 << 10);
    }
}
