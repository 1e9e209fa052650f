//! What a caller gives as a file.

use std::fmt;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_buffer::Buffer;

use super::remote::{RemoteObject, RequestCounts};
use super::{ByteSource, Expected, FileIdentity, Memory, OpenFile, Seekable, StoredFile};
use crate::{Check, FeedError};

/// One file: on disk, in memory, in a store, a stream, what can seek, or any [`ByteSource`].
///
/// ```
/// use arrowfeed_source::io::FileSource;
///
/// assert_eq!(FileSource::from("part-0.avro").name(), "part-0.avro");
/// assert_eq!(FileSource::bytes(vec![0_u8; 4]).name(), "<4 bytes>");
/// ```
pub struct FileSource {
    pub(crate) name: String,
    pub(crate) kind: SourceKind,
    /// What the file must be, where that is known.
    pub(crate) expected: Option<Expected>,
}

pub(crate) enum SourceKind {
    Stored(StoredFile),
    Stream(Box<dyn Read + Send>),
}

/// A file that was opened: none of its bytes has been read.
pub enum Opened {
    /// It can be read at any offset, by any thread.
    File(OpenFile),
    /// It can be read once, in order.
    Stream {
        /// What messages call it.
        name: Arc<str>,
        /// Its bytes.
        bytes: Box<dyn Read + Send>,
    },
}

impl Opened {
    /// What messages call it.
    pub fn name(&self) -> &Arc<str> {
        match self {
            Self::File(file) => file.name(),
            Self::Stream { name, .. } => name,
        }
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Opened").field(self.name()).finish()
    }
}

impl FileSource {
    /// A whole file in memory; it is not copied.
    pub fn bytes(bytes: impl Into<Buffer>) -> Self {
        let bytes = bytes.into();
        Self::from_source(format!("<{} bytes>", bytes.len()), Memory::new(bytes))
    }

    /// A stream that starts with the first byte of the file. It is read once, in order, and decoded in the thread that
    /// reads it. `name` stands in messages.
    pub fn reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self::of(name, SourceKind::Stream(Box::new(reader)))
    }

    /// A file that is read at any offset, from its position 0 on, by one thread at a time. `name` stands in messages.
    pub fn seekable(name: impl Into<String>, file: impl Read + Seek + Send + 'static) -> Self {
        Self::from_source(name, Seekable::new(file))
    }

    /// A file that is read at any offset, by any number of threads. `name` stands in messages.
    pub fn from_source(name: impl Into<String>, source: impl ByteSource + 'static) -> Self {
        Self::of(name, SourceKind::Stored(StoredFile::Open(Arc::new(source))))
    }

    /// An object of a store. `name` stands in messages, in states and in splits: it must have no secrets.
    pub fn remote(name: impl Into<String>, object: Arc<dyn RemoteObject>) -> Self {
        Self::of(name, SourceKind::Stored(StoredFile::Remote(object)))
    }

    /// The same source under another name in messages.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same source, which must be the file that splits were planned for: opening another one is an error of kind
    /// [`Changed`](crate::FeedErrorKind::Changed). `None`: any file.
    pub fn with_identity(mut self, identity: Option<FileIdentity>) -> Self {
        self.expected = identity.map(|identity| Expected { identity, when: "its splits were planned" });
        self
    }

    /// A file that is opened when it is needed.
    pub(crate) fn stored(name: impl Into<String>, file: StoredFile) -> Self {
        Self::of(name, SourceKind::Stored(file))
    }

    fn of(name: impl Into<String>, kind: SourceKind) -> Self {
        Self { name: name.into(), kind, expected: None }
    }

    /// What messages call it: the path as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of an object, where a listing has told them.
    pub fn known_len(&self) -> Option<u64> {
        match &self.kind {
            SourceKind::Stored(StoredFile::Remote(object)) => object.known_len(),
            _ => None,
        }
    }

    /// What names the file in a split: its path, or the URL of an object without its secrets.
    pub fn split_path(&self) -> &Path {
        match &self.kind {
            SourceKind::Stored(StoredFile::Path(path)) => path,
            SourceKind::Stored(StoredFile::Open(_) | StoredFile::Remote(_)) | SourceKind::Stream(_) => {
                Path::new(&self.name)
            }
        }
    }

    /// Whether it is an object of a store.
    pub fn is_object(&self) -> bool {
        matches!(self.kind, SourceKind::Stored(StoredFile::Remote(_)))
    }

    /// Opens the file, whose length must be the expected one.
    ///
    /// # Errors
    /// The system refuses; a path names no regular file; the file has another length; the caller wants to stop.
    pub fn open(self, check: &Check<'_>) -> Result<Opened, FeedError> {
        match self.kind {
            SourceKind::Stored(file) => {
                open_stored(&file, self.name.into(), self.expected, &Arc::default(), check)
            }
            SourceKind::Stream(bytes) => Ok(Opened::Stream { name: self.name.into(), bytes }),
        }
    }
}

/// Opens a stored file, whose length must be the expected one.
pub(crate) fn open_stored(
    file: &StoredFile,
    name: Arc<str>,
    expected: Option<Expected>,
    counts: &Arc<RequestCounts>,
    check: &Check<'_>,
) -> Result<Opened, FeedError> {
    let opened = file.open(counts, check).and_then(|source| OpenFile::new(name.clone(), source, expected));
    opened.map(Opened::File).map_err(|error| error.in_file(&name))
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileSource").field(&self.name).finish()
    }
}

impl From<PathBuf> for FileSource {
    fn from(path: PathBuf) -> Self {
        Self::of(path.display().to_string(), SourceKind::Stored(StoredFile::Path(path)))
    }
}

impl From<&PathBuf> for FileSource {
    fn from(path: &PathBuf) -> Self {
        path.clone().into()
    }
}

impl From<&Path> for FileSource {
    fn from(path: &Path) -> Self {
        path.to_path_buf().into()
    }
}

impl From<&str> for FileSource {
    fn from(path: &str) -> Self {
        PathBuf::from(path).into()
    }
}

impl From<String> for FileSource {
    fn from(path: String) -> Self {
        PathBuf::from(path).into()
    }
}

impl From<&String> for FileSource {
    fn from(path: &String) -> Self {
        PathBuf::from(path).into()
    }
}
