//! Builder of container files, which appends blocks.

use arrowfeed_avro::Codec;

use super::compress::compress;
use super::wire::{bytes, long};

/// The sync marker of all files that are made here, unless another is specified.
pub(crate) const SYNC: [u8; 16] = *b"\xa1sync marker 16\xff";

/// A file under construction.
#[derive(Debug, Clone)]
pub(crate) struct Container {
    pub(crate) bytes: Vec<u8>,
    codec: Codec,
    sync: [u8; 16],
}

impl Container {
    /// A valid header without blocks.
    pub(crate) fn new(schema: &str, codec: Codec) -> Self {
        Self::with_sync(schema, codec, SYNC)
    }

    /// A valid header with a specified sync marker.
    pub(crate) fn with_sync(schema: &str, codec: Codec, sync: [u8; 16]) -> Self {
        let entries = [("avro.schema", schema.as_bytes()), ("avro.codec", codec.name().as_bytes())];
        Self { bytes: header(&entries, &sync), codec, sync }
    }

    /// A valid block.
    pub(crate) fn block(self, count: i64, payload: &[u8]) -> Self {
        let data = compress(self.codec, payload);
        let size = data.len() as i64;
        self.framed(count, size, &data)
    }

    /// A block with this data, which is not compressed further.
    pub(crate) fn data(self, count: i64, data: &[u8]) -> Self {
        self.framed(count, data.len() as i64, data)
    }

    /// A block that states this size.
    pub(crate) fn framed(mut self, count: i64, size: i64, data: &[u8]) -> Self {
        self.bytes.extend(long(count));
        self.bytes.extend(long(size));
        self.bytes.extend(data);
        self.bytes.extend(self.sync);
        self
    }

    /// Appends bytes unchanged.
    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }
}

/// A header with one block of metadata.
pub(crate) fn header(entries: &[(&str, &[u8])], sync: &[u8; 16]) -> Vec<u8> {
    let entries: Vec<Vec<u8>> = entries.iter().map(|(key, value)| entry(key.as_bytes(), value)).collect();
    let metadata = [long(entries.len() as i64), entries.concat(), vec![0]].concat();
    header_of(&metadata, sync)
}

/// A header with this metadata, which includes the 0 at its end.
pub(crate) fn header_of(metadata: &[u8], sync: &[u8]) -> Vec<u8> {
    [b"Obj\x01", metadata, sync].concat()
}

/// A key and a value of the metadata map.
pub(crate) fn entry(key: &[u8], value: &[u8]) -> Vec<u8> {
    [bytes(key), bytes(value)].concat()
}
