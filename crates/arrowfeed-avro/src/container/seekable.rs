//! A file that has a position: who reads of it moves there first.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that can be read from any offset, by one reader at a time.
#[derive(Clone)]
pub(crate) struct Seekable(Arc<Mutex<dyn ReadSeek>>);

trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

impl Seekable {
    pub(crate) fn new(file: impl Read + Seek + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    /// Bytes from the first to the end.
    pub(crate) fn len(&self) -> io::Result<u64> {
        self.lock().seek(SeekFrom::End(0))
    }

    /// Fills `into` from `offset` on; fewer bytes than asked only where the file ends.
    pub(super) fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut file = self.lock();
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

    fn lock(&self) -> MutexGuard<'_, dyn ReadSeek + 'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Seekable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seekable").finish_non_exhaustive()
    }
}
