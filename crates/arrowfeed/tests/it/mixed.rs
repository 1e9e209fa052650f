//! Tests of `Dataset::mixed`: all rows of all datasets, each dataset in its own order, from any position on.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::avro::{AvroFormat, AvroOptions};
use arrowfeed::tensor::Representation;
use arrowfeed::{Dataset, DatasetError, DatasetOptions, IterationOptions, TensorDefinitions};
use proptest::prelude::*;

use crate::files::{Directory, all, dataset, formats, numbers, write, write_as};

proptest! {
    #![proptest_config(crate::random_config::config(10))]

    #[test]
    fn each_dataset_keeps_its_rows_and_their_order(
        format in formats(),
        rows in proptest::collection::vec(0_usize..60, 1..4),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        cuts in proptest::collection::vec(0_usize..150, 0..3),
        weights in proptest::collection::vec(prop_oneof![Just(1.0), Just(1e-9), 0.01..10.0], 3),
        batch_size in 1_usize..50,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30)],
        count in prop_oneof![Just(1_u64), Just(3)],
        epochs in 1_u64..3,
        drop_remainder in any::<bool>(),
        threads in 1_usize..4,
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, block_bytes));
        // Rows of other numbers make the datasets distinct.
        let total = rows.iter().sum::<usize>() as u64;
        let mut cuts: Vec<u64> = cuts.into_iter().map(|cut| (cut as u64).min(total)).collect();
        cuts.sort_unstable();
        let borders: Vec<u64> = [0].into_iter().chain(cuts).chain([total]).collect();
        let ranges: Vec<(u64, u64)> = borders.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let parts: Vec<Dataset> =
            ranges.iter().map(|(start, end)| whole.skip(*start).take(end - start)).collect();
        let mixed = Dataset::mixed(parts.iter().cloned().zip(weights)).unwrap();
        prop_assert_eq!(mixed.num_rows().unwrap(), total);
        for index in 0..count {
            let options = IterationOptions {
                batch_size, shuffle_buffer_size, shard: (index, count), epochs: NonZeroU64::new(epochs),
                threads: NonZeroUsize::new(threads), seed: Some(5), drop_remainder, ..Default::default()
            };
            let batches = all(&mixed, &options);
            prop_assert_eq!(Some(batches.len() as u64), mixed.num_batches(&options).unwrap());
            prop_assert!(batches.iter().rev().skip(1).all(|batch| batch.len() == batch_size));
            // The order depends neither on the batches nor on the threads.
            let other = IterationOptions { batch_size: 7, threads: NonZeroUsize::new(1), drop_remainder: false, ..options.clone() };
            let given = all(&mixed, &other).concat();
            prop_assert_eq!(&given[..batches.concat().len()], batches.concat());
            for ((start, end), part) in ranges.iter().zip(&parts) {
                let own = given.iter().copied().filter(|row| (*start as i64..*end as i64).contains(row));
                prop_assert_eq!(own.collect::<Vec<_>>(), all(part, &other).concat());
            }
            // Resuming after any batch yields the rest.
            let mut iterator = mixed.record_batches(options.clone()).unwrap();
            for passed in 0..=batches.len() {
                let state = iterator.state().unwrap();
                let mut resumed = mixed.record_batches(options.clone()).unwrap();
                resumed.next();
                resumed.load_state(&state).unwrap();
                prop_assert_eq!(resumed.state().unwrap(), state);
                let rest: Vec<Vec<i64>> = resumed.by_ref().map(|batch| numbers(&batch.unwrap())).collect();
                prop_assert_eq!(&rest, &batches[passed..]);
                prop_assert_eq!(resumed.report().rows, batches.concat().len() as u64);
                iterator.next().transpose().unwrap();
            }
        }
    }
}

