//! TFRecord files as a format of datasets.
//!
//! ```text
//!                                      ┌─scan──> chunks
//! RecordFormat ──open──> RecordFile ───┤
//!                                      └─decoder──> records ──rows──> batches
//! ```
//! | file | what |
//! |---|---|
//! | `format` | options, schema and columns of a set of files |
//! | `inferred` | the features of files without a schema |
//! | `record_file` | an open file: its compression and its fingerprint |
//! | `frames` | where the records of a file stand, from any byte on |
//! | `window` | a stretch of the bytes of a file |
//! | `scan` | the chunks of a file |
//! | `input` | the records of a run, plain or compressed |
//! | `decoder` | the rows of a unit |
//! | `rows` | records into columns: raw, or messages |
//!
//! # Chunks
//!
//! A file is divided into cells of [`RecordOptions::chunk_bytes`]. A record belongs to the cell in which it starts. Records that
//! follow each other and belong to one cell are a chunk. So where chunks start is a property of the file: who reads it, and from
//! where on, does not matter.
//!
//! A compressed file is one chunk: nothing in it can be read without what comes before.

mod decoder;
mod format;
mod frames;
mod inferred;
mod input;
mod record_file;
mod rows;
mod scan;
mod window;

pub use format::{RecordFormat, RecordKind, RecordOptions};
