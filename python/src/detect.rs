//! Detection of the format of files, for the Python part of the package.

use arrowfeed::formats::{Detected, Evidence, Format, FormatOptions};
use arrowfeed::sources::{is_glob, scheme};
use arrowfeed::tfrecord::RecordKind;
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::argument_types::given;
use crate::call::call;
use crate::signals;
use crate::source::{none_found, rereadable};
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;

/// The name of the format, arguments that follow from the file, the evidence, the names and the known lengths of all files, and
/// the first bytes of the first file.
type Found<'py> =
    (&'static str, Bound<'py, PyDict>, &'static str, Vec<(String, Option<u64>)>, Bound<'py, PyBytes>);

#[doc = signed!(detect)]
#[pyfunction]
#[pyo3(
    signature = (
        source, *, limits=None, partitioning=None, storage_options=None, store=None, cache=None, cache_bytes=None
    ),
    text_signature = None
)]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn detect<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyAny>>,
    partitioning: Option<Bound<'py, PyAny>>,
    storage_options: Option<Bound<'py, PyAny>>,
    store: Option<Bound<'py, PyAny>>,
    cache: Option<Bound<'py, PyAny>>,
    cache_bytes: Option<Bound<'py, PyAny>>,
) -> PyResult<Found<'py>> {
    let stores = StoreArguments::new(&StoreKeywords { storage_options, store, cache, cache_bytes })?;
    let limits = given("limits", limits)?;
    let sources = |format: Format| rereadable(source, format.name(), partitioning.is_some(), &stores);
    let (files, _) = first_found(py, searched(source, &stores), sources)?;
    let mut names: Vec<_> = files.iter().map(|file| (file.name().to_owned(), file.known_len())).collect();
    let interrupt = signals::interrupt_of_call(py)?;
    let found = call(py, || arrowfeed::formats::detect_first(files, &limits, Some(&interrupt)))?;
    if let [(_, len @ None)] = &mut names[..] {
        *len = Some(found.len());
    }
    let arguments = PyDict::new(py);
    if let FormatOptions::Csv(options) = found.options()
        && options.delimiter != b','
    {
        arguments.set_item("delimiter", char::from(options.delimiter))?;
    }
    let evidence = match found.evidence() {
        Evidence::Content => "content",
        Evidence::Name => "name",
        Evidence::NameOfEmpty => "name of an empty file",
        Evidence::Nothing => "nothing",
    };
    Ok((name(&found), arguments, evidence, names, PyBytes::new(py, found.start())))
}

/// The name of a format in the table of Python, which has one for each kind of TFRecord files.
fn name(found: &Detected) -> &'static str {
    match found.options() {
        FormatOptions::TfRecord(options) => match options.kind {
            RecordKind::Example { .. } => "tfrecord",
            RecordKind::SequenceExample { .. } => "tfrecord-sequence",
            RecordKind::Raw { .. } => "tfrecord-raw",
        },
        options => options.format().name(),
    }
}

/// The formats whose files are looked for. If a source cannot be a directory, its files do not depend on the format.
fn searched(source: &Bound<'_, PyAny>, stores: &StoreArguments) -> &'static [Format] {
    let all = Format::ALL;
    let Some(url) = source.extract::<String>().ok().filter(|text| stores.is_remote(text)) else { return all };
    let own =
        all.iter().position(|format| url.strip_suffix(format.name()).is_some_and(|name| name.ends_with('.')));
    let is_http = scheme(&url).is_some_and(|scheme| scheme.to_ascii_lowercase().starts_with("http"));
    match own {
        Some(at) => &all[at..=at],
        None if is_http || is_glob(&url) => &all[..1],
        None => all,
    }
}

/// The files of the first format that has some. A directory may have files in the directories below, which the error then says.
fn first_found<T>(
    py: Python<'_>,
    formats: &[Format],
    sources: impl Fn(Format) -> PyResult<T>,
) -> PyResult<T> {
    let mut missing: Option<PyErr> = None;
    for format in formats {
        match sources(*format) {
            // Python selects the class of an `OSError` from its number when it creates the exception.
            Err(error) if error.value(py).is_instance_of::<PyFileNotFoundError>() => {
                let says_more = |error: &PyErr| !error.value(py).to_string().contains("found none");
                if missing.as_ref().is_none_or(|first| !says_more(first) && says_more(&error)) {
                    missing = Some(error);
                }
            }
            found => return found,
        }
    }
    Err(missing.unwrap_or_else(none_found))
}
