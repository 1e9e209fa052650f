//! Files of the local file system.

use std::fs::File;
use std::io;
use std::path::Path;

use super::{ByteSource, FileVersion, regular_file};
use crate::{Check, FeedError};

/// An open regular file. Reads do not use its file position.
///
/// ```
/// use std::path::Path;
///
/// use arrowfeed_source::io::{ByteSource, LocalFile};
/// use arrowfeed_source::{Check, FeedError};
///
/// let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
/// let file = LocalFile::open(&path, &Check::never())?;
/// let mut bytes = [0; 9];
/// file.read_at(0, &mut bytes).map_err(FeedError::io)?;
/// assert_eq!(&bytes, b"[package]");
/// # Ok::<(), FeedError>(())
/// ```
#[derive(Debug)]
pub struct LocalFile(File);

impl LocalFile {
    /// Opens an existing regular file.
    ///
    /// # Errors
    /// The system reports an error; the path is a directory, a pipe or a device; the caller cancels.
    pub fn open(path: &Path, check: &Check<'_>) -> Result<Self, FeedError> {
        regular_file::open(path, check).map(Self)
    }

    /// Wraps a file that is already open.
    ///
    /// # Errors
    /// The system reports an error; `file` is not a regular file.
    pub fn new(file: File) -> io::Result<Self> {
        regular_file::check_regular(&file.metadata()?)?;
        Ok(Self(file))
    }
}

impl ByteSource for LocalFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        read_file_at(&self.0, offset, into)
    }

    fn version(&self) -> io::Result<FileVersion> {
        let metadata = self.0.metadata()?;
        Ok(FileVersion::new(metadata.len()).with_modified(metadata.modified().ok()))
    }
}

/// Reads into `into`, starting at `offset`, until it is full or the file ends.
pub(super) fn read_file_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        match read_some_at(file, &mut into[filled..], offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_some_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    // Offsets of the system call are signed; no file has bytes beyond that.
    if i64::try_from(offset).is_err() {
        return Ok(0);
    }
    std::os::unix::fs::FileExt::read_at(file, into, offset)
}

#[cfg(windows)]
fn read_some_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, offset)
}
