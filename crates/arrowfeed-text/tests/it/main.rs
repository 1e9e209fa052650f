//! Tests of the crate through its public interface: one program, with a module for each topic.
//!
//! - [`csv`], [`json`]: files of each format, read through the engine.
//! - [`parts`]: files that are read in parts.
//! - [`compiled_codecs`]: compression of the build.
//! - [`support`]: helpers of the tests.

mod compiled_codecs;
mod csv;
mod json;
mod parts;
mod support;
