//! Decompression of buffers.

use std::io;

use arrow_ipc::CompressionType;
use arrowfeed_source::stats::{self, Stage, enter};
use arrowfeed_source::{FeedError, FeedErrorKind, thousands};

/// A codec of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    Lz4,
    Zstandard,
}

impl Codec {
    /// # Errors
    /// The codec is unknown, or not compiled in.
    pub(crate) fn new(stored: CompressionType) -> Result<Self, FeedError> {
        let (codec, is_compiled, name) = match stored {
            CompressionType::LZ4_FRAME => (Self::Lz4, cfg!(feature = "lz4"), "lz4"),
            CompressionType::ZSTD => (Self::Zstandard, cfg!(feature = "zstandard"), "zstandard"),
            other => {
                let message = format!("expected lz4 or zstandard, found the codec number {}", other.0);
                return Err(FeedError::new(FeedErrorKind::Codec, message));
            }
        };
        if is_compiled {
            Ok(codec)
        } else {
            Err(FeedError::codec_not_compiled(name, name, env!("CARGO_PKG_NAME")))
        }
    }

    /// Decompresses `from` into the whole of `into`.
    ///
    /// # Errors
    /// The bytes are not of the codec; they decompress to another number of bytes.
    pub(crate) fn decompress(self, from: &[u8], into: &mut [u8]) -> Result<(), FeedError> {
        let expected = into.len();
        let codec = match self {
            Self::Lz4 => stats::Codec::Lz4,
            Self::Zstandard => stats::Codec::Zstandard,
        };
        let decompressing = enter(Stage::Decompress(codec));
        let found = match self {
            Self::Lz4 => lz4(from, into),
            Self::Zstandard => zstandard(from, into),
        };
        drop(decompressing);
        let found = match found {
            Ok(found) if found == expected => return Ok(()),
            Ok(found) => thousands(found as u64),
            Err(error) => error.to_string(),
        };
        let message =
            format!("expected {} bytes after decompression, found {found}", thousands(expected as u64));
        Err(FeedError::new(FeedErrorKind::Codec, message))
    }
}

/// Returns the number of bytes; one more than `into` has room for, if there are more.
#[cfg(feature = "lz4")]
fn lz4(from: &[u8], into: &mut [u8]) -> io::Result<usize> {
    use std::io::Read;

    let mut decoder = lz4_flex::frame::FrameDecoder::new(from);
    let mut found = 0;
    while found < into.len() {
        match decoder.read(&mut into[found..])? {
            0 => return Ok(found),
            more => found += more,
        }
    }
    Ok(found + decoder.read(&mut [0])?)
}

/// Returns the number of bytes; an error if `into` has no room for them.
#[cfg(feature = "zstandard")]
fn zstandard(from: &[u8], into: &mut [u8]) -> io::Result<usize> {
    zstd::bulk::decompress_to_buffer(from, into)
}

#[cfg(not(feature = "lz4"))]
fn lz4(_from: &[u8], _into: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(feature = "zstandard"))]
fn zstandard(_from: &[u8], _into: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
