//! Changed schemas and record batches are values or errors, without a panic of the `arrow-ipc` crate that is caught.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arbitrary::Unstructured;
use arrow_array::RecordBatch;
use arrowfeed_ipc::IpcOptions;
use arrowfeed_source::OnError;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::support::{Kind, open, packed, panics_of_dependencies, read, write};
use crate::{random_run, structs};

/// Changes of each stream.
const CHANGES: usize = 40;

/// The stream of a batch, if the `arrow-ipc` crate can write it, and the length of its schema message.
fn stream(batch: &RecordBatch) -> Option<(Vec<u8>, usize)> {
    let written = || write(Kind::Stream, std::slice::from_ref(batch), packed(None));
    let bytes = catch_unwind(AssertUnwindSafe(written)).ok()?;
    let len = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    Some((bytes, 8 + len))
}

/// Changes one or two numbers of the bytes.
fn change(bytes: &mut [u8], random: &mut ChaCha8Rng) {
    for _ in 0..1 + random.next_u32() % 2 {
        let at = random.next_u32() as usize % bytes.len();
        match random.next_u32() % 4 {
            0 => bytes[at] = random.next_u32() as u8,
            1 => bytes[at] = (random.next_u32() % 33) as u8,
            2 => bytes[at] ^= 1 << (random.next_u32() % 8),
            _ => {
                let at = at / 4 * 4;
                let number = [0, 1, -1, 2, 8, 128, 256, i32::MAX, i32::MIN][random.next_u32() as usize % 9];
                let len = 4.min(bytes.len() - at);
                bytes[at..at + len].copy_from_slice(&number.to_le_bytes()[..len]);
            }
        }
    }
}

/// Counts the changed streams that are read, and those that are errors.
fn outcomes(percent: u32, part: impl Fn(&mut [u8], usize) -> &mut [u8]) -> [usize; 2] {
    let [mut read_whole, mut errors] = [0; 2];
    let mut bytes = vec![0; 4096];
    for seed in random_run::seeds(percent) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.fill_bytes(&mut bytes);
        let _ = structs::case(&mut Unstructured::new(&bytes), |batch| {
            let Some((stream, schema)) = stream(&batch) else { return };
            panics_of_dependencies();
            for _ in 0..CHANGES {
                let mut changed = stream.clone();
                change(part(&mut changed, schema), &mut random);
                let files = open(changed, IpcOptions::default());
                let error = files.and_then(|files| read(files, 100, 1, OnError::Raise).1.map_or(Ok(()), Err));
                assert_eq!(panics_of_dependencies(), 0, "seed {seed}: {error:?}");
                (read_whole, errors) =
                    (read_whole + usize::from(error.is_ok()), errors + usize::from(error.is_err()));
            }
        });
    }
    [read_whole, errors]
}

#[test]
fn changed_schemas_cause_no_panic() {
    let [read, errors] = outcomes(150, |bytes, schema| &mut bytes[8..schema]);
    assert!(read > 100 && errors > 100, "{read} {errors}");
}

#[test]
fn changed_record_batches_cause_no_panic() {
    let [read, errors] = outcomes(150, |bytes, schema| &mut bytes[schema..]);
    assert!(read > 100 && errors > 100, "{read} {errors}");
}
