//! Buffered, sequential input of one file, with padding after the buffered bytes.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrowfeed_source::io::{ByteSource, checked_read_at};
use arrowfeed_source::stats::{Stage, enter};
use arrowfeed_source::{Check, FeedError};

use crate::wire::padded::{Padded, SLACK};

/// Minimum number of bytes to read from a file or stream at a time, if that many remain.
const STEP: usize = 256 << 10;

/// Maximum number of bytes to read from a file between two cancellation checks.
const FILE_STEP: usize = 1 << 20;

/// Maximum number of bytes by which the buffer grows before the stream has proven that they exist.
const STREAM_STEP: usize = 1 << 20;

/// Reads forward from `offset`. `buffer` always has [`SLACK`] bytes after `filled`. Input that is in memory is
/// not buffered, except for a piece with too few bytes after it.
pub(crate) struct Input {
    origin: Origin,
    /// File offset of the next unread byte.
    offset: u64,
    /// File offset from which on bytes are not read ahead.
    wanted: u64,
    /// Minimum size of the first read from a file.
    first: usize,
    buffer: Vec<u8>,
    /// The unread bytes in `buffer`. Empty if the origin is memory.
    filled: Range<usize>,
}

enum Origin {
    /// A file up to an offset.
    File { source: Arc<dyn ByteSource>, end: u64 },
    /// Memory up to an offset.
    Memory { memory: Buffer, end: usize },
    /// A stream, and whether its end has been reached.
    Stream { reader: Box<dyn Read + Send>, ended: bool },
}

impl Input {
    /// Creates an input for a range of a file. Uses positional reads only, so the handle may be shared. If the
    /// file ends before the range, the range ends there. If the source is in memory, the input has all bytes
    /// from the start of the range to the end of the file.
    pub(crate) fn from_source(source: Arc<dyn ByteSource>, range: Range<u64>) -> Self {
        if let Some(memory) = source.memory() {
            let start = usize::try_from(range.start).unwrap_or(usize::MAX);
            return Self::from_bytes(memory.clone(), start..memory.len());
        }
        Self::new(Origin::File { source, end: range.end.max(range.start) }, range.start)
    }

    /// Makes the first read from a file smaller.
    pub(crate) fn with_first_read(mut self, bytes: u64) -> Self {
        self.first = usize::try_from(bytes).map_or(STEP, |bytes| bytes.min(STEP));
        self
    }

    /// Creates an input for a range of a file that is in memory.
    pub(crate) fn from_bytes(memory: Buffer, range: Range<usize>) -> Self {
        let end = range.end.min(memory.len());
        let start = range.start.min(end);
        Self::new(Origin::Memory { memory, end }, start as u64)
    }

    /// Creates an input for a stream, which starts at the first byte of its file.
    pub(crate) fn from_reader(reader: Box<dyn Read + Send>) -> Self {
        Self::new(Origin::Stream { reader, ended: false }, 0)
    }

    fn new(origin: Origin, offset: u64) -> Self {
        Self { origin, offset, wanted: u64::MAX, first: STEP, buffer: vec![0; SLACK], filled: 0..0 }
    }

    /// Continues at another range of the same file and keeps the buffer. Bytes after the range can still be
    /// read, but are not read ahead. Fails for a stream.
    pub(crate) fn restart(&mut self, range: Range<u64>) -> io::Result<()> {
        self.offset = match &self.origin {
            Origin::File { end, .. } => range.start.min(*end),
            Origin::Memory { end, .. } => range.start.min(*end as u64),
            Origin::Stream { .. } => return Err(io::ErrorKind::Unsupported.into()),
        };
        self.wanted = range.end;
        self.filled = 0..0;
        Ok(())
    }

    /// Returns the file offset of the next unread byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of unread bytes, if the length is known. A file that was truncated in the meantime
    /// may have fewer.
    pub(crate) fn remaining(&self) -> Option<u64> {
        match &self.origin {
            Origin::File { end, .. } => Some(end.saturating_sub(self.offset)),
            Origin::Memory { end, .. } => Some((*end as u64).saturating_sub(self.offset)),
            Origin::Stream { .. } => None,
        }
    }

    /// Returns the unread bytes that need no further read. There may be no padding after them.
    pub(crate) fn available(&self) -> &[u8] {
        match &self.origin {
            Origin::Memory { memory, end } => {
                let start = usize::try_from(self.offset).unwrap_or(*end);
                memory.get(start..*end).unwrap_or(&[])
            }
            _ => &self.buffer[self.filled.clone()],
        }
    }

    /// Makes `n` bytes available if that many exist. Returns the number of available bytes, which is below `n`
    /// only at the end.
    pub(crate) fn ensure(&mut self, n: usize, check: &Check<'_>) -> Result<usize, FeedError> {
        while self.filled.len() < n {
            let missing = n - self.filled.len();
            let got = match &self.origin {
                Origin::Memory { .. } | Origin::Stream { ended: true, .. } => Ok(0),
                Origin::File { .. } => self.fill_from_file(missing),
                Origin::Stream { .. } => self.fill_from_stream(missing),
            };
            let got = got.map_err(FeedError::io)?;
            if got == 0 {
                break;
            }
            check.after(got)?;
        }
        Ok(self.available().len())
    }

