//! A file that is locked against other writers that append to it.

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use arrowfeed_source::io::{Target, regular_file};

/// The file that a writer appends to, locked so that no other writer does so at the same time.
#[derive(Debug)]
pub(super) struct Locked(File);

impl Locked {
    /// Opens the file and locks it. The lock ends with the value.
    ///
    /// # Errors
    /// The file does not exist, or another writer appends to it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = regular_file::open_now(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => {
                let message =
                    "expected exclusive access, found another writer that appends to the file: wait until it is closed";
                io::Error::new(io::ErrorKind::ResourceBusy, message)
            }
        })?;
        if !is_same_file(&file.metadata()?, &std::fs::metadata(path)?) {
            let message =
                "expected the file that was opened, found that another writer replaced it: try again";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
        }
        Ok(Self(file))
    }

    /// The same file for a reader. It shares the position.
    pub(super) fn reader(&self) -> io::Result<File> {
        self.0.try_clone()
    }

    /// Copies the file to the start of a target, without reading it if the file system supports that.
    pub(super) fn copy_to(&mut self, target: &mut Target) -> io::Result<u64> {
        self.0.seek(SeekFrom::Start(0))?;
        target.copy_from(&mut self.0)
    }

    /// The last bytes of a file of `len` bytes.
    pub(super) fn last<const N: usize>(&mut self, len: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.seek(SeekFrom::Start(len.saturating_sub(N as u64)))?;
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.len(), a.created().ok()) == (b.len(), b.created().ok())
}
