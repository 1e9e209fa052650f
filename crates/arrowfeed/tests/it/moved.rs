//! Tests of states of files that have moved, and of states for another number of epochs: no row is lost, and none comes twice.

use std::collections::BTreeSet;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use arrowfeed::avro::OnError;
use arrowfeed::dataset::{Even, FileMatch, GlobalBatches, LengthBatches};
use arrowfeed::{Dataset, IterationOptions, StateErrorKind};
use proptest::prelude::*;

use crate::files::{Directory, Format, all, dataset, formats, numbers, write_as};

/// Moves the files of a directory to a new one, whose name ends with `suffix`. Renames each file with `name`.
fn moved(
    directory: &mut Directory,
    paths: &[PathBuf],
    name: impl Fn(&Path) -> PathBuf,
    suffix: &str,
) -> Vec<PathBuf> {
    let mut target = directory.0.clone().into_os_string();
    target.push(suffix);
    let old = std::mem::replace(&mut directory.0, PathBuf::from(target));
    let paths: Vec<(&PathBuf, PathBuf)> =
        paths.iter().map(|path| (path, directory.0.join(name(path.strip_prefix(&old).unwrap())))).collect();
    for (from, to) in &paths {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(from, to).unwrap();
    }
    std::fs::remove_dir_all(&old).unwrap();
    paths.into_iter().map(|(_, to)| to).collect()
}

/// Options of iterations of each kind, with the number of epochs.
fn kinds(epochs: Option<u64>) -> Vec<IterationOptions> {
    let base = IterationOptions {
        batch_size: 7,
        epochs: epochs.and_then(NonZeroU64::new),
        seed: Some(5),
        threads: NonZeroUsize::new(1),
        ..Default::default()
    };
    let global = GlobalBatches { streams: 4, ..GlobalBatches::new(8) };
    let by_length = LengthBatches::new("list", 20);
    vec![
        base.clone(),
        IterationOptions { across_epochs: true, ..base.clone() },
        IterationOptions { drop_remainder: true, ..base.clone() },
        IterationOptions { across_epochs: true, drop_remainder: true, ..base.clone() },
        IterationOptions { shuffle_buffer_size: 30, ..base.clone() },
        IterationOptions { shuffle_buffer_size: 30, across_epochs: true, ..base.clone() },
        IterationOptions { shard: (1, 2), ..base.clone() },
        IterationOptions { shuffle_buffer_size: 30, shard: (1, 2), ..base.clone() },
        IterationOptions { global: Some(global), ..base.clone() },
        IterationOptions {
            global: Some(global),
            across_epochs: true,
            shuffle_buffer_size: 30,
            ..base.clone()
        },
        IterationOptions { by_length: Some(by_length.clone()), ..base.clone() },
        IterationOptions { by_length: Some(by_length), shuffle_buffer_size: 30, across_epochs: true, ..base },
    ]
}

/// Datasets of the files: all of them, some rows, and a mixture.
fn datasets(paths: &[PathBuf]) -> Vec<Dataset> {
    let whole = dataset(paths);
    let (first, rest) = whole.split(0.6, 3).unwrap();
    let mixed = Dataset::mixed([(first.clone(), 1.0), (rest, 2.0)]).unwrap();
    vec![whole, first, mixed]
}

/// Whether the column of lengths is a list, as in files that have lists.
fn has_lists(format: Format) -> bool {
    !matches!(format, Format::Csv | Format::CsvGzip | Format::SequenceExample)
}

/// The states after some batches, and all batches.
fn states(
    dataset: &Dataset,
    options: &IterationOptions,
    at: &[usize],
) -> (Vec<Vec<i64>>, Vec<(usize, String)>) {
    let whole = all(dataset, options);
    let mut batches = dataset.record_batches(options.clone()).unwrap();
    let mut states = Vec::new();
    for given in 0..=whole.len() {
        if at.iter().any(|at| at % (whole.len() + 1) == given) {
            states.push((given, batches.state().unwrap()));
        }
        batches.next().transpose().unwrap();
    }
    (whole, states)
}

fn rest(dataset: &Dataset, options: &IterationOptions, state: &str) -> Result<Vec<Vec<i64>>, String> {
    let mut resumed = dataset.record_batches(options.clone()).map_err(|error| error.to_string())?;
    resumed.load_state(state).map_err(|error| error.to_string())?;
    Ok(resumed.map(|batch| numbers(&batch.unwrap())).collect())
}

