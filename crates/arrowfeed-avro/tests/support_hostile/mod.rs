//! Hostile and honest container files, made with plain code, and ways to read them.
//!
//! - [`wire`]: values of the binary encoding, right or wrong.
//! - [`compress`]: a payload as each codec stores it.
//! - [`container`]: headers and blocks, with as many lies as asked for.
//! - [`outcome`]: what reading gave: rows, and the fault that ended it.
//! - [`ways`]: the same bytes through every door of the reader, which must all agree.
//! - [`mutate`]: files that are almost right.
//! - [`skipping`]: what must hold for a file that is read in part.
//! - [`seeds`], [`schemas`]: small valid files of many kinds.
//! - [`random`]: numbers that are the same in each run.
//! - [`allocator`]: live bytes of the process, and their peak.

// Each test binary uses a part of it.
#![allow(dead_code)]

pub(crate) mod allocator;
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