#[test]
fn the_weights_are_the_ratio_of_the_rows() {
    let directory = Directory::new();
    let whole = dataset(&write(&directory, &[300], 2_000));
    let parts = [(whole.take(200), 3.0), (whole.skip(200).take(50), 1.0), (whole.skip(250), 4.0)];
    let mixed = Dataset::mixed(parts).unwrap();
    let options = IterationOptions { batch_size: 1_000, epochs: None, seed: Some(1), ..Default::default() };
    assert_eq!(mixed.num_batches(&options).unwrap(), None);
    let mut counts = [0_usize; 3];
    for batch in mixed.record_batches(options).unwrap().take(8) {
        for row in numbers(&batch.unwrap()) {
            counts[usize::from(row >= 200) + usize::from(row >= 250)] += 1;
        }
    }
    for (found, expected) in counts.into_iter().zip([3_000_usize, 1_000, 4_000]) {
        assert!(found.abs_diff(expected) < 200, "{counts:?}");
    }
}

#[test]
fn weights_without_a_finite_sum_have_their_ratio_too() {
    let directory = Directory::new();
    let whole = dataset(&write(&directory, &[400], 2_000));
    let order = |weights: [f64; 2]| {
        let parts = [(whole.take(200), weights[0]), (whole.skip(200), weights[1])];
        let mixed = Dataset::mixed(parts).unwrap();
        all(&mixed, &IterationOptions { batch_size: 1_000, seed: Some(1), ..Default::default() }).concat()
    };
    assert_eq!(order([1e308, 1e308]), order([1.0, 1.0]));
    assert_eq!(order([f64::MAX, f64::MAX / 4.0]), order([4.0, 1.0]));
}

/// A change of this test changes the order of all users, and needs another version of the states.
#[test]
fn the_order_stays_the_same_in_every_version() {
    let directory = Directory::new();
    let whole = dataset(&write(&directory, &[8], 2_000));
    let mixed = Dataset::mixed([(whole.take(4), 1.0), (whole.skip(4), 2.0)]).unwrap();
    let options = IterationOptions { batch_size: 100, seed: Some(42), ..Default::default() };
    assert_eq!(all(&mixed, &options).concat(), [0, 1, 4, 2, 3, 5, 6, 7]);
}

#[test]
fn later_epochs_begin_where_the_option_and_the_method_say() {
    let directory = Directory::new();
    let whole = dataset(&write(&directory, &[40], 200));
    let mixed = Dataset::mixed([(whole.take(20), 1.0), (whole.skip(20), 1.0)]).unwrap();
    let options = IterationOptions {
        batch_size: 10,
        shuffle_buffer_size: 50,
        seed: Some(1),
        epochs: NonZeroU64::new(1),
        ..Default::default()
    };
    let later = IterationOptions { start_epoch: 2, ..options.clone() };
    let expected = all(&mixed, &later);
    assert_ne!(expected, all(&mixed, &options));
    let three = IterationOptions { epochs: NonZeroU64::new(3), ..options };
    let mut iterator = mixed.record_batches(three).unwrap();
    iterator.next();
    iterator.start_at_epoch(2);
    let found: Vec<Vec<i64>> = iterator.map(|batch| numbers(&batch.unwrap())).collect();
    assert_eq!(found, expected);
}

