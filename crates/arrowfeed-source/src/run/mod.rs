//! The engine: files in, batches out, in order.
//!
//! ```text
//! FileSet ──parts──> Work ──planner──> Unit ──pipeline──> batches ──reader──> PartReader ──> MapStage
//!                                            (pool)                                          (pool)
//! ```
//! With one thread, a part is one unit and the caller's thread decodes it; with several, `planner` cuts it into units
//! and `pipeline` decodes them ahead. The decoding is the same.
//!
//! | file | what |
//! |---|---|
//! | `file_set` | files of one format that are opened again and again |
//! | `parts` | which rows are read, in which order |
//! | `planner` | parts into units for threads |
//! | `pool` | the threads of an iterator |
//! | `pipeline` | units that are decoded by them |
//! | `reader` | the loop around all of it |
//! | `map_stage` | what is made of each batch, in order |

mod file_set;
mod map_stage;
mod parts;
mod pipeline;
mod planner;
mod pool;
mod reader;
#[cfg(test)]
mod tests;

pub use file_set::{FileSet, Files, FirstFile, align};
pub use map_stage::MapStage;
pub use parts::{Borders, Part};
pub use pool::Pool;
pub use reader::{FileBatch, PartOptions, PartReader, Polled, Workers};
