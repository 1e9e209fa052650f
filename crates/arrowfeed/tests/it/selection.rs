//! Tests of `take`, `skip` and `start_epoch`: they yield the rows and epochs that the whole dataset yields there.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;

use arrowfeed::source::OnError;
use arrowfeed::source::format::{ChunkFormat, ChunkOptions, ChunkSource};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions, Limits};
use proptest::prelude::*;

use crate::chunks::Chunks;
use crate::files::{Directory, all, check_resumes, dataset, formats, write, write_as};

proptest! {
    #![proptest_config(crate::random_config::config(15))]

    #[test]
    fn selected_rows_are_a_slice_of_all_rows(
        format in formats(),
        rows in proptest::collection::vec(0_usize..80, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        skipped in prop_oneof![Just(0_usize), 0_usize..200],
        taken in prop_oneof![Just(usize::MAX), 0_usize..200],
        batch_size in 1_usize..50,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30), Just(1000)],
        count in prop_oneof![Just(1_u64), Just(3)],
        threads in 1_usize..3,
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, block_bytes));
        let total: usize = rows.iter().sum();
        let selected = whole.skip(skipped as u64).take(taken as u64);
        let expected: Vec<i64> = (0..total as i64).skip(skipped).take(taken).collect();
        prop_assert_eq!(selected.num_rows().unwrap(), expected.len() as u64);
        let mut given = Vec::new();
        for index in 0..count {
            let (epochs, threads) = (NonZeroU64::new(2), NonZeroUsize::new(threads));
            let options = IterationOptions {
                batch_size, shuffle_buffer_size, shard: (index, count), epochs, threads, seed: Some(5),
                ..Default::default()
            };
            let batches = all(&selected, &options);
            prop_assert_eq!(Some(batches.len() as u64), selected.num_batches(&options).unwrap());
            given.extend(batches.concat());
            check_resumes(&selected, &options, &batches)?;
        }
        let mut twice = [expected.clone(), expected].concat();
        if shuffle_buffer_size > 0 || count > 1 {
            given.sort_unstable();
            twice.sort_unstable();
        }
        prop_assert_eq!(given, twice);
    }

    #[test]
    fn later_epochs_are_those_of_the_whole_iteration(
        rows in proptest::collection::vec(0_usize..80, 1..4),
        batch_size in 1_usize..50,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30)],
        start_epoch in 0_u64..4,
        threads in 1_usize..3,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write(&directory, &rows, 300));
        let options = IterationOptions {
            batch_size, shuffle_buffer_size, seed: Some(5), threads: NonZeroUsize::new(threads),
            ..Default::default()
        };
        let whole = all(&dataset, &IterationOptions { epochs: NonZeroU64::new(start_epoch + 2), ..options.clone() });
        let later = all(&dataset, &IterationOptions { epochs: NonZeroU64::new(2), start_epoch, ..options });
        let before = whole.len() / (start_epoch as usize + 2) * start_epoch as usize;
        prop_assert_eq!(later, &whole[before..]);
    }
}

#[test]
fn rows_in_the_options_are_numbered_from_the_first_selected_row() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[30, 30], 200)).skip(10).take(40);
    assert_eq!(dataset.row_range(), 10..50);
    let options = IterationOptions { rows: 5..100, batch_size: 100, ..Default::default() };
    assert_eq!(all(&dataset, &options).concat(), (15..50).collect::<Vec<_>>());
    assert_eq!(dataset.take(7).skip(3).row_range(), 13..17);
    assert_eq!(dataset.skip(100).num_rows().unwrap(), 0);
}

#[test]
fn taking_the_first_rows_opens_no_later_file() {
    let directory = Directory::new();
    let paths = write(&directory, &[30, 30, 30], 200);
    let dataset = dataset(&paths);
    std::fs::remove_file(&paths[2]).unwrap();
    let options = IterationOptions { batch_size: 10, threads: NonZeroUsize::new(1), ..Default::default() };
    assert_eq!(all(&dataset.take(40), &options).concat(), (0..40).collect::<Vec<_>>());
    // Row numbers of skipped blocks need the index.
    let skipping = IterationOptions { on_error: OnError::SkipFile, ..options };
    let mut batches = dataset.take(40).record_batches(skipping).unwrap();
    assert_eq!(batches.by_ref().map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 40);
    assert_eq!(batches.report().skipped.len(), 1);
}

