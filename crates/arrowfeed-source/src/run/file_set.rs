//! Files of one format that are read again and again, as a whole or in parts.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow_schema::SchemaRef;

use crate::format::{Chunk, FileFormat, FormatFile};
use crate::io::{Expected, FileIdentity, FileSource, Opened, SourceKind, StoredFile, open_stored};
use crate::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, OnError, quoted};

/// Files that are not open, in order.
#[derive(Debug, Clone)]
pub struct Files(Arc<[Entry]>);

struct Entry {
    name: Arc<str>,
    bytes: Bytes,
    /// The identity of the file when it was first opened.
    identity: ForkLock<Option<FileIdentity>>,
    /// What the file must be, where the caller knows.
    expected: Option<Expected>,
}

enum Bytes {
    Stored(StoredFile),
    /// Taken by who reads it.
    Stream(ForkLock<Option<Box<dyn Read + Send>>>),
}

/// The first file that could be opened, and those before it.
#[derive(Debug)]
pub struct FirstFile<T> {
    /// What was made of it, and its number; none where no file could be opened.
    pub opened: Option<(usize, T)>,
    /// What is wrong with each file before it, in order.
    pub failed: Vec<FeedError>,
}

impl Files {
    /// No file is opened.
    pub fn new(sources: impl IntoIterator<Item = FileSource>) -> Self {
        Self(sources.into_iter().map(Entry::from).collect())
    }

    /// What messages call a file.
    pub fn name(&self, file: usize) -> &str {
        &self.0[file].name
    }

    /// What `open` makes of the first file that can be opened, where all files are read more than once.
    ///
    /// # Errors
    /// A file is a stream; there is no file, or none can be opened; the caller wants to stop.
    pub fn first_stored<T>(
        &self,
        check: &Check<'_>,
        open: impl Fn(Opened) -> Result<T, FeedError>,
    ) -> Result<T, FeedError> {
        let mut entries = self.0.iter();
        if let Some(stream) = entries.find(|entry| matches!(entry.bytes, Bytes::Stream(_))) {
            let found = quoted(&stream.name);
            let message = format!(
                "expected files or bytes, which can be read more than once, found the stream {found}"
            );
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        let found = self.first(check, open, FeedError::is_of_the_file)?;
        let failure = found.failed.into_iter().next();
        found.opened.map(|(_, opened)| opened).ok_or_else(|| {
            failure.unwrap_or_else(|| {
                FeedError::new(FeedErrorKind::Options, "expected at least one file, found an empty list")
            })
        })
    }

    /// Opens files until `open` takes one. `goes_on` says for each error whether the next file is tried.
    ///
    /// # Errors
    /// An error after which no file is tried; the caller wants to stop.
    pub fn first<T>(
        &self,
        check: &Check<'_>,
        open: impl Fn(Opened) -> Result<T, FeedError>,
        goes_on: impl Fn(&FeedError) -> bool,
    ) -> Result<FirstFile<T>, FeedError> {
        let mut failed = Vec::new();
        for (number, entry) in self.0.iter().enumerate() {
            check.now()?;
            match entry.open(check).and_then(&open) {
                Ok(found) => return Ok(FirstFile { opened: Some((number, found)), failed }),
                Err(error) if goes_on(&error) => failed.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(FirstFile { opened: None, failed })
    }
}

/// Files of one format and one Arrow schema that can be read any number of times, in any order.
///
/// No file of a path is kept open. A file that is opened again and is not what it was is an error.
#[derive(Debug, Clone)]
pub struct FileSet {
    files: Files,
    format: Arc<dyn FileFormat>,
}

impl FileSet {
    /// No file is opened. There must be at least one, and no stream: [`Files::first_stored`] has checked that.
    pub fn new(files: Files, format: Arc<dyn FileFormat>) -> Self {
        Self { files, format }
    }

    /// The same files with other columns, as field paths. No file is opened.
    ///
    /// # Errors
    /// A column is not there.
    pub fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        Ok(Self { files: self.files.clone(), format: self.format.with_columns(columns)? })
    }

    /// The same files, each of which must have the identity given. `when` says since when, for messages: `its index was
    /// saved`. Checks the length of each file, which is not opened. The fingerprint is checked when a file is opened.
    ///
    /// # Errors
    /// A file has another length: [`Changed`](FeedErrorKind::Changed). There are not as many identities as files; a file is
    /// a stream; the system refuses; the caller wants to stop.
    pub fn with_identities(
        &self,
        identities: &[FileIdentity],
        when: &'static str,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        if identities.len() != self.len() {
            let message =
                format!("expected an identity for each of {} files, found {}", self.len(), identities.len());
            return Err(FeedError::new(FeedErrorKind::Internal, message));
        }
        let mut entries = Vec::with_capacity(self.len());
        for (file, identity) in identities.iter().enumerate() {
            check.now()?;
            let (entry, expected) = (&self.files.0[file], Expected { identity: *identity, when });
            let len = self.file_len(file)?;
            expected.check_len(len).map_err(|error| error.in_file(&entry.name))?;
            let Bytes::Stored(stored) = &entry.bytes else {
                return Err(not_a_file().in_file(&entry.name));
            };
            entries.push(Entry {
                name: entry.name.clone(),
                bytes: Bytes::Stored(stored.clone()),
                identity: ForkLock::default(),
                expected: Some(expected),
            });
        }
        Ok(Self { files: Files(entries.into()), format: self.format.clone() })
    }

    /// How the files are read.
    pub fn format(&self) -> &Arc<dyn FileFormat> {
        &self.format
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        self.format.schema()
    }

    /// Number of files, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.files.0.len()
    }

