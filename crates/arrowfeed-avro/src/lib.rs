//! Reads Avro object container files and messages into Arrow RecordBatches, and writes RecordBatches as Avro.
//!
//! | to | use |
//! |---|---|
//! | open files, also some of their columns | [`AvroFormat::files`] with [`AvroOptions`] |
//! | read them, also some of their rows | [`FileSet::read_files`] with [`ReadOptions`] |
//! | read streams | [`AvroFormat::read`] |
//! | read the schema, the metadata and the number of rows of a file | [`AvroHeader`] |
//! | parse and compare schemas | [`AvroSchema`] |
//! | read files with different schemas | [`AvroOptions::reader_schema`], [`AvroOptions::merge_schemas`] |
//! | decode records that are not in files, such as messages | [`RecordDecoder`], [`Framing`] |
//! | write batches to a file or a sink | [`write_avro`], [`AvroWriter`], [`WriteOptions`] |
//! | encode rows as records without a file | [`encode_records`] |
//! | read on after damage, and count what was skipped | [`OnError`], [`Report`] |
//! | limit the memory that a file may use | [`Limits`] |
//!
//! A block that was cut or damaged is an error with its place, after the rows before it:
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{Int64Array, RecordBatch, StringArray};
//! use arrowfeed_avro::{
//!     AvroFormat, AvroOptions, AvroWriter, Codec, FeedErrorKind, FileSource, ReadOptions, WriteOptions,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ids = Arc::new(Int64Array::from(vec![1, 2, 3]));
//! let texts = Arc::new(StringArray::from(vec!["a", "b", "c"]));
//! let batch = RecordBatch::try_from_iter([("id", ids as _), ("text", texts as _)])?;
//! let path = std::env::temp_dir().join(format!("arrowfeed-front-{}.avro", std::process::id()));
//! let options = WriteOptions { codec: Codec::Null, ..Default::default() };
//! let mut writer = AvroWriter::create(&path, batch.schema(), options)?;
//! writer.write(&batch)?;
//! assert_eq!(writer.finish()?.rows, 3);
//!
//! let columns = AvroOptions { columns: Some(vec!["text".to_owned()]), ..Default::default() };
//! let rows = ReadOptions { filter: Some("id > 1".parse()?), ..Default::default() };
//! let reader = AvroFormat::files([&path], columns, None)?.read_files(rows)?;
//! let batches = reader.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(batches, [batch.slice(1, 2).project(&[1])?]);
//!
//! let mut bytes = std::fs::read(&path)?;
//! # std::fs::remove_file(path)?;
//! bytes.pop();
//! let files = AvroFormat::files([FileSource::bytes(bytes)], AvroOptions::default(), None)?;
//! let mut reader = files.read_files(ReadOptions::default())?;
//! let error = reader.next().unwrap().unwrap_err();
//! assert_eq!(error.kind(), FeedErrorKind::Truncated);
//! assert_eq!(error.location().block, Some(0));
//! # Ok(())
//! # }
//! ```
//!
//! Each codec has a Cargo feature with its name: `bzip2`, `deflate`, `snappy`, `xz` and `zstandard`. All are enabled by default.
//! Reading or writing with a codec whose feature is disabled is an error of kind [`Codec`](FeedErrorKind::Codec).

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// container ──> wire ──> decode ──> encode ──> RecordBatch
//
// | module | contents |
// |---|---|
// | `container` | header, blocks, codecs, and a scan of block headers; independent of types |
// | `schema` | JSON to a validated graph of types; canonical form, fingerprint, defaults as bytes |
// | `merge` | the schemas of several files to one reader schema, and the changes of each file |
// | `plan` | writer's schema, reader's schema and projection to a tree of nodes, and to programs that skip the other fields |
// | `wire` | the primitive reads of Avro's binary encoding: a fast version and a plain one |
// | `decode` | a plan to a flat list of operations that fill columns; columns to arrays; rows to batches |
// | `encode` | the encodings `feature` and `tfx`: lists around the native columns |
// | `locate` | decodes a block again with the slow decoder, `plan::fault`, to find the location and the reason of an error |
// | `memory` | pools of column buffers, to which a buffer returns when its last array is dropped |
// | `reader` `options` | Avro as a format, and its options |
// | `header` | the header of a file, and the number of its rows |
// | `write` | batches to files, and rows to records without a file |
// | `record_decoder` | records without a file to batches, with several writer's schemas |
// | `message` | the framing of messages |

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
pub use arrowfeed_source::io::{FileIdentity, FileSource};
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
pub use reader::AvroFormat;
pub use record_decoder::{RecordDecoder, WriterId};
pub use schema::AvroSchema;
pub use write::{AvroWriter, Unsigned, WriteOptions, Written, encode_records, write_avro};
