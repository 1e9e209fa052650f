//! Compression of blocks, with the same libraries that decompress them.

#[cfg(feature = "bzip2")]
mod bzip2;
#[cfg(feature = "deflate")]
mod deflate;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "xz")]
mod xz;
#[cfg(feature = "zstandard")]
mod zstandard;

use std::fmt;
use std::ops::RangeInclusive;

use arrowfeed_source::FeedError;

use crate::Codec;

impl Codec {
    /// The range of compression levels that [`WriteOptions::level`](crate::WriteOptions::level) accepts; `None` for codecs
    /// without levels.
    ///
    /// ```
    /// assert_eq!(arrowfeed_avro::Codec::Deflate.levels(), Some(1..=12));
    /// ```
    pub fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Self::Null | Self::Snappy => None,
            Self::Deflate => Some(1..=12),
            Self::Zstandard => Some(-7..=22),
            Self::Bzip2 => Some(1..=9),
            Self::Xz => Some(0..=9),
        }
    }
}

/// Compression with one codec.
trait Method: Send {
    /// Appends the compressed bytes of `data`.
    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError>;
}

/// Compresses blocks one at a time and reuses its memory.
pub(super) struct Compressor {
    codec: Codec,
    /// `None` for the null codec.
    method: Option<Box<dyn Method>>,
}

impl Compressor {
    /// `level` must be in the range of the codec. `None`: the default level of the codec, which is that of its library,
    /// except for zstandard.
    ///
    /// # Errors
    /// The codec is not compiled in.
    #[cfg_attr(
        not(any(feature = "bzip2", feature = "deflate", feature = "xz", feature = "zstandard")),
        allow(unused_variables, reason = "the build has no codec with levels")
    )]
    pub(super) fn new(codec: Codec, level: Option<i32>) -> Result<Self, FeedError> {
        let method: Option<Box<dyn Method>> = match codec {
            Codec::Null => None,
            #[cfg(feature = "deflate")]
            Codec::Deflate => Some(Box::new(deflate::Deflate::new(level))),
            #[cfg(feature = "snappy")]
            Codec::Snappy => Some(Box::new(snappy::Snappy::new())),
            #[cfg(feature = "zstandard")]
            Codec::Zstandard => Some(Box::new(zstandard::Zstandard::new(level)?)),
            #[cfg(feature = "bzip2")]
            Codec::Bzip2 => Some(Box::new(bzip2::Bzip2::new(level))),
            #[cfg(feature = "xz")]
            Codec::Xz => Some(Box::new(xz::Xz::new(level))),
            #[allow(unreachable_patterns, reason = "the build may have all codecs")]
            codec => return Err(codec.not_compiled()),
        };
        Ok(Self { codec, method })
    }

    pub(super) fn is_null(&self) -> bool {
        self.method.is_none()
    }

    /// Appends the compressed bytes of `data`.
    pub(super) fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        match &mut self.method {
            Some(method) => method.compress(data, out),
            None => {
                out.extend_from_slice(data);
                Ok(())
            }
        }
    }
}

/// The error of a library that could not compress a block.
#[cold]
#[cfg_attr(
    not(any(
        feature = "bzip2",
        feature = "deflate",
        feature = "snappy",
        feature = "xz",
        feature = "zstandard"
    )),
    allow(dead_code, reason = "each codec has it")
)]
fn failed(error: impl fmt::Display) -> FeedError {
    let message = format!("expected to compress a block, found {error}");
    FeedError::new(arrowfeed_source::FeedErrorKind::Codec, message)
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Compressor").field(&self.codec).finish()
    }
}
