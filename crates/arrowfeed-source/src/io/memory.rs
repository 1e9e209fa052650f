//! Files in memory.

use std::io;

use arrow_buffer::Buffer;

use super::{ByteSource, FileVersion};

/// A whole file in memory.
///
/// ```
/// use arrowfeed_source::io::{ByteSource, Memory};
///
/// let file = Memory::new(b"abc".to_vec());
/// let mut bytes = [0; 2];
/// assert_eq!(file.read_at(1, &mut bytes)?, 2);
/// assert_eq!(&bytes, b"bc");
/// assert_eq!(file.version()?.len, 3);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Memory(Buffer);

impl Memory {
    /// Creates a file without copying the bytes.
    pub fn new(bytes: impl Into<Buffer>) -> Self {
        Self(bytes.into())
    }
}

impl ByteSource for Memory {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or(&[]);
        let n = rest.len().min(into.len());
        into[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn version(&self) -> io::Result<FileVersion> {
        Ok(FileVersion::new(self.0.len() as u64))
    }

    fn memory(&self) -> Option<&Buffer> {
        Some(&self.0)
    }
}
