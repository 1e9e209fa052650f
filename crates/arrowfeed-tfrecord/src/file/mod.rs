//! TFRecord files as a dataset format.
//!
//! ```text
//!                                      ┌─scan──> chunks
//! RecordFormat ──open──> FramedFile ───┤
//!                                      └─decoder──> FrameReader ──record──> RecordRows ──> batches
//! ```
//! | file | content |
//! |---|---|
//! | `format` | schema and columns of a set of files; opening of a file |
//! | `inferred` | inference of the features of files without a schema |
//! | `options` | options |
//! | `frames` | the frames of records, located from any byte offset |
//! | `read_buffer` | a buffered buffer over the bytes of a file |
//! | `reader` | the records of a file, plain or compressed |
//! | `rows` | conversion of records to columns: raw records or messages |
//!
//! The layer [`records`](arrowfeed_source::format::records) defines the chunks of a file, and decodes its rows.

mod format;
mod frames;
mod inferred;
mod options;
mod read_buffer;
mod reader;
mod rows;

pub use format::RecordFormat;
pub use options::{RecordKind, RecordOptions};
