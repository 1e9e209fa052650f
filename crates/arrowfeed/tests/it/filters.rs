//! Tests of filters: a filtered dataset is a dataset that has only the rows that pass.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::avro::OnError;
use arrowfeed::dataset::{Even, GlobalBatches};
use arrowfeed::predicate::Predicate;
use arrowfeed::source::run::RangeOptions;
use arrowfeed::{Dataset, IterationOptions, RowOptions};
use proptest::prelude::*;

use crate::faults::with_a_wrong_chunk;
use crate::files::{Directory, Format, all, check_resumes, dataset, formats, numbers, write_as};

/// Whether a row with this number passes.
type Passes = fn(i64, i64) -> bool;

/// Predicates with a number, and their meaning for the row with number `n`.
const PREDICATES: [(&str, Passes); 9] = [
    ("id < N", |n, limit| n < limit),
    ("id >= N", |n, limit| n >= limit),
    ("id == N", |n, limit| n == limit),
    ("not id < N", |n, limit| n >= limit),
    ("id < N and text is not null", |n, limit| n < limit && n % 3 > 0),
    ("text is null", |n, _| n % 3 == 0),
    ("text starts with \"row\" and id < N", |n, limit| n % 3 > 0 && n < limit),
    ("id in [3, N, 100] or id < 0", |n, limit| [3, limit, 100].contains(&n)),
    ("id != N and not id == 5", |n, limit| n != limit && n != 5),
];

fn predicate((text, _): (&str, Passes), limit: i64) -> Predicate {
    text.replace('N', &limit.to_string()).parse().unwrap()
}

fn passing((_, passes): (&str, Passes), limit: i64, rows: &[usize]) -> Vec<i64> {
    (0..rows.iter().sum::<usize>() as i64).filter(|n| passes(*n, limit)).collect()
}

fn sorted(mut rows: Vec<i64>) -> Vec<i64> {
    rows.sort_unstable();
    rows
}

fn batches(rows: &[i64], batch_size: usize) -> Vec<Vec<i64>> {
    rows.chunks(batch_size).map(<[i64]>::to_vec).collect()
}

