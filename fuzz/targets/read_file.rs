//! Reads any bytes as an Avro file. Expects rows or an error, and the same result from memory and from a stream.

#![no_main]

mod common;

use arrowfeed_avro::{AvroReaderBuilder, AvroSource};
use common::support::outcome::Outcome;
use common::support::ways::{ByteByByte, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = common::options();
    let whole = read(bytes, &options);
    common::check(&whole);
    // A stream that returns one byte per read is slow, and its faults show up in short inputs.
    if bytes.len() <= 4096 {
        let source = AvroSource::reader("stream", ByteByByte::new(bytes));
        let stream = Outcome::of(AvroReaderBuilder::new().with_options(options).open(source));
        assert_eq!(stream.verdict(), whole.verdict());
        assert_eq!(stream.rows(), whole.rows());
    }
});
