//! A common interface to all codecs.

use arrowfeed_source::{Check, FeedError, Limits};

use super::output::Output;
use super::{Codec, bzip2, deflate, snappy, xz, zstandard};
use crate::wire::padded::Padded;

/// Decompresses one block after another into the same buffer. The buffer never exceeds
/// [`Limits::decoded_block_bytes`], and grows only as far as the compressed bytes justify.
pub(crate) struct Decompressor {
    method: Method,
    output: Output,
    /// Size of the last decompressed block in `output`.
    len: usize,
}

enum Method {
    Null,
    Deflate(deflate::Deflate),
    Snappy,
    Zstandard(zstandard::Zstandard),
    Bzip2,
    Xz { memory: usize },
}

impl Decompressor {
    /// Creates a decompressor for the blocks of one file.
    pub(crate) fn new(codec: Codec, limits: &Limits) -> Self {
        let method = match codec {
            Codec::Null => Method::Null,
            Codec::Deflate => Method::Deflate(deflate::Deflate::new()),
            Codec::Snappy => Method::Snappy,
            Codec::Zstandard => Method::Zstandard(zstandard::Zstandard::new(limits.zstd_window_bytes)),
            Codec::Bzip2 => Method::Bzip2,
            Codec::Xz => Method::Xz { memory: limits.xz_memory_bytes },
        };
        Self { method, output: Output::new(limits.decoded_block_bytes), len: 0 }
    }

    /// Decompresses the data of a block, including all of its streams or frames in order. The null codec
    /// returns `data` itself.
    pub(crate) fn decompress<'a>(
        &'a mut self,
        data: Padded<'a>,
        check: &Check<'_>,
    ) -> Result<Padded<'a>, FeedError> {
        let (bytes, output) = (data.bytes(), &mut self.output);
        self.len = match &mut self.method {
            Method::Null => return Ok(data),
            Method::Deflate(deflate) => deflate.decompress(bytes, output, check)?,
            Method::Snappy => snappy::decompress(bytes, output, check)?,
            Method::Zstandard(zstandard) => zstandard.decompress(bytes, output, check)?,
            Method::Bzip2 => bzip2::decompress(bytes, output, check)?,
            Method::Xz { memory } => xz::decompress(bytes, *memory, output, check)?,
        };
        output.padded(self.len)
    }

    /// Returns the result of the last [`decompress`](Self::decompress) again, for the same block.
    pub(crate) fn again<'a>(&'a mut self, data: Padded<'a>) -> Result<Padded<'a>, FeedError> {
        match self.method {
            Method::Null => Ok(data),
            _ => self.output.padded(self.len),
        }
    }

    /// Size of the buffer's memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.output.capacity()
    }
}
