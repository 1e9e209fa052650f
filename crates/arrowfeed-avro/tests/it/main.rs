//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`cases`]: the corpus of `tests/cases/avro`, which pytest also runs.
//! - [`oracle`]: the reader compared with a plain one, on random files.
//! - [`written`]: the writer compared with a plain one, on random arrays.
//! - [`hostile`], [`truncation`]: invalid files and their exact errors.
//! - [`splits`], [`default_batches`], [`small_batches`], [`neighbours`]: parts of files, batches, and columns side by side.
//! - [`many_fields`], [`interrupt`]: time in proportion to the input, and the end of work that the caller stops.
//! - [`compiled_codecs`]: codecs of the build.
//!
//! [`support`] serves `oracle` and `written`, [`cases_support`] serves `cases`, and [`support_hostile`] serves the others.
//! [`support::open`] opens sources for all of them.
//! [`proportional`] compares times. The tests that measure the memory of their process are in the program `memory`.

mod cases;
mod cases_support;
mod compiled_codecs;
mod default_batches;
mod hostile;
mod interrupt;
mod many_fields;
mod neighbours;
mod oracle;
mod proportional;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod small_batches;
mod splits;
mod support;
mod support_hostile;
mod truncation;
mod written;
