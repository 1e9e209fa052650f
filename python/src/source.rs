//! The argument `source`: paths, globs, directories, URLs, bytes, file objects, or a list of these.

use std::path::{Path, PathBuf};

use arrowfeed::FeedError;
use arrowfeed::source::io::FileSource;
use arrowfeed::sources::{redacted, resolve_below, resolve_extension};
use bytes::Bytes;
use pyo3::exceptions::{PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyList, PySet};
use std::io::Read;

use crate::argument::{items, with_home, wrong_type};
use crate::call::call;
use crate::errors::to_python;
use crate::file::{PythonFile, copied, is_buffer};
use crate::shutdown::{self, attribute, call_method, has_attribute};
use crate::signals;
use crate::stores::StoreArguments;

/// Number of bytes that are read from a file object between two checks for signals.
const STEP: u64 = 1 << 20;

const EXPECTED: &str = "a path, a glob, a directory, a URL, bytes, a binary file object or a list of these";

/// Files in the order of the argument.
pub(crate) struct Sources {
    pub(crate) list: Vec<FileSource>,
    /// Whether Python code provides some of the bytes. Only the caller's thread calls this code, so no other thread
    /// waits for the interpreter.
    pub(crate) from_python: bool,
}

enum Item<'py> {
    /// A path, a glob, a directory or a `file://` URL.
    Pattern(PathBuf),
    /// A URL of another scheme, or a name in the store of the caller.
    Url(String),
    Bytes(PyBackedBytes),
    File(Bound<'py, PyAny>),
}

/// The files of a `source` argument. `extension` selects the files of a directory.
pub(crate) fn sources(
    value: &Bound<'_, PyAny>,
    extension: &str,
    stores: &StoreArguments,
) -> PyResult<Sources> {
    let (py, mut list, mut from_python) = (value.py(), Vec::new(), false);
    for item in each(value, stores)? {
        match item {
            Item::Pattern(pattern) => {
                list.extend(resolved(py, pattern, extension, false)?.into_iter().map(FileSource::from));
            }
            Item::Url(url) => list.extend(stores.files(py, &url, extension, false)?),
            Item::Bytes(bytes) => list.push(FileSource::bytes(Bytes::from_owner(bytes))),
            Item::File(file) => {
                list.push(FileSource::reader(name_of(&file), PythonFile::given("source", file)));
                from_python = true;
            }
        }
    }
    Ok(Sources { list, from_python })
}

/// The first file of a `source` argument. `extension`: see [`sources`].
pub(crate) fn first_source(
    value: &Bound<'_, PyAny>,
    extension: &str,
    stores: &StoreArguments,
) -> PyResult<FileSource> {
    sources(value, extension, stores)?.list.into_iter().next().ok_or_else(none_found)
}

/// The files of a `source` argument that is read more than once, and a picklable list that stands for it in another
/// process. A file object, which can be read only once, is read into memory here. `extension` selects the files of a
/// directory, and with `below` also those of all directories below.
pub(crate) fn rereadable(
    value: &Bound<'_, PyAny>,
    extension: &str,
    below: bool,
    stores: &StoreArguments,
) -> PyResult<(Vec<FileSource>, Py<PyAny>)> {
    let py = value.py();
    let (mut sources, kept) = (Vec::new(), PyList::empty(py));
    for item in each(value, stores)? {
        match item {
            Item::Pattern(pattern) => {
                for path in resolved(py, pattern, extension, below)? {
                    kept.append(&path)?;
                    sources.push(FileSource::from(path));
                }
            }
            Item::Url(url) => {
                sources.extend(stores.files(py, &url, extension, below)?);
                kept.append(url)?;
            }
            Item::Bytes(bytes) => {
                kept.append(&bytes)?;
                sources.push(FileSource::bytes(Bytes::from_owner(bytes)));
            }
            Item::File(file) => {
                let (bytes, name) = (whole(&file)?, name_of(&file));
                let files = py.import("arrowfeed._files")?;
                kept.append(call_method(&files, "BufferedFile", (&bytes, &name))?)?;
                sources.push(FileSource::bytes(Bytes::from_owner(bytes)).with_name(name));
            }
        }
    }
    Ok((sources, kept.into_any().unbind()))
}

