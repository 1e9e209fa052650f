//! TFRecord files, and conversion of their `tf.Example` and `tf.SequenceExample` messages to Arrow RecordBatches and back.
//!
//! | to | use |
//! |---|---|
//! | read files of messages or of any bytes into batches | [`RecordFormat::files`] with a [`RecordKind`], then [`read_files`](arrowfeed_source::run::FileSet::read_files) |
//! | choose the Arrow types of features: lists, or single values | [`RecordOptions::encoding`], a [`FeatureEncoding`] |
//! | write batches as `tf.Example` | [`ExampleWriter`] |
//! | decode and encode messages that are not in files | [`example::ExampleDecoder`], [`example::ExampleEncoder`], and those in [`sequence_example`] |
//! | read and write the bytes of records | [`Records`], [`RecordWriter`], [`encode_records`] |
//!
//! Each feature is a list, and so is its column:
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::cast::AsArray;
//! use arrow_array::types::Int64Type;
//! use arrow_array::{Int64Array, RecordBatch};
//! use arrowfeed_source::run::ReadOptions;
//! use arrowfeed_tfrecord::{Compression, ExampleWriter, RecordFormat, RecordKind, RecordOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = std::env::temp_dir().join(format!("arrowfeed-front-{}.tfrecord", std::process::id()));
//! let batch = RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _)])?;
//! let mut writer = ExampleWriter::create(&path, Compression::None)?;
//! writer.write(&batch)?;
//! assert_eq!(writer.finish()?, 3);
//!
//! let options = RecordOptions::new(RecordKind::Example { features: None, sample: None });
//! let files = RecordFormat::files([path.as_path()], options, None)?;
//! let mut ids = Vec::new();
//! for batch in files.read_files(ReadOptions::default())? {
//!     ids.extend_from_slice(batch?.column(0).as_list::<i64>().values().as_primitive::<Int64Type>().values());
//! }
//! assert_eq!(ids, [1, 2, 3]);
//! # std::fs::remove_file(path)?;
//! # Ok(())
//! # }
//! ```
//!
//! gzip and zlib need the Cargo feature `gzip`, which is enabled by default. See [`Compression`].

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | module | content |
// |---|---|
// | `file` | `RecordFormat`: TFRecord files as a format; records at any offset, and the features of files without a schema |
// | `records` | `Records` reads the records of a file, `RecordWriter` writes them; gzip and zlib |
// | `encoded` | `encode_records`: records as the bytes of a file |
// | `writer` | `ExampleWriter`: writes batches to a file |
// | `frame` | the frame of a record: its length and checksums |
// | `example` | `tf.Example` to columns, and back |
// | `sequence_example` | `tf.SequenceExample` to columns, and back |
// | `feature` | maps of features, which both messages share: the columns of their lists, and back |
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