proptest! {
    #![proptest_config(crate::random_config::config(3))]

    #[test]
    fn a_moved_directory_yields_the_rest(
        format in formats(),
        rows in proptest::collection::vec(0_usize..60, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300)],
        at in proptest::collection::vec(any::<prop::sample::Index>(), 2),
        renames: bool,
    ) {
        let at: Vec<usize> = at.iter().map(|at| at.index(1000)).collect();
        let mut directory = if renames { Directory::local() } else { Directory::new() };
        let paths = write_as(format, &directory, &rows, block_bytes);
        let kinds: Vec<_> =
            kinds(Some(2)).into_iter().filter(|kind| kind.by_length.is_none() || has_lists(format)).collect();
        let before: Vec<Vec<_>> = datasets(&paths)
            .iter()
            .map(|dataset| kinds.iter().map(|kind| states(dataset, kind, &at)).collect())
            .collect();
        let rename = |name: &Path| match renames {
            true => Path::new("new").join(format!("x{}", name.display())),
            false => name.to_owned(),
        };
        let paths = moved(&mut directory, &paths, rename, "-moved");
        let file_match = if renames { FileMatch::Contents } else { FileMatch::Names };
        for (dataset, states) in datasets(&paths).iter().zip(before) {
            for (kind, (whole, states)) in kinds.iter().zip(states) {
                for (given, state) in states {
                    let options = IterationOptions { file_match, ..kind.clone() };
                    prop_assert_eq!(rest(dataset, &options, &state).unwrap(), whole[given..].to_vec());
                }
            }
        }
    }

    #[test]
    fn with_more_epochs_come_the_rows_of_all_of_them(
        format in formats(),
        rows in proptest::collection::vec(0_usize..60, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300)],
        at in proptest::collection::vec(any::<prop::sample::Index>(), 2),
        (saved, own) in (1_u64..4, 1_u64..5),
    ) {
        let at: Vec<usize> = at.iter().map(|at| at.index(1000)).collect();
        // Row groups of a few rows take 100,000 requests of objects.
        let directory = if format == Format::Parquet { Directory::local() } else { Directory::new() };
        let datasets = datasets(&write_as(format, &directory, &rows, block_bytes));
        for (number, dataset) in datasets.iter().enumerate() {
            let is_mixture = number == 2;
            for (saving, loading) in kinds(Some(saved)).into_iter().zip(kinds(Some(own))) {
                if saving.by_length.is_some() && !has_lists(format) {
                    continue;
                }
                let (given, states) = states(dataset, &saving, &at);
                let whole = all(dataset, &loading);
                for (count, state) in states {
                    let before: Vec<i64> = given[..count].concat();
                    let Ok(rest) = rest(dataset, &loading, &state) else {
                        // More epochs are refused only where the order depends on their number.
                        let depends = loading.global.is_some() || loading.by_length.is_some();
                        prop_assert!(own < saved || depends && (is_mixture || loading.across_epochs));
                        continue;
                    };
                    if own >= saved && !is_mixture && !loading.across_epochs {
                        prop_assert_eq!(&rest, &whole[count..]);
                    }
                    // Each epoch has the same rows, without those that batches of one size drop.
                    let mut found = [before, rest.concat()].concat();
                    let mut expected = whole.concat();
                    found.sort_unstable();
                    expected.sort_unstable();
                    if own >= saved && !loading.drop_remainder {
                        prop_assert_eq!(found, expected);
                    } else {
                        prop_assert!(found.len() <= expected.len() || own < saved);
                    }
                }
            }
        }
    }
}

#[test]
fn a_relative_path_is_that_of_the_absolute_one() {
    let directory = Directory::local();
    let absolute = write_as(Format::Avro, &directory, &[20, 30], 200);
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
    let relative: Vec<PathBuf> =
        absolute.iter().map(|path| up.join(path.strip_prefix("/").unwrap())).collect();
    let options = IterationOptions { batch_size: 7, ..Default::default() };
    let (whole, states) = states(&dataset(&absolute), &options, &[2]);
    assert_eq!(rest(&dataset(&relative), &options, &states[0].1).unwrap(), whole[2..]);
    // Files of two directories keep the names of these directories.
    let mixed = [relative[0].clone(), absolute[1].clone()];
    assert_eq!(rest(&dataset(&mixed), &options, &states[0].1).unwrap(), whole[2..]);
}

