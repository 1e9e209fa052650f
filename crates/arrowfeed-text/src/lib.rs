//! Reads CSV and JSON Lines files into Arrow RecordBatches, over the crates `arrow-csv` and `arrow-cast`.
//!
//! | to | use |
//! |---|---|
//! | read CSV files | [`CsvFormat::files`] with [`CsvOptions`], then [`read_files`](arrowfeed_source::run::FileSet::read_files) |
//! | read JSON Lines files | [`JsonLinesFormat::files`] with [`JsonLinesOptions`] |
//! | make a dataset, splits or added columns | the [`FileSet`](arrowfeed_source::run::FileSet) of these functions |
//! | set the types of columns | `schema`, or `types` of some columns; otherwise they are inferred |
//! | limit the memory that a file may use | `limits` |
//! | write CSV and JSON Lines | the crates `arrow-csv` and `arrow-json` |
//!
//! A value that does not have the type of its column is an error with the file, the record and the column:
//!
//! ```
//! use arrowfeed_source::io::FileSource;
//! use arrowfeed_source::run::ReadOptions;
//! use arrowfeed_text::{CsvFormat, CsvOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let read = |text: &'static [u8]| {
//!     let options = CsvOptions { sample: Some(1), ..Default::default() };
//!     let files = CsvFormat::files([FileSource::bytes(text.to_vec())], options, None)?;
//!     files.read_files(ReadOptions::default())?.collect::<Result<Vec<_>, _>>()
//! };
//! let batches = read(b"id,price\n1,2.5\n2,\n")?;
//! assert_eq!((batches[0].num_rows(), batches[0].column(1).null_count()), (2, 1));
//!
//! let error = read(b"id,price\n1,2.5\n2,cheap\n").unwrap_err();
//! assert_eq!(error.location().field.as_deref(), Some("price"));
//! # Ok(())
//! # }
//! ```
//!
//! # Chunks
//!
//! A file is divided into cells of `chunk_bytes`. A record belongs to the cell in which it starts. The records of one cell
//! form a chunk. Chunk boundaries are therefore a property of the file: every reader finds the same ones, from any offset.
//!
//! A line end inside quotes does not end a CSV record. The start of a record therefore depends on all quotes before it, and
//! the search for the first chunk after an offset of a CSV file reads the file from its start. A JSON Lines record ends at
//! every line end, so the search starts at the cell of the offset.
//!
//! A gzip file is one chunk, because no part of it can be read without the bytes before it. gzip needs the Cargo feature `gzip`,
//! which is enabled by default. Without it, a gzip file is an error of kind [`Codec`](arrowfeed_source::FeedErrorKind::Codec).

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

//                                            ┌─scan─────> chunks
// CsvFormat, JsonLinesFormat ──open──> file ─┤
//                                            └─decoder──> records ──rows──> batches
//
// | module | content |
// |---|---|
// | `csv` | `CsvFormat`: options, names, types and cells of CSV files |
// | `json` | `JsonLinesFormat`: options, types and values of JSON Lines files |
// | `framing` | the end of each record, found without parsing its values |
// | `records` | the records of a file in order, plain or gzip |
// | `format` | a set of files of one format and schema |
// | `file` | opening of a file: compression, header, fingerprint |
// | `rows` | the rows of a batch |
// | `group` | records that are parsed together, and the search for invalid records |
// | `parser` | conversion of records to a batch: cells, JSON objects, or whole records |
// | `inexact` | values that `arrow-csv` does not convert exactly |
// | `column_types` | types of some columns, which replace inferred ones |
// | `merge` | merge of the columns that are inferred for each file |
// | `long_integers` | integers that a column of floats would round |
// | `sample` | the records from which types are inferred |

mod column_types;
mod csv;
mod file;
mod format;
mod framing;
mod group;
mod inexact;
mod json;
mod long_integers;
mod merge;
mod parser;
#[cfg(test)]
#[path = "../../../tests/random/config.rs"]
mod random_config;
#[cfg(test)]
#[path = "../../../tests/random/run.rs"]
mod random_run;
mod records;
mod rows;
mod sample;

pub use csv::{CsvFormat, CsvOptions};
pub use json::{JsonLinesFormat, JsonLinesOptions};
