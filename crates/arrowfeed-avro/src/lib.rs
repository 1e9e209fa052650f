//! Reads Avro object container files and messages into Arrow RecordBatches, and writes RecordBatches as Avro.
//!
//! Each codec has a Cargo feature with its name: `bzip2`, `deflate`, `snappy`, `xz` and `zstandard`. All are enabled by default.
//! Reading or writing with a codec whose feature is disabled is an error of kind [`Codec`](FeedErrorKind::Codec).

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod container;
mod decode;
mod encode;
mod header;
mod locate;
mod memory;
mod merge;
mod message;
mod options;
mod plan;
#[cfg(test)]
#[path = "../../../tests/random/config.rs"]
mod random_config;
#[cfg(test)]
#[path = "../../../tests/random/run.rs"]
mod random_run;
mod reader;
mod record_decoder;
mod schema;
mod wire;
mod write;

#[cfg(all(
    test,
    not(all(
        feature = "bzip2",
        feature = "deflate",
        feature = "snappy",
        feature = "xz",
        feature = "zstandard"
    ))
))]
compile_error!("the unit tests need all codecs: use the default features, or `--test compiled_codecs`");

pub use arrowfeed_source::field_path::field_path;
pub use arrowfeed_source::format::RowOrigin;
pub use arrowfeed_source::io::{FileIdentity, FileSource as AvroSource};
pub use arrowfeed_source::run::{FileReader, FileSet, RangeOptions, ReadOptions, Split};
pub use arrowfeed_source::{
    FeedError, FeedErrorKind, Interrupt, Limits, Location, OnError, Report, SchemaChange, SchemaChangeKind,
    SchemaMerge, Skipped,
};
pub use container::codec::Codec;
pub use header::AvroHeader;
pub use merge::MergedSchema;
pub use message::Framing;
pub use options::{AvroOptions, ColumnEncoding, StringType, Unions};
pub use reader::{AvroFormat, AvroReaderBuilder};
pub use record_decoder::{RecordDecoder, WriterId};
pub use schema::AvroSchema;
pub use write::{AvroWriter, Unsigned, WriteOptions, Written, encode_records, write_avro};