#[test]
fn other_contents_are_refused_whatever_their_names() {
    let directory = Directory::local();
    let paths = write_as(Format::Avro, &directory, &[20, 30], 200);
    let in_file_order = IterationOptions { batch_size: 7, ..Default::default() };
    let shuffled = IterationOptions { shuffle_buffer_size: 20, seed: Some(1), ..in_file_order.clone() };
    let saved: Vec<String> = [&in_file_order, &shuffled]
        .iter()
        .map(|options| dataset(&paths).record_batches((*options).clone()).unwrap().state().unwrap())
        .collect();
    // The files have the same lengths, and another sync marker.
    let other = Directory::local();
    let others = write_as(Format::Avro, &other, &[20, 30], 200);
    for (options, state, expected) in [
        (
            &in_file_order,
            &saved[0],
            "state: expected files with the same contents, found a state of files with different contents",
        ),
        (
            &shuffled,
            &saved[1],
            "state: expected files with the same blocks, found files with different blocks",
        ),
    ] {
        for file_match in [FileMatch::Names, FileMatch::Contents] {
            let options = IterationOptions { file_match, ..options.clone() };
            let mut batches = dataset(&others).record_batches(options).unwrap();
            match batches.load_state(state).unwrap_err() {
                arrowfeed::DatasetError::State(error) => {
                    assert_eq!(
                        (error.kind(), error.to_string()),
                        (StateErrorKind::Files, expected.to_owned())
                    );
                }
                other => panic!("{other}"),
            }
        }
    }
    let turned = [paths[1].clone(), paths[0].clone()];
    let contents = IterationOptions { file_match: FileMatch::Contents, ..in_file_order };
    assert_eq!(
        rest(&dataset(&turned), &contents, &saved[0]).unwrap_err(),
        "state: expected files of these lengths in this order, found a state of files of other lengths, or in another \
         order"
    );
}

#[test]
fn a_state_without_contents_says_so() {
    let directory = Directory::local();
    let path = write_as(Format::Avro, &directory, &[5], 200).remove(0);
    let paths = vec![path; 101];
    let options = IterationOptions { batch_size: 7, file_match: FileMatch::Contents, ..Default::default() };
    let state = dataset(&paths).record_batches(options.clone()).unwrap().state().unwrap();
    let expected = "state: expected a state with a checksum of the contents of its files, found one without: load it with \
                    the match `names`. States of shuffles and of shards have the checksum, and so have those of a dataset \
                    with a saved index";
    assert_eq!(rest(&dataset(&paths), &options, &state).unwrap_err(), expected);
    // An index knows the contents.
    let index = directory.0.join("index.json");
    dataset(&paths).save_index(&index, None).unwrap();
    let indexed = || dataset(&paths).with_index(&index, None).unwrap();
    let state = indexed().record_batches(options.clone()).unwrap().state().unwrap();
    assert_eq!(rest(&dataset(&paths), &options, &state).unwrap(), all(&dataset(&paths), &options));
}

#[test]
fn a_position_after_the_requested_epochs_is_refused() {
    let directory = Directory::local();
    let dataset = dataset(&write_as(Format::Avro, &directory, &[20], 200));
    let options =
        |epochs| IterationOptions { batch_size: 10, epochs: NonZeroU64::new(epochs), ..Default::default() };
    let (_, states) = states(&dataset, &options(4), &[0, 4, 5]);
    let [(0, start), (4, end_of_second), (5, inside_third)] = &states[..] else { panic!("{states:?}") };
    assert_eq!(rest(&dataset, &options(2), start).unwrap().len(), 4);
    assert_eq!(rest(&dataset, &options(3), inside_third).unwrap().len(), 1);
    assert_eq!(
        rest(&dataset, &options(2), inside_third).unwrap_err(),
        "state: expected epochs 2, as requested, found a position in epoch 2, counted from 0, which needs epochs 3 or more"
    );
    let complete = rest(&dataset, &options(2), end_of_second).unwrap();
    assert_eq!(complete, Vec::<Vec<i64>>::new());
    let endless = IterationOptions { epochs: None, ..options(1) };
    let mut resumed = dataset.record_batches(endless).unwrap();
    resumed.load_state(inside_third).unwrap();
    assert_eq!(numbers(&resumed.next().unwrap().unwrap()), (10..20).collect::<Vec<_>>());
}

