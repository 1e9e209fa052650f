//! A list of chunks for files whose chunks are all known when the file is open.

use std::ops::Range;
use std::sync::Arc;

use super::{Chunk, ChunkScan};
use crate::{Check, FeedError};

/// The chunks of a file, ordered by offset.
#[derive(Debug, Clone)]
pub struct KnownChunks(Arc<[Chunk]>);

impl KnownChunks {
    /// Creates the list from chunks with increasing offsets.
    ///
    /// # Panics
    /// The offsets do not increase. Checked only with debug assertions.
    pub fn new(chunks: impl IntoIterator<Item = Chunk>) -> Self {
        let chunks: Arc<[Chunk]> = chunks.into_iter().collect();
        debug_assert!(chunks.is_sorted_by(|a, b| a.offset < b.offset), "offsets of chunks must grow");
        Self(chunks)
    }

    /// Returns the chunks whose offset is in the range.
    pub fn starting_in(&self, range: &Range<u64>) -> &[Chunk] {
        let (first, last) = (self.at(range.start), self.at(range.end));
        &self.0[first..last.max(first)]
    }

    /// The byte range of all chunks.
    pub fn body(&self) -> Range<u64> {
        let first = self.0.first().map_or(0, |chunk| chunk.offset);
        first..self.0.last().map_or(first, |chunk| chunk.end)
    }

    /// Returns a scan that starts at the first chunk.
    pub fn scan(&self) -> Box<dyn ChunkScan> {
        Box::new(Scan { chunks: self.clone(), next: 0 })
    }

    /// Number of chunks that start before an offset.
    fn at(&self, offset: u64) -> usize {
        self.0.partition_point(|chunk| chunk.offset < offset)
    }
}

#[derive(Debug)]
struct Scan {
    chunks: KnownChunks,
    next: usize,
}

impl ChunkScan for Scan {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        check.now()?;
        let chunk = self.chunks.0.get(self.next).copied();
        self.next += usize::from(chunk.is_some());
        Ok(chunk)
    }

    fn seek(&mut self, offset: u64, _number: u64) {
        self.next = self.chunks.at(offset);
    }

    fn find(&mut self, from: u64, _check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        Ok(self.chunks.0.get(self.chunks.at(from)).map(|chunk| chunk.offset))
    }
}
