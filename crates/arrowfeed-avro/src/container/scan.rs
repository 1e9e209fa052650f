//! Finds the blocks of a file without reading their data.

use std::sync::Arc;

use arrowfeed_source::format::{Chunk, ChunkScan};
use arrowfeed_source::io::{ByteSource, checked_read_at};
use arrowfeed_source::{Check, FeedError, Limits};
use memchr::memmem::Finder;

use super::framing::{Head, MAX_HEAD, SYNC, block_or_end};
use super::header::Header;

/// Number of bytes to read after the data of a block: its marker, the next head, and some spare room.
const STRIDE: usize = 64;

/// Size of the first window that [`BlockScanner::first_block_at_or_after`] searches. The next block is usually
/// near, and a file with many faults needs one search for each of them.
const FIRST_WINDOW: usize = 64 << 10;

/// Size of the windows after the first.
const WINDOW: usize = 1 << 20;

/// Cost of a small read, as the number of bytes that are searched in the same time.
const LOOK: usize = 4 << 10;

/// Returns, in order, the blocks that fit in the file and end with its sync marker. Does one small read for
/// each block. After an error, it returns the same error again.
#[derive(Debug)]
pub(crate) struct BlockScanner {
    source: Arc<dyn ByteSource>,
    sync: [u8; SYNC],
    limit: usize,
    header_len: u64,
    file_len: u64,
    /// Number and file offset of the next block.
    number: u64,
    offset: u64,
    /// The bytes at `offset`, if the read after the previous block included them.
    ahead: Vec<u8>,
    failed: Option<FeedError>,
}

impl BlockScanner {
    /// Scans all blocks of a file of `file_len` bytes.
    pub(crate) fn new(source: Arc<dyn ByteSource>, file_len: u64, header: &Header, limits: &Limits) -> Self {
        Self {
            source,
            sync: header.sync,
            limit: limits.decoded_block_bytes,
            header_len: header.len,
            file_len,
            number: 0,
            offset: header.len,
            ahead: Vec::new(),
            failed: None,
        }
    }

    /// Returns the offset of the first block at or after `start`, or `None` if no block follows. A sync marker
    /// counts only if a block or the end of the file follows it. The first block is at the end of the header,
    /// whatever is there: the reader reports a fault in it.
    fn first_block_at_or_after(&self, start: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let offset =
            if start <= self.header_len { Some(self.header_len) } else { self.find_block(start, check)? };
        Ok(offset.filter(|&offset| offset < self.file_len))
    }

    fn block(&mut self) -> Result<Chunk, FeedError> {
        let left = self.file_len - self.offset;
        if self.ahead.is_empty() {
            self.ahead = self.read(self.offset, MAX_HEAD)?;
        }
        let head = Head::parse(&self.ahead[..self.ahead.len().min(MAX_HEAD)], self.limit)?;
        head.fits(left)?;
        let marker_at = self.offset + (head.len + head.size) as u64;
        let mut tail = self.read(marker_at, STRIDE)?;
        let found = (head.len + head.size + tail.len()) as u64;
        // The file may have been truncated since its length was read.
        head.fits(found)?;
        self.ahead = tail.split_off(SYNC);
        head.ends_with(&tail, &self.sync)?;
        let (number, offset) = (self.number, self.offset);
        Ok(Chunk { number, offset, end: marker_at + SYNC as u64, rows: head.count })
    }

    /// Reads up to `n` bytes from `offset`; fewer only at the end.
    fn read(&self, offset: u64, n: usize) -> Result<Vec<u8>, FeedError> {
        let left = usize::try_from(self.file_len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; n.min(left)];
        let found = checked_read_at(&*self.source, offset, &mut bytes).map_err(FeedError::io)?;
        bytes.truncate(found);
        Ok(bytes)
    }

    /// Returns the end of the first real marker that ends at or after `start`.
    fn find_block(&self, start: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let finder = Finder::new(&self.sync);
        let (mut window, mut most) = (Vec::new(), FIRST_WINDOW);
        let mut at = start.saturating_sub(SYNC as u64).max(self.header_len);
        while at < self.file_len {
            check.now()?;
            window.resize(usize::try_from(self.file_len - at).unwrap_or(usize::MAX).min(most), 0);
            let found = checked_read_at(&*self.source, at, &mut window)
                .map_err(|error| FeedError::io(error).at_offset(at))?;
            let block = self.find_in(&window[..found], at, &finder, check);
            if let Some(offset) = block.map_err(|error| error.at_offset(at))? {
                return Ok(Some(offset));
            }
            if found < most {
                break;
            }
            // A marker may span two windows.
            at += (most - (SYNC - 1)) as u64;
            most = WINDOW;
        }
        Ok(None)
    }

    /// Does the work of [`find_block`](Self::find_block) for one window at file offset `at`.
    fn find_in(
        &self,
        window: &[u8],
        at: u64,
        finder: &Finder<'_>,
        check: &Check<'_>,
    ) -> Result<Option<u64>, FeedError> {
        let mut from = 0;
        while let Some(found) = finder.find(&window[from..]) {
            let offset = at + (from + found + SYNC) as u64;
            if block_or_end(
                |offset, into| self.read_near(window, at, offset, into),
                offset,
                self.limit,
                &self.sync,
            )? {
                return Ok(Some(offset));
            }
            from += found + 1;
            check.after(LOOK)?;
        }
        Ok(None)
    }

    /// Reads like [`ByteSource::read_at`] up to the end of the file, but takes bytes in the window without a
    /// system call, because a file may be full of bytes that look like markers.
    fn read_near(&self, window: &[u8], at: u64, offset: u64, into: &mut [u8]) -> Result<usize, FeedError> {
        let left = usize::try_from(self.file_len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let n = into.len().min(left);
        let near =
            usize::try_from(offset - at).ok().and_then(|start| window.get(start..start.checked_add(n)?));
        match near {
            Some(near) => {
                into[..n].copy_from_slice(near);
                Ok(n)
            }
            None => checked_read_at(&*self.source, offset, &mut into[..n]).map_err(FeedError::io),
        }
    }
}

impl ChunkScan for BlockScanner {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<Chunk>, FeedError> {
        check.after(LOOK)?;
        if let Some(error) = &self.failed {
            return Err(error.clone_without_source());
        }
        if self.offset >= self.file_len {
            return Ok(None);
        }
        match self.block() {
            Ok(block) => {
                (self.number, self.offset) = (block.number + 1, block.end);
                Ok(Some(block))
            }
            Err(error) => {
                let error = error.in_block(self.number, self.offset);
                self.failed = Some(error.clone_without_source());
                Err(error)
            }
        }
    }

    fn seek(&mut self, offset: u64, number: u64) {
        if offset != self.offset {
            self.ahead.clear();
        }
        (self.offset, self.number, self.failed) = (offset, number, None);
    }

    fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        self.first_block_at_or_after(from, check)
    }
}

#[cfg(test)]
mod tests;
