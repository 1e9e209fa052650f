//! Random schemas and data are read as they were written.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arbitrary::Unstructured;
use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrowfeed_ipc::IpcOptions;
use arrowfeed_source::OnError;
use arrowfeed_source::format::check_values;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::support::{CODECS, KINDS, Kind, cut, hide_panics_of_dependencies, open, packed, read, write};
use crate::{random_run, structs};

/// Names of types that do not have all numbers as values.
const CHECKED: [&str; 4] = ["Decimal", "Date64", "Time32", "Time64"];

/// Number of random bytes that determine a case.
const BYTES: usize = 4096;

#[test]
fn random_batches_are_read_as_the_crate_reads_them() {
    hide_panics_of_dependencies();
    let cases = random_run::cases(300);
    let mut compared = 0;
    let mut bytes = vec![0; BYTES];
    for seed in random_run::seeds(300) {
        ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
        // An error means that there are too few bytes for a case.
        let _ = structs::case(&mut Unstructured::new(&bytes), |batch| {
            compared += u32::from(compare(seed, &batch))
        });
    }
    assert!(compared > cases / 10, "{compared} of {cases}");
}

/// Whether the `arrow-ipc` crate can write and read the batch. Compares what it reads with what the format reads.
fn compare(seed: u64, batch: &RecordBatch) -> bool {
    let mut names = HashSet::new();
    // Columns of one name are refused.
    if batch.num_rows() == 0 || !batch.schema_ref().fields().iter().all(|field| names.insert(field.name())) {
        return false;
    }
    let codec = CODECS[seed as usize % 3];
    let written = catch_unwind(AssertUnwindSafe(|| {
        let batches = cut(batch, 3);
        let stream = write(Kind::Stream, &batches, packed(codec));
        let read: Result<Vec<_>, _> = StreamReader::try_new(&stream[..], None).unwrap().collect();
        (KINDS.map(|kind| write(kind, &batches, packed(codec))), read.unwrap())
    }));
    let Ok((files, mut expected)) = written else { return false };
    // Record batches with numbers that are no values of their type are damaged, and so are all after such a dictionary.
    let schema = format!("{:?}", batch.schema_ref().fields());
    if schema.contains("Dictionary(") && CHECKED.iter().any(|name| schema.contains(name)) {
        return false;
    }
    expected.retain(|batch| batch.columns().iter().all(|column| check_values(column, "").is_ok()));
    for (file, threads) in files.into_iter().zip([1, 2]) {
        let files = open(file, IpcOptions::default()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let (found, error) = read(files, 3, threads, OnError::SkipBlock);
        assert!(error.is_none(), "seed {seed}: {error:?}");
        assert_eq!(found, expected, "seed {seed}");
    }
    true
}
