//! The object container format: a header, then blocks of records between sync markers.
//!
//! ```text
//! file    magic "Obj\x01" | metadata map | sync marker | block | block | ...
//! block   record count | byte size | data, compressed by the file's codec | sync marker
//! ```
//!
//! - [`input`]: buffered, sequential bytes of a source or stream.
//! - [`varint`], [`framing`]: the numbers around the data, and their checks.
//! - [`magic`]: detection of Avro files, and a guess at the format of others.
//! - [`header`]: schema, codec, user metadata and sync marker.
//! - [`codec`]: names of the codecs, and decompression in bounded memory.
//! - [`block`]: blocks in order, decompressed.
//! - [`scan`]: positions of the blocks, without reading their data.
//!
//! No offset, count or size from a file is trusted before the bytes that prove it have been read.

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
