//! Reads Avro, Parquet, Arrow IPC, `tf.Example`, CSV and JSON lines files into Arrow RecordBatches, and converts these to tensors.
//! This is the crate to depend on: it re-exports the crates of the formats and combines them.
//!
//! ```text
//!  patterns ──> files ──> container ──> wire ──> columns ──> RecordBatch ──> tensors
//!  resolve                blocks        bytes    builders    (Arrow)            ▲
//!                            ▲                      ▲                    representations
//!                          Limits             decode plan
//!                                    (writer × reader × projection)
//!               └──────────────────── avro ───────────────────────┘         └ tensor ┘
//! ```
//! Data flows from left to right. The schemas are checked before the first record is read, so an unknown column or a
//! type that does not fit is an error of `open`, not of the ten millionth row.
//!
//! ```
//! # #[cfg(not(all(feature = "avro", feature = "datasets")))] fn main() {}
//! # #[cfg(all(feature = "avro", feature = "datasets"))]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
//! let mut rows = 0;
//! for batch in arrowfeed::open(directory.join("*.avro")).read()? {
//!     rows += batch?.num_rows();
//! }
//! assert!(rows > 0);
//! # Ok(())
//! # }
//! ```
//!
//! | module | feature | contents |
//! |---|---|---|
//! | [`avro`] | `avro` | Avro object container files to RecordBatches, and RecordBatches to Avro |
//! | [`ipc`] | `ipc` | Arrow IPC files (Feather V2) and streams to RecordBatches |
//! | [`parquet`] | `parquet` | Parquet files to RecordBatches, also in the types of a schema that the caller provides |
//! | [`tfrecord`] | `tfrecord` | TFRecord files, `tf.Example` and `tf.SequenceExample` messages to RecordBatches |
//! | [`text`] | `text` | CSV and JSON lines files to RecordBatches |
//! | [`source`] | | types that all formats share: files, errors, limits, reports, and the traits of your own sources |
//! | [`tensor`] | `datasets` | RecordBatches to dense, sparse, ragged and structured tensors |
//! | [`dataset`] | `datasets` | iteration over files as batches or tensors: order, shards, epochs, exact resume |
//! | `store` | `stores` | objects in S3, Google Cloud Storage, Azure and HTTP servers; HDFS with the feature `hdfs` |
//! | [`arrow`] | | the Arrow types of the signatures |
//! | [`predicate`] | | predicates of filters; with the feature `substrait` also from expressions of Substrait |
//! | `iceberg` | `avro`, `datasets` and `parquet` | the data files of a scan of an Apache Iceberg table |
//! | `asynchronous` | `async` | readers, datasets and writers of asynchronous programs, for any executor |
//! | [`formats`] | any format | all formats: names, detection, options from JSON and SQL |
//! | [`sources`] | | paths, globs, directories and `file://` URLs to lists of files |
//!
//! # Features
//!
//! The feature `serde` makes options from JSON, from SQL and from configuration files. All features except `apache-avro`, `async`, `dlpack`, `hdfs`, `ndarray` and `substrait`
//! are enabled by default. The feature `datasets` enables [`open`], `Dataset`, tensors, `Partitioning` and `TensorRecordDecoder`.
//!
//! Each codec has a feature, for all formats that are enabled: `brotli`, `bzip2`, `deflate` (Avro), `gzip`, `lz4`,
//! `snappy`, `xz` and `zstandard`. Reading a file whose codec is disabled is an error of kind
//! [`Codec`](FeedErrorKind::Codec), which names the feature. The feature `formats` enables all formats, and `codecs`
//! enables all codecs.

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | module | contents |
// |---|---|
// | `open` | files of any format, by their paths and URLs |
// | `partitions` | columns from the names of directories |
// | `record_decoder` | Avro records that are not in files, to tensors |
// | `error` | errors of datasets, which wrap errors of files and of tensors |

#[cfg(feature = "async")]
pub mod asynchronous;
#[cfg(feature = "datasets")]
pub mod dataset;
#[cfg(feature = "datasets")]
mod error;
#[cfg(any(feature = "avro", feature = "ipc", feature = "parquet", feature = "text", feature = "tfrecord"))]
pub mod formats;
#[cfg(all(feature = "avro", feature = "datasets", feature = "parquet"))]
pub mod iceberg;
#[cfg(all(
    feature = "datasets",
    any(feature = "avro", feature = "ipc", feature = "parquet", feature = "text", feature = "tfrecord")
))]
mod open;
#[cfg(feature = "datasets")]
mod partitions;
#[cfg(all(feature = "avro", feature = "datasets"))]
mod record_decoder;
pub mod source;
pub mod sources;

/// The Arrow crates, in the version that the signatures of this crate use.
pub mod arrow {
    pub use arrow_array as array;
    pub use arrow_array::RecordBatch;
    pub use arrow_schema as schema;
}

#[cfg(feature = "avro")]
pub use arrowfeed_avro as avro;
#[cfg(feature = "ipc")]
pub use arrowfeed_ipc as ipc;
#[cfg(feature = "parquet")]
pub use arrowfeed_parquet as parquet;
pub use arrowfeed_predicate as predicate;
// For the Python package.
pub use arrowfeed_source::io::FileSource;
#[doc(hidden)]
pub use arrowfeed_source::printable;
pub use arrowfeed_source::run::{FileReader, FileSet, ReadOptions, Split};
pub use arrowfeed_source::{FeedError, FeedErrorKind, Limits};
#[cfg(feature = "stores")]
pub use arrowfeed_store as store;
#[cfg(feature = "datasets")]
pub use arrowfeed_tensor as tensor;
#[cfg(feature = "text")]
pub use arrowfeed_text as text;
#[cfg(feature = "tfrecord")]
pub use arrowfeed_tfrecord as tfrecord;
#[cfg(feature = "datasets")]
pub use dataset::{
    Dataset, DatasetOptions, IterationOptions, RowOptions, RowReader, TensorDefinitions, Tfxio,
};
#[cfg(feature = "datasets")]
pub use error::{DatasetError, StateError, StateErrorKind};
#[cfg(all(
    feature = "datasets",
    any(feature = "avro", feature = "ipc", feature = "parquet", feature = "text", feature = "tfrecord")
))]
pub use open::{Found, Open, open, open_all};
#[cfg(feature = "datasets")]
pub use partitions::Partitioning;
#[cfg(all(feature = "avro", feature = "datasets"))]
pub use record_decoder::TensorRecordDecoder;
pub use sources::{resolve, resolve_with};

/// The programs of the pages compile.
#[cfg(all(doctest, feature = "avro", feature = "datasets"))]
mod pages {
    #[doc = include_str!("../../../docs/from-apache-avro.md")]
    mod from_apache_avro {}
    #[doc = include_str!("../../../docs/from-arrow-avro.md")]
    mod from_arrow_avro {}
    #[doc = include_str!("../../../docs/limits.md")]
    mod limits {}
    #[doc = include_str!("../../../docs/rust.md")]
    mod rust {}
    #[cfg(feature = "stores")]
    #[doc = include_str!("../../../docs/stores.md")]
    mod stores {}
    #[doc = include_str!("../../../README.md")]
    mod readme {}
}
