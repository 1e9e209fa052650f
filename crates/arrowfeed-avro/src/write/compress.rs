//! Compression of blocks, with the same libraries that decompress them.

use std::fmt;
use std::io::Write;
use std::ops::RangeInclusive;

use arrowfeed_source::{FeedError, FeedErrorKind};
use libdeflater::CompressionLvl;

use crate::Codec;

/// Default levels. All but zstandard's are the defaults of the libraries. For blocks of 64 KiB, level 2 of zstandard takes
/// 21 to 29 % less time than its default of 3 to write the four files of the benchmarks; their size changes by -1.9 to +1.9 %.
const DEFLATE_LEVEL: i32 = 6;
const ZSTANDARD_LEVEL: i32 = 2;
const BZIP2_LEVEL: i32 = 6;
const XZ_LEVEL: i32 = 6;

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

/// Compresses blocks one at a time and reuses its memory.
pub(super) enum Compressor {
    Null,
    Deflate(libdeflater::Compressor),
    Snappy(Box<snap::raw::Encoder>),
    Zstandard(zstd::bulk::Compressor<'static>),
    Bzip2(u32),
    Xz(u32),
}

impl Compressor {
    /// `level` must be in the range of the codec.
    pub(super) fn new(codec: Codec, level: Option<i32>) -> Result<Self, FeedError> {
        let unsigned = |default: i32| level.unwrap_or(default).unsigned_abs();
        Ok(match codec {
            Codec::Null => Self::Null,
            Codec::Deflate => {
                let level = CompressionLvl::new(level.unwrap_or(DEFLATE_LEVEL)).unwrap_or_default();
                Self::Deflate(libdeflater::Compressor::new(level))
            }
            Codec::Snappy => Self::Snappy(Box::new(snap::raw::Encoder::new())),
            Codec::Zstandard => {
                let compressor = zstd::bulk::Compressor::new(level.unwrap_or(ZSTANDARD_LEVEL));
                Self::Zstandard(compressor.map_err(FeedError::io)?)
            }
            Codec::Bzip2 => Self::Bzip2(unsigned(BZIP2_LEVEL)),
            Codec::Xz => Self::Xz(unsigned(XZ_LEVEL)),
        })
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Appends the compressed bytes of `data`.
    pub(super) fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), FeedError> {
        let start = out.len();
        let failed = |error: &dyn fmt::Display| {
            FeedError::new(FeedErrorKind::Codec, format!("expected to compress a block, found {error}"))
        };
        match self {
            Self::Null => out.extend_from_slice(data),
            Self::Deflate(compressor) => {
                out.resize(start + compressor.deflate_compress_bound(data.len()), 0);
                let len = compressor.deflate_compress(data, &mut out[start..]);
                out.truncate(start + len.map_err(|error| failed(&error))?);
            }
            Self::Snappy(encoder) => {
                out.resize(start + snap::raw::max_compress_len(data.len()), 0);
                let len = encoder.compress(data, &mut out[start..]).map_err(|error| failed(&error))?;
                out.truncate(start + len);
                out.extend_from_slice(&crc32fast::hash(data).to_be_bytes());
            }
            Self::Zstandard(compressor) => {
                out.resize(start + zstd::zstd_safe::compress_bound(data.len()), 0);
                let len = compressor.compress_to_buffer(data, &mut out[start..]);
                out.truncate(start + len.map_err(|error| failed(&error))?);
            }
            Self::Bzip2(level) => {
                let mut encoder = bzip2::write::BzEncoder::new(out, bzip2::Compression::new(*level));
                encoder
                    .write_all(data)
                    .and_then(|()| encoder.try_finish())
                    .map_err(|error| failed(&error))?;
            }
            Self::Xz(level) => {
                let mut encoder = liblzma::write::XzEncoder::new(out, *level);
                encoder
                    .write_all(data)
                    .and_then(|()| encoder.try_finish())
                    .map_err(|error| failed(&error))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "Null",
            Self::Deflate(_) => "Deflate",
            Self::Snappy(_) => "Snappy",
            Self::Zstandard(_) => "Zstandard",
            Self::Bzip2(_) => "Bzip2",
            Self::Xz(_) => "Xz",
        })
    }
}
