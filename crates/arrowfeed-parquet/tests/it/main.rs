//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`reading`]: the engine reads the rows that the `parquet` crate reads, and no bytes cause a panic.
//! - [`nesting`], [`number_lists`]: random nested columns, against the readers of the `parquet` crate.
//! - [`int96`]: timestamps of the deprecated type INT96.
//! - [`promised`]: requested schemas.
//! - [`compiled_codecs`]: codecs of the build.
//! - [`support`]: helpers of the tests.

mod compiled_codecs;
mod int96;
mod nesting;
mod number_lists;
mod promised;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod reading;
mod support;
