//! Locates the frames of records in an uncompressed file.

use std::sync::Arc;

use arrowfeed_source::io::ByteSource;
use arrowfeed_source::{Check, FeedError, Limits};

use super::read_buffer::ReadBuffer;
use crate::frame::{self, FOOTER, HEADER, truncated};

/// Size of a frame without its record, in bytes.
const FRAME_OVERHEAD: u64 = (HEADER + FOOTER) as u64;

/// Bytes per step of a search for the start of a record: the first step, and all later ones.
const FIRST_SEARCH: usize = 64 << 10;
const SEARCH: usize = 1 << 20;

/// Reads the frames of a file at any offset.
#[derive(Debug)]
pub struct Frames {
    buffer: ReadBuffer,
}

impl Frames {
    /// Creates a reader. `stretch` is the minimum number of bytes per read.
    pub(super) fn new(source: Arc<dyn ByteSource>, len: u64, stretch: usize) -> Self {
        Self { buffer: ReadBuffer::new(source, len, stretch) }
    }

    /// Limits read-ahead to the bytes before `end`. Later bytes are read only on demand.
    pub(super) fn set_read_ahead_end(&mut self, end: u64) {
        self.buffer.set_read_ahead_end(end);
    }

    /// Returns the end of the frame that starts at `offset`. Needs only the header of the frame.
    ///
    /// # Errors
    /// No frame starts there, or the file ends inside it; the system reports an error.
    #[inline]
    pub(super) fn end(&mut self, offset: u64) -> Result<u64, FeedError> {
        let left = self.buffer.len().saturating_sub(offset);
        let found = self.buffer.get(offset, HEADER)?;
        let header = found.first_chunk();
        let header = header.ok_or_else(|| truncated(HEADER as u64, frame::BEFORE, found.len() as u64))?;
        let length = frame::length(header)?;
        match length.checked_add(FRAME_OVERHEAD).filter(|bytes| *bytes <= left) {
            Some(bytes) => Ok(offset + bytes),
            None => {
                let rest = length.saturating_add(FOOTER as u64);
                Err(truncated(rest, frame::REST, left - HEADER as u64))
            }
        }
    }

    /// Returns the record of the frame from `offset` to `end`.
    ///
    /// # Errors
    /// The record exceeds a limit, or its checksum does not match; the file was truncated; the system reports an error.
    #[inline]
    pub(super) fn record(&mut self, offset: u64, end: u64, limits: &Limits) -> Result<&[u8], FeedError> {
        let length = frame::allowed(end - offset - FRAME_OVERHEAD, limits)?;
        let found = self.buffer.get(offset + HEADER as u64, length + FOOTER)?;
        if found.len() < length + FOOTER {
            return Err(truncated((length + FOOTER) as u64, frame::REST, found.len() as u64));
        }
        frame::check(found)?;
        Ok(&found[..length])
    }

    /// Returns the offset of the first frame that starts at or after `from`; `None` if there is none.
    ///
    /// A frame is recognised by a length with a matching checksum that fits into the file, unless these bytes are a record
    /// of 8 bytes and its checksum. Offset 0 always counts as the start of a frame, so that the reader reports a fault there.
    ///
    /// # Errors
    /// The system reports an error, or the caller cancels.
    pub(super) fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let len = self.buffer.len();
        if from == 0 {
            return Ok((len > 0).then_some(0));
        }
        let (mut at, mut search) = (from, FIRST_SEARCH);
        while len.saturating_sub(at) >= FRAME_OVERHEAD {
            check.now()?;
            let most = len - at - FRAME_OVERHEAD;
            let bytes = self.buffer.get(at, search)?;
            let is_header = |(i, header): &(usize, &[u8])| {
                let Some(header) = header.first_chunk() else { return false };
                let length = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| header[i]));
                // Checked before the checksum: hardly any other bytes are a length that fits into the file.
                most.checked_sub(*i as u64).is_some_and(|most| length <= most) && frame::is_header(header)
            };
            if let Some((i, _)) = bytes.windows(HEADER).enumerate().find(is_header) {
                let found = at + i as u64;
                if self.starts_frame(found, check)? {
                    return Ok(Some(found));
                }
                at = found + 1;
                continue;
            }
            if bytes.len() < search {
                break;
            }
            at += (search - (HEADER - 1)) as u64;
            search = SEARCH;
        }
        Ok(None)
    }

    /// Whether the header at `offset` starts a frame. If not, it is a record of 8 bytes and its checksum.
    ///
    /// A frame with a record of 8 bytes looks like two headers. So before a record that looks like a header, there is an odd
    /// number of headers of such frames: its own one, and two for each frame before it whose record is again such a header.
    ///
    /// # Errors
    /// The system reports an error, or the caller cancels.
    fn starts_frame(&mut self, offset: u64, check: &Check<'_>) -> Result<bool, FeedError> {
        let of_8_bytes = frame::header(8);
        let (mut headers, mut end, mut search) = (0, offset, HEADER);
        loop {
            let count = search.min(usize::try_from(end).unwrap_or(usize::MAX)) / HEADER * HEADER;
            check.after(count)?;
            let bytes = self.buffer.get(end - count as u64, count)?;
            let found = bytes.rchunks_exact(HEADER).take_while(|header| *header == of_8_bytes).count();
            headers += found;
            if found * HEADER < count || count == 0 {
                return Ok(headers % 2 == 0);
            }
            end -= count as u64;
            search = FIRST_SEARCH;
        }
    }
}
