//! Stored training data into Arrow RecordBatches, and RecordBatches into tensors: one crate to depend on, one way
//! through it.
//!
//! ```text
//!  patterns ──> files ──> container ──> wire ──> columns ──> RecordBatch ──> tensors
//!  resolve                blocks        bytes    builders    (Arrow)            ▲
//!                            ▲                      ▲                    representations
//!                          Limits             decode plan
//!                                    (writer × reader × projection)
//!               └──────────────────── avro ───────────────────────┘         └ tensor ┘
//! ```
//! Data flows from left to right. What can be decided from schemas is decided before the first record, so an
//! unknown column or a type that does not fit is an error of `open`, not of the ten millionth row.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
//! let files = arrowfeed::resolve([directory.join("*.avro")])?;
//! let mut rows = 0;
//! for batch in arrowfeed::AvroReader::builder().with_batch_size(1024).open_all(files)? {
//!     rows += batch?.num_rows();
//! }
//! assert!(rows > 0);
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | [`avro`] | Avro object container files to RecordBatches, and back |
//! | [`parquet`] | Parquet files to RecordBatches, also in the types of a promised schema |
//! | [`tfrecord`] | TFRecord files, messages of `tf.Example` and `tf.SequenceExample` to RecordBatches |
//! | [`text`] | CSV files and files of JSON lines to RecordBatches |
//! | [`source`] | what all formats share: bytes of files, errors, limits, reports |
//! | [`tensor`] | RecordBatches to dense, sparse, ragged and structured tensors |
//! | [`dataset`] | files as a source of batches and tensors: order, shards, epochs, exact resume |
//! | [`Tfxio`] | what every source has, whatever its format |
//! | `store` | objects of S3, Google Cloud Storage, Azure, HTTP servers and HDFS (features `stores` and `hdfs`) |
//! | [`sources`] | what a caller names (paths, globs, directories, `file://` URLs) to files |

pub mod dataset;
mod error;
mod open;
pub mod sources;
mod tfxio;

pub use arrowfeed_avro as avro;
pub use arrowfeed_avro::{
    AvroHeader, AvroReader, AvroReaderBuilder, AvroSchema, AvroSource, ReadOptions, RecordDecoder, Split,
    WriteOptions, plan_splits, plan_splits_with, write_avro,
};
pub use arrowfeed_parquet as parquet;
pub use arrowfeed_source as source;
pub use arrowfeed_source::{FeedError, FeedErrorKind, Limits, printable};
#[cfg(feature = "stores")]
pub use arrowfeed_store as store;
pub use arrowfeed_tensor as tensor;
pub use arrowfeed_text as text;
pub use arrowfeed_tfrecord as tfrecord;
pub use dataset::{Dataset, IterationOptions, TensorDefinitions};
pub use error::{DatasetError, StateError, StateErrorKind};
pub use open::{
    AvroDataset, AvroDatasetOptions, ChunkDataset, ChunkDatasetOptions, CsvDataset, CsvDatasetOptions,
    ExampleDataset, ExampleDatasetOptions, JsonLinesDataset, JsonLinesDatasetOptions, ParquetDataset,
    ParquetDatasetOptions, RawRecordDataset, RawRecordDatasetOptions, SequenceExampleDataset,
    SequenceExampleDatasetOptions, TensorRecordDecoder,
};
pub use sources::{resolve, resolve_with};
pub use tfxio::{RecordBatches, TensorBatches, Tfxio};
