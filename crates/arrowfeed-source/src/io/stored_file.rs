//! A file that is opened when it is needed, and again.

use std::path::PathBuf;
use std::sync::Arc;

use super::remote::{ReadAhead, RemoteFile, RemoteObject, RequestCounts};
use super::{ByteSource, LocalFile};
use crate::format::FIRST_BYTES;
use crate::{Check, FeedError};

/// A file that can be opened any number of times.
#[derive(Debug, Clone)]
pub enum StoredFile {
    /// A path of the local file system. Nothing is kept open.
    Path(PathBuf),
    /// An open file, or bytes in memory.
    Open(Arc<dyn ByteSource>),
    /// An object of a store. Each opening has requests of its own.
    Remote(Arc<dyn RemoteObject>),
}

impl StoredFile {
    /// Opens the file. `counts` receives the counts of the requests for an object.
    ///
    /// # Errors
    /// The system refuses; a path names no regular file; the caller wants to stop.
    pub fn open(
        &self,
        counts: &Arc<RequestCounts>,
        check: &Check<'_>,
    ) -> Result<Arc<dyn ByteSource>, FeedError> {
        match self {
            Self::Path(path) => Ok(Arc::new(LocalFile::open(path, check)?)),
            Self::Open(source) => Ok(source.clone()),
            Self::Remote(object) => {
                let read_ahead = ReadAhead::counted_by(counts.clone());
                let file = RemoteFile::new(object.clone(), read_ahead, check).map_err(FeedError::io)?;
                // One response tells the version and what most formats open a file with.
                let end = file.known_len().map(|len| len.saturating_sub(FIRST_BYTES)..len);
                file.announce(std::iter::once(0..FIRST_BYTES).chain(end));
                Ok(Arc::new(file))
            }
        }
    }

    /// Number of its bytes. A path is not opened. An object is asked for it only where no listing has told it.
    ///
    /// # Errors
    /// The system or the store refuses; the caller wants to stop.
    pub fn size(&self, counts: &Arc<RequestCounts>, check: &Check<'_>) -> Result<u64, FeedError> {
        let size = match self {
            Self::Path(path) => std::fs::metadata(path).map(|metadata| metadata.len()),
            Self::Open(source) => source.version().map(|version| version.len),
            Self::Remote(object) => match object.known_len() {
                Some(len) => Ok(len),
                None => {
                    let file = RemoteFile::new(object.clone(), ReadAhead::counted_by(counts.clone()), check);
                    file.and_then(|file| file.version()).map(|version| version.len)
                }
            },
        };
        size.map_err(FeedError::io)
    }
}
