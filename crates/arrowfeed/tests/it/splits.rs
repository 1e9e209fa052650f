//! Tests of splits: each row once wherever files are cut, claims, and files that have changed.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::{FileReader, RangeOptions};
use arrowfeed::{Dataset, FeedErrorKind, Split};
use proptest::prelude::*;

use crate::files::{Directory, Format, dataset, file_formats, numbers, write_as};

fn rows(reader: FileReader) -> Vec<i64> {
    reader.flat_map(|batch| numbers(&batch.unwrap())).collect()
}

fn read(dataset: &Dataset, split: &Split) -> Vec<i64> {
    rows(dataset.read_split(split, None, RangeOptions::default()).unwrap())
}

proptest! {
    #![proptest_config(crate::random_config::config(15))]

    #[test]
    fn splits_give_every_row_once_in_order(
        format in file_formats(),
        files in proptest::collection::vec(0_usize..200, 1..4),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        target_bytes in 1_u64..3000,
        batch_size in 1_usize..50,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &files, chunk_bytes));
        let mut found = Vec::new();
        for split in dataset.plan_splits(target_bytes, None).unwrap() {
            let options = RangeOptions { batch_size: Some(batch_size), ..RangeOptions::default() };
            for batch in dataset.read_split(&split, None, options).unwrap() {
                let batch = batch.unwrap();
                prop_assert!(batch.num_rows() <= batch_size);
                found.extend(numbers(&batch));
            }
        }
        prop_assert_eq!(found, (0..files.iter().sum::<usize>() as i64).collect::<Vec<_>>());
    }

    #[test]
    fn a_claim_that_is_refused_leaves_the_rest_to_who_reads_from_there(
        format in file_formats(),
        granted in 0_usize..12,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &[100], 100));
        let [split] = &dataset.plan_splits(u64::MAX, None).unwrap()[..] else { panic!("one split") };
        let asked = Arc::new(Mutex::new(Vec::new()));
        let claims = asked.clone();
        let claim = move |offset| {
            let mut asked = claims.lock().unwrap();
            asked.push(offset);
            Ok(asked.len() <= granted)
        };
        let options = RangeOptions { claim: Some(Box::new(claim)), ..RangeOptions::default() };
        let mut found = rows(dataset.read_split(split, None, options).unwrap());
        let refused = asked.lock().unwrap().get(granted).copied();
        if let Some(refused) = refused {
            prop_assert!(found.len() < 100);
            found.extend(read(&dataset, &Split { start: refused, ..split.clone() }));
        }
        prop_assert_eq!(found, (0..100).collect::<Vec<_>>());
    }
}

#[test]
fn a_file_that_is_not_the_one_that_was_planned_for_is_refused() {
    for format in Format::FILES {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &[100, 30], 100);
        let dataset = dataset(&paths);
        let splits = dataset.plan_splits(500, None).unwrap();
        std::fs::copy(&paths[1], &paths[0]).unwrap();
        let error = dataset.read_split(&splits[0], None, RangeOptions::default()).unwrap_err();
        assert_eq!(error.kind(), FeedErrorKind::Changed, "{error}");
        assert!(error.to_string().contains("unchanged since its splits were planned"), "{error}");
    }
}

#[test]
fn the_bytes_of_a_split_may_come_from_elsewhere() {
    for format in Format::FILES {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &[100], 100);
        let dataset = dataset(&paths);
        let splits = dataset.plan_splits(500, None).unwrap();
        let bytes = std::fs::read(&paths[0]).unwrap();
        std::fs::remove_file(&paths[0]).unwrap();
        let found = splits.iter().flat_map(|split| {
            let source = FileSource::bytes(bytes.clone()).with_name("elsewhere");
            rows(dataset.read_split(split, Some(source), RangeOptions::default()).unwrap())
        });
        assert_eq!(found.collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
    }
}

#[test]
fn a_split_of_another_file_is_refused() {
    for format in Format::FILES {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &[100, 100], 100);
        let (one, other) = (dataset(&paths[..1]), dataset(&paths[1..]));
        let split = other.plan_splits(u64::MAX, None).unwrap().remove(0);
        let error = one.read_split(&split, None, RangeOptions::default()).unwrap_err();
        let path = Path::new(&paths[1]).display();
        let message = format!("expected a split of a file of this dataset, found a split of \"{path}\"");
        assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Options, message));
    }
}

#[test]
fn files_without_a_path_are_not_split() {
    let directory = Directory::new();
    let paths = write_as(Format::Chunks, &directory, &[100], 100);
    let error = dataset(&paths).plan_splits(500, None).unwrap_err();
    let message = format!("expected files with a path, which can be split, found \"{}\"", paths[0].display());
    assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Options, message));
}
