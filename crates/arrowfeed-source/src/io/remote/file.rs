//! A remote object as a file.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::object::RemoteObject;
use super::read_ahead::{Read, ReadAhead};
use crate::io::local::read_file_at;
use crate::io::{ByteSource, FileVersion};
use crate::{Check, Interrupt};

thread_local! {
    /// Whether reads on this thread return an error instead of waiting for a request.
    static WITHOUT_WAITING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, in which a read of a [`RemoteFile`] that would wait for a response is an error of kind
/// [`WouldBlock`](io::ErrorKind::WouldBlock). The read still sends its request.
pub fn without_waiting<T>(work: impl FnOnce() -> T) -> T {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            WITHOUT_WAITING.set(self.0);
        }
    }
    let _reset = Reset(WITHOUT_WAITING.replace(true));
    work()
}

/// An open remote object. All its requests require the version of the first response.
pub struct RemoteFile {
    object: Arc<dyn RemoteObject>,
    read_ahead: ReadAhead,
    file: u64,
    interrupt: Option<Interrupt>,
}

impl RemoteFile {
    /// Creates a file without sending a request. The interrupt of `check` cancels reads that wait for a response.
    ///
    /// # Errors
    /// The read-ahead belongs to the parent process.
    pub fn new(object: Arc<dyn RemoteObject>, read_ahead: ReadAhead, check: &Check<'_>) -> io::Result<Self> {
        let file = read_ahead.add(object.clone())?;
        Ok(Self { object, read_ahead, file, interrupt: check.interrupt() })
    }

    /// Announces ranges that will be read, in this order. A range may extend past the end of the file.
    pub fn announce(&self, ranges: impl IntoIterator<Item = Range<u64>>) {
        self.read_ahead.announce(self.file, ranges);
    }

    /// Whether the version and reads of these ranges are available without waiting.
    pub fn has(&self, ranges: &[Range<u64>]) -> bool {
        self.read_ahead.has(self.file, ranges)
    }

    /// Whether a request in flight fetches bytes of these ranges.
    pub(crate) fn is_arriving(&self, ranges: &[Range<u64>]) -> bool {
        self.read_ahead.is_arriving(self.file, ranges)
    }

    /// Whether more ranges should be announced to keep requests in flight.
    pub fn wants_more(&self) -> bool {
        self.read_ahead.announced() < self.object.limits().bytes
    }

    /// Length in bytes, if a listing or a response has reported it.
    pub fn known_len(&self) -> Option<u64> {
        self.read_ahead.known_len(self.file)
    }

    /// Requests the version ahead, for a file that is opened from its end and whose length is unknown.
    pub fn ask_version(&self) {
        self.read_ahead.ask_version_ahead(self.file);
    }
}

impl ByteSource for RemoteFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            let place = (offset.saturating_add(filled as u64), into.len() - filled);
            let wait = !WITHOUT_WAITING.get();
            match self.read_ahead.read(self.file, place, self.interrupt.as_ref(), wait)? {
                Read::Whole(file) => return read_file_at(&file, offset, into),
                Read::Bytes(pieces) if pieces.is_empty() => break,
                Read::Bytes(pieces) => {
                    for piece in pieces {
                        into[filled..filled + piece.len()].copy_from_slice(&piece);
                        filled += piece.len();
                    }
                }
            }
        }
        Ok(filled)
    }

    fn version(&self) -> io::Result<FileVersion> {
        let version = self.read_ahead.version(self.file, self.interrupt.as_ref())?;
        Ok(FileVersion::new(version.len).with_modified(version.modified))
    }

    fn announce(&self, ranges: &[Range<u64>]) {
        self.announce(ranges.iter().cloned());
    }
}

impl Drop for RemoteFile {
    fn drop(&mut self) {
        if !self.read_ahead.is_forked() {
            self.read_ahead.remove(self.file);
        }
    }
}

impl fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemoteFile").field(&self.object).finish()
    }
}
