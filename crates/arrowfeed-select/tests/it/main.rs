//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`laws`]: random arrays, indices and masks, against a plain oracle.

mod laws;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
