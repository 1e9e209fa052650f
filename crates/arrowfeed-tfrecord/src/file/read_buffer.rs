//! A buffered buffer over the bytes of a file.

use std::sync::Arc;

use arrowfeed_source::FeedError;
use arrowfeed_source::io::{ByteSource, checked_read_at};

/// A buffered buffer over the bytes of a file. Bytes of a file in memory are not copied.
#[derive(Debug)]
pub(super) struct ReadBuffer {
    source: Arc<dyn ByteSource>,
    /// Length of the file in bytes.
    len: u64,
    /// Minimum number of bytes per read.
    stretch: usize,
    /// Read-ahead ends at this offset.
    read_ahead_end: u64,
    start: u64,
    /// The buffer. It is zeroed only where it grows.
    bytes: Vec<u8>,
    /// Number of bytes in the buffer that are bytes of the file.
    known: usize,
}

impl ReadBuffer {
    pub(super) fn new(source: Arc<dyn ByteSource>, len: u64, stretch: usize) -> Self {
        Self { source, len, stretch, read_ahead_end: u64::MAX, start: 0, bytes: Vec::new(), known: 0 }
    }

    /// Length of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Limits read-ahead to the bytes before `end`. Later bytes are read only on demand.
    pub(super) fn set_read_ahead_end(&mut self, end: u64) {
        self.read_ahead_end = end;
    }

    /// Returns `count` bytes from `offset` on, or fewer at the end of the file.
    #[inline]
    pub(super) fn get(&mut self, offset: u64, count: usize) -> Result<&[u8], FeedError> {
        let at = offset.wrapping_sub(self.start);
        if at.saturating_add(count as u64) <= self.known as u64 {
            return Ok(&self.bytes[at as usize..][..count]);
        }
        self.refill(offset, count)
    }

    fn refill(&mut self, offset: u64, count: usize) -> Result<&[u8], FeedError> {
        let left = |len: u64| usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX);
        if let Some(memory) = self.source.memory() {
            let count = count.min(left(memory.len() as u64));
            return Ok(if count == 0 { &[] } else { &memory[offset as usize..][..count] });
        }
        let stretch = self.stretch.min(left(self.read_ahead_end));
        let (count, most) = (count.min(left(self.len)), count.max(stretch).min(left(self.len)));
        // Move the bytes that are already buffered to the start of the buffer.
        let kept = usize::try_from(offset.wrapping_sub(self.start)).ok().filter(|at| *at < self.known);
        self.known = kept.map_or(0, |at| {
            self.bytes.copy_within(at..self.known, 0);
            self.known - at
        });
        self.start = offset;
        if self.known < count {
            if self.bytes.len() < most {
                self.bytes.resize(most, 0);
            }
            let into = &mut self.bytes[self.known..most];
            let read = checked_read_at(&*self.source, offset + self.known as u64, into);
            // `known` is unchanged after an error.
            self.known += read.map_err(|error| FeedError::io(error).at_offset(offset))?;
        }
        Ok(&self.bytes[..count.min(self.known)])
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use arrowfeed_source::io::FileVersion;

    /// A source without direct access to its memory, so that the buffer must read from it.
    #[derive(Debug)]
    struct Stored(Vec<u8>);

    impl ByteSource for Stored {
        fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
            arrowfeed_source::io::Memory::new(self.0.clone()).read_at(offset, into)
        }

        fn version(&self) -> io::Result<FileVersion> {
            Ok(FileVersion::new(self.0.len() as u64))
        }
    }

    #[test]
    fn any_stretch_in_any_order() {
        let bytes: Vec<u8> = (0..=255).collect();
        let sources: [Arc<dyn ByteSource>; 2] =
            [Arc::new(Stored(bytes.clone())), Arc::new(arrowfeed_source::io::Memory::new(bytes.clone()))];
        for source in sources {
            let mut buffer = ReadBuffer::new(source, 256, 16);
            let mut state = crate::random_run::seed();
            for _ in 0..10_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (offset, count) = ((state >> 33) as usize % 270, (state >> 50) as usize % 40);
                let expected = &bytes[offset.min(256)..(offset + count).min(256)];
                assert_eq!(buffer.get(offset as u64, count).unwrap(), expected, "{offset} {count}");
            }
            assert!(buffer.get(u64::MAX, 12).unwrap().is_empty());
        }
    }
}
