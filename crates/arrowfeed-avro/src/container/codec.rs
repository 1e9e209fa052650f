//! Names of the codecs, and decompression into bounded memory.

#[cfg(feature = "bzip2")]
mod bzip2;
mod decompressor;
#[cfg(feature = "deflate")]
mod deflate;
#[cfg_attr(
    not(all(
        feature = "bzip2",
        feature = "deflate",
        feature = "snappy",
        feature = "xz",
        feature = "zstandard"
    )),
    allow(dead_code, reason = "each codec uses some of its functions")
)]
mod output;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "xz")]
mod xz;
#[cfg(feature = "zstandard")]
mod zstandard;

use arrowfeed_source::{FeedError, FeedErrorKind, quoted};
pub(crate) use decompressor::Decompressor;

/// A codec of the Avro specification. Each one except `Null` has a Cargo feature with its [`name`](Self::name). Reading or
/// writing data with a codec whose feature is disabled is an error of kind [`Codec`](FeedErrorKind::Codec).
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
    /// The usual ratio of the decompressed to the compressed size of training data. It is only an estimate.
    pub(crate) fn usual_ratio(self) -> u64 {
        match self {
            Self::Null => 1,
            Self::Deflate | Self::Snappy | Self::Zstandard | Self::Bzip2 | Self::Xz => 2,
        }
    }

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

    /// Whether this build can read and write the codec.
    ///
    /// ```
    /// assert!(arrowfeed_avro::Codec::Null.is_compiled());
    /// ```
    pub fn is_compiled(self) -> bool {
        match self {
            Self::Null => true,
            Self::Deflate => cfg!(feature = "deflate"),
            Self::Snappy => cfg!(feature = "snappy"),
            Self::Zstandard => cfg!(feature = "zstandard"),
            Self::Bzip2 => cfg!(feature = "bzip2"),
            Self::Xz => cfg!(feature = "xz"),
        }
    }

    /// Returns an error if this build does not have the codec.
    pub(crate) fn check_compiled(self) -> Result<(), FeedError> {
        if self.is_compiled() { Ok(()) } else { Err(self.not_compiled()) }
    }

    /// Creates the error for a codec that this build does not have.
    #[cold]
    pub(crate) fn not_compiled(self) -> FeedError {
        FeedError::codec_not_compiled(self.name(), self.name(), env!("CARGO_PKG_NAME"))
    }

    /// Creates the error for data that is not valid for the codec.
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
    fn mismatch(self, found: impl std::fmt::Display) -> FeedError {
        let article = if self == Self::Xz { "an" } else { "a" };
        let message = format!("expected {article} {} stream, found {found}", self.name());
        FeedError::new(FeedErrorKind::Codec, message)
    }
}

#[cfg(test)]
mod tests;
