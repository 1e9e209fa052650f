//! The bytes of one file.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use arrow_buffer::Buffer;

/// The bytes of one open file. It has no position of its own, so that any number of threads share it.
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
    /// Fills `into` from `offset` on. Gives the number of bytes, which is smaller only where the file ends.
    ///
    /// # Errors
    /// The system refuses.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// What the file is now.
    ///
    /// # Errors
    /// The system refuses.
    fn version(&self) -> io::Result<FileVersion>;

    /// All bytes of the file, if they are in memory; readers then do not copy them. There are as many as the version
    /// says. Default: `None`.
    fn memory(&self) -> Option<&Buffer> {
        None
    }
}

/// What changes when a file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileVersion {
    /// Bytes.
    pub len: u64,
    /// The time of the last change, where it is known.
    pub modified: Option<SystemTime>,
}

impl FileVersion {
    /// A file of `len` bytes, whose time of change is not known.
    pub fn new(len: u64) -> Self {
        Self { len, modified: None }
    }

    /// The same with a time of the last change.
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
}

/// Reads as [`ByteSource::read_at`] does, and checks the number that the source gives.
///
/// # Errors
/// The system refuses; the source says that it gave more bytes than there is room for.
pub fn checked_read_at(source: &dyn ByteSource, offset: u64, into: &mut [u8]) -> io::Result<usize> {
    match source.read_at(offset, into)? {
        found if found <= into.len() => Ok(found),
        found => {
            let most = into.len();
            Err(io::Error::other(format!("expected at most {most} bytes from the file, found {found}")))
        }
    }
}