proptest! {
    #![proptest_config(crate::random_config::config(25))]

    #[test]
    fn in_file_order_batches_have_the_next_rows_that_pass(
        format in formats(),
        rows in proptest::collection::vec(0_usize..150, 1..5),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        kind in proptest::sample::select(&PREDICATES),
        limit in 0_i64..300,
        batch_size in 1_usize..60,
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
        (skipped, taken) in prop_oneof![Just((0_usize, usize::MAX)), (0_usize..60, 0_usize..100)],
        decodes_ahead: bool,
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, chunk_bytes));
        let filtered = whole.filter(&predicate(kind, limit)).unwrap();
        let passing = passing(kind, limit, &rows);
        let selected = filtered.skip(skipped as u64).take(taken as u64);
        let rows: Vec<i64> = passing.iter().skip(skipped).take(taken).copied().collect();
        let options = IterationOptions {
            batch_size, threads: NonZeroUsize::new(threads), decodes_ahead, ..Default::default()
        };
        let expected = batches(&rows, batch_size);
        prop_assert_eq!(&all(&selected, &options), &expected);
        check_resumes(&selected, &options, &expected)?;
        prop_assert_eq!(selected.num_rows().unwrap(), rows.len() as u64);
        prop_assert_eq!(selected.num_batches(&options).unwrap(), Some(expected.len() as u64));
        // With the index, which `num_rows` has made.
        prop_assert_eq!(&all(&selected, &options), &expected);
    }

    #[test]
    fn shuffles_shards_and_splits_have_each_row_once(
        format in formats(),
        rows in proptest::collection::vec(0_usize..150, 1..5),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        kind in proptest::sample::select(&PREDICATES),
        limit in 0_i64..300,
        batch_size in 1_usize..60,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30), Just(1000)],
        shards in 1_u64..4,
        (drop_remainder, across_epochs, is_split) in any::<(bool, bool, bool)>(),
        epochs in 1_u64..3,
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, chunk_bytes));
        let filtered = whole.filter(&predicate(kind, limit)).unwrap();
        let mut passing = passing(kind, limit, &rows);
        let mut parts = vec![filtered.clone()];
        if is_split {
            let (one, rest) = filtered.split(0.6, 7).unwrap();
            parts = vec![one, rest];
        }
        let mut found = Vec::new();
        for part in &parts {
            for index in 0..shards {
                let options = IterationOptions {
                    batch_size, shuffle_buffer_size, drop_remainder, across_epochs, shard: (index, shards),
                    epochs: NonZeroU64::new(epochs), seed: Some(3), threads: NonZeroUsize::new(threads), ..Default::default()
                };
                let batches = all(part, &options);
                check_resumes(part, &options, &batches)?;
                prop_assert_eq!(part.num_batches(&options).unwrap(), Some(batches.len() as u64));
                let short = batches.iter().filter(|batch| batch.len() < batch_size).count() as u64;
                let most = if drop_remainder { 0 } else if across_epochs { 1 } else { epochs };
                prop_assert!(short <= most);
                found.extend(batches.concat());
            }
        }
        if drop_remainder {
            found = sorted(found);
            found.dedup();
            prop_assert!(found.iter().all(|n| passing.contains(n)));
        } else {
            passing = passing.repeat(epochs as usize);
            prop_assert_eq!(sorted(found), sorted(passing));
        }
    }

    #[test]
    fn global_batches_and_rows_by_number_are_of_the_rows_that_pass(
        format in formats(),
        rows in proptest::collection::vec(0_usize..150, 1..5),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        kind in proptest::sample::select(&PREDICATES),
        limit in 0_i64..300,
        streams in 1_u64..9,
        each in 1_usize..6,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30)],
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, chunk_bytes));
        let filtered = whole.filter(&predicate(kind, limit)).unwrap();
        let passing = passing(kind, limit, &rows);
        let global = GlobalBatches { streams, even: Some(Even::Drop), ..GlobalBatches::new(each * streams as usize) };
        let options = IterationOptions {
            global: Some(global), shuffle_buffer_size, seed: Some(1), threads: NonZeroUsize::new(threads), ..Default::default()
        };
        let alone = all(&filtered, &options);
        check_resumes(&filtered, &options, &alone)?;
        prop_assert_eq!(alone.len(), passing.len() / global.size);
        prop_assert!(alone.iter().all(|batch| batch.len() == global.size));
        let own = |index| all(&filtered, &IterationOptions { shard: (index, streams), ..options.clone() });
        let each: Vec<_> = (0..streams).map(own).collect();
        let together: Vec<Vec<i64>> =
            (0..alone.len()).map(|k| each.iter().flat_map(|batches| batches[k].clone()).collect()).collect();
        prop_assert_eq!(&together, &alone);
        let order: Vec<i64> = (0..passing.len() as i64).rev().step_by(3).collect();
        let found = filtered.rows(&order, &RowOptions::default()).unwrap();
        let expected: Vec<i64> = order.iter().map(|number| passing[*number as usize]).collect();
        prop_assert_eq!(numbers(&found), expected);
    }

    #[test]
    fn a_filter_of_selected_rows_is_of_these_rows(
        format in formats(),
        rows in proptest::collection::vec(0_usize..150, 1..5),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        kinds in proptest::array::uniform2(proptest::sample::select(&PREDICATES)),
        limits in proptest::array::uniform2(0_i64..300),
        (is_split, is_filtered_before) in any::<(bool, bool)>(),
        (skipped, taken) in prop_oneof![Just((0_usize, usize::MAX)), (0_usize..60, 0_usize..200)],
        batch_size in 1_usize..60,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30)],
        shards in 1_u64..3,
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
    ) {
        let directory = Directory::new();
        let mut dataset = dataset(&write_as(format, &directory, &rows, chunk_bytes));
        if is_filtered_before {
            dataset = dataset.filter(&predicate(kinds[0], limits[0])).unwrap();
        }
        dataset = dataset.skip(skipped as u64).take(taken as u64);
        if is_split {
            dataset = dataset.split(0.6, 7).unwrap().1;
        }
        let options = IterationOptions { threads: NonZeroUsize::new(threads), ..Default::default() };
        let before = all(&dataset, &options).concat();
        let filtered = dataset.filter(&predicate(kinds[1], limits[1])).unwrap();
        let expected: Vec<i64> = before.into_iter().filter(|n| (kinds[1].1)(*n, limits[1])).collect();
        prop_assert_eq!(all(&filtered, &options).concat(), expected.clone());
        prop_assert_eq!(filtered.num_rows().unwrap(), expected.len() as u64);
        let mut found = Vec::new();
        for index in 0..shards {
            let options = IterationOptions {
                batch_size, shuffle_buffer_size, shard: (index, shards), seed: Some(3), ..options.clone()
            };
            let batches = all(&filtered, &options);
            check_resumes(&filtered, &options, &batches)?;
            found.extend(batches.concat());
        }
        prop_assert_eq!(sorted(found), expected);
    }

    #[test]
    fn splits_have_full_batches_of_the_rows_that_pass(
        format in crate::files::file_formats(),
        rows in proptest::collection::vec(0_usize..200, 1..4),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        kind in proptest::sample::select(&PREDICATES),
        limit in 0_i64..300,
        target_bytes in 1_u64..3000,
        batch_size in 1_usize..50,
    ) {
        let directory = Directory::new();
        let whole = dataset(&write_as(format, &directory, &rows, chunk_bytes));
        let filtered = whole.filter(&predicate(kind, limit)).unwrap();
        let mut found = Vec::new();
        for split in filtered.plan_splits(target_bytes, None).unwrap() {
            let options = RangeOptions { batch_size: Some(batch_size), ..RangeOptions::default() };
            let read: Vec<Vec<i64>> =
                filtered.read_split(&split, None, options).unwrap().map(|batch| numbers(&batch.unwrap())).collect();
            prop_assert!(read.iter().rev().skip(1).all(|batch| batch.len() == batch_size));
            found.extend(read.concat());
        }
        prop_assert_eq!(found, passing(kind, limit, &rows));
    }
}

