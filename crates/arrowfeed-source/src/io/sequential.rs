//! Sequential reads of a file, for decoders that read from start to end.

use std::io::{self, Read};
use std::sync::Arc;

use super::{ByteSource, checked_read_at};
use crate::{FeedError, FeedErrorKind};

/// A [`Read`] adapter that reads a source from an offset on.
#[derive(Debug)]
pub struct SequentialReader {
    source: Arc<dyn ByteSource>,
    offset: u64,
}

impl SequentialReader {
    /// Creates a reader that starts at `offset`.
    pub fn new(source: Arc<dyn ByteSource>, offset: u64) -> Self {
        Self { source, offset }
    }

    /// Moves to another offset.
    pub fn seek(&mut self, offset: u64) {
        self.offset = offset;
    }
}

impl Read for SequentialReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let found = checked_read_at(&*self.source, self.offset, into)?;
        self.offset += found as u64;
        Ok(found)
    }
}

/// Converts the error of a decompressor: a truncated stream, invalid data, or an I/O error.
#[cold]
pub fn decompression_error(error: io::Error) -> FeedError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            let message = "expected more compressed bytes, found the end of the file";
            FeedError::new(FeedErrorKind::Truncated, message)
        }
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            let message = format!("expected valid compressed data, found invalid data: {error}");
            FeedError::new(FeedErrorKind::Codec, message)
        }
        _ => FeedError::io(error),
    }
}
