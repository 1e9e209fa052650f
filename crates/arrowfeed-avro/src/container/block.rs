//! Reads blocks in order, checks their framing and decompresses their data.

use std::ops::Range;

use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, thousands};
use memchr::memmem::Finder;

use super::codec::Decompressor;
use super::framing::{Head, MAX_HEAD, SYNC, block_or_end};
use super::header::Header;
use super::input::Input;
use crate::wire::padded::Padded;

/// Number of bytes that [`BlockReader::resync`] searches at a time.
const WINDOW: usize = 1 << 20;

/// Cost of checking whether a block follows a marker, as the number of bytes that are searched in the same time.
const LOOK: usize = 4 << 10;

/// A block whose sync marker has been checked; its data is unchecked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// Zero-based index in the file, or in the range that is read.
    pub(crate) index: u64,
    /// File offset of the record count, right after the preceding sync marker.
    pub(crate) offset: u64,
    /// Number of records.
    pub(crate) count: u64,
    /// Size of the data in the file.
    pub(crate) size: usize,
    /// File offset of the data.
    pub(crate) data: u64,
}

impl Block {
    /// Size of the whole block in the file, including its header and sync marker.
    pub(crate) fn len(&self) -> u64 {
        self.data - self.offset + (self.size + SYNC) as u64
    }
}

/// Returns blocks in order. After [`next`](Self::next) fails, it returns the same error again until
/// [`resync`](Self::resync) or [`restart`](Self::restart) is called.
pub(crate) struct BlockReader {
    input: Input,
    sync: [u8; SYNC],
    decompressor: Decompressor,
    block_limit: usize,
    row_limit: u64,
    /// Offset at which to stop; the input may continue after it.
    end: u64,
    /// Index of the block at the input's next byte, or of `current`.
    index: u64,
    /// The block that `next` returned last; the input is at its data.
    current: Option<Block>,
    /// Whether the decompressor holds the data of `current`.
    decompressed: bool,
    /// The error of `next`; the input is at the start of the invalid block.
    failed: Option<FeedError>,
}

impl BlockReader {
    /// Reads blocks from `input`, which is at the start of a block. Fails if the codec is not compiled in.
    pub(crate) fn new(input: Input, header: &Header, limits: &Limits) -> Result<Self, FeedError> {
        Ok(Self {
            input,
            sync: header.sync,
            decompressor: Decompressor::new(header.codec, limits)?,
            block_limit: limits.decoded_block_bytes,
            row_limit: limits.zero_byte_rows,
            end: u64::MAX,
            index: 0,
            current: None,
            decompressed: false,
            failed: None,
        })
    }

    /// Continues with another range of the same file and keeps the buffers. The range starts and ends at block
    /// boundaries (see [`align`](arrowfeed_source::run::align)). Fails for a stream.
    pub(crate) fn restart(&mut self, range: Range<u64>, first_index: u64) -> Result<(), FeedError> {
        self.input.restart(range.clone()).map_err(FeedError::io)?;
        (self.end, self.index, self.current, self.failed) = (range.end, first_index, None, None);
        Ok(())
    }

    /// Returns the next block, or `None` if the range or the input ends between two blocks.
    pub(crate) fn next(&mut self, check: &Check<'_>) -> Result<Option<Block>, FeedError> {
        if let Some(error) = &self.failed {
            return Err(error.clone_without_source());
        }
        if let Some(block) = self.current.take() {
            self.input.consume(block.size + SYNC);
            self.index += 1;
        }
        self.decompressed = false;
        let offset = self.input.offset();
        if offset >= self.end {
            return Ok(None);
        }
        match self.frame(check) {
            Ok(None) => Ok(None),
            Ok(Some(head)) => {
                self.input.consume(head.len);
                let Head { count, size, .. } = head;
                self.current =
                    Some(Block { index: self.index, offset, count, size, data: self.input.offset() });
                Ok(self.current)
            }
            Err(error) => Err(self.fail(error.in_block(self.index, offset))),
        }
    }

    /// Returns the block that [`next`](Self::next) returned last.
    pub(crate) fn current(&self) -> Option<Block> {
        self.current
    }

