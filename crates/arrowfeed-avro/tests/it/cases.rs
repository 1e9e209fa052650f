//! The corpus of `tests/cases/avro`, with one test for each of its files.

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use crate::cases_support::{case, run};

macro_rules! topics {
    ($($topic:ident),+ $(,)?) => {
        const TOPICS: &[&str] = &[$(stringify!($topic)),+];

        $(#[test]
        fn $topic() {
            run_topic(stringify!($topic));
        })+
    };
}

topics! {
    bad_values, defaults, double_as_float, fixed_lengths, logical_resolution, names, projection,
    promotion, string_types, type_array, type_decimal, type_enum, type_invalid_logical, type_map,
    type_nullable, type_numbers, type_record, type_recursive, type_root, type_strings, type_time,
    type_union, type_uuid_and_duration, union_resolution, unions,
}

/// Runs every case, even if earlier ones failed.
fn run_topic(topic: &str) {
    let cases = case::load(topic);
    let failed: Vec<String> = cases.iter().filter_map(failure).collect();
    assert!(
        failed.is_empty(),
        "{} of {} cases failed:\n\n{}",
        failed.len(),
        cases.len(),
        failed.join("\n\n")
    );
}

fn failure(case: &case::Case) -> Option<String> {
    let panic = catch_unwind(|| run::run(case)).err()?;
    let message = panic.downcast_ref::<String>().map_or("", String::as_str);
    Some(format!("{}: {message}", case.name))
}

#[test]
fn every_file_of_the_corpus_is_run() {
    let files = std::fs::read_dir(case::folder()).unwrap();
    let names = files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    let names: BTreeSet<String> = names.collect();
    assert_eq!(names, TOPICS.iter().map(|topic| (*topic).to_owned()).collect());
}

#[test]
fn every_case_has_a_unique_name() {
    let cases: Vec<case::Case> = TOPICS.iter().flat_map(|topic| case::load(topic)).collect();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len());
    assert!(cases.len() >= 400, "{} cases", cases.len());
}

#[test]
fn every_case_expects_something() {
    for case in TOPICS.iter().flat_map(|topic| case::load(topic)) {
        assert!(!case.encodings().is_empty(), "{}", case.name);
    }
}

#[test]
fn every_case_of_a_type_has_all_encodings() {
    for topic in TOPICS.iter().filter(|topic| topic.starts_with("type_")) {
        for case in case::load(topic) {
            let encodings: Vec<&str> = case.encodings().iter().map(|(encoding, _)| *encoding).collect();
            assert_eq!(encodings, ["native", "feature", "tfx"], "{topic}: {}", case.name);
        }
    }
}
