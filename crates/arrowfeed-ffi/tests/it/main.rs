//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`random_structs`]: structs that were changed at random; [`structs`] makes them, also for a fuzz target.
//! - [`large_dictionaries`]: dictionaries with more values than rows.

mod large_dictionaries;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod random_structs;
mod structs;
