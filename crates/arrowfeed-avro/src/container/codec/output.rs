//! The output buffer of the decompressors.

use std::io;

use arrowfeed_source::{Check, FeedError, FeedErrorKind, thousands};

use crate::wire::padded::{Padded, SLACK};

/// Initial size of the buffer.
const FIRST: usize = 64 << 10;

/// Maximum number of bytes that a decompressor reads or writes between two cancellation checks.
pub(super) const STEP: usize = 256 << 10;

/// A buffer that is empty, or has `room` bytes followed by [`SLACK`] bytes of padding. `room` never exceeds
/// `limit`. The buffer is reused, so that later blocks find enough room for the largest block so far.
pub(super) struct Output {
    bytes: Vec<u8>,
    limit: usize,
}

impl Output {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit: limit.min(usize::MAX / 4) }
    }

    fn room(&self) -> usize {
        self.bytes.len().saturating_sub(SLACK)
    }

    /// Checks a length that the compressed data declares.
    pub(super) fn check_declared(&self, declared: u64) -> Result<(), FeedError> {
        if declared <= self.limit as u64 {
            return Ok(());
        }
        Err(self.too_large(&format!("{} declared", thousands(declared))))
    }

    /// Runs a decompressor that needs room for its whole output at once. `attempt` gets the room and returns
    /// the number of bytes that it wrote, or `None` if the room was too small; it is then called again with
    /// twice as much. The first call has room for at least `first` bytes, or for `limit` bytes. The previous
    /// content of the buffer is discarded.
    pub(super) fn fit(
        &mut self,
        first: usize,
        check: &Check<'_>,
        mut attempt: impl FnMut(&mut [u8]) -> Result<Option<usize>, FeedError>,
    ) -> Result<usize, FeedError> {
        let mut wanted = first;
        loop {
            check.after(wanted)?;
            if self.room() < wanted.min(self.limit) || self.bytes.is_empty() {
                // Freed before the new memory is allocated, so that both never exist at once.
                self.bytes = Vec::new();
                self.grow(wanted)?;
            }
            let room = self.room();
            if let Some(len) = attempt(&mut self.bytes[..room])? {
                return Ok(len);
            }
            if room == self.limit {
                return Err(self.too_large("more"));
            }
            wanted = room * 2;
        }
    }

    /// Returns the space where a streaming decompressor writes next, after the `filled` bytes: at least one
    /// byte and at most [`STEP`]. The only byte may be padding. Therefore the buffer grows, or the limit is
    /// reached, only after a byte has shown that there is more output.
    pub(super) fn spare(&mut self, filled: usize) -> Result<&mut [u8], FeedError> {
        self.hold(filled)?;
        let end = (self.room() + 1).min(filled + STEP);
        Ok(&mut self.bytes[filled..end])
    }

    /// Returns the `filled` bytes with their padding.
    pub(super) fn padded(&mut self, filled: usize) -> Result<Padded<'_>, FeedError> {
        self.hold(filled)?;
        Padded::new(&self.bytes, filled).ok_or_else(|| {
            FeedError::new(FeedErrorKind::Internal, "expected slack behind decompressed bytes, found none")
        })
    }

    /// Ensures that there is room for `filled` bytes, and keeps their content.
    fn hold(&mut self, filled: usize) -> Result<(), FeedError> {
        if filled > self.limit {
            return Err(self.too_large("more"));
        }
        if filled > self.room() || self.bytes.is_empty() {
            self.grow(self.room() * 2)?;
        }
        Ok(())
    }

    /// Enlarges the buffer to `room` bytes, but at least to [`FIRST`] and at most to `limit`, plus padding.
    fn grow(&mut self, room: usize) -> Result<(), FeedError> {
        let len = room.max(FIRST).min(self.limit) + SLACK;
        self.bytes
            .try_reserve_exact(len.saturating_sub(self.bytes.len()))
            .map_err(io::Error::from)
            .map_err(FeedError::io)?;
        self.bytes.resize(len, 0);
        Ok(())
    }

    #[cold]
    fn too_large(&self, found: &str) -> FeedError {
        let most = thousands(self.limit as u64);
        let message = format!("expected a block of at most {most} bytes after decompression, found {found}");
        FeedError::limit_reached("decoded_block_bytes", message)
    }

    /// Size of the buffer's memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Creates the error of a decompressor that could not allocate its own memory.
#[cold]
pub(super) fn out_of_memory() -> FeedError {
    FeedError::io(io::ErrorKind::OutOfMemory.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_grows_by_doubling_up_to_the_limit() {
        let mut output = Output::new(300 << 10);
        let mut rooms = Vec::new();
        let error = output.fit(10, &Check::never(), |room| {
            rooms.push(room.len());
            Ok(None)
        });
        assert_eq!(rooms, [64 << 10, 128 << 10, 256 << 10, 300 << 10]);
        let error = error.unwrap_err();
        assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("decoded_block_bytes")));
        let text = "expected a block of at most 307,200 bytes after decompression, found more";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_limit_is_reached_by_the_byte_after_it() {
        for limit in [0, 1, 100 << 10] {
            let mut output = Output::new(limit);
            let mut filled = 0;
            while filled < limit {
                let spare = output.spare(filled).unwrap();
                assert!(!spare.is_empty());
                filled += spare.len().min(limit - filled);
            }
            assert_eq!(output.spare(filled).unwrap().len(), 1);
            assert_eq!(output.padded(filled).unwrap().bytes().len(), limit);
            assert_eq!(output.spare(filled + 1).unwrap_err().limit(), Some("decoded_block_bytes"));
        }
    }
}
