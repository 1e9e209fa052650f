//! Positional reads over `Read + Seek`, serialised by a mutex.

#![expect(clippy::disallowed_types, reason = "the position of a file; reading it in a child is an error")]

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{ByteSource, FileVersion};

/// Adapts a `Read + Seek` value to [`ByteSource`]. One thread reads at a time.
///
/// It works only in the process that created it: a forked child shares the file position with its parent, and a thread
/// of the parent may hold the lock.
pub struct Seekable<F> {
    file: Mutex<F>,
    process: u32,
}

impl<F> Seekable<F> {
    /// Creates a source whose offset 0 is position 0 of `file`.
    pub fn new(file: F) -> Self {
        Self { file: Mutex::new(file), process: std::process::id() }
    }

    fn lock(&self) -> io::Result<MutexGuard<'_, F>> {
        if self.process != std::process::id() {
            let message = "this file was opened before a fork: open it again in the child";
            return Err(io::Error::other(message));
        }
        Ok(self.file.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<F: Read + Seek + Send> ByteSource for Seekable<F> {
    fn version(&self) -> io::Result<FileVersion> {
        Ok(FileVersion::new(self.lock()?.seek(SeekFrom::End(0))?))
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut file = self.lock()?;
        file.seek(SeekFrom::Start(offset))?;
        let mut filled = 0;
        while filled < into.len() {
            match file.read(&mut into[filled..]) {
                Ok(0) => break,
                Ok(n) if n > into.len() - filled => {
                    let message = "the file reported more bytes than were requested";
                    return Err(io::Error::other(message));
                }
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

impl<F> fmt::Debug for Seekable<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seekable").finish_non_exhaustive()
    }
}
