//! CSV files and files of JSON lines to Arrow RecordBatches, over `arrow-csv` and `arrow-json`.
//!
//! ```text
//!                                            ┌─scan─────> chunks
//! CsvFormat, JsonLinesFormat ──open──> file ─┤
//!                                            └─decoder──> records ──parser──> batches
//! ```
//! | module | what |
//! |---|---|
//! | `csv` | [`CsvFormat`]: options, names, types and cells of CSV files |
//! | `json` | [`JsonLinesFormat`]: options, types and values of files of JSON lines |
//! | `framing` | the end of each record, without its values |
//! | `records` | the records of a file in order, plain or gzip |
//! | `format` | a set of files of one format and schema |
//! | `file` | an open file: compression, header, fingerprint |
//! | `scan` | the chunks of a file |
//! | `decoder` | the rows of a unit |
//! | `group` | records that are parsed together, and the search for the wrong ones |
//! | `parser` | records to a batch: cells, JSON objects, or whole lines |
//! | `sample` | the records from which types are inferred |
//!
//! # Chunks
//!
//! A file is divided into cells of `chunk_bytes`. A record belongs to the cell in which it starts. The records of one cell are a
//! chunk. So the borders of chunks are a property of the file: every reader finds the same ones, from any offset.
//!
//! A line end inside of quotes does not end a record of CSV. So the start of a record depends on all quotes before it, and the
//! search for the first chunk behind an offset of a CSV file reads the file from its start. The records of JSON lines end at every
//! line end, and the search begins at the cell of the offset.
//!
//! A gzip file is one chunk: nothing in it can be read without the bytes before.

mod csv;
mod decoder;
mod file;
mod format;
mod framing;
mod group;
mod json;
mod parser;
mod records;
mod sample;
mod scan;

pub use csv::{CsvDialect, CsvFormat, CsvOptions, Multivalent};
pub use json::{JsonLinesFormat, JsonLinesOptions};
