//! Reads Parquet files into Arrow RecordBatches, over the `parquet` crate.
//!
//! | to | use |
//! |---|---|
//! | read files, also with some of their columns and rows | [`ParquetFormat::files`], then [`read_files`](arrowfeed_source::run::FileSet::read_files) |
//! | read columns in other types, without loss | [`ParquetOptions::schema`] |
//! | read files with different schemas | [`ParquetOptions::merge_schemas`] |
//! | make a dataset, splits or added columns | the [`FileSet`](arrowfeed_source::run::FileSet) of [`ParquetFormat::files`] |
//! | limit the memory that a file may use | [`ParquetOptions::limits`] |
//! | write Parquet | the `parquet` crate |
//!
//! A filter leaves out row groups and pages by their statistics, and selects rows before the other columns are decoded:
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{Int64Array, RecordBatch, StringArray};
//! use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
//! use arrowfeed_source::io::FileSource;
//! use arrowfeed_source::run::ReadOptions;
//! use parquet::arrow::ArrowWriter;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ids = Arc::new(Int64Array::from(vec![1, 2, 3]));
//! let texts = Arc::new(StringArray::from(vec!["a", "b", "c"]));
//! let batch = RecordBatch::try_from_iter([("id", ids as _), ("text", texts as _)])?;
//! let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
//! writer.write(&batch)?;
//! let file = FileSource::bytes(writer.into_inner()?);
//!
//! let options = ParquetOptions { columns: Some(vec!["text".to_owned()]), ..Default::default() };
//! let files = ParquetFormat::files([file], options, None)?;
//! let options = ReadOptions { filter: Some("id > 1".parse()?), ..Default::default() };
//! let batches = files.read_files(options)?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(batches, [batch.slice(1, 2).project(&[1])?]);
//! # Ok(())
//! # }
//! ```
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
// | `filter` | filters of rows: row groups and pages that statistics, page indexes and bloom filters rule out; rows that the columns of the predicate select |
// | `file` | an open file: its footer, and its row groups as chunks |
// | `compact` `footer_fields` | Thrift structures; footers with fields that `parquet.thrift` does not define |
// | `old_writers` | corrections of what some writers declare wrong |
// | `schema_depth` | a check of the nesting, before the `parquet` crate recurses |
// | `group_columns` | the columns of a row group, and their readers: that of the `parquet` crate, and that of lists of numbers |
// | `int96` | timestamps of the type INT96, exactly |
// | `number_lists` `nonempty_pages` | columns of lists of numbers; pages without empty ones |
// | `encryption` | encrypted columns |
// | `claimed_rows` | a check of row groups that declare many rows in few bytes |
// | `rows` | the rows of a row group, as batches |
// | `row_size` | the number of rows that are read at a time |
// | `codec` | the codecs that are compiled in |
// | `bytes` | the bytes of a file, for the `parquet` crate |

mod bytes;
mod claimed_rows;
mod codec;
mod columns;
mod compact;
mod conversion;
mod encryption;
mod field_ids;
mod file;
mod file_columns;
mod filter;
mod footer_fields;
mod format;
mod group_columns;
mod int96;
mod nonempty_pages;
mod number_lists;
mod old_writers;
mod row_size;
mod rows;
mod schema_depth;

pub use format::{ParquetFormat, ParquetOptions};
