//! Store arguments in a build without the feature `stores`: each value, and each URL, is an error.

use arrowfeed::source::io::{FileSource, NewFile};
use arrowfeed::sources::{is_remote, redacted};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::prelude::*;

use crate::errors::to_python;
use crate::store_arguments::StoreKeywords;

/// The store arguments of a function call, which have no values.
#[derive(Default)]
pub(crate) struct StoreArguments;

impl StoreArguments {
    /// Parses the arguments.
    ///
    /// # Errors
    /// One of them is not None.
    pub(crate) fn new(given: &StoreKeywords<'_>) -> PyResult<Self> {
        for (name, value) in given.by_name() {
            if let Some(value) = value {
                return Err(to_python(value.py(), absent(name)));
            }
        }
        Ok(Self)
    }

    /// Fails: the file is remote.
    pub(crate) fn file(&self, py: Python<'_>, url: &str) -> PyResult<FileSource> {
        Err(to_python(py, absent(&redacted(url))))
    }

    /// Whether a text names a file in a store, as opposed to a local file.
    pub(crate) fn is_remote(&self, text: &str) -> bool {
        is_remote(text)
    }

    /// Fails: the files are remote.
    pub(crate) fn files(
        &self,
        py: Python<'_>,
        url: &str,
        _extension: &str,
        _below: bool,
    ) -> PyResult<Vec<FileSource>> {
        Err(to_python(py, absent(&redacted(url))))
    }

    /// Fails: the object is remote.
    pub(crate) fn create(&self, url: &str) -> Result<Box<dyn NewFile>, FeedError> {
        Err(absent(&redacted(url)))
    }
}

/// The error for a URL or an argument.
fn absent(found: &str) -> FeedError {
    let message = format!("expected a local file in a build without the Cargo feature stores, found {found}");
    FeedError::new(FeedErrorKind::Options, message)
}

/// A build without stores has no servers.
pub(crate) fn warn_of_servers_without_ranges(_: Python<'_>) -> PyResult<()> {
    Ok(())
}
