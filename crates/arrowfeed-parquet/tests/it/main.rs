//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`bounds`]: the bounds of columns, from the statistics of files.
//! - [`reading`]: the engine reads the rows that the `parquet` crate reads, and no bytes cause a panic.
//! - [`nesting`], [`number_lists`]: random nested columns, against the readers of the `parquet` crate.
//! - [`int96`]: timestamps of the deprecated type INT96.
//! - [`long_rows`]: batches that end early because their rows are long.
//! - [`failures`]: damage, failed reads and changes of a file are told apart.
//! - [`filters`]: the rows that pass a filter, and what is not read for it.
//! - [`null_counts`]: counts of nulls that are too low.
//! - [`footers`]: footers that old writers made.
//! - [`promised`]: requested schemas.
//! - [`compiled_codecs`]: codecs of the build.
//! - [`support`]: helpers of the tests.

mod bounds;
mod compiled_codecs;
mod failures;
mod filters;
mod footers;
mod int96;
mod long_rows;
mod nesting;
mod null_counts;
mod number_lists;
mod promised;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod reading;
mod support;
