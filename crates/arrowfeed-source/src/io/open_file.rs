//! An open file that must not change.

use std::io;
use std::sync::Arc;

use super::{ByteSource, Expected, FileVersion, Fingerprint};
use crate::{FeedError, FeedErrorKind, thousands};

/// An open file that is read at any offset. It remembers the version that the file had when it was opened.
#[derive(Debug, Clone)]
pub struct OpenFile {
    name: Arc<str>,
    source: Arc<dyn ByteSource>,
    version: FileVersion,
    expected: Option<Expected>,
}

impl OpenFile {
    /// Queries the version of the source and checks that its length is the expected one.
    ///
    /// # Errors
    /// The system reports an error; the length of a file in memory differs from its version; the length differs from
    /// the expected one ([`Changed`](FeedErrorKind::Changed)).
    pub fn new(
        name: Arc<str>,
        source: Arc<dyn ByteSource>,
        expected: Option<Expected>,
    ) -> Result<Self, FeedError> {
        let version = source.version().map_err(FeedError::io)?;
        if let Some(memory) = source.memory()
            && memory.len() as u64 != version.len
        {
            let (expected, found) = (thousands(version.len), thousands(memory.len() as u64));
            let message = format!(
                "expected {expected} bytes in memory, the length that the source reports, found {found}"
            );
            return Err(FeedError::io(io::Error::other(message)));
        }
        // Checked before anything is read, because the header of a truncated file may be truncated too.
        expected.map_or(Ok(()), |expected| expected.check_len(version.len))?;
        Ok(Self { name, source, version, expected })
    }

    /// Checks the fingerprint against the expected identity, if there is one.
    ///
    /// # Errors
    /// It differs: [`Changed`](FeedErrorKind::Changed).
    pub fn check_fingerprint(&self, found: &Fingerprint) -> Result<(), FeedError> {
        self.expected.map_or(Ok(()), |expected| expected.check_fingerprint(found))
    }

    /// The name in messages.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The source of the bytes.
    pub fn source(&self) -> &Arc<dyn ByteSource> {
        &self.source
    }

    /// Length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "an empty file is a file like any other")]
    pub fn len(&self) -> u64 {
        self.version.len
    }

    /// Checks that the file has not changed since it was opened.
    ///
    /// # Errors
    /// It has changed ([`Changed`](FeedErrorKind::Changed)), or the system reports an error.
    pub fn check_unchanged(&self) -> Result<(), FeedError> {
        let is = self.source.version().map_err(|error| FeedError::io(error).in_file(&self.name))?;
        if is == self.version {
            return Ok(());
        }
        let (was, is) = (thousands(self.version.len), thousands(is.len));
        let message = format!(
            "expected the file to be unchanged since it was opened ({was} bytes), found it changed ({is} bytes)"
        );
        Err(FeedError::new(FeedErrorKind::Changed, message).in_file(&self.name))
    }
}
