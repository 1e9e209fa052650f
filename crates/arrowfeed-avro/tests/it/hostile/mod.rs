//! Invalid files, and the exact result of reading them: the complete message and the rows before it, which are the same
//! from memory, from a file, from a stream, in threads and by splits.
//!
//! There is one module for each class of faults: [`header`], [`framing`], [`codecs`], [`schema`], [`resolution`], [`values`],
//! [`environment`].

mod codecs;
mod environment;
mod framing;
mod header;
mod resolution;
mod schema;
mod values;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroOptions, Codec, Limits};

use crate::support_hostile::container::Container;
use crate::support_hostile::ways::read_every_way;

/// An uncompressed file of longs.
fn longs_file() -> Container {
    Container::new("\"long\"", Codec::Null)
}

/// Checks that every way of reading returns this number of rows and then this fault.
#[track_caller]
fn refused(bytes: &[u8], rows: usize, fault: &str) {
    refused_within(&Limits::default(), bytes, rows, fault);
}

/// Like [`refused`], with the specified limits.
#[track_caller]
fn refused_within(limits: &Limits, bytes: &[u8], rows: usize, fault: &str) {
    let options = AvroOptions { limits: limits.clone(), ..AvroOptions::default() };
    let outcome = read_every_way(bytes, &options);
    assert_eq!((outcome.rows(), outcome.verdict().as_str()), (rows, fault));
}

/// Checks that every way of reading returns this number of rows and no fault.
#[track_caller]
fn accepted(bytes: &[u8], rows: usize) -> Option<RecordBatch> {
    let outcome = read_every_way(bytes, &AvroOptions::default());
    assert_eq!((outcome.rows(), outcome.verdict().as_str()), (rows, "ok"));
    outcome.table()
}