    /// Fills `into` with the bytes at `ahead` bytes after the next unread byte; fills fewer only at the end.
    /// Does not buffer a file up to there.
    pub(crate) fn read_ahead(
        &mut self,
        ahead: u64,
        into: &mut [u8],
        check: &Check<'_>,
    ) -> Result<usize, FeedError> {
        let start = usize::try_from(ahead).unwrap_or(usize::MAX);
        let buffered = self.available().len() >= start.saturating_add(into.len());
        if let (Origin::File { source, end }, false) = (&self.origin, buffered) {
            let at = self.offset.saturating_add(ahead);
            let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
            let n = into.len().min(left);
            return checked_read_at(&**source, at, &mut into[..n]).map_err(FeedError::io);
        }
        self.ensure(start.saturating_add(into.len()), check)?;
        let rest = self.available().get(start..).unwrap_or(&[]);
        let n = rest.len().min(into.len());
        into[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    /// Returns the next `n` bytes, which must be available; returns fewer if they are not.
    pub(crate) fn peek(&mut self, n: usize) -> Padded<'_> {
        let n = n.min(self.available().len());
        let (bytes, start) = match &self.origin {
            Origin::Memory { memory, .. } => {
                let start = usize::try_from(self.offset).unwrap_or(memory.len()).min(memory.len());
                if memory.len() - start - n >= SLACK {
                    (memory.as_slice(), start)
                } else {
                    self.buffer.clear();
                    self.buffer.extend_from_slice(&memory[start..start + n]);
                    self.buffer.resize(n + SLACK, 0);
                    (self.buffer.as_slice(), 0)
                }
            }
            _ => (self.buffer.as_slice(), self.filled.start),
        };
        Padded::new(&bytes[start..], n).expect("n bytes and slack, by the invariant and the branch above")
    }

    /// Consumes the next `n` bytes, which must be available.
    pub(crate) fn consume(&mut self, n: usize) {
        let n = n.min(self.available().len());
        self.offset += n as u64;
        if !self.filled.is_empty() {
            self.filled.start += n;
        }
    }

    /// Reads once: the `missing` bytes, or [`STEP`] bytes of the range if those are more, but at most
    /// [`FILE_STEP`]. Returns 0 at the end.
    fn fill_from_file(&mut self, missing: usize) -> io::Result<usize> {
        let Origin::File { source, end } = &self.origin else { return Ok(0) };
        let (source, next) = (source.clone(), self.offset + self.filled.len() as u64);
        let left = usize::try_from(end.saturating_sub(next)).unwrap_or(usize::MAX);
        let wanted = usize::try_from(self.wanted.saturating_sub(next)).unwrap_or(usize::MAX);
        let step = std::mem::replace(&mut self.first, STEP);
        let n = missing.max(step.min(wanted)).min(left);
        self.reserve(n)?;
        let n = n.min(FILE_STEP);
        self.make_room(n)?;
        let got = checked_read_at(&*source, next, &mut self.buffer[self.filled.end..][..n])?;
        self.filled.end += got;
        Ok(got)
    }

    /// Reads once, at most [`STREAM_STEP`] bytes. Returns 0 at the end.
    fn fill_from_stream(&mut self, missing: usize) -> io::Result<usize> {
        let n = missing.clamp(STEP, STREAM_STEP);
        self.make_room(n)?;
        let Origin::Stream { reader, ended } = &mut self.origin else { return Ok(0) };
        let into = &mut self.buffer[self.filled.end..][..n];
        let _reading = enter(Stage::Read);
        let got = loop {
            match reader.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        if got > n {
            return Err(io::Error::other("the stream reported more bytes than were requested"));
        }
        *ended = got == 0;
        self.filled.end += got;
        Ok(got)
    }

    /// Allocates memory for `n` more bytes at once, without touching it.
    fn reserve(&mut self, n: usize) -> io::Result<()> {
        let room = self.filled.len().checked_add(n).and_then(|room| room.checked_add(SLACK));
        let room = room.ok_or(io::ErrorKind::OutOfMemory)?;
        self.buffer.try_reserve(room.saturating_sub(self.buffer.len()))?;
        Ok(())
    }

    /// Makes room for `n` more bytes and the padding after the filled ones. First moves the filled bytes to the front.
    fn make_room(&mut self, n: usize) -> io::Result<()> {
        let room = |filled: usize| filled.checked_add(n)?.checked_add(SLACK);
        if room(self.filled.end).is_some_and(|room| room <= self.buffer.len()) {
            return Ok(());
        }
        if self.filled.start > 0 {
            self.buffer.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
        }
        let room = room(self.filled.end).ok_or(io::ErrorKind::OutOfMemory)?;
        if room > self.buffer.len() {
            self.buffer.try_reserve(room - self.buffer.len())?;
            self.buffer.resize(room, 0);
        }
        Ok(())
    }

    /// Size of the buffer's memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}

#[cfg(test)]
mod tests;
