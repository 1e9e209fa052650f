//! The reader against a plain oracle, on random schemas, rows, files and options.
//!
//! `ARROWFEED_CASES` is the number of cases of the main law, 500 where it is not set; every other law has a
//! share of it.
//!
//! - [`reading`]: the rows that were written come out; what is no valid block does not.
//! - [`projection`]: some columns.
//! - [`sources`]: threads, files, streams, ranges, and limits of a batch.
//! - [`coverage`]: whether the random cases hold what they should.
//! - [`lengths`], [`encodings`]: the other forms of a column.
//! - [`resolution`]: reader schemas.
//! - [`faults`]: damaged blocks.
//! - [`records`]: records without a file; [`raw`]: records that are kept as their bytes.
//! - [`writers`]: files of the apache-avro crate and of `write_avro`.

mod claims;
mod coverage;
mod encodings;
mod faults;
mod lengths;
mod projection;
mod raw;
mod reading;
mod records;
mod resolution;
mod sources;
#[path = "../support/mod.rs"]
mod support;
mod writers;
