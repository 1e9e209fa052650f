//! TFRecord files, and messages of `tf.Example` in protobuf's wire format to Arrow RecordBatches.
//!
//! | module | what |
//! |---|---|
//! | `file` | [`RecordFormat`]: files as a format of datasets |
//! | `records` | [`Records`] of a file, and [`RecordWriter`]; gzip and zlib |
//! | `writer` | [`ExampleWriter`]: batches to a file |
//! | `frame` | what stands around a record: its length and checksums |
//! | [`example`] | `tf.Example` to columns, and back |
//! | [`sequence_example`] | `tf.SequenceExample` to columns, and back |
//! | `feature` | what both have: maps of features |
//! | `wire` | protobuf's wire format: tags, varints, lengths, fields that are stepped over |

pub mod example;
mod feature;
mod file;
mod frame;
mod records;
pub mod sequence_example;
mod wire;
mod writer;

pub use feature::Encoding;
pub use file::{RecordFormat, RecordKind, RecordOptions};
pub use records::{Compression, RecordWriter, Records};
pub use writer::ExampleWriter;
