//! A file that is opened when it is needed, and again.

use std::path::PathBuf;
use std::sync::Arc;

use super::{ByteSource, LocalFile};
use crate::{Check, FeedError};

/// A file that can be opened any number of times.
#[derive(Debug, Clone)]
pub enum StoredFile {
    /// A path of the local file system. Nothing is kept open.
    Path(PathBuf),
    /// An open file, or bytes in memory.
    Open(Arc<dyn ByteSource>),
}

impl StoredFile {
    /// Opens the file.
    ///
    /// # Errors
    /// The system refuses; a path names no regular file; the caller wants to stop.
    pub fn open(&self, check: &Check<'_>) -> Result<Arc<dyn ByteSource>, FeedError> {
        match self {
            Self::Path(path) => Ok(Arc::new(LocalFile::open(path, check)?)),
            Self::Open(source) => Ok(source.clone()),
        }
    }

    /// Number of its bytes. A path is not opened.
    ///
    /// # Errors
    /// The system refuses.
    pub fn size(&self) -> Result<u64, FeedError> {
        let size = match self {
            Self::Path(path) => std::fs::metadata(path).map(|metadata| metadata.len()),
            Self::Open(source) => source.version().map(|version| version.len),
        };
        size.map_err(FeedError::io)
    }
}
