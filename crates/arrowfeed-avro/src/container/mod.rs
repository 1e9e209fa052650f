//! The object container format: a header, then blocks of records between sync markers.
//!
//! ```text
//! file    magic "Obj\x01" | metadata map | sync marker | block | block | ...
//! block   record count | byte size | data, compressed by the file's codec | sync marker
//! ```
//!
//! - [`input`]: bytes in order, from a source or a stream, buffered.
//! - [`varint`], [`framing`]: the few numbers around the data, and what makes them wrong.
//! - [`magic`]: is this an Avro file, and if not, what is it?
//! - [`header`]: schema, codec, user metadata and sync marker.
//! - [`codec`]: the names of the codecs, and decompression in bounded memory.
//! - [`block`]: blocks one after the other, decompressed.
//! - [`scan`]: where the blocks are, without reading their data.
//!
//! No offset, count or size of a file is believed before the bytes that prove it have been read.

pub(crate) mod block;
pub(crate) mod codec;
pub(crate) mod framing;
pub(crate) mod header;
pub(crate) mod input;
pub(crate) mod magic;
pub(crate) mod scan;
#[cfg(test)]
pub(crate) mod testing;
mod varint;