    /// Returns the data of the block that [`next`](Self::next) returned last. Decompresses it once, even if
    /// called several times. After an error, the reader can continue with the next block.
    pub(crate) fn payload(&mut self, check: &Check<'_>) -> Result<Padded<'_>, FeedError> {
        let Some(block) = self.current else {
            return Err(FeedError::new(FeedErrorKind::Internal, "expected a current block, found none"));
        };
        let place = |error: FeedError| error.in_block(block.index, block.offset);
        let data = self.input.peek(block.size);
        if block.count == 0 && block.size == 0 {
            return Ok(data);
        }
        if self.decompressed {
            return self.decompressor.again(data);
        }
        let payload = self.decompressor.decompress(data, check).map_err(place)?;
        check_count(block.count, payload.bytes().len(), self.row_limit).map_err(place)?;
        self.decompressed = true;
        Ok(payload)
    }

    /// Recovers from an error of [`next`](Self::next): moves to the first sync marker after the start of the
    /// invalid block that is followed by a block or by the end of the input. Returns the number of skipped
    /// bytes, or `None` if there is no such marker and the whole input has been consumed.
    pub(crate) fn resync(&mut self, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        if self.failed.take().is_none() {
            return Ok(Some(0));
        }
        let start = self.input.offset();
        match self.find_block(check) {
            Ok(found) => {
                self.index += 1;
                Ok(found.then(|| self.input.offset() - start))
            }
            Err(error) => Err(self.fail(error.in_block(self.index, start))),
        }
    }

    fn fail(&mut self, error: FeedError) -> FeedError {
        self.failed = Some(error.clone_without_source());
        error
    }

    /// Makes the whole block at the input's next byte available, and checks everything but its data.
    fn frame(&mut self, check: &Check<'_>) -> Result<Option<Head>, FeedError> {
        let found = self.input.ensure(MAX_HEAD, check)?;
        if found == 0 {
            return Ok(None);
        }
        let head = Head::parse(&self.input.available()[..found.min(MAX_HEAD)], self.block_limit)?;
        if let Some(left) = self.input.remaining() {
            head.fits(left)?;
        }
        let found = self.input.ensure(head.frame(), check)?;
        head.fits(found as u64)?;
        head.ends_with(&self.input.available()[head.len + head.size..head.frame()], &self.sync)?;
        check_end(self.input.offset() + head.frame() as u64, self.end)?;
        Ok(Some(head))
    }

    /// Consumes bytes up to the next block, or up to the end of the input after a marker. If neither exists,
    /// consumes everything and returns false. Searched bytes are consumed, so that markers without blocks use no memory.
    fn find_block(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        let (sync, limit) = (self.sync, self.block_limit);
        let finder = Finder::new(&sync);
        loop {
            let found = self.input.ensure(WINDOW, check)?;
            match finder.find(self.input.available()) {
                Some(at) => {
                    let read_at = |ahead, into: &mut [u8]| self.input.read_ahead(ahead, into, check);
                    let real = block_or_end(read_at, (at + SYNC) as u64, limit, &sync)?;
                    self.input.consume(if real { at + SYNC } else { at + 1 });
                    if real {
                        return Ok(true);
                    }
                    check.after(at + LOOK)?;
                }
                None if found < WINDOW => {
                    self.input.consume(found);
                    return Ok(false);
                }
                // A marker may span two windows.
                None => {
                    self.input.consume(found - (SYNC - 1));
                    check.after(found)?;
                }
            }
        }
    }
}

/// Checks that a block ends within its range. Something that looks like a block starts at the end of the range,
/// because another reader begins there; this code cannot tell which of the two is the real block.
fn check_end(found: u64, end: u64) -> Result<(), FeedError> {
    if found <= end {
        return Ok(());
    }
    let (end, found) = (thousands(end), thousands(found));
    let message = format!(
        "expected a block that ends by byte {end}, where the next block seems to start, found its end at byte {found}"
    );
    Err(FeedError::new(FeedErrorKind::CorruptBlock, message))
}

/// Checks what the payload length alone says about the number of records.
fn check_count(count: u64, payload: usize, row_limit: u64) -> Result<(), FeedError> {
    if count == 0 && payload > 0 {
        let found = thousands(payload as u64);
        let message = format!("expected no bytes in a block of 0 records, found {found}");
        return Err(FeedError::new(FeedErrorKind::CorruptBlock, message));
    }
    if payload == 0 && count > row_limit {
        let (most, found) = (thousands(row_limit), thousands(count));
        let message = format!("expected at most {most} records in a block without bytes, found {found}");
        return Err(FeedError::limit_reached("zero_byte_rows", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
