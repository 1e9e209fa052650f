//! TFRecord files, and messages of `tf.Example` in protobuf's wire format to Arrow RecordBatches.
//!
//! | module | what |
//! |---|---|
//! | `records` | [`Records`] of a file, and [`RecordWriter`]; gzip and zlib |
//! | `frame` | what stands around a record: its length and checksums |
//! | [`example`] | `tf.Example` to columns |
//! | `wire` | protobuf's wire format: tags, varints, lengths, fields that are stepped over |

pub mod example;
mod frame;
mod records;
mod wire;

pub use records::{Compression, RecordWriter, Records};
