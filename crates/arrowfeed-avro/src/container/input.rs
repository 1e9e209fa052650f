//! The bytes of one file in order, buffered with slack.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrowfeed_source::io::{ByteSource, checked_read_at};
use arrowfeed_source::{Check, FeedError};

use crate::wire::padded::{Padded, SLACK};

/// Least bytes that a file or stream is asked for at a time, where it has so many.
const STEP: usize = 256 << 10;

/// Most bytes that a file is asked for between two questions whether to stop.
const FILE_STEP: usize = 1 << 20;

/// Most bytes that the buffer grows by before the stream has proven that they exist.
const STREAM_STEP: usize = 1 << 20;

/// Reads forward from `offset`. `buffer` always holds [`SLACK`] bytes after `filled`; memory is not buffered,
/// except where a piece has too little memory after it.
pub(crate) struct Input {
    origin: Origin,
    /// Of the next unread byte, in the file.
    offset: u64,
    /// Bytes from here on are not read before they are asked for.
    wanted: u64,
    /// Least bytes of the first read of a file.
    first: usize,
    buffer: Vec<u8>,
    /// The unread bytes in `buffer`. Empty where the origin is memory.
    filled: Range<usize>,
}

enum Origin {
    /// A file up to a position.
    File { source: Arc<dyn ByteSource>, end: u64 },
    /// Memory up to a position.
    Memory { memory: Buffer, end: usize },
    /// A stream, and whether its end has been seen.
    Stream { reader: Box<dyn Read + Send>, ended: bool },
}

impl Input {
    /// A range of a file, by positional reads only: the handle may be shared. Bytes that the file does not
    /// have are as if the range ended before them. If the source is in memory, the input has all bytes from the start of
    /// the range to the end of the file.
    pub(crate) fn from_source(source: Arc<dyn ByteSource>, range: Range<u64>) -> Self {
        if let Some(memory) = source.memory() {
            let start = usize::try_from(range.start).unwrap_or(usize::MAX);
            return Self::from_bytes(memory.clone(), start..memory.len());
        }
        Self::new(Origin::File { source, end: range.end.max(range.start) }, range.start)
    }

    /// The same, whose first read of a file has fewer bytes.
    pub(crate) fn with_first_read(mut self, bytes: u64) -> Self {
        self.first = usize::try_from(bytes).map_or(STEP, |bytes| bytes.min(STEP));
        self
    }

    /// A range of a file that is in memory.
    pub(crate) fn from_bytes(memory: Buffer, range: Range<usize>) -> Self {
        let end = range.end.min(memory.len());
        let start = range.start.min(end);
        Self::new(Origin::Memory { memory, end }, start as u64)
    }

    /// A stream, from the first byte of its file.
    pub(crate) fn from_reader(reader: Box<dyn Read + Send>) -> Self {
        Self::new(Origin::Stream { reader, ended: false }, 0)
    }

    fn new(origin: Origin, offset: u64) -> Self {
        Self { origin, offset, wanted: u64::MAX, first: STEP, buffer: vec![0; SLACK], filled: 0..0 }
    }

    /// Goes on at another place of the same file and keeps the buffer. Bytes behind the range can be had; they are
    /// not read ahead. A stream cannot.
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

    /// Offset in the file of the next unread byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Unread bytes, where the length is known. A file that has been cut since may have fewer.
    pub(crate) fn remaining(&self) -> Option<u64> {
        match &self.origin {
            Origin::File { end, .. } => Some(end.saturating_sub(self.offset)),
            Origin::Memory { end, .. } => Some((*end as u64).saturating_sub(self.offset)),
            Origin::Stream { .. } => None,
        }
    }

    /// Unread bytes that need no more reading. They may have nothing after them.
    pub(crate) fn available(&self) -> &[u8] {
        match &self.origin {
            Origin::Memory { memory, end } => {
                let start = usize::try_from(self.offset).unwrap_or(*end);
                memory.get(start..*end).unwrap_or(&[])
            }
            _ => &self.buffer[self.filled.clone()],
        }
    }

    /// Makes `n` bytes available if there are so many. Gives how many are: fewer than `n` only at the end.
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

    /// Fills `into` with what is `ahead` bytes behind the next unread byte; fewer bytes only at the end. A file
    /// is not buffered up to there.
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

    /// The next `n` bytes, all of which are available; fewer where they are not.
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

    /// Goes past the next `n` bytes, all of which are available.
    pub(crate) fn consume(&mut self, n: usize) {
        let n = n.min(self.available().len());
        self.offset += n as u64;
        if !self.filled.is_empty() {
            self.filled.start += n;
        }
    }

    /// One read of the `missing` bytes, [`FILE_STEP`] at most, or of [`STEP`] wanted bytes where those are more. 0: no more
    /// bytes.
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

    /// One read of at most [`STREAM_STEP`] bytes. 0: no more bytes.
    fn fill_from_stream(&mut self, missing: usize) -> io::Result<usize> {
        let n = missing.clamp(STEP, STREAM_STEP);
        self.make_room(n)?;
        let Origin::Stream { reader, ended } = &mut self.origin else { return Ok(0) };
        let into = &mut self.buffer[self.filled.end..][..n];
        let got = loop {
            match reader.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        if got > n {
            return Err(io::Error::other("the stream says that it gave more bytes than it was asked for"));
        }
        *ended = got == 0;
        self.filled.end += got;
        Ok(got)
    }

    /// Takes memory for `n` more bytes at once, without touching it.
    fn reserve(&mut self, n: usize) -> io::Result<()> {
        let room = self.filled.len().checked_add(n).and_then(|room| room.checked_add(SLACK));
        let room = room.ok_or(io::ErrorKind::OutOfMemory)?;
        self.buffer.try_reserve(room.saturating_sub(self.buffer.len()))?;
        Ok(())
    }

    /// Room for `n` more bytes and the slack behind the filled ones, at first by moving those to the front.
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

    /// Bytes that the buffer takes.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}

#[cfg(test)]
mod tests;
