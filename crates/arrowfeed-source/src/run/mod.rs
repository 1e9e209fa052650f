//! The engine: files in, batches out, in order.
//!
//! ```text
//! FileSet ──parts──> Work ──planner──> Unit ──pipeline──> batches ──────────> PartReader ──> MapStage
//!                                            (pool)                                          (pool)
//! ```
//! With one thread, a part is one unit and the caller's thread decodes it; with several, `planner` cuts it into units
//! and `pipeline` decodes them ahead. The decoding is the same.
//!
//! | file | what |
//! |---|---|
//! | `files` | files that are not open |
//! | `file_set` | files of one format that are opened again and again |
//! | `parts` | which rows are read, in which order |
//! | `look_ahead` `remote_files` | requests to stores for the parts that are read next |
//! | `scan_all` `in_order` | the chunks of all files; work on several objects at a time |
//! | `planner` | parts into units for threads |
//! | `pool` | the threads of an iterator |
//! | `pipeline` | units that are decoded by them |
//! | `part_reader` | the loop around all of it |
//! | `file_reader` | the batches alone, for who reads files once |
//! | `split` | byte ranges of files, for several processes |
//! | `map_stage` | what is made of each batch, in order |

mod file_reader;
mod file_set;
mod files;
mod in_order;
mod look_ahead;
mod map_stage;
mod part_reader;
mod parts;
mod pipeline;
mod planner;
mod pool;
mod remote_files;
mod scan_all;
mod split;
#[cfg(test)]
mod tests;

pub use file_reader::{ArrowReader, FileReader, ReadingOptions};
pub use file_set::FileSet;
pub use files::{Files, FirstFile};
pub use in_order::in_order;
pub use map_stage::MapStage;
pub use part_reader::{FileBatch, PartOptions, PartReader, Polled, Workers};
pub use parts::{Borders, Part};
pub use pool::Pool;
pub use scan_all::FileChunks;
pub use split::{RangeOptions, Split, align};