    /// What messages call a file.
    pub fn name(&self, file: usize) -> &str {
        self.files.name(file)
    }

    /// The path of a file; none of one that is open already or in memory.
    pub fn path(&self, file: usize) -> Option<&Path> {
        match &self.files.0[file].bytes {
            Bytes::Stored(StoredFile::Path(path)) => Some(path),
            Bytes::Stored(StoredFile::Open(_)) | Bytes::Stream(_) => None,
        }
    }

    /// Bytes of a file, which is not opened.
    ///
    /// # Errors
    /// The system refuses; it is a stream.
    pub fn file_len(&self, file: usize) -> Result<u64, FeedError> {
        let entry = &self.files.0[file];
        let len = match &entry.bytes {
            Bytes::Stored(file) => file.size(),
            Bytes::Stream(_) => Err(not_a_file()),
        };
        len.map_err(|error| error.in_file(&entry.name))
    }

    /// What a file is.
    ///
    /// # Errors
    /// It cannot be opened, or is not of the format.
    pub fn identity(&self, file: usize) -> Result<FileIdentity, FeedError> {
        let known = || self.files.0[file].identity.with(|known| *known).flatten();
        if let Some(identity) = known() {
            return Ok(identity);
        }
        self.open(file, &Check::never())?;
        known().ok_or_else(not_a_file)
    }

    /// Opens a file, which must be what it was when it was opened before.
    ///
    /// # Errors
    /// The file cannot be opened, is not of the format, has other columns or is not what it was; the caller wants to stop.
    pub fn open(&self, file: usize, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let entry = &self.files.0[file];
        let opened = entry.open(check)?;
        let len = if let Opened::File(file) = &opened { Some(file.len()) } else { None };
        let open = self.format.open(opened, check)?;
        if let (Some(len), Some(fingerprint)) = (len, open.fingerprint()) {
            let found = FileIdentity { len, fingerprint: fingerprint.bytes };
            // Another thread may have been first.
            let known = entry.identity.with(|known| *known.get_or_insert(found));
            let known = known.ok_or_else(|| {
                let message =
                    "a thread of another process was opening this file: make new readers after a fork";
                FeedError::new(FeedErrorKind::Internal, message).in_file(&entry.name)
            })?;
            let known = entry.expected(known);
            known
                .check_len(found.len)
                .and_then(|()| known.check_fingerprint(&fingerprint))
                .map_err(|error| error.in_file(&entry.name))?;
        }
        Ok(open)
    }

    /// The chunks of a file, in order, and what is wrong with others, as `on_error` allows. `interrupt` is asked once a
    /// chunk, and while chunks are looked for.
    ///
    /// # Errors
    /// The file cannot be opened, or is not of the format; a chunk cannot be read and may not be left out; or the caller
    /// wants to stop.
    pub fn chunks(
        &self,
        file: usize,
        on_error: OnError,
        interrupt: Option<&Interrupt>,
    ) -> Result<(Vec<Chunk>, Vec<FeedError>), FeedError> {
        let check = Check::of(interrupt);
        let mut scan = self.open(file, &check)?.chunks().ok_or_else(not_a_file)?;
        let limits = self.format.limits();
        let (mut chunks, mut faults) = (Vec::new(), Vec::new());
        loop {
            check.now()?;
            let next = scan.next(&check).and_then(|chunk| match chunk {
                Some(chunk) => limits
                    .check_chunk_rows(chunk.rows)
                    .map(|()| Some(chunk))
                    .map_err(|error| error.in_block(chunk.number, chunk.offset)),
                None => Ok(None),
            });
            let error = match next {
                Ok(Some(chunk)) => {
                    chunks.push(chunk);
                    continue;
                }
                Ok(None) => return Ok((chunks, faults)),
                Err(error) => error.in_file(self.name(file)),
            };
            if on_error == OnError::Raise || !error.is_of_the_file() {
                return Err(error);
            }
            let from = error.location().offset.unwrap_or(u64::MAX).saturating_add(1);
            let number = error.location().block.unwrap_or(chunks.len() as u64);
            faults.push(error);
            let next = match on_error {
                OnError::SkipBlock => scan.find(from, &check)?,
                _ => None,
            };
            match next {
                Some(offset) => scan.seek(offset, number),
                None => return Ok((chunks, faults)),
            }
        }
    }
}

impl Entry {
    fn open(&self, check: &Check<'_>) -> Result<Opened, FeedError> {
        match &self.bytes {
            Bytes::Stored(file) => {
                let known = self.identity.with(|known| *known).flatten();
                let expected = known.map(|identity| self.expected(identity)).or(self.expected);
                open_stored(file, self.name.clone(), expected, check)
            }
            Bytes::Stream(bytes) => {
                let bytes = bytes.with(Option::take).flatten().ok_or_else(|| {
                    FeedError::new(FeedErrorKind::Internal, "expected a stream, found it taken")
                        .in_file(&self.name)
                })?;
                Ok(Opened::Stream { name: self.name.clone(), bytes })
            }
        }
    }

    fn expected(&self, identity: FileIdentity) -> Expected {
        self.expected.unwrap_or(Expected { identity, when: "it was first read" })
    }
}

impl From<FileSource> for Entry {
    fn from(source: FileSource) -> Self {
        let bytes = match source.kind {
            SourceKind::Stored(file) => Bytes::Stored(file),
            SourceKind::Stream(bytes) => Bytes::Stream(ForkLock::new(Some(bytes))),
        };
        Self { name: source.name.into(), bytes, identity: ForkLock::default(), expected: source.expected }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

#[cold]
fn not_a_file() -> FeedError {
    FeedError::new(FeedErrorKind::Internal, "expected a file, found a stream")
}
