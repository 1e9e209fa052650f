//! Parquet files as a format of arrowfeed: a thin layer over the `parquet` crate.
//!
//! ```text
//! footer ──file──> row groups (chunks) ──rows──> batches
//! ```
//! | file | what |
//! |---|---|
//! | `format` | options, schema and projection of a set of files |
//! | `columns` | field paths to leaf columns of Parquet |
//! | `conversion` | columns in the types of a promised schema |
//! | `file_columns` | the columns of a batch out of those of one file |
//! | `file` | an open file: its footer, its row groups as chunks |
//! | `group_columns` | the columns of a row group, and their two readers |
//! | `number_lists` | columns of lists of numbers |
//! | `rows` | the rows of a row group as batches |
//! | `bytes` | a file's bytes, as the `parquet` crate reads them |

mod bytes;
mod columns;
mod conversion;
mod file;
mod file_columns;
mod format;
mod group_columns;
mod number_lists;
mod rows;

pub use format::{ParquetFormat, ParquetOptions};
