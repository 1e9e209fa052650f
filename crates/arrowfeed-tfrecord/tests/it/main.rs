//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`records`]: records of TensorFlow's and this crate's files, and of damaged files.
//! - [`files`]: files that are read in parts through the engine.
//! - [`messages`]: the decoders of messages, against plain parsers.
//! - [`compiled_codecs`]: compression of the build.

mod compiled_codecs;
mod files;
mod messages;
#[path = "../../../../tests/random/config.rs"]
mod random_config;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod records;
