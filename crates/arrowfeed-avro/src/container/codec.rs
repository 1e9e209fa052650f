//! Names of the codecs, and decompression into bounded memory.

mod bzip2;
mod decompressor;
mod deflate;
mod output;
mod snappy;
mod xz;
mod zstandard;

use arrowfeed_source::{FeedError, FeedErrorKind, quoted};
pub(crate) use decompressor::Decompressor;

/// A codec of the Avro specification. The reader supports all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Codec {
    /// Not compressed.
    Null,
    /// Raw deflate (RFC 1951).
    Deflate,
    /// Raw snappy, followed by the CRC-32 of the uncompressed bytes.
    Snappy,
    /// Zstandard frames.
    Zstandard,
    /// bzip2 streams.
    Bzip2,
    /// xz streams.
    Xz,
}

impl Codec {
    /// Returns the codec with this name in the file metadata. Names match exactly: no other case, no prefix.
    pub fn from_name(name: &[u8]) -> Result<Self, FeedError> {
        Ok(match name {
            b"null" => Self::Null,
            b"deflate" => Self::Deflate,
            b"snappy" => Self::Snappy,
            b"zstandard" => Self::Zstandard,
            b"bzip2" => Self::Bzip2,
            b"xz" => Self::Xz,
            _ => {
                let found = quoted(&String::from_utf8_lossy(name));
                let message = format!(
                    "expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found {found}"
                );
                return Err(FeedError::new(FeedErrorKind::Codec, message));
            }
        })
    }

    /// Returns the name that the file metadata uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Deflate => "deflate",
            Self::Snappy => "snappy",
            Self::Zstandard => "zstandard",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }

    /// Creates the error for data that is not valid for the codec.
    #[cold]
    fn mismatch(self, found: impl std::fmt::Display) -> FeedError {
        let article = if self == Self::Xz { "an" } else { "a" };
        let message = format!("expected {article} {} stream, found {found}", self.name());
        FeedError::new(FeedErrorKind::Codec, message)
    }
}

#[cfg(test)]
mod tests;
