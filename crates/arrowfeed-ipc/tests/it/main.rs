//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`reading`]: the rows, their batches, and the memory that they share with the file.
//! - [`random_batches`]: random schemas and data, as files and as streams.
//! - [`dictionaries`]: additions to dictionaries, and dictionaries that replace others.
//! - [`damaged`]: files that are cut or changed are values or errors, in bounded memory.
//! - [`panics`]: changed schemas and record batches cause no panic, also none that is caught.
//! - [`refused`]: what is not read, and the errors.
//! - [`requests`]: requests to stores.
//! - [`compiled_codecs`]: codecs of the build.
//! - [`support`]: helpers of the tests.

mod compiled_codecs;
mod damaged;
mod dictionaries;
mod panics;
mod random_batches;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod reading;
mod refused;
mod requests;
#[path = "../../../arrowfeed-ffi/tests/it/structs/mod.rs"]
mod structs;
mod support;
