//! Tests of the engine through its public interface: one program, with a module for each topic.
//!
//! - [`laws`]: laws of reading, with random files of a toy format.
//! - [`toy`]: a format over the layer for files of records.

mod laws;
#[path = "../../../../tests/random/run.rs"]
mod random_run;
mod toy;
