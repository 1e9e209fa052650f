//! The Parquet format of arrowfeed: a thin layer over the `parquet` crate.
//!
//! Each codec has a Cargo feature: `brotli`, `gzip`, `lz4`, `snappy` and `zstandard`. All are enabled by default. Reading a column
//! of a codec whose feature is disabled is an error of kind [`Codec`](arrowfeed_source::FeedErrorKind::Codec).

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// footer ──file──> row groups (chunks) ──rows──> batches
//
// | file | contents |
// |---|---|
// | `format` | options, schema and projection of a set of files |
// | `columns` | resolution of field paths to leaf columns of Parquet |
// | `field_ids` | columns that are matched by the identifiers of a table |
// | `conversion` | lossless conversion of columns to the types of a requested schema |
// | `file_columns` | conversion of the columns of one file to batches |
// | `filter` | filters of rows |
// | `file` | an open file: its footer, and its row groups as chunks |
// | `compact` `footer_fields` | Thrift structures; a footer without fields that the definition does not have |
// | `old_writers` | corrections of what some writers declare wrong |
// | `schema_depth` | a check of the nesting, before the `parquet` crate recurses |
// | `group_columns` | the columns of a row group, and their two readers |
// | `int96` | timestamps of the type INT96, exactly |
// | `number_lists` | columns of lists of numbers |
// | `rows` | the rows of a row group, as batches |
// | `row_size` | the number of rows that are read at a time |
// | `codec` | the codecs that are compiled in |
// | `bytes` | the bytes of a file, for the `parquet` crate |

mod bytes;
mod codec;
mod columns;
mod compact;
mod conversion;
mod field_ids;
mod file;
mod file_columns;
mod filter;
mod footer_fields;
mod format;
mod group_columns;
mod int96;
mod number_lists;
mod old_writers;
mod row_size;
mod rows;
mod schema_depth;

pub use format::{ParquetFormat, ParquetOptions};
