//! Tests that measure memory. They are a program of their own because both measures, the live bytes of an allocator that
//! counts and the resident set, are those of the whole process.
//!
//! - [`limits`]: files that try to make a reader take memory.
//! - [`mutants`]: many files that are almost valid.
//! - [`allocator`]: live bytes of the process, and their peak.
//! - [`cpu_time`]: CPU time of the process.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

mod allocator;
mod cpu_time;
mod limits;
mod mutants;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
#[path = "../it/support_hostile/mod.rs"]
mod support_hostile;

use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

/// Waits until no other test runs. Every test of the program calls it first.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