#[test]
fn an_error_of_one_dataset_comes_after_the_batches_before_it() {
    let directory = Directory::new();
    let paths = write(&directory, &[50, 50], 200);
    let whole = dataset(&paths[..1]);
    let broken = dataset(&paths[1..]);
    let mut bytes = std::fs::read(&paths[1]).unwrap();
    let end = bytes.len() - 40;
    bytes[end..].fill(0xff);
    std::fs::write(&paths[1], bytes).unwrap();
    let mixed = Dataset::mixed([(whole, 1.0), (broken, 1.0)]).unwrap();
    for threads in [1, 3] {
        let threads = NonZeroUsize::new(threads);
        let options = IterationOptions { batch_size: 10, seed: Some(1), threads, ..Default::default() };
        let mut iterator = mixed.record_batches(options.clone()).unwrap();
        let mut rows = Vec::new();
        let error = loop {
            match iterator.next().unwrap() {
                Ok(batch) => rows.extend(numbers(&batch)),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains(&paths[1].display().to_string()), "{error}");
        assert!(rows.len() >= 50, "{rows:?}");
        assert!(iterator.next().is_none());
        // The state is that of the last batch: the error comes again, and no row.
        let state = iterator.state().unwrap();
        let mut resumed = mixed.record_batches(options).unwrap();
        resumed.load_state(&state).unwrap();
        assert_eq!(resumed.next().unwrap().unwrap_err().to_string(), error.to_string());
    }
}

#[test]
fn datasets_that_do_not_fit_together_are_an_error() {
    let directory = Directory::new();
    let paths = write(&directory, &[20], 200);
    let whole = dataset(&paths);
    let message = |mixed: Result<Dataset, DatasetError>| mixed.unwrap_err().to_string();
    assert_eq!(message(Dataset::mixed([])), "datasets: expected one or more, found none");
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("weights: expected numbers above 0, found {weight}");
        assert_eq!(message(Dataset::mixed([(whole.clone(), weight)])), expected);
    }
    let mixed = Dataset::mixed([(whole.clone(), 1.0)]).unwrap();
    assert_eq!(
        message(Dataset::mixed([(mixed.clone(), 1.0)])),
        "datasets: expected a dataset of files, found a mixed dataset: use the datasets that are mixed"
    );
    let open = |columns: &[&str], representation: Option<Representation>| {
        let tensors = representation.map(|representation| {
            TensorDefinitions::Representations(vec![("number".to_owned(), representation)])
        });
        let columns = columns.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        let options = AvroOptions { columns: Some(columns), ..Default::default() };
        let files = AvroFormat::files([&paths[0]], options, None).unwrap();
        Dataset::open(files, DatasetOptions { tensors, ..Default::default() }).unwrap()
    };
    let name = whole.arrow_schema().field(0).name().clone();
    let names: Vec<&str> = whole.arrow_schema().fields().iter().map(|field| field.name().as_str()).collect();
    let error = message(Dataset::mixed([(whole.clone(), 1.0), (open(&[&name], None), 1.0)]));
    let expected = format!(
        "datasets[1]: expected the columns of datasets[0], which are {}, found {name}",
        names.join(", ")
    );
    assert_eq!(error, expected);
    let error = message(Dataset::mixed([
        (open(&[&name], None), 1.0),
        (
            open(
                &[&name],
                Some(Representation::VarLenSparse(arrowfeed::tensor::VarLenSparse {
                    column: name.as_str().into(),
                    ..Default::default()
                })),
            ),
            1.0,
        ),
    ]));
    assert_eq!(
        error,
        "datasets[1]: expected the tensors of datasets[0], found different tensors: define the same `representations` or \
         `features` for all"
    );
}

#[test]
fn methods_of_files_say_that_the_dataset_is_mixed() {
    let directory = Directory::new();
    let whole = dataset(&write(&directory, &[20], 200));
    let mixed = Dataset::mixed([(whole.take(5), 1.0), (whole.skip(5), 2.0)]).unwrap();
    let refused = |method: &str| {
        format!(
            "{method}: expected a dataset of files, found a mixed dataset: use the datasets that are mixed"
        )
    };
    assert_eq!(mixed.plan_splits(100, None).unwrap_err().to_string(), refused("plan_splits"));
    assert_eq!(mixed.split(0.5, 1).unwrap_err().to_string(), refused("split"));
    let path = directory.0.join("index");
    assert_eq!(mixed.save_index(path, None).unwrap_err().to_string(), refused("save_index"));
    let taken = "expected all rows of a mixed dataset, found one after take or skip: take and skip rows of the \
                 datasets before they are mixed";
    let options = IterationOptions::default();
    assert_eq!(mixed.take(3).record_batches(options.clone()).unwrap_err().to_string(), taken);
    assert_eq!(mixed.skip(3).num_rows().unwrap_err().to_string(), taken);
    assert_eq!(mixed.skip(3).num_batches(&options).unwrap_err().to_string(), taken);

    assert_ne!(
        mixed.fingerprint().unwrap(),
        Dataset::mixed([(whole.take(5), 1.0), (whole.skip(5), 3.0)]).unwrap().fingerprint().unwrap()
    );
    let lines = mixed.explain();
    assert!(lines.starts_with("weight 1: 1 file, columns: "), "{lines}");
    assert!(
        lines.contains("\n  rows 0 to 5\n") && lines.contains("\nweight 2: 1 file, columns: "),
        "{lines}"
    );
    let name = mixed.specs()[0].0.clone();
    let projected = mixed.project(&[&name]).unwrap();
    assert_eq!(projected.specs().len(), 1);
    assert_eq!(projected.num_rows().unwrap(), 20);
}

