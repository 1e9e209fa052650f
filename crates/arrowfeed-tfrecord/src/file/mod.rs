//! TFRecord files as a dataset format.
//!
//! ```text
//!                                      ┌─scan──> chunks
//! RecordFormat ──open──> RecordFile ───┤
//!                                      └─decoder──> records ──rows──> batches
//! ```
//! | file | content |
//! |---|---|
//! | `format` | options, schema and columns of a set of files |
//! | `inferred` | inference of the features of files without a schema |
//! | `record_file` | an open file: its compression and its fingerprint |
//! | `frames` | the frames of records, located from any byte offset |
//! | `window` | a buffered window over the bytes of a file |
//! | `scan` | the chunks of a file |
//! | `input` | the records of a run, plain or compressed |
//! | `decoder` | the rows of a unit |
//! | `rows` | conversion of records to columns: raw records or messages |
//!
//! # Chunks
//!
//! A file is divided into cells of [`RecordOptions::chunk_bytes`]. A record belongs to the cell in which it starts. A chunk
//! is a run of contiguous records of one cell. Chunk boundaries are therefore a property of the file: they do not depend on
//! the reader or on the offset at which it starts.
//!
//! A compressed file is one chunk, because no part of it can be read without the bytes before it.

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
