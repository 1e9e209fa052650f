//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`csv`], [`json`]: files of each format, read through the engine.
//! - [`json_inference`]: column types of JSON Lines files.
//! - [`parts`]: files that are read in parts.
//! - [`compiled_codecs`]: compression of the build.
//! - [`values`]: the cases of `tests/cases/text`, which pytest also runs.
//! - [`support`]: helpers of the tests.

mod compiled_codecs;
mod csv;
mod json;
mod json_inference;
mod merging;
mod parts;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod support;
mod values;
