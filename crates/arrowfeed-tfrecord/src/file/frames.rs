//! Where the records of a file stand that is not compressed.

use std::sync::Arc;

use arrowfeed_source::io::ByteSource;
use arrowfeed_source::{Check, FeedError, Limits};

use super::window::Window;
use crate::frame::{self, FOOTER, HEADER, truncated};

/// Bytes beside a record.
const BESIDE: u64 = (HEADER + FOOTER) as u64;

/// Bytes that are searched at first for the start of a record, and at a time after that.
const FIRST_SEARCH: usize = 64 << 10;
const SEARCH: usize = 1 << 20;

/// The frames of a file, at any offset.
#[derive(Debug)]
pub(super) struct Frames {
    window: Window,
}

impl Frames {
    /// `stretch`: bytes that are read at a time, at least.
    pub(super) fn new(source: Arc<dyn ByteSource>, len: u64, stretch: usize) -> Self {
        Self { window: Window::new(source, len, stretch) }
    }

    /// Reads no bytes from `end` on before they are needed.
    pub(super) fn set_wanted(&mut self, end: u64) {
        self.window.set_wanted(end);
    }

    /// Where the frame that starts at an offset ends, from what stands before its record alone.
    ///
    /// # Errors
    /// No frame starts there, or the file ends in it. The system refuses.
    #[inline]
    pub(super) fn end(&mut self, offset: u64) -> Result<u64, FeedError> {
        let left = self.window.len().saturating_sub(offset);
        let found = self.window.get(offset, HEADER)?;
        let header = found.first_chunk();
        let header = header.ok_or_else(|| truncated(HEADER as u64, frame::BEFORE, found.len() as u64))?;
        let length = frame::length(header)?;
        match length.checked_add(BESIDE).filter(|bytes| *bytes <= left) {
            Some(bytes) => Ok(offset + bytes),
            None => {
                let rest = length.saturating_add(FOOTER as u64);
                Err(truncated(rest, frame::REST, left - HEADER as u64))
            }
        }
    }

    /// The record of a frame, whose end is known.
    ///
    /// # Errors
    /// The record is longer than a limit, or has another checksum; the file has become shorter; the system refuses.
    #[inline]
    pub(super) fn record(&mut self, offset: u64, end: u64, limits: &Limits) -> Result<&[u8], FeedError> {
        let length = frame::allowed(end - offset - BESIDE, limits)?;
        let found = self.window.get(offset + HEADER as u64, length + FOOTER)?;
        if found.len() < length + FOOTER {
            return Err(truncated((length + FOOTER) as u64, frame::REST, found.len() as u64));
        }
        frame::check(found)?;
        Ok(&found[..length])
    }

    /// Where the first frame at or behind an offset starts; `None` where there is none. A frame is what has a length with its
    /// checksum, and fits into the file. At the start of the file there is one, whatever is there: a fault in it is for a reader
    /// to tell.
    ///
    /// # Errors
    /// The system refuses, or the caller wants to stop.
    pub(super) fn find(&mut self, from: u64, check: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let len = self.window.len();
        if from == 0 {
            return Ok((len > 0).then_some(0));
        }
        let (mut at, mut search) = (from, FIRST_SEARCH);
        while len.saturating_sub(at) >= BESIDE {
            check.now()?;
            let most = len - at - BESIDE;
            let bytes = self.window.get(at, search)?;
            let is_start = |(i, header): &(usize, &[u8])| {
                let Some(header) = header.first_chunk() else { return false };
                let length = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| header[i]));
                // Of other bytes, nearly none are the length of something that fits.
                most.checked_sub(*i as u64).is_some_and(|most| length <= most) && frame::is_header(header)
            };
            if let Some((i, _)) = bytes.windows(HEADER).enumerate().find(is_start) {
                return Ok(Some(at + i as u64));
            }
            if bytes.len() < search {
                break;
            }
            at += (search - (HEADER - 1)) as u64;
            search = SEARCH;
        }
        Ok(None)
    }
}
