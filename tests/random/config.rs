//! The configuration of the tests with `proptest`. A program that includes this file also includes `run.rs`, as `random_run`.

use proptest::test_runner::{Config, RngSeed};

use crate::random_run;

/// Steps towards a smaller case. More of them would take longer than the search for the case.
const SHRINKS: u32 = 500;

/// Cases from the seed of the run, `percent` of `ARROWFEED_CASES` of them, after those that once failed, which proptest keeps in
/// files.
pub(crate) fn config(percent: u32) -> Config {
    Config {
        cases: random_run::cases(percent),
        rng_seed: RngSeed::Fixed(random_run::seed()),
        max_shrink_iters: SHRINKS,
        ..Config::default()
    }
}
