//! The number of cases of a random test, and their seeds.
//!
//! Each test program includes this file with `#[path]`: the compiler then puts the name of its package into the command
//! that repeats a failure, and a crate for so few functions would have to be built before every crate with tests.
//!
//! The seed of a run is random. `ARROWFEED_SEED` sets it, and then each test has the cases of that run. Every test that
//! asks for its seed prints a command that repeats it. The test harness shows this output if the test fails.

#![allow(dead_code, reason = "a program need not use all of these")]
#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::collections::hash_map::RandomState;
use std::env::{self, VarError};
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// `ARROWFEED_CASES`, if it is not set. `make test-long` sets ten times as many.
const CASES: u64 = 200;

/// With fewer cases than this, a test shows nothing.
const FEWEST: u64 = 10;

/// The number of cases of a test: `percent` of `ARROWFEED_CASES`. A cheap test has a share of more than 100 percent.
pub(crate) fn cases(percent: u32) -> u32 {
    let cases = number("ARROWFEED_CASES").unwrap_or(CASES).saturating_mul(percent.into()) / 100;
    u32::try_from(cases.max(FEWEST)).unwrap_or(u32::MAX)
}

/// A seed for each case of the running test.
pub(crate) fn seeds(percent: u32) -> impl Iterator<Item = u64> {
    let seed = seed();
    (0..cases(percent).into()).map(move |case| mixed(seed, case))
}

/// The seed of the running test. Tests differ in it, so that they do not all have the same cases.
pub(crate) fn seed() -> u64 {
    eprintln!("This command repeats the random cases: {}", command(""));
    let name = test_name().unwrap_or_default();
    name.bytes().fold(run_seed(), |seed, byte| mixed(seed, byte.into()))
}

/// A shell command that repeats the random cases of the running test, with `variables` before it.
pub(crate) fn command(variables: &str) -> String {
    let package = env!("CARGO_PKG_NAME");
    let program = match env!("CARGO_CRATE_NAME") {
        library if library == package.replace('-', "_") => "--lib".to_owned(),
        program => format!("--test {program}"),
    };
    let set = |name: &str| env::var(name).map(|value| format!("{name}={value} ")).unwrap_or_default();
    let (cases, mutants) = (set("ARROWFEED_CASES"), set("ARROWFEED_MUTANTS"));
    let name = test_name().map(|name| format!(" {name}")).unwrap_or_default();
    format!(
        "ARROWFEED_SEED={} {cases}{mutants}{variables}cargo test -p {package} {program}{name}",
        run_seed()
    )
}

/// The number in an environment variable.
pub(crate) fn number(variable: &str) -> Option<u64> {
    match env::var(variable) {
        Ok(text) => match text.parse() {
            Ok(number) => Some(number),
            Err(_) => panic!("{variable}: expected a number below 2^64, found {text:?}"),
        },
        Err(VarError::NotPresent) => None,
        Err(error) => panic!("{variable}: {error}"),
    }
}

/// Derives the seed of part `number` from a seed. Seeds of neighbouring parts are unrelated.
pub(crate) fn mixed(seed: u64, number: u64) -> u64 {
    let mixed = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A random one has 32 bits, which are easy to copy.
fn run_seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| {
        number("ARROWFEED_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish() >> 32)
    })
}

/// The test harness gives the name of a test to its thread.
fn test_name() -> Option<String> {
    let thread = std::thread::current();
    thread.name().filter(|name| *name != "main").map(str::to_owned)
}
