//! Files in memory.

use std::io;

use arrow_buffer::Buffer;

use super::{ByteSource, FileVersion};

/// A whole file in memory.
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
