//! Blocks one after the other: framing checked, data decompressed.

use std::ops::Range;

use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, thousands};
use memchr::memmem::Finder;

use super::codec::Decompressor;
use super::framing::{Head, MAX_HEAD, SYNC, block_or_end};
use super::header::Header;
use super::input::Input;
use crate::wire::padded::Padded;

/// Bytes that [`BlockReader::resync`] looks through at a time.
const WINDOW: usize = 1 << 20;

/// Work of looking whether a block follows a marker, in bytes that take as long to go through.
const LOOK: usize = 4 << 10;

/// A block whose sync marker has been seen; its data may be anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// Zero-based, in its file or in the range that is read.
    pub(crate) index: u64,
    /// Offset in the file of the record count: right after the sync marker before it.
    pub(crate) offset: u64,
    /// Records.
    pub(crate) count: u64,
    /// Bytes of data, as they are in the file.
    pub(crate) size: usize,
    /// Offset in the file of the data.
    pub(crate) data: u64,
}

impl Block {
    /// Bytes of the whole block in the file, head and sync marker included.
    pub(crate) fn len(&self) -> u64 {
        self.data - self.offset + (self.size + SYNC) as u64
    }
}

/// Gives blocks in order. After an error of [`next`](Self::next) it gives that error again, until
/// [`resync`](Self::resync) or [`restart`](Self::restart).
pub(crate) struct BlockReader {
    input: Input,
    sync: [u8; SYNC],
    decompressor: Decompressor,
    block_limit: usize,
    row_limit: u64,
    /// Where to end; the input may go on.
    end: u64,
    /// Index of the block at the input's next byte, or of `current`.
    index: u64,
    /// The block that `next` gave last; the input is at its data.
    current: Option<Block>,
    /// Whether the decompressor holds the data of `current`.
    decompressed: bool,
    /// What `next` fails with; the input is at the start of the block that is wrong.
    failed: Option<FeedError>,
}

impl BlockReader {
    /// Reads blocks from `input` on, which is at the start of one.
    pub(crate) fn new(input: Input, header: &Header, limits: &Limits) -> Self {
        Self {
            input,
            sync: header.sync,
            decompressor: Decompressor::new(header.codec, limits),
            block_limit: limits.decoded_block_bytes,
            row_limit: limits.zero_byte_rows,
            end: u64::MAX,
            index: 0,
            current: None,
            decompressed: false,
            failed: None,
        }
    }

    /// Goes on at another range of the same file, which starts and ends at the border of a block (see
    /// [`align`](arrowfeed_source::run::align)), and keeps the buffers. A stream cannot.
    pub(crate) fn restart(&mut self, range: Range<u64>, first_index: u64) -> Result<(), FeedError> {
        self.input.restart(range.clone()).map_err(FeedError::io)?;
        (self.end, self.index, self.current, self.failed) = (range.end, first_index, None, None);
        Ok(())
    }

    /// The next block; `None` where the range or the input ends between two.
    pub(crate) fn next(&mut self, check: &Check<'_>) -> Result<Option<Block>, FeedError> {
        if let Some(error) = &self.failed {
            return Err(error.again());
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

    /// The block that [`next`](Self::next) gave last.
    pub(crate) fn current(&self) -> Option<Block> {
        self.current
    }

    /// Data of the block that [`next`](Self::next) gave last, decompressed once however often it is asked for. An
    /// error leaves the reader able to go on with the next block.
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

    /// After an error of [`next`](Self::next): goes to the first sync marker behind the start of the wrong block
    /// that is followed by a block or by the end of the input. Gives the number of bytes left out; `None` where
    /// there is no such marker and nothing is left to read.
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
        self.failed = Some(error.again());
        error
    }

    /// Makes the block at the input's next byte available as a whole, and checks all but its data.
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

    /// Consumes up to the next block or the end of the input behind a marker; all, and false, where none is.
    /// What has been looked through is consumed, so that markers without blocks take no memory.
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
                // A marker may lie across the edge.
                None => {
                    self.input.consume(found - (SYNC - 1));
                    check.after(found)?;
                }
            }
        }
    }
}

/// Checks that a block does not go on where its range ends. There something that looks like a block starts, so
/// that another reader begins there; which of the two is a block, nobody can tell from here.
fn check_end(found: u64, end: u64) -> Result<(), FeedError> {
    if found <= end {
        return Ok(());
    }
    let (end, found) = (thousands(end), thousands(found));
    let message = format!(
        "expected a block that ends by byte {end}, where another one seems to start, found its end at byte {found}"
    );
    Err(FeedError::new(FeedErrorKind::CorruptBlock, message))
}

/// Checks what can be known of a block's records from the length of its payload alone.
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