/// Ten files of ten rows with the numbers from 0 to 99.
fn hundred(directory: &Directory) -> Dataset {
    dataset(&write_as(Format::Avro, directory, &[10; 10], 40))
}

#[test]
fn filters_of_filters_are_joined() {
    let directory = Directory::new();
    let dataset = hundred(&directory);
    let joined = dataset.filter(&"id >= 20".parse().unwrap()).unwrap();
    let joined = joined.filter(&"id < 24".parse().unwrap()).unwrap();
    let once = dataset.filter(&"id >= 20 and id < 24".parse().unwrap()).unwrap();
    assert_eq!(all(&joined, &IterationOptions::default()), [[20, 21, 22, 23]]);
    // Their states are the same.
    let mut batches = once.record_batches(IterationOptions::default()).unwrap();
    batches
        .load_state(&joined.record_batches(IterationOptions::default()).unwrap().state().unwrap())
        .unwrap();
    assert_eq!(batches.count(), 1);
}

#[test]
fn restrictions_are_listed_in_order() {
    let directory = Directory::new();
    let dataset =
        hundred(&directory).skip(1).split(0.5, 3).unwrap().0.filter(&"id < 50".parse().unwrap()).unwrap();
    let dataset = dataset
        .take(9)
        .filter(&"id > 2".parse().unwrap())
        .unwrap()
        .filter(&"id != 7".parse().unwrap())
        .unwrap();
    let shown: Vec<String> = dataset.restrictions().iter().map(ToString::to_string).collect();
    let expected = [
        "rows from 1 on, split(0.5, seed=3)[0]",
        "filter(id < 50)",
        "rows 0 to 9",
        "filter(id > 2 and id != 7)",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_state_of_another_filter_is_refused() {
    let directory = Directory::new();
    let dataset = hundred(&directory);
    let few = dataset.filter(&"id < 24".parse().unwrap()).unwrap();
    let state = few.record_batches(IterationOptions::default()).unwrap().state().unwrap();
    let refused = |dataset: &Dataset| {
        dataset
            .record_batches(IterationOptions::default())
            .unwrap()
            .load_state(&state)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(refused(&dataset), "state: expected no filter, as requested, found filter(id < 24)");
    assert_eq!(
        refused(&dataset.filter(&"id < 25".parse().unwrap()).unwrap()),
        "state: expected filter(id < 25), as requested, found filter(id < 24)"
    );
}

#[test]
fn the_report_counts_the_rows_that_do_not_pass() {
    let directory = Directory::new();
    let dataset = hundred(&directory);
    for (text, rows) in [("id < 24", 24), ("id < 0", 0), ("id >= 0", 100)] {
        let filtered = dataset.filter(&text.parse().unwrap()).unwrap();
        let mut batches = filtered.record_batches(IterationOptions::default()).unwrap();
        assert_eq!(batches.by_ref().map(|batch| batch.unwrap().num_rows()).sum::<usize>(), rows);
        let report = batches.report();
        assert_eq!((report.rows, report.rejected), (rows as u64, 100 - rows as u64));
    }
}

#[test]
fn an_epoch_without_a_passing_row_ends_an_iteration_without_end() {
    let directory = Directory::new();
    let dataset = hundred(&directory).filter(&"id < 0".parse().unwrap()).unwrap();
    for shuffle_buffer_size in [0, 10] {
        let options =
            IterationOptions { epochs: None, shuffle_buffer_size, seed: Some(1), ..Default::default() };
        assert_eq!(all(&dataset, &options), [[0_i64; 0]; 0]);
    }
}

#[test]
fn the_columns_of_a_predicate_need_not_be_read() {
    let directory = Directory::new();
    let paths = write_as(Format::Avro, &directory, &[50], 100);
    let files =
        arrowfeed::avro::AvroFormat::files(&paths, arrowfeed::avro::AvroOptions::default(), None).unwrap();
    let files = files.with_columns(&["id".to_owned()]).unwrap();
    let dataset = Dataset::open(files, arrowfeed::DatasetOptions::default()).unwrap();
    let filtered = dataset.filter(&"text is null".parse().unwrap()).unwrap();
    assert_eq!(filtered.arrow_schema().fields().len(), 1);
    let batches = filtered.record_batches(IterationOptions::default()).unwrap();
    let batches: Vec<_> = batches.map(Result::unwrap).collect();
    assert_eq!((batches.len(), batches[0].num_rows(), batches[0].num_columns()), (1, 17, 1));
}

#[test]
fn an_index_has_the_rows_that_pass() {
    let directory = Directory::new();
    let paths = write_as(Format::Avro, &directory, &[100, 50], 40);
    let path = directory.0.join("index.json");
    let (one, two) = ("id < 24", "text is null");
    dataset(&paths).filter(&one.parse().unwrap()).unwrap().save_index(&path, None).unwrap();
    // An index that is saved again keeps the numbers of rows for other predicates.
    let indexed = dataset(&paths).with_index(&path, None).unwrap();
    indexed.filter(&two.parse().unwrap()).unwrap().save_index(&path, None).unwrap();
    let indexed = dataset(&paths).with_index(&path, None).unwrap();
    // The rows are not counted again: the files are gone.
    let expected = [one, two].map(|text| {
        all(&dataset(&paths).filter(&text.parse().unwrap()).unwrap(), &IterationOptions::default())
            .concat()
            .len() as u64
    });
    for file in &paths {
        std::fs::remove_file(file).unwrap();
    }
    for (text, rows) in [one, two].iter().zip(expected) {
        assert_eq!(indexed.filter(&text.parse().unwrap()).unwrap().num_rows().unwrap(), rows);
    }
    assert_eq!(indexed.num_rows().unwrap(), 150);
    indexed.filter(&"id < 25".parse().unwrap()).unwrap().num_rows().unwrap_err();
}

#[test]
fn an_index_with_wrong_numbers_of_passing_rows_is_refused() {
    let directory = Directory::new();
    let paths = write_as(Format::Avro, &directory, &[20], 40);
    let path = directory.0.join("index.json");
    dataset(&paths).filter(&"id < 4".parse().unwrap()).unwrap().save_index(&path, None).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let rows = text
        .split("\"filters\":[{\"predicate\":\"id < 4\",\"rows\":[[")
        .nth(1)
        .unwrap()
        .split("]]")
        .next()
        .unwrap();
    let refused = |new: &str| {
        std::fs::write(&path, text.replace(&format!("[[{rows}]]"), new)).unwrap();
        dataset(&paths).with_index(&path, None).unwrap_err().to_string()
    };
    let at = path.display();
    assert_eq!(refused("[]"), format!("{at}: filters[0].rows: expected 1 list, as many as files, found 0"));
    let count = rows.split(',').count();
    assert_eq!(
        refused("[[1]]"),
        format!("{at}: filters[0].rows[0]: expected {count} numbers, as many as offsets, found 1")
    );
    let more = format!("[[{}]]", rows.replacen(char::is_numeric, "90", 1));
    assert!(refused(&more).contains("filters[0].rows[0][0]: expected at most "), "{}", refused(&more));
    let fewer = format!("[[{}]]", rows.replacen(char::is_numeric, "0", 1));
    assert!(refused(&fewer).contains("the checksum of the files in this index"), "{}", refused(&fewer));
}

/// The rows that `on_error` leaves are the same with and without a filter.
#[test]
fn rows_of_damaged_files_pass_as_those_of_others() {
    for format in Format::ALL {
        let directory = Directory::new();
        let paths = with_a_wrong_chunk(format, &directory);
        let whole = dataset(&paths);
        for on_error in [OnError::SkipBlock, OnError::SkipFile] {
            let options = |threads, shard, shuffle_buffer_size| IterationOptions {
                batch_size: 17,
                threads: NonZeroUsize::new(threads),
                seed: Some(1),
                shard,
                shuffle_buffer_size,
                on_error,
                ..Default::default()
            };
            let read = all(&whole, &options(1, (0, 1), 0)).concat();
            let filtered = whole.filter(&"text is not null and id >= 20".parse().unwrap()).unwrap();
            let expected: Vec<i64> = read.into_iter().filter(|n| n % 3 > 0 && *n >= 20).collect();
            for threads in [1, 3] {
                let batches = all(&filtered, &options(threads, (0, 1), 0));
                assert_eq!(batches.concat(), expected, "{format:?} {on_error:?}");
                assert!(batches.iter().rev().skip(1).all(|batch| batch.len() == 17));
                if threads == 3 {
                    check_resumes(&filtered, &options(1, (0, 1), 0), &batches).unwrap();
                }
                // A process that skips the rest of a file leaves the rows of others.
                for shuffle_buffer_size in [0, 40].into_iter().filter(|_| on_error == OnError::SkipBlock) {
                    let own =
                        |index| all(&filtered, &options(threads, (index, 2), shuffle_buffer_size)).concat();
                    assert_eq!(sorted((0..2).flat_map(own).collect()), expected, "{format:?} {on_error:?}");
                }
            }
        }
    }
}