/// Options with another value of each of them, by the name of the option.
fn changed(options: &IterationOptions) -> Vec<(&'static str, IterationOptions)> {
    // All options, so that a new one does not compile until the list below has it. Other tests have other numbers of epochs, and
    // an interrupt has no value.
    let IterationOptions {
        batch_size,
        global,
        by_length,
        drop_remainder,
        across_epochs,
        epochs: _,
        start_epoch,
        rows: _,
        shuffle_buffer_size,
        seed: _,
        shard,
        threads: _,
        decodes_ahead,
        prefetch_bytes,
        on_error: _,
        file_match: _,
        interrupt: _,
    } = options.clone();
    let of = || options.clone();
    let mut changed = vec![
        ("batch_size", IterationOptions { batch_size: batch_size + 1, ..of() }),
        ("drop_remainder", IterationOptions { drop_remainder: !drop_remainder, ..of() }),
        ("across_epochs", IterationOptions { across_epochs: !across_epochs, ..of() }),
        ("start_epoch", IterationOptions { start_epoch: start_epoch + 1, ..of() }),
        ("rows", IterationOptions { rows: 1..40, ..of() }),
        ("shuffle_buffer_size", IterationOptions { shuffle_buffer_size: shuffle_buffer_size + 9, ..of() }),
        ("seed", IterationOptions { seed: Some(6), ..of() }),
        ("shard", IterationOptions { shard: (0, 2 * shard.1), ..of() }),
        ("threads", IterationOptions { threads: NonZeroUsize::new(2), ..of() }),
        ("decodes_ahead", IterationOptions { decodes_ahead: !decodes_ahead, ..of() }),
        ("prefetch_bytes", IterationOptions { prefetch_bytes: prefetch_bytes / 100, ..of() }),
        ("on_error", IterationOptions { on_error: OnError::SkipBlock, ..of() }),
        ("file_match", IterationOptions { file_match: FileMatch::Contents, ..of() }),
    ];
    // `turn` is no option of the order: it says which of the batches a process yields.
    let GlobalBatches { size, streams, even: _, turn: _ } = global.unwrap_or_else(|| GlobalBatches::new(8));
    for global in [
        GlobalBatches { size: 2 * size, streams, ..GlobalBatches::new(8) },
        GlobalBatches { size, streams: streams / 2, ..GlobalBatches::new(8) },
        GlobalBatches { size, streams, even: Some(Even::Repeat), ..GlobalBatches::new(8) },
    ] {
        changed.push(("global", IterationOptions { global: Some(global), by_length: None, ..of() }));
    }
    let by_length = by_length.unwrap_or_else(|| LengthBatches::new("list", 20));
    let LengthBatches { column: _, boundaries: _, max_tokens: _, pack_to: _, window, takes_turns } =
        by_length.clone();
    for by_length in [
        LengthBatches { column: "id".to_owned(), ..by_length.clone() },
        LengthBatches { boundaries: vec![1, 2], ..by_length.clone() },
        LengthBatches { max_tokens: NonZeroU64::new(11), ..by_length.clone() },
        LengthBatches { pack_to: NonZeroUsize::new(30), ..by_length.clone() },
        LengthBatches { window: window + 3, ..by_length.clone() },
        LengthBatches { takes_turns: !takes_turns, ..by_length.clone() },
    ] {
        changed.push(("by_length", IterationOptions { by_length: Some(by_length), global: None, ..of() }));
    }
    changed
}

#[test]
fn a_state_is_refused_if_an_option_changes_the_rows_after_it() {
    let directory = Directory::local();
    let paths = write_as(Format::Avro, &directory, &[40, 1, 30], 300);
    let (mut accepted, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for (number, dataset) in datasets(&paths).iter().enumerate() {
        for (kind, options) in kinds(Some(2)).into_iter().enumerate() {
            let (whole, states) = states(dataset, &options, &[0, 3]);
            for (name, changed) in changed(&options) {
                // The shards of global batches have one state.
                if name == "shard" && options.global.is_some() {
                    continue;
                }
                for (given, state) in &states {
                    match rest(dataset, &changed, state) {
                        Err(_) => _ = refused.insert(name),
                        Ok(found) => {
                            accepted.insert(name);
                            assert_eq!(found, whole[*given..], "dataset {number}, kind {kind}, {name}");
                        }
                    }
                }
            }
        }
    }
    let not_of_the_order = ["decodes_ahead", "file_match", "prefetch_bytes", "threads"];
    assert_eq!(accepted.difference(&refused).copied().collect::<Vec<_>>(), not_of_the_order);
}