#[test]
fn states_know_the_datasets_and_the_options() {
    let directory = Directory::new();
    let whole = dataset(&write(&directory, &[20], 200));
    let parts = || [(whole.take(5), 1.0), (whole.skip(5), 2.0)];
    let mixed = Dataset::mixed(parts()).unwrap();
    let options = IterationOptions { batch_size: 4, seed: Some(1), ..Default::default() };
    let state = mixed.record_batches(options.clone()).unwrap().state().unwrap();
    let load = |dataset: &Dataset, options: &IterationOptions, state: &str| {
        let mut iterator = dataset.record_batches(options.clone()).unwrap();
        iterator.load_state(state).map_err(|error| error.to_string())
    };
    let refused = |dataset: &Dataset, options: &IterationOptions| load(dataset, options, &state).unwrap_err();
    let three = Dataset::mixed(parts().into_iter().chain([(whole.clone(), 1.0)])).unwrap();
    assert_eq!(
        refused(&three, &options),
        "state: expected number of datasets 3, as requested, found number of datasets 2"
    );
    let others = Dataset::mixed([(whole.take(5), 1.0), (whole.skip(5), 3.0)]).unwrap();
    assert_eq!(
        refused(&others, &options),
        "state: expected weights [1.0, 3.0], as requested, found weights [1.0, 2.0]"
    );
    let rows = Dataset::mixed([(whole.take(6), 1.0), (whole.skip(5), 2.0)]).unwrap();
    assert_eq!(refused(&rows, &options), "state: expected rows 0 to 6, as requested, found rows 0 to 5");
    for (changed, expected) in [
        (
            IterationOptions { batch_size: 5, ..options.clone() },
            "batch_size 5, as requested, found batch_size 4",
        ),
        (IterationOptions { seed: Some(2), ..options.clone() }, "seed 2, as requested, found seed 1"),
        (
            IterationOptions { drop_remainder: true, ..options.clone() },
            "drop_remainder true, as requested, found drop_remainder false",
        ),
    ] {
        assert_eq!(refused(&mixed, &changed), format!("state: expected {expected}"));
    }
    let of_files = whole.record_batches(options.clone()).unwrap().state().unwrap();
    assert_eq!(
        load(&mixed, &options, &of_files).unwrap_err(),
        "state: expected a state of an iteration over a mixture, found a state of one over one dataset: start without the state, \
         or iterate as when it was saved"
    );
    // Without a seed, the state has the one that was drawn.
    let unseeded = IterationOptions { seed: None, ..options };
    let mut first = mixed.record_batches(unseeded.clone()).unwrap();
    let state = first.state().unwrap();
    let mut second = mixed.record_batches(unseeded).unwrap();
    second.load_state(&state).unwrap();
    let rest = |iterator: arrowfeed::dataset::BatchIterator| {
        iterator.map(|batch| numbers(&batch.unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(rest(first), rest(second));
}

/// Otherwise the filter would read the rows that were left out.
#[test]
fn a_filter_after_take_or_skip_is_refused() {
    let directory = Directory::new();
    let whole = dataset(&write(&directory, &[20], 200));
    let mixed = Dataset::mixed([(whole.take(10), 1.0), (whole.skip(10), 1.0)]).unwrap();
    let predicate = "id < 15".parse().unwrap();
    for selected in [mixed.take(5), mixed.skip(5)] {
        assert_eq!(
            selected.filter(&predicate).unwrap_err().to_string(),
            "expected all rows of a mixed dataset, found one after take or skip: take and skip rows of the datasets before \
             they are mixed"
        );
    }
    assert_eq!(mixed.filter(&predicate).unwrap().num_rows().unwrap(), 15);
}
