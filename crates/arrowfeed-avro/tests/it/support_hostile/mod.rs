//! Builders of hostile and valid container files in plain code, and ways to read them.
//!
//! - [`wire`]: values of the binary encoding, valid or not.
//! - [`compress`]: compression of a payload with each codec.
//! - [`container`]: headers and blocks, which may contain false statements.
//! - [`outcome`]: the result of reading: rows, and the fault that ended it.
//! - [`ways`]: reading of the same bytes through every entry point of the reader, with equal results.
//! - [`mutate`]: files that are almost valid.
//! - [`skipping`]: comparison of a file that is read in part with the whole.
//! - [`seeds`], [`schemas`]: small valid files of many kinds.
//! - [`random`]: reproducible random numbers.

#![allow(dead_code, reason = "the tests, the tests of memory and each fuzz target use only some of these")]

pub(crate) mod compress;
pub(crate) mod container;
pub(crate) mod mutate;
pub(crate) mod outcome;
pub(crate) mod random;
pub(crate) mod schemas;
pub(crate) mod seeds;
pub(crate) mod skipping;
pub(crate) mod ways;
pub(crate) mod wire;
