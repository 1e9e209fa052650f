//! Input files: paths, memory, remote objects, streams and custom sources.

use std::fmt;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_buffer::Buffer;

use super::remote::{RemoteObject, RequestCounts};
use super::{ByteSource, Expected, FileIdentity, Memory, OpenFile, Seekable, StoredFile};
use crate::{Check, FeedError, FeedErrorKind, ForkLock};

/// One input file: a path, bytes in memory, a remote object, a stream, a `Read + Seek` value, or any [`ByteSource`].
///
/// ```
/// use arrowfeed_source::io::FileSource;
///
/// assert_eq!(FileSource::from("part-0.avro").name(), "part-0.avro");
/// assert_eq!(FileSource::bytes(vec![0_u8; 4]).name(), "<4 bytes>");
/// ```
pub struct FileSource {
    pub(crate) name: String,
    pub(crate) bytes: FileBytes,
    /// The identity that the file must have, if known.
    pub(crate) expected: Option<Expected>,
    /// See [`FileSource::ruled_out`].
    pub(crate) is_ruled_out: bool,
}

/// The bytes of an input file before it is opened.
pub(crate) enum FileBytes {
    Stored(StoredFile),
    /// Taken by the first reader; a stream can be read once.
    Stream(ForkLock<Option<Box<dyn Read + Send>>>),
}

impl FileBytes {
    pub(crate) fn object(&self) -> Option<&Arc<dyn RemoteObject>> {
        match self {
            Self::Stored(StoredFile::Remote(object)) => Some(object),
            _ => None,
        }
    }

    /// Opens the file and checks that its length is the expected one. `counts` receives the counts of requests.
    pub(crate) fn open(
        &self,
        name: Arc<str>,
        expected: Option<Expected>,
        counts: &Arc<RequestCounts>,
        check: &Check<'_>,
    ) -> Result<Opened, FeedError> {
        let opened = match self {
            Self::Stored(file) => file
                .open(counts, check)
                .and_then(|source| OpenFile::new(name.clone(), source, expected))
                .map(Opened::File),
            Self::Stream(bytes) => match bytes.with(Option::take).flatten() {
                Some(bytes) => return Ok(Opened::Stream { name, bytes }),
                None => {
                    let message = "expected an unread stream, found one that was already read";
                    Err(FeedError::new(FeedErrorKind::Internal, message))
                }
            },
        };
        opened.map_err(|error| error.in_file(&name))
    }
}

/// An opened file, of which nothing has been read.
pub enum Opened {
    /// A file that any thread can read at any offset.
    File(OpenFile),
    /// A stream that can be read once, in order.
    Stream {
        /// The name in messages.
        name: Arc<str>,
        /// The bytes.
        bytes: Box<dyn Read + Send>,
    },
}

impl Opened {
    /// The name in messages.
    pub fn name(&self) -> &Arc<str> {
        match self {
            Self::File(file) => file.name(),
            Self::Stream { name, .. } => name,
        }
    }

    /// Returns the file.
    ///
    /// # Errors
    /// It is a stream.
    pub fn into_file(self) -> Result<OpenFile, FeedError> {
        match self {
            Self::File(file) => Ok(file),
            Self::Stream { name, .. } => Err(found_stream().in_file(&name)),
        }
    }

    /// Reads the metadata of the file with `open`. If this fails because the file has changed meanwhile, the error says so.
    pub(crate) fn open_unchanged<T>(
        self,
        open: impl FnOnce(Self) -> Result<T, FeedError>,
    ) -> Result<T, FeedError> {
        let file = match &self {
            Self::File(file) => Some(file.clone()),
            Self::Stream { .. } => None,
        };
        open(self).map_err(|error| match &file {
            Some(file) if error.is_damage() => file.check_unchanged().err().unwrap_or(error),
            _ => error,
        })
    }
}

/// The error of a stream that must be read at any offset.
#[cold]
pub(crate) fn found_stream() -> FeedError {
    FeedError::new(FeedErrorKind::Options, "expected a seekable file or bytes, found a stream")
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Opened").field(self.name()).finish()
    }
}

impl FileSource {
    /// A whole file in memory, which is not copied.
    pub fn bytes(bytes: impl Into<Buffer>) -> Self {
        let bytes = bytes.into();
        Self::from_source(format!("<{} bytes>", bytes.len()), Memory::new(bytes))
    }

    /// A stream that starts with the first byte of the file. It is read once, in order, and decoded on the thread that
    /// reads it. `name` is used in messages.
    pub fn reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self::of(name, FileBytes::Stream(ForkLock::new(Some(Box::new(reader)))))
    }

    /// A `Read + Seek` value, read at any offset by one thread at a time. Its position 0 is the start of the file.
    /// `name` is used in messages.
    pub fn seekable(name: impl Into<String>, file: impl Read + Seek + Send + 'static) -> Self {
        Self::from_source(name, Seekable::new(file))
    }

    /// A source that is read at any offset by any number of threads. `name` is used in messages.
    pub fn from_source(name: impl Into<String>, source: impl ByteSource + 'static) -> Self {
        Self::of(name, FileBytes::Stored(StoredFile::Open(Arc::new(source))))
    }

    /// A remote object. `name` is used in messages, checkpoints and splits, so it must not contain secrets.
    pub fn remote(name: impl Into<String>, object: Arc<dyn RemoteObject>) -> Self {
        Self::of(name, FileBytes::Stored(StoredFile::Remote(object)))
    }

    /// Sets the name in messages.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the identity of the file that splits were planned for. Opening a different file is an error of kind
    /// [`Changed`](crate::FeedErrorKind::Changed). `None`: any file.
    pub fn with_identity(mut self, identity: Option<FileIdentity>) -> Self {
        self.expected = identity.map(|identity| Expected { identity, when: "its splits were planned" });
        self
    }

    /// States that a filter refuses all rows of the file, whatever they are. A schema comes from files without this mark, unless all
    /// files have it or the schemas of all files are merged.
    pub fn ruled_out(mut self) -> Self {
        self.is_ruled_out = true;
        self
    }

    /// Whether the file has the mark of [`ruled_out`](Self::ruled_out).
    pub fn is_ruled_out(&self) -> bool {
        self.is_ruled_out
    }

    /// A file that is opened on demand.
    pub(crate) fn stored(name: impl Into<String>, file: StoredFile) -> Self {
        Self::of(name, FileBytes::Stored(file))
    }

    fn of(name: impl Into<String>, bytes: FileBytes) -> Self {
        Self { name: name.into(), bytes, expected: None, is_ruled_out: false }
    }

    /// The name in messages; for a path, the path as the caller passed it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of a remote object in bytes, if a listing has reported it.
    pub fn known_len(&self) -> Option<u64> {
        self.object()?.known_len()
    }

    pub(crate) fn object(&self) -> Option<&Arc<dyn RemoteObject>> {
        self.bytes.object()
    }

    /// Opens the file and checks that its length is the expected one.
    ///
    /// # Errors
    /// The system reports an error; a path is not a regular file; the file has another length; the caller cancels.
    pub fn open(self, check: &Check<'_>) -> Result<Opened, FeedError> {
        self.bytes.open(self.name.into(), self.expected, &Arc::default(), check)
    }
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileSource").field(&self.name).finish()
    }
}

impl From<PathBuf> for FileSource {
    fn from(path: PathBuf) -> Self {
        Self::of(path.display().to_string(), FileBytes::Stored(StoredFile::Path(path)))
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
