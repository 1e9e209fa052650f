//! Raw deflate.

use arrowfeed_source::{Check, FeedError, thousands};
use libdeflater::{DecompressionError, Decompressor};

use super::Codec;
use super::decompressor::Method;
use super::output::Output;

/// Initial room per byte of input: text and numbers mostly compress to between a half and a tenth.
const RATIO: usize = 8;

/// Decompresses whole buffers, and reuses the library's tables.
pub(super) struct Deflate(Decompressor);

impl Deflate {
    pub(super) fn new() -> Self {
        Self(Decompressor::new())
    }
}

impl Method for Deflate {
    /// Accepts bytes after the end of the stream: fastavro leaves three bytes of a zlib trailer there, and the library does
    /// not report how many bytes remain.
    fn decompress(
        &mut self,
        data: &[u8],
        output: &mut Output,
        check: &Check<'_>,
    ) -> Result<usize, FeedError> {
        if data.is_empty() {
            return Err(Codec::Deflate.mismatch("no bytes"));
        }
        let first = data.len().saturating_mul(RATIO);
        output.fit(first, check, |room| match self.0.deflate_decompress(data, room) {
            Ok(len) => Ok(Some(len)),
            Err(DecompressionError::InsufficientSpace) => Ok(None),
            Err(DecompressionError::BadData) => Err(bad_data(data)),
        })
    }
}

#[cold]
fn bad_data(data: &[u8]) -> FeedError {
    // RFC 1950: deflate with a window of at most 32 KiB, and a checksum over both bytes.
    let zlib = matches!(data, [cmf, flags, ..]
        if cmf & 0x0f == 8 && cmf >> 4 <= 7 && (u16::from(*cmf) << 8 | u16::from(*flags)) % 31 == 0);
    let hint = if zlib { " (they start like a zlib stream)" } else { "" };
    let found = thousands(data.len() as u64);
    Codec::Deflate.mismatch(format_args!("{found} bytes of invalid or truncated data{hint}"))
}
