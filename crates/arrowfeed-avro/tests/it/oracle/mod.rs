//! Comparison of the reader with a plain oracle, on random schemas, rows, files and options.
//!
//! The laws that find most defects run several times `ARROWFEED_CASES` cases; the slow ones run a share of them.
//!
//! - [`reading`]: reading returns the rows that were written, and rejects invalid blocks.
//! - [`projection`]: selected columns.
//! - [`sources`]: threads, files, streams, ranges, and limits of a batch.
//! - [`coverage`]: whether the random cases cover what they should.
//! - [`lengths`], [`encodings`]: the other forms of a column.
//! - [`resolution`]: reader schemas; [`merging`]: schemas that are merged from those of files.
//! - [`faults`]: damaged blocks; [`selection`]: filters.
//! - [`records`]: records without a file; [`raw`]: records that are kept as bytes.
//! - [`unions`]: unions as structs and as JSON.
//! - [`writers`]: files of the apache-avro crate and of `write_avro`.

mod claims;
mod coverage;
mod encodings;
mod faults;
mod lengths;
mod merging;
mod projection;
mod raw;
mod reading;
mod records;
mod resolution;
mod selection;
mod sources;
mod unions;
mod writers;
