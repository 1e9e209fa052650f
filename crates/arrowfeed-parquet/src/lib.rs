//! Parquet files as a format of arrowfeed: a thin layer over the `parquet` crate.
//!
//! ```text
//! footer ──file──> row groups (chunks) ──decoder──> batches
//! ```
//! | file | what |
//! |---|---|
//! | `format` | options, schema and projection of a set of files |
//! | `columns` | field paths to leaf columns of Parquet |
//! | `file` | an open file: its footer, its row groups as chunks |
//! | `decoder` | the rows of some row groups as batches |
//! | `bytes` | a file's bytes, as the `parquet` crate reads them |

mod bytes;
mod columns;
mod decoder;
mod file;
mod format;

pub use format::{ParquetFormat, ParquetOptions};
