//! Many files that are almost valid: reading gives rows or an error, never a panic, in little time and memory.
//!
//! `ARROWFEED_MUTANTS` sets the number of mutants, and `ARROWFEED_MUTANT` selects a single one. Each depends only on the seed of
//! the run and on its number.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use arrow_array::{Array, StructArray};
use arrowfeed_avro::{AvroHeader, AvroOptions, FeedErrorKind, FileSource, Limits, Unions};

use crate::allocator::peak_of;
use crate::alone;
use crate::cpu_time::cpu_time;
use crate::random_run;
use crate::support_hostile::mutate::mutant;
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::random::Random;
use crate::support_hostile::seeds::{Seed, seeds};
use crate::support_hostile::skipping::{assert_same_columns, may_differ};
use crate::support_hostile::ways::read;

/// These take some seconds. `make test-long` has ten times as many.
const MUTANTS: u64 = 20_000;

/// One of so many mutants is also read with unions in the other forms.
const OTHER_FORMS: u64 = 8;

/// CPU time of a mutant on a machine that does nothing else.
const MAX_TIME: Duration = Duration::from_millis(250);
const MAX_BYTES: usize = 256 << 20;

#[test]
fn a_mutant_is_read_or_refused_and_in_little_memory() {
    // Other work on the cores can double the CPU time.
    all_within(10 * MAX_TIME);
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn a_mutant_is_read_or_refused_soon() {
    all_within(MAX_TIME);
}

fn all_within(time: Duration) {
    let _alone = alone();
    let seeds = seeds(64);
    let run = random_run::seed();
    if let Some(one) = random_run::number("ARROWFEED_MUTANT") {
        return check(&seeds, run, one, time, &mut Tally::default());
    }
    let mut tally = Tally::default();
    let mutants = random_run::number("ARROWFEED_MUTANTS").unwrap_or(MUTANTS);
    for number in 0..mutants {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&seeds, run, number, time, &mut tally))) {
            let text = panic.downcast_ref::<String>().map_or("", String::as_str);
            let again = random_run::command(&format!("ARROWFEED_MUTANT={number} "));
            panic!("mutant {number}, which this command makes again: {again}: {text}");
        }
    }
    // The test would show little if all mutants were rejected early, or all were accepted.
    let Tally { taken, refused_in_values, .. } = tally;
    assert!(taken > mutants / 50, "{taken} of {mutants} mutants were taken");
    assert!(refused_in_values > mutants / 50, "{refused_in_values} of {mutants} mutants had wrong values");
}

#[derive(Default)]
struct Tally {
    taken: u64,
    refused_in_values: u64,
}

fn limits() -> Limits {
    Limits {
        decoded_block_bytes: 16 << 20,
        batch_bytes: 32 << 20,
        zero_byte_elements: 100_000,
        zero_byte_rows: 1_000_000,
        zstd_window_bytes: 16 << 20,
        xz_memory_bytes: 32 << 20,
        ..Limits::default()
    }
}

fn check(seeds: &[Seed], run: u64, number: u64, time: Duration, tally: &mut Tally) {
    let mut random = Random::new(random_run::mixed(run, number));
    let seed = random.pick(seeds);
    let bytes = mutant(seed, seeds, &mut random);
    let options = AvroOptions { limits: limits(), ..AvroOptions::default() };
    let whole = measured(&bytes, &options, time);
    match &whole.fault {
        None => {
            tally.taken += 1;
            let header = AvroHeader::read(FileSource::bytes(bytes.clone()), &options.limits).unwrap();
            assert_eq!(whole.rows() as u64, header.count_rows().unwrap(), "declared rows");
        }
        Some(fault) => tally.refused_in_values += u64::from(fault.field.is_some()),
    }
    if number.is_multiple_of(OTHER_FORMS) {
        for unions in [Unions::Struct, Unions::Json] {
            same_fault(&whole, &measured(&bytes, &AvroOptions { unions, ..options.clone() }, time));
        }
    }
    let names: Vec<String> = match whole.batches.first() {
        Some(batch) => batch.schema().fields().iter().map(|field| field.name().clone()).collect(),
        None => seed.kind.fields.iter().map(|name| (*name).to_owned()).collect(),
    };
    let columns: Vec<String> = names.into_iter().filter(|_| random.one_in(2)).collect();
    let part = measured(&bytes, &AvroOptions { columns: Some(columns), ..options }, time);
    skips_as_it_decodes(&whole, &part);
}

fn measured(bytes: &[u8], options: &AvroOptions, time: Duration) -> Outcome {
    let begun = cpu_time();
    let (outcome, peak) = peak_of(|| read(bytes, options));
    let took = cpu_time().saturating_sub(begun);
    assert!(took < time, "took {took:?}");
    assert!(peak < MAX_BYTES, "took {peak} bytes");
    if let Some(fault) = &outcome.fault {
        assert_ne!(fault.kind, FeedErrorKind::Internal, "{fault}");
    }
    for batch in &outcome.batches {
        StructArray::from(batch.clone()).to_data().validate_full().unwrap();
    }
    outcome
}

/// Checks that the form of unions does not affect which values are refused, except that it may be over a limit.
fn same_fault(dense: &Outcome, other: &Outcome) {
    let is_limit = |outcome: &Outcome| outcome.fault.as_ref().is_some_and(|fault| fault.limit.is_some());
    if !is_limit(dense) && !is_limit(other) {
        assert_eq!(other.fault, dense.fault, "{} but {}", other.verdict(), dense.verdict());
        assert_eq!(other.rows(), dense.rows());
    }
}

/// Checks that reading without some columns gives the same result as reading all.
fn skips_as_it_decodes(whole: &Outcome, part: &Outcome) {
    // A mutant may have other names of fields, or a schema that cannot be read as a whole.
    let about_the_schema = |outcome: &Outcome| {
        let kind = outcome.fault.as_ref().map(|fault| fault.kind);
        matches!(kind, Some(FeedErrorKind::Schema | FeedErrorKind::Options))
    };
    if about_the_schema(whole) || about_the_schema(part) || may_differ(whole, part) {
        return;
    }
    assert_eq!(whole.fault.is_some(), part.fault.is_some(), "{} but {}", whole.verdict(), part.verdict());
    assert_same_columns(whole, part);
}
