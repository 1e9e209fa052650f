//! A file that is open, and must stay as it is.

use std::io;
use std::sync::Arc;

use super::{ByteSource, Expected, FileVersion, Fingerprint};
use crate::{FeedError, FeedErrorKind, thousands};

/// A file that is read at any offset. Its version is the one that it had when it was opened.
#[derive(Debug, Clone)]
pub struct OpenFile {
    name: Arc<str>,
    source: Arc<dyn ByteSource>,
    version: FileVersion,
    expected: Option<Expected>,
}

impl OpenFile {
    /// Asks the source for its version, whose length must be the expected one.
    ///
    /// # Errors
    /// The system refuses; a file in memory has another length than its version says; the file has another length than
    /// is expected ([`Changed`](FeedErrorKind::Changed)).
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
            let message = format!("expected {expected} bytes in memory, as the source says, found {found}");
            return Err(FeedError::io(io::Error::other(message)));
        }
        // Before anything is read: of a file that was cut, the header may be cut too.
        expected.map_or(Ok(()), |expected| expected.check_len(version.len))?;
        Ok(Self { name, source, version, expected })
    }

    /// Checks the fingerprint, where the file must be one that is known.
    ///
    /// # Errors
    /// It is another one: [`Changed`](FeedErrorKind::Changed).
    pub fn check_fingerprint(&self, found: &Fingerprint) -> Result<(), FeedError> {
        self.expected.map_or(Ok(()), |expected| expected.check_fingerprint(found))
    }

    /// What messages call it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Its bytes.
    pub fn source(&self) -> &Arc<dyn ByteSource> {
        &self.source
    }

    /// Number of its bytes.
    #[expect(clippy::len_without_is_empty, reason = "an empty file is a file like any other")]
    pub fn len(&self) -> u64 {
        self.version.len
    }

    /// Checks that the file is what it was when it was opened.
    ///
    /// # Errors
    /// It is not: [`Changed`](FeedErrorKind::Changed). The system refuses.
    pub fn check_unchanged(&self) -> Result<(), FeedError> {
        let is = self.source.version().map_err(|error| FeedError::io(error).in_file(&self.name))?;
        if is == self.version {
            return Ok(());
        }
        let (was, is) = (thousands(self.version.len), thousands(is.len));
        let message =
            format!("expected the file as it was opened, of {was} bytes, found it changed, of {is} bytes");
        Err(FeedError::new(FeedErrorKind::Changed, message).in_file(&self.name))
    }
}
