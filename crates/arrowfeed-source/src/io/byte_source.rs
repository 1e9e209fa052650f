//! Random access to the bytes of one file.

use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use arrow_buffer::Buffer;

use crate::stats::{Stage, enter};

/// Random access to the bytes of one open file. It has no read position, so any number of threads can share it.
///
/// ```
/// use arrowfeed_source::io::{ByteSource, Memory};
///
/// let file = Memory::new(b"0123456789".to_vec());
/// let mut bytes = [0; 4];
/// assert_eq!(file.read_at(8, &mut bytes)?, 2);
/// assert_eq!(&bytes[..2], b"89");
/// assert_eq!(file.version()?.len, 10);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait ByteSource: Send + Sync + Debug {
    /// Reads into `into`, starting at `offset`. Returns the number of bytes, which is smaller than `into`
    /// only at the end of the file.
    ///
    /// # Errors
    /// The system reports an error.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// The current version of the file.
    ///
    /// # Errors
    /// The system reports an error.
    fn version(&self) -> io::Result<FileVersion>;

    /// All bytes of the file if they are in memory, so that readers need not copy them. Their number equals the length
    /// in the version. Default: `None`.
    fn memory(&self) -> Option<&Buffer> {
        None
    }

    /// Announces ranges that will be read, in this order, so that a remote file requests them ahead. A range may extend past
    /// the end of the file. Default: does nothing.
    fn announce(&self, _ranges: &[Range<u64>]) {}
}

/// Version of a file: properties that change when the file changes.
///
/// [`Memory`](crate::io::Memory) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileVersion {
    /// Length in bytes.
    pub len: u64,
    /// Time of the last change, if known.
    pub modified: Option<SystemTime>,
}

impl FileVersion {
    /// Creates the version of a file of `len` bytes whose time of change is unknown.
    pub fn new(len: u64) -> Self {
        Self { len, modified: None }
    }

    /// Sets the time of the last change.
    pub fn with_modified(self, modified: Option<SystemTime>) -> Self {
        Self { modified, ..self }
    }
}

impl<S: ByteSource + ?Sized> ByteSource for Arc<S> {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, into)
    }

    fn version(&self) -> io::Result<FileVersion> {
        (**self).version()
    }

    fn memory(&self) -> Option<&Buffer> {
        (**self).memory()
    }

    fn announce(&self, ranges: &[Range<u64>]) {
        (**self).announce(ranges);
    }
}

/// Reads like [`ByteSource::read_at`], and checks the number of bytes that the source returns.
///
/// # Errors
/// The system reports an error; the source reports more bytes than `into` has room for.
pub fn checked_read_at(source: &dyn ByteSource, offset: u64, into: &mut [u8]) -> io::Result<usize> {
    let _reading = source.memory().is_none().then(|| enter(Stage::Read));
    match source.read_at(offset, into)? {
        found if found <= into.len() => Ok(found),
        found => {
            let most = into.len();
            Err(io::Error::other(format!("expected at most {most} bytes from the file, found {found}")))
        }
    }
}
