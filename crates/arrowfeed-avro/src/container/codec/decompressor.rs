//! A common interface to all codecs.

use arrowfeed_source::stats::{self, Stage, enter};
use arrowfeed_source::{Check, FeedError, Limits};

use super::Codec;
#[cfg(feature = "bzip2")]
use super::bzip2::Bzip2;
#[cfg(feature = "deflate")]
use super::deflate::Deflate;
use super::output::Output;
#[cfg(feature = "snappy")]
use super::snappy::Snappy;
#[cfg(feature = "xz")]
use super::xz::Xz;
#[cfg(feature = "zstandard")]
use super::zstandard::Zstandard;
use crate::wire::padded::Padded;

/// Decompression with one codec.
pub(super) trait Method: Send {
    /// Decompresses a block, including all of its streams or frames in order, and returns its size.
    fn decompress(&mut self, data: &[u8], output: &mut Output, check: &Check<'_>)
    -> Result<usize, FeedError>;
}

/// Decompresses one block after another into the same buffer. The buffer never exceeds
/// [`Limits::decoded_block_bytes`], and grows only as far as the compressed bytes justify.
pub(crate) struct Decompressor {
    /// The method, and the codec whose time it counts for. `None` for the null codec.
    method: Option<(Box<dyn Method>, stats::Codec)>,
    output: Output,
    /// Size of the last decompressed block in `output`.
    len: usize,
}

impl Decompressor {
    /// Creates a decompressor for the blocks of one file.
    ///
    /// # Errors
    /// The codec is not compiled in.
    pub(crate) fn new(codec: Codec, limits: &Limits) -> Result<Self, FeedError> {
        let method: Option<(Box<dyn Method>, stats::Codec)> = match codec {
            Codec::Null => None,
            #[cfg(feature = "deflate")]
            Codec::Deflate => Some((Box::new(Deflate::new()), stats::Codec::Deflate)),
            #[cfg(feature = "snappy")]
            Codec::Snappy => Some((Box::new(Snappy), stats::Codec::Snappy)),
            #[cfg(feature = "zstandard")]
            Codec::Zstandard => {
                Some((Box::new(Zstandard::new(limits.zstd_window_bytes)), stats::Codec::Zstandard))
            }
            #[cfg(feature = "bzip2")]
            Codec::Bzip2 => Some((Box::new(Bzip2), stats::Codec::Bzip2)),
            #[cfg(feature = "xz")]
            Codec::Xz => Some((Box::new(Xz { memory: limits.xz_memory_bytes }), stats::Codec::Xz)),
            #[allow(unreachable_patterns, reason = "the build may have all codecs")]
            codec => return Err(codec.not_compiled()),
        };
        Ok(Self { method, output: Output::new(limits.decoded_block_bytes), len: 0 })
    }

    /// Decompresses the data of a block, including all of its streams or frames in order. The null codec
    /// returns `data` itself.
    pub(crate) fn decompress<'a>(
        &'a mut self,
        data: Padded<'a>,
        check: &Check<'_>,
    ) -> Result<Padded<'a>, FeedError> {
        let Some((method, codec)) = &mut self.method else { return Ok(data) };
        let _decompressing = enter(Stage::Decompress(*codec));
        self.len = method.decompress(data.bytes(), &mut self.output, check)?;
        self.output.padded(self.len)
    }

    /// Returns the result of the last [`decompress`](Self::decompress) again, for the same block.
    pub(crate) fn again<'a>(&'a mut self, data: Padded<'a>) -> Result<Padded<'a>, FeedError> {
        match self.method {
            None => Ok(data),
            Some(_) => self.output.padded(self.len),
        }
    }

    /// Size of the buffer's memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.output.capacity()
    }
}
