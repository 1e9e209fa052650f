//! Positional reads over `Read + Seek`, serialised by a mutex.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that can be read at any offset, by one thread at a time, in the process that opened it: a child of a fork has
/// the same position in the file, and a lock that a thread of the parent may hold.
#[derive(Clone)]
pub(crate) struct Seekable {
    file: Arc<Mutex<dyn ReadSeek>>,
    process: u32,
}

trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

impl Seekable {
    pub(crate) fn new(file: impl Read + Seek + Send + 'static) -> Self {
        Self { file: Arc::new(Mutex::new(file)), process: std::process::id() }
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> io::Result<u64> {
        self.lock()?.seek(SeekFrom::End(0))
    }

    /// Fills `into` from `offset` on; fewer bytes than asked only where the file ends.
    pub(super) fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut file = self.lock()?;
        file.seek(SeekFrom::Start(offset))?;
        let mut filled = 0;
        while filled < into.len() {
            match file.read(&mut into[filled..]) {
                Ok(0) => break,
                Ok(n) if n > into.len() - filled => {
                    let message = "the file says that it gave more bytes than it was asked for";
                    return Err(io::Error::other(message));
                }
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn lock(&self) -> io::Result<MutexGuard<'_, dyn ReadSeek + 'static>> {
        if self.process != std::process::id() {
            let message = "this file was opened before a fork: open it again in the child";
            return Err(io::Error::other(message));
        }
        Ok(self.file.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Seekable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seekable").finish_non_exhaustive()
    }
}
