//! Reads any bytes as an Avro file. Expects rows or an error, and the same result from memory and from a stream.

use arrowfeed_avro::{AvroFormat, FileSource, ReadOptions};

use crate::avro;
use crate::hostile::outcome::Outcome;
use crate::hostile::seeds;
use crate::hostile::ways::{ByteByByte, read};

pub(crate) fn run(bytes: &[u8]) {
    let options = avro::options();
    let whole = read(bytes, &options);
    avro::check(&whole);
    // A stream that returns one byte per read is slow, and its faults show up in short inputs.
    if bytes.len() <= 4096 {
        let source = FileSource::reader("stream", ByteByByte::new(bytes));
        let stream = Outcome::of(AvroFormat::read([source], options, ReadOptions::default()));
        assert_eq!(stream.verdict(), whole.verdict());
        assert_eq!(stream.rows(), whole.rows());
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    seeds::seeds(216).into_iter().map(|seed| seed.bytes).collect()
}
