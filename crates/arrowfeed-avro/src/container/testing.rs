//! Builds container files for tests, in simple code.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_buffer::Buffer;
use arrowfeed_source::io::{ByteSource, LocalFile, Memory, Seekable};
use arrowfeed_source::{Check, FeedError, Limits};

use super::block::{Block, BlockReader};
use super::codec::Codec;
use super::header::Header;
use super::input::Input;

pub(crate) const CODECS: [Codec; 6] =
    [Codec::Null, Codec::Deflate, Codec::Snappy, Codec::Zstandard, Codec::Bzip2, Codec::Xz];

pub(crate) const SYNC: [u8; 16] = *b"\xa1sync marker 16\xff";

/// A container file under construction.
#[derive(Clone)]
pub(crate) struct Container {
    pub(crate) bytes: Vec<u8>,
    codec: Codec,
    sync: [u8; 16],
}

impl Container {
    pub(crate) fn new(codec: Codec) -> Self {
        Self::with_sync(codec, SYNC)
    }

    pub(crate) fn with_sync(codec: Codec, sync: [u8; 16]) -> Self {
        let schema: &[u8] = b"\"long\"";
        let entries = [(b"avro.schema".as_slice(), schema), (b"avro.codec", codec.name().as_bytes())];
        Self { bytes: header(&entries, &sync), codec, sync }
    }

    /// Adds a block and compresses its data.
    pub(crate) fn block(self, count: i64, payload: &[u8]) -> Self {
        let data = compress(self.codec, payload);
        let size = data.len() as i64;
        self.raw_block(count, size, &data)
    }

    /// Adds a block without changes.
    pub(crate) fn raw_block(mut self, count: i64, size: i64, data: &[u8]) -> Self {
        self.bytes.extend(varint(count));
        self.bytes.extend(varint(size));
        self.bytes.extend(data);
        self.bytes.extend(self.sync);
        self
    }

    /// Adds raw bytes.
    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }
}

/// Encodes a header with one metadata block.
pub(crate) fn header(entries: &[(&[u8], &[u8])], sync: &[u8; 16]) -> Vec<u8> {
    let mut bytes = b"Obj\x01".to_vec();
    bytes.extend(varint(entries.len() as i64));
    for (key, value) in entries {
        bytes.extend(entry(key, value));
    }
    bytes.push(0);
    bytes.extend(sync);
    bytes
}

/// Encodes a key and a value of the metadata map.
pub(crate) fn entry(key: &[u8], value: &[u8]) -> Vec<u8> {
    [varint(key.len() as i64), key.to_vec(), varint(value.len() as i64), value.to_vec()].concat()
}

pub(crate) fn varint(value: i64) -> Vec<u8> {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    let mut bytes = Vec::new();
    while rest > 0x7f {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

pub(crate) fn compress(codec: Codec, payload: &[u8]) -> Vec<u8> {
    match codec {
        Codec::Null => payload.to_vec(),
        Codec::Deflate => {
            let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
            let mut data = vec![0; compressor.deflate_compress_bound(payload.len())];
            let len = compressor.deflate_compress(payload, &mut data).unwrap();
            data.truncate(len);
            data
        }
        Codec::Snappy => {
            let mut data = snap::raw::Encoder::new().compress_vec(payload).unwrap();
            data.extend(crc32fast::hash(payload).to_be_bytes());
            data
        }
        Codec::Zstandard => zstd::bulk::compress(payload, 1).unwrap(),
        Codec::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(payload).unwrap();
            encoder.finish().unwrap()
        }
        Codec::Xz => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(payload).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// A stream that returns one byte at a time, and an `Interrupted` error before each.
pub(crate) struct ByteByByte {
    rest: io::Cursor<Vec<u8>>,
    interrupted: bool,
}

impl ByteByByte {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self { rest: io::Cursor::new(bytes.to_vec()), interrupted: false }
    }
}

impl Read for ByteByByte {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = into.len().min(1);
        self.rest.read(&mut into[..n])
    }
}

impl Seek for ByteByByte {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.rest.seek(to)
    }
}

/// Creates a temporary file with these bytes. It is already unlinked and disappears when the handle is closed.
pub(crate) fn temporary_file(bytes: &[u8]) -> Arc<dyn ByteSource> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("arrowfeed-{}-{number}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let file = File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    Arc::new(LocalFile::new(file).unwrap())
}

/// Returns the same bytes as every kind of input.
pub(crate) fn inputs(bytes: &[u8]) -> [Input; 5] {
    [
        Input::from_bytes(Buffer::from(bytes), 0..bytes.len()),
        Input::from_source(temporary_file(bytes), 0..bytes.len() as u64),
        Input::from_source(seekable(bytes), 0..bytes.len() as u64),
        Input::from_reader(Box::new(io::Cursor::new(bytes.to_vec()))),
        Input::from_reader(Box::new(ByteByByte::new(bytes))),
    ]
}

/// Returns the same bytes as every kind of source.
pub(crate) fn sources(bytes: &[u8]) -> [Arc<dyn ByteSource>; 3] {
    [Arc::new(Memory::new(Buffer::from(bytes))), temporary_file(bytes), seekable(bytes)]
}

/// Creates a seekable source that reads one byte at a time.
fn seekable(bytes: &[u8]) -> Arc<dyn ByteSource> {
    Arc::new(Seekable::new(ByteByByte::new(bytes)))
}

/// Blocks with their payloads, and the error that ended the read.
pub(crate) type Blocks = (Vec<(Block, Vec<u8>)>, Option<FeedError>);

/// Reads a file up to its end or the first error.
pub(crate) fn read_all(mut input: Input, limits: &Limits) -> Result<Blocks, FeedError> {
    let header = Header::read(&mut input, limits, &Check::never())?;
    Ok(read_rest(&mut BlockReader::new(input, &header, limits).unwrap()))
}

pub(crate) fn read_rest(reader: &mut BlockReader) -> Blocks {
    let mut blocks = Vec::new();
    loop {
        match reader.next(&Check::never()) {
            Ok(None) => return (blocks, None),
            Err(error) => return (blocks, Some(error)),
            Ok(Some(block)) => match reader.payload(&Check::never()) {
                Ok(payload) => blocks.push((block, payload.bytes().to_vec())),
                Err(error) => return (blocks, Some(error)),
            },
        }
    }
}

/// Reads a file through every kind of input, and asserts that all results agree, including the error texts.
pub(crate) fn read_every_way(bytes: &[u8], limits: &Limits) -> Result<Blocks, FeedError> {
    let [first, others @ ..] = inputs(bytes);
    let first = read_all(first, limits);
    for other in others {
        assert_eq!(summary(&read_all(other, limits)), summary(&first));
    }
    first
}

type Summary<'a> = Result<(&'a [(Block, Vec<u8>)], Option<String>), String>;

fn summary(result: &Result<Blocks, FeedError>) -> Summary<'_> {
    let text = |error: &FeedError| format!("{:?} {:?} {error}", error.kind(), error.limit());
    match result {
        Ok((blocks, error)) => Ok((blocks, error.as_ref().map(text))),
        Err(error) => Err(text(error)),
    }
}
