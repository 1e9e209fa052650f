//! TFRecord files, and conversion of their `tf.Example` and `tf.SequenceExample` messages to Arrow RecordBatches and back.
//!
//! gzip and zlib need the Cargo feature `gzip`, which is enabled by default. See [`Compression`].

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | module | content |
// |---|---|
// | `file` | `RecordFormat`: TFRecord files as a dataset format |
// | `records` | `Records` reads the records of a file, `RecordWriter` writes them; gzip and zlib |
// | `encoded` | `encode_records`: records as the bytes of a file |
// | `writer` | `ExampleWriter`: writes batches to a file |
// | `frame` | the frame of a record: its length and checksums |
// | `example` | `tf.Example` to columns, and back |
// | `sequence_example` | `tf.SequenceExample` to columns, and back |
// | `feature` | feature maps, which both messages share |
// | `wire` | protobuf's wire format: tags, varints, lengths, and skipping of fields |

mod encoded;
pub mod example;
mod feature;
mod file;
mod frame;
#[cfg(test)]
#[path = "../../../tests/random/run.rs"]
mod random_run;
mod records;
pub mod sequence_example;
mod wire;
mod writer;

pub use encoded::encode_records;
pub use feature::FeatureEncoding;
pub use file::{RecordFormat, RecordKind, RecordOptions};
pub use records::{Compression, RecordWriter, Records};
pub use writer::ExampleWriter;