/// A file object that is read at any offset. Messages name it `path`.
pub(crate) fn seekable(argument: &'static str, file: &Bound<'_, PyAny>, path: &Path) -> PyResult<FileSource> {
    let can = |method| has_attribute(file, method);
    if !(can("read")? || can("readinto")?) || !can("seek")? || !can("tell")? {
        return Err(wrong_type(argument, "a binary file object that can seek", file));
    }
    Ok(FileSource::seekable(path.display().to_string(), PythonFile::given(argument, file.clone())))
}

/// Reads all bytes of a file object from its current position.
fn whole(file: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    let (py, mut bytes) = (file.py(), Vec::new());
    let mut file = PythonFile::given("source", file.clone());
    loop {
        // A file object that is implemented in C runs no Python code, which would check for signals.
        py.check_signals()?;
        let read = file.by_ref().take(STEP).read_to_end(&mut bytes);
        if read.map_err(|error| to_python(py, FeedError::io(error)))? == 0 {
            return Ok(PyBytes::new(py, &bytes).into());
        }
    }
}

/// The files that match a pattern. The call can be interrupted, because listing many directories may take long.
fn resolved(py: Python<'_>, pattern: PathBuf, extension: &str, below: bool) -> PyResult<Vec<PathBuf>> {
    let interrupt = signals::interrupt_of_call(py)?;
    call(py, || match below {
        true => resolve_below([pattern], extension, Some(&interrupt)),
        false => resolve_extension([pattern], extension, Some(&interrupt)),
    })
}

fn each<'py>(value: &Bound<'py, PyAny>, stores: &StoreArguments) -> PyResult<Vec<Item<'py>>> {
    let items = match items(value) {
        Some(items) => items,
        None => match classify(value, stores)? {
            Some(item) => return Ok(vec![item]),
            None => iterated(value)?,
        },
    };
    if items.is_empty() {
        return Err(none_found());
    }
    let of_item = |item| classify(item, stores)?.ok_or_else(|| wrong_type("source", EXPECTED, item));
    items.iter().map(of_item).collect()
}

/// The items of a generator, a numpy array or any other iterable whose items have an order.
fn iterated<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let has_no_order = value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>();
    if has_no_order || !has_attribute(value, "__iter__")? {
        return Err(wrong_type("source", EXPECTED, value));
    }
    let iterator = call_method(value, "__iter__", ())?;
    let (next, mut items) = (attribute(&iterator, "__next__")?, Vec::new());
    loop {
        signals::check_at(value.py(), items.len())?;
        match shutdown::call(&next, ()) {
            Ok(item) => items.push(item),
            Err(error) if error.is_instance_of::<PyStopIteration>(value.py()) => return Ok(items),
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn none_found() -> PyErr {
    PyValueError::new_err("source: expected at least one file, found an empty list")
}

/// The file or pattern that a value denotes. `None`: it is neither, and may be an iterable of such values.
fn classify<'py>(value: &Bound<'py, PyAny>, stores: &StoreArguments) -> PyResult<Option<Item<'py>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(Item::Bytes(bytes.clone().into())));
    }
    if is_buffer(value) {
        // The bytes are copied, because other code can change the buffer while it is read.
        return Ok(Some(Item::Bytes(copied(value)?.into())));
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(Some(match path.to_str().filter(|text| stores.is_remote(text)) {
            Some(url) => Item::Url(url.to_owned()),
            None => Item::Pattern(with_home(value.py(), path)?),
        }));
    }
    if has_attribute(value, "read")? || has_attribute(value, "readinto")? {
        return Ok(Some(Item::File(value.clone())));
    }
    if is_fsspec_open_file(value)? {
        return Ok(Some(Item::File(call_method(value, "open", ())?)));
    }
    Ok(None)
}

/// Whether a value is the result of `fsspec.open`, which is a file that is not open yet.
fn is_fsspec_open_file(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    for name in ["fs", "path", "mode", "open"] {
        if !has_attribute(value, name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The name of a file object in messages: its own name, or else its class.
fn name_of(file: &Bound<'_, PyAny>) -> String {
    let name = attribute(file, "name").and_then(|name| name.extract::<PathBuf>());
    match name {
        Ok(name) => redacted(&Path::display(&name).to_string()).into_owned(),
        Err(_) => match file.get_type().name() {
            Ok(class) => format!("<{class}>"),
            Err(_) => "<file object>".to_owned(),
        },
    }
}
