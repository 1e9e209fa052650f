//! The decoding engine: reads files and returns batches in order.
//!
//! ```text
//! FileSet ──parts──> Work ──planner──> Unit ──pipeline──> batches ──────────> PartReader ──> MapStage
//!                                            (pool)                                          (pool)
//! ```
//! With one thread, a part is one unit, which the caller's thread decodes. With several threads, `planner` cuts a part
//! into units and `pipeline` decodes them ahead. The decoders are the same.

// | file | content |
// |---|---|
// | `files` | input files before they are opened |
// | `file_set` | files of one format that can be opened repeatedly |
// | `added_columns` `batch_columns` `added_file` `row_starts` | columns that are not stored in files, those of batches, and those of an open file; the rows before each chunk |
// | `filter_levels` | the filters of a set of files, and the columns that they need |
// | `filter` `projection` | the rows that pass a predicate, and the columns that are returned |
// | `part` `parts` | the rows to read, and their order |
// | `batch_rows` | the default number of rows of a batch |
// | `look_ahead` `remote_files` | remote requests for the next parts |
// | `scan_all` `in_order` | scan of the chunks of all files; concurrent work on several remote objects |
// | `planner` | cuts parts into units for threads |
// | `pool` | the threads of an iterator |
// | `pipeline` | decodes units on these threads |
// | `part_reader` `parallel` `file_batch` | the main loop, in the caller's thread or on a pool, and its batches |
// | `file_reader` `full_batches` | a simple reader that reads files once; its batches of filtered rows |
// | `batch_stream` | the batches of a reader as a stream for any executor |
// | `split` | byte ranges of files, for several processes |
// | `map_stage` | ordered per-batch map function |

mod added_columns;
mod added_file;
mod batch_columns;
mod batch_rows;
mod batch_stream;
mod file_batch;
mod file_reader;
mod file_set;
mod files;
mod filter;
mod filter_levels;
mod full_batches;
mod in_order;
mod look_ahead;
mod map_stage;
mod parallel;
mod part;
mod part_reader;
mod parts;
mod pipeline;
mod planner;
mod pool;
mod projection;
mod remote_files;
mod row_starts;
mod scan_all;
mod split;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;

pub use added_columns::AddedColumns;
pub use batch_columns::{FileColumn, refused_files};
pub use batch_rows::DEFAULT_BATCH_ROWS;
pub use batch_stream::BatchStream;
pub use file_batch::{FileBatch, Polled};
pub use file_reader::{FileReader, OpenedFile, ReadOptions};
pub use file_set::FileSet;
pub use files::{Files, FirstFile};
pub use filter::ChosenRows;
pub use filter_levels::with_needed;
pub use map_stage::MapStage;
pub use part::Part;
pub use part_reader::{PartOptions, PartReader, READER_PREFETCH_BYTES, Workers, check_batch_size};
pub use parts::BatchBoundaries;
pub use pool::Pool;
pub use scan_all::FileChunks;
pub use split::{RangeOptions, Split, align};