#[test]
fn states_and_splits_know_the_selected_rows() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[30], 200));
    let options = IterationOptions { batch_size: 10, ..Default::default() };
    let state = dataset.take(20).record_batches(options.clone()).unwrap().state().unwrap();
    let load = |dataset: &arrowfeed::Dataset| {
        dataset.record_batches(options.clone()).unwrap().load_state(&state).map_err(|error| error.to_string())
    };
    assert_eq!(load(&dataset.take(20)), Ok(()));
    assert_eq!(
        load(&dataset.take(21)).unwrap_err(),
        "state: expected rows 0 to 21, as requested, found rows 0 to 20"
    );
    assert_eq!(load(&dataset).unwrap_err(), "state: expected all rows, as requested, found rows 0 to 20");
    assert_ne!(dataset.take(20).fingerprint().unwrap(), dataset.fingerprint().unwrap());
    let error = dataset.take(20).plan_splits(100, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "plan_splits: expected a dataset of all rows, found one after take, skip or split"
    );
    assert!(dataset.skip(1500).explain().contains("\nrows from 1,500 on"));
    assert!(dataset.skip(5).take(20).explain().contains("\nrows 5 to 25"));
}

#[test]
fn skipped_blocks_are_not_decoded() {
    let directory = Directory::new();
    let paths = write(&directory, &[1000], 200);
    let options = IterationOptions { batch_size: 100, ..Default::default() };
    let mut bytes = std::fs::read(&paths[0]).unwrap();
    // The first block ends before the second sync marker, which follows the first one at the end of the header.
    let marker = bytes[bytes.len() - 16..].to_vec();
    let markers: Vec<usize> = (0..=bytes.len() - 16).filter(|at| bytes[*at..].starts_with(&marker)).collect();
    assert!(markers.len() > 20, "{}", markers.len());
    for byte in &mut bytes[markers[1] - 20..markers[1]] {
        *byte ^= 0x55;
    }
    std::fs::write(&paths[0], bytes).unwrap();
    let dataset = dataset(&paths);
    let error = dataset.record_batches(options.clone()).unwrap().next().unwrap().unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: block 0 at byte ", paths[0].display())), "{error}");
    assert_eq!(all(&dataset.skip(500), &options).concat(), (500..1000).collect::<Vec<_>>());
}

#[test]
fn a_chunk_that_is_too_large_for_a_split_is_named() {
    let directory = Directory::new();
    let path = directory.0.join("large");
    let source = Chunks::new(&path, 0..1 << 32, 10 << 32);
    let limits = Limits { zero_byte_rows: 1 << 32, ..Limits::default() };
    let options = ChunkOptions { limits, ..Default::default() };
    let source: Arc<dyn ChunkSource> = Arc::new(source);
    let files = ChunkFormat::files([source], options).unwrap();
    let (first, _) = Dataset::open(files, DatasetOptions::default()).unwrap().split(0.5, 1).unwrap();
    let message = "block 1 at byte 1: expected a chunk of at most 4,294,967,295 rows, which a split can divide, found \
                   4,294,967,296";
    assert_eq!(first.num_rows().unwrap_err().to_string(), format!("{}: {message}", path.display()));
}

#[test]
fn an_epoch_without_a_next_one_is_refused() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[10], 100));
    let open = |start_epoch| {
        let options = IterationOptions { start_epoch, epochs: None, batch_size: 10, ..Default::default() };
        dataset.record_batches(options).map_err(|error| error.to_string())
    };
    assert_eq!(
        open(u64::MAX).unwrap_err(),
        "start_epoch: expected a number below 18,446,744,073,709,551,615, found 18,446,744,073,709,551,615"
    );
    let passes = |epochs| {
        let (epochs, start_epoch) = (NonZeroU64::new(epochs), u64::MAX - 1);
        let options = IterationOptions { start_epoch, epochs, batch_size: 10, ..Default::default() };
        let batches = dataset.record_batches(options).map_err(|error| error.to_string())?;
        Ok::<_, String>(batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>())
    };
    assert_eq!(passes(1).unwrap(), 10);
    assert_eq!(
        passes(2).unwrap_err(),
        "epochs: expected at most 1 from epoch 18,446,744,073,709,551,614 on, found 2"
    );
    // The last epoch repeats.
    assert_eq!(open(u64::MAX - 1).unwrap().take(3).map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 30);
}
