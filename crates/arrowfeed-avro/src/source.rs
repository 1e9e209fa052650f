//! Where a file's bytes come from.

use std::fmt;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrowfeed_source::io::{ByteSource, Memory, Seekable, StoredFile};

use crate::FileIdentity;
use crate::reader::identity::Expected;

/// One Avro object container file: on disk, in memory, a stream, what can seek, or any [`ByteSource`].
///
/// ```
/// use arrowfeed_avro::AvroSource;
/// assert_eq!(AvroSource::from("part-0.avro").name(), "part-0.avro");
/// assert_eq!(AvroSource::bytes(vec![0_u8; 4]).name(), "<4 bytes>");
/// ```
pub struct AvroSource {
    pub(crate) name: String,
    pub(crate) kind: SourceKind,
    /// What the file must be, where that is known.
    pub(crate) expected: Option<Expected>,
}

pub(crate) enum SourceKind {
    Stored(StoredFile),
    Stream(Box<dyn Read + Send>),
}

impl AvroSource {
    /// A whole file in memory; it is not copied.
    pub fn bytes(bytes: impl Into<Buffer>) -> Self {
        let bytes = bytes.into();
        Self::from_source(format!("<{} bytes>", bytes.len()), Memory::new(bytes))
    }

    /// A stream that starts with the file's header. It is read once, in order, and decoded in the thread that
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

    fn of(name: impl Into<String>, kind: SourceKind) -> Self {
        Self { name: name.into(), kind, expected: None }
    }

    /// What messages call it: the path as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for AvroSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AvroSource").field(&self.name).finish()
    }
}

impl From<PathBuf> for AvroSource {
    fn from(path: PathBuf) -> Self {
        Self::of(path.display().to_string(), SourceKind::Stored(StoredFile::Path(path)))
    }
}

impl From<&PathBuf> for AvroSource {
    fn from(path: &PathBuf) -> Self {
        path.clone().into()
    }
}

impl From<&Path> for AvroSource {
    fn from(path: &Path) -> Self {
        path.to_path_buf().into()
    }
}

impl From<&str> for AvroSource {
    fn from(path: &str) -> Self {
        PathBuf::from(path).into()
    }
}

impl From<String> for AvroSource {
    fn from(path: String) -> Self {
        PathBuf::from(path).into()
    }
}

impl From<&String> for AvroSource {
    fn from(path: &String) -> Self {
        PathBuf::from(path).into()
    }
}
