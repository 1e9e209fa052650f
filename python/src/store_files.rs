//! Functions on files in stores for the Python part of the package: listing, existence checks,
//! uploads.

use std::fs::File;
use std::io::{self, Read, Write};

use arrowfeed::source::Check;
use arrowfeed::source::io::checked_read_at;
use arrowfeed::sources::redacted;
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;

use crate::argument::path;
use crate::call::call;
use crate::signals;
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;

/// Number of bytes of a local file that are copied between two checks for signals.
const STEP: usize = 1 << 20;

#[doc = signed!(list_files)]
#[pyfunction]
#[pyo3(
    signature = (
        url, extension, *, check=false, partitioning=None, storage_options=None, store=None, cache=None,
        cache_bytes=None
    ),
    text_signature = None
)]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn list_files(
    py: Python<'_>,
    url: &str,
    extension: &str,
    check: bool,
    partitioning: Option<Bound<'_, PyAny>>,
    storage_options: Option<Bound<'_, PyAny>>,
    store: Option<Bound<'_, PyAny>>,
    cache: Option<Bound<'_, PyAny>>,
    cache_bytes: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, Option<u64>)>> {
    let stores = StoreArguments::new(&StoreKeywords { storage_options, store, cache, cache_bytes })?;
    let files = stores.files(py, url, extension, partitioning.is_some())?;
    let names = files.iter().map(|file| (file.name().to_owned(), file.known_len())).collect();
    let interrupt = signals::interrupt_of_call(py)?;
    if let Some(first) = files.into_iter().next().filter(|_| check) {
        call(py, || {
            let file = first.open(&Check::of(Some(&interrupt)))?.into_file()?;
            let mut byte = [0];
            let read = checked_read_at(&**file.source(), 0, &mut byte[..usize::from(file.len() > 0)]);
            read.map(drop).map_err(|error| FeedError::io(error).in_file(file.name()))
        })?;
    }
    Ok(names)
}

#[doc = signed!(exists)]
#[pyfunction]
#[pyo3(signature = (url, *, storage_options=None, store=None), text_signature = None)]
pub(crate) fn exists(
    py: Python<'_>,
    url: &str,
    storage_options: Option<Bound<'_, PyAny>>,
    store: Option<Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let stores = StoreArguments::new(&StoreKeywords::without_cache(storage_options, store))?;
    let interrupt = signals::interrupt_of_call(py)?;
    let found =
        stores.file(py, url).and_then(|file| call(py, || file.open(&Check::of(Some(&interrupt))).map(drop)));
    match found {
        Ok(()) => Ok(true),
        // Python selects the class of an `OSError` from its number when it creates the exception.
        Err(error) if error.value(py).is_instance_of::<PyFileNotFoundError>() => Ok(false),
        Err(error) => Err(error),
    }
}

#[doc = signed!(upload)]
#[pyfunction]
#[pyo3(signature = (path, url, *, storage_options=None, store=None), text_signature = None)]
pub(crate) fn upload(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    url: &str,
    storage_options: Option<Bound<'_, PyAny>>,
    store: Option<Bound<'_, PyAny>>,
) -> PyResult<u64> {
    let path = self::path("path", path)?;
    let stores = StoreArguments::new(&StoreKeywords::without_cache(storage_options, store))?;
    let interrupt = signals::interrupt_of_call(py)?;
    call(py, || {
        let name = path.display().to_string();
        let read_error = |error: io::Error| {
            FeedError::new(FeedErrorKind::Io, error.to_string()).with_source(error).in_file(&name)
        };
        let write_error = |error: io::Error| FeedError::io(error).in_file(&redacted(url));
        let check = Check::of(Some(&interrupt));
        let mut from = File::open(&path).map_err(read_error)?;
        let mut to = stores.create(url).map_err(|error| error.in_file(&redacted(url)))?;
        let (mut buffer, mut copied) = (vec![0; STEP], 0);
        loop {
            check.now()?;
            let found = from.read(&mut buffer).map_err(read_error)?;
            if found == 0 {
                to.commit().map_err(write_error)?;
                return Ok(copied);
            }
            to.write_all(&buffer[..found]).map_err(write_error)?;
            copied += found as u64;
        }
    })
}
