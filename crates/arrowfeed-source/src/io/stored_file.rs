//! A file that can be opened repeatedly, on demand.

use std::path::PathBuf;
use std::sync::Arc;

use super::remote::{ReadAhead, RemoteFile, RemoteObject, RequestCounts};
use super::{ByteSource, LocalFile};
use crate::format::FIRST_BYTES;
use crate::{Check, FeedError};

/// A file that can be opened any number of times.
#[derive(Debug, Clone)]
pub enum StoredFile {
    /// A path of the local file system. The file is not kept open.
    Path(PathBuf),
    /// An open file, or bytes in memory.
    Open(Arc<dyn ByteSource>),
    /// A remote object. Each opening sends its own requests.
    Remote(Arc<dyn RemoteObject>),
}

impl StoredFile {
    /// Opens the file. `counts` receives the counts of requests for a remote object.
    ///
    /// # Errors
    /// The system reports an error; a path is not a regular file; the caller cancels.
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
                // One response reports the version and contains the bytes that most formats read to open a file.
                let end = file.known_len().map(|len| len.saturating_sub(FIRST_BYTES)..len);
                file.announce(std::iter::once(0..FIRST_BYTES).chain(end));
                Ok(Arc::new(file))
            }
        }
    }

    /// Length of the file in bytes. A path is not opened. A request is sent for a remote object only if no listing has
    /// reported the length.
    ///
    /// # Errors
    /// The system or the store reports an error; the caller cancels.
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
