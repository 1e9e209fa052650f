//! Bytes that can be read at any position: a file, memory, or what can seek.

use std::fs::File;
use std::io;
use std::sync::Arc;

use arrow_buffer::Buffer;

use super::seekable::Seekable;

/// Has no position of its own, so that threads share it; position 0 is the first byte of the file.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// A regular file.
    File(Arc<File>),
    /// The whole file in memory.
    Memory(Buffer),
    /// Threads take turns.
    Seekable(Seekable),
}

impl Source {
    /// Fills `into` from `offset` on; fewer bytes than asked only where the source ends.
    pub(crate) fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => read_file_at(file, offset, into),
            Self::Seekable(file) => file.read_at(offset, into),
            Self::Memory(memory) => {
                let rest =
                    usize::try_from(offset).ok().and_then(|offset| memory.get(offset..)).unwrap_or(&[]);
                let n = rest.len().min(into.len());
                into[..n].copy_from_slice(&rest[..n]);
                Ok(n)
            }
        }
    }
}

fn read_file_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<usize> {
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
    // Offsets are signed in the system call; past them lies no file.
    if i64::try_from(offset).is_err() {
        return Ok(0);
    }
    std::os::unix::fs::FileExt::read_at(file, into, offset)
}

#[cfg(windows)]
fn read_some_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, offset)
}
