//! Tests that randomly changed structs of the C data interface give a valid batch or an error.

use arbitrary::Unstructured;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{random_run, structs};

/// Number of random bytes that determine a case.
const BYTES: usize = 4096;

#[test]
fn any_structs_give_a_valid_batch_or_an_error() {
    let cases = random_run::cases(1000);
    let (mut batches, mut refused) = (0, 0);
    let mut bytes = vec![0; BYTES];
    for seed in random_run::seeds(1000) {
        ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
        let done = std::panic::catch_unwind(|| structs::case(&mut Unstructured::new(&bytes), drop));
        match done.unwrap_or_else(|_| panic!("seed {seed}")) {
            Ok(true) => batches += 1,
            Ok(false) => refused += 1,
            Err(_) => {}
        }
    }
    assert!(batches > cases / 10 && refused > cases / 10, "{batches} batches and {refused} errors");
}
