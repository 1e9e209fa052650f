//! Files that lie, and what reading them gives: the whole message and the rows before it, the same from memory,
//! from a file, from a stream, in threads and by splits.
//!
//! One test a class of fault: [`header`], [`framing`], [`codecs`], [`schema`], [`resolution`], [`values`],
//! [`environment`].

#[path = "../support_hostile/mod.rs"]
mod support_hostile;

mod codecs;
mod environment;
mod framing;
mod header;
mod resolution;
mod schema;
mod values;

use arrow_array::RecordBatch;
use arrowfeed_avro::{Codec, Limits, ReadOptions};

use support_hostile::container::Container;
use support_hostile::ways::read_every_way;

/// A file of longs, not compressed.
fn longs_file() -> Container {
    Container::new("\"long\"", Codec::Null)
}

/// Reading gives so many rows and then this fault, every way.
#[track_caller]
fn refused(bytes: &[u8], rows: usize, fault: &str) {
    refused_within(&Limits::default(), bytes, rows, fault);
}

/// [`refused`] with limits of choice.
#[track_caller]
fn refused_within(limits: &Limits, bytes: &[u8], rows: usize, fault: &str) {
    let options = ReadOptions { limits: limits.clone(), ..ReadOptions::default() };
    let outcome = read_every_way(bytes, &options);
    assert_eq!((outcome.rows(), outcome.verdict().as_str()), (rows, fault));
}

/// Reading gives so many rows and no fault, every way.
#[track_caller]
fn accepted(bytes: &[u8], rows: usize) -> Option<RecordBatch> {
    let outcome = read_every_way(bytes, &ReadOptions::default());
    assert_eq!((outcome.rows(), outcome.verdict().as_str()), (rows, "ok"));
    outcome.table()
}
