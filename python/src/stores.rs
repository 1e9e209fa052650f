//! Store arguments (`storage_options`, `store`, `cache` and `cache_bytes`), and the files of a URL under these arguments.

use std::ffi::CString;
use std::sync::Arc;

use arrowfeed::source::io::remote::RemoteObject;
use arrowfeed::source::io::{FileSource, NewFile};
use arrowfeed::sources::{is_remote, redacted, scheme};
use arrowfeed::store::{Cache, Store, StoreFile, StoreObject, StoreOptions, resolve, resolve_below};
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::exceptions::{PyFileNotFoundError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyMapping, PyType};

use crate::argument::{integer, path, wrong_type};
use crate::call::call;
use crate::errors::to_python;
use crate::fsspec_object::FsspecObject;
use crate::object::Object;
use crate::obstore::Configuration;
use crate::shutdown::{call_method, call_with, has_attribute, try_attach};
use crate::signals;
use crate::store_arguments::StoreKeywords;

/// The stores of a caller, for messages.
const STORES: &str = "an obstore store (not MemoryStore) or an fsspec filesystem";

/// Default size of a cache in bytes.
const CACHE_BYTES: u64 = 100 << 30;

/// The store arguments of a function call.
#[derive(Default)]
pub(crate) struct StoreArguments {
    options: StoreOptions,
    /// The options in the form for fsspec.
    python_options: Option<Py<PyAny>>,
    store: Option<CallerStore>,
    cache: Option<Cache>,
}

/// The store of the caller.
enum CallerStore {
    /// A store of obstore, or of another library with the same classes.
    Store(Store),
    /// An fsspec filesystem.
    Fsspec(Py<PyAny>),
}

impl StoreArguments {
    /// Parses the arguments.
    ///
    /// # Errors
    /// An argument has the wrong type or an invalid value, or the directory of the cache cannot be created.
    pub(crate) fn new(given: &StoreKeywords<'_>) -> PyResult<Self> {
        let StoreKeywords { storage_options, store, cache, cache_bytes } = given;
        let options = storage_options.as_ref().map(self::storage_options).transpose()?.unwrap_or_default();
        let store = store.as_ref().map(|value| CallerStore::of(value, &options)).transpose()?;
        let bytes = cache_bytes.as_ref().map(|value| integer("cache_bytes", 1, value)).transpose()?;
        let cache = match cache {
            Some(value) => {
                let (directory, bytes) = (path("cache", value)?, bytes.unwrap_or(CACHE_BYTES));
                Some(call(value.py(), || Cache::open(&directory, bytes))?)
            }
            None if bytes.is_some() => {
                return Err(PyTypeError::new_err("cache_bytes: expected cache= as well, found none"));
            }
            None => None,
        };
        Ok(Self { options, python_options: storage_options.clone().map(Bound::unbind), store, cache })
    }

    /// Returns one file, whose name is used literally.
    pub(crate) fn file(&self, py: Python<'_>, url: &str) -> PyResult<FileSource> {
        let store = match &self.store {
            Some(CallerStore::Store(store)) => store.clone(),
            None if arrowfeed::store::supports(url)
                && !(is_memory(url) && self.is_in_fsspec_memory(py, url)?) =>
            {
                call(py, || Store::open(url, &self.options))?
            }
            // In practice, names from fsspec contain no glob characters.
            Some(CallerStore::Fsspec(_)) | None => {
                let mut files = self.files(py, url, "", false)?;
                return files.pop().ok_or_else(|| PyFileNotFoundError::new_err(redacted(url).into_owned()));
            }
        };
        let object = call(py, || store.object(url))?;
        Ok(FileSource::remote(object.name().to_owned(), self.cached(Arc::new(object))))
    }

    /// Whether a text names a file in a store, as opposed to a local file.
    pub(crate) fn is_remote(&self, text: &str) -> bool {
        is_remote(text) || (self.store.is_some() && scheme(text).is_none())
    }

    /// Lists the files of a URL, sorted: the file itself, the files of a glob, or the files with the extension in a
    /// directory, and with `below` also those of all directories below.
    pub(crate) fn files(
        &self,
        py: Python<'_>,
        url: &str,
        extension: &str,
        below: bool,
    ) -> PyResult<Vec<FileSource>> {
        let store = match &self.store {
            Some(CallerStore::Fsspec(filesystem)) => {
                return self.fsspec_files(py, filesystem.bind(py), url, (extension, below));
            }
            Some(CallerStore::Store(store)) => Some(store),
            None if arrowfeed::store::supports(url) => None,
            None => return self.fsspec_url(py, url, (extension, below)),
        };
        // A program may have put files into the memory filesystem of fsspec.
        if store.is_none() && is_memory(url) && self.is_in_fsspec_memory(py, url)? {
            return self.fsspec_url(py, url, (extension, below));
        }
        let interrupt = signals::interrupt_of_call(py)?;
        let found = call(py, || {
            let resolve = if below { resolve_below } else { resolve };
            let found = resolve(url, extension, &self.options, store, Some(&interrupt));
            found.map_err(|error| error.in_file(&redacted(url)))
        });
        Ok(found?.into_iter().map(|file| self.source(file)).collect())
    }

    fn is_in_fsspec_memory(&self, py: Python<'_>, url: &str) -> PyResult<bool> {
        let files = py.import("arrowfeed._files")?;
        call_method(&files, "is_in_fsspec_memory", (url,))?.extract()
    }

    /// Creates an object.
    pub(crate) fn create(&self, url: &str) -> Result<Box<dyn NewFile>, FeedError> {
        let store = match &self.store {
            Some(CallerStore::Store(store)) => Some(store),
            Some(CallerStore::Fsspec(_)) => {
                let message = "store: expected an obstore store to write to, found an fsspec filesystem, which arrowfeed only reads";
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
            None => None,
        };
        Ok(Box::new(arrowfeed::store::create(url, &self.options, store, Some(signals::interrupt()))?))
    }

    fn source(&self, file: StoreFile) -> FileSource {
        FileSource::remote(file.name, self.cached(file.object))
    }

    fn cached(&self, object: Arc<StoreObject>) -> Arc<dyn RemoteObject> {
        match &self.cache {
            Some(cache) => Arc::new(cache.object(object)),
            None => object,
        }
    }

    /// Lists the files of a URL whose scheme fsspec supports.
    fn fsspec_url(&self, py: Python<'_>, url: &str, search: (&str, bool)) -> PyResult<Vec<FileSource>> {
        let files = py.import("arrowfeed._files")?;
        let options = self.python_options.as_ref().map(|options| options.bind(py));
        let filesystem = call_method(&files, "filesystem_of", (url, redacted(url).as_ref(), options))?;
        self.fsspec_files(py, &filesystem, url, search)
    }

    fn fsspec_files(
        &self,
        py: Python<'_>,
        filesystem: &Bound<'_, PyAny>,
        url: &str,
        (extension, below): (&str, bool),
    ) -> PyResult<Vec<FileSource>> {
        if self.cache.is_some() {
            let message = "cache: expected files of a store, found files of fsspec: use a cache of fsspec, such as simplecache::";
            return Err(PyValueError::new_err(message));
        }
        let files = py.import("arrowfeed._files")?;
        let keywords = [("below", below)].into_py_dict(py)?;
        let shown = redacted(url);
        let arguments = (filesystem, url, shown.as_ref(), extension);
        let found = call_with(&files.getattr("files_of")?, arguments, Some(&keywords))?;
        let found = found.extract::<Vec<(String, String, Option<u64>)>>()?;
        let sources = found.into_iter().map(|(name, path, size)| {
            let filesystem = Object::new(filesystem.clone().unbind());
            FileSource::remote(
                name,
                Arc::new(FsspecObject::new(filesystem, path, size, self.options.limits())),
            )
        });
        Ok(sources.collect())
    }
}

impl CallerStore {
    fn of(value: &Bound<'_, PyAny>, options: &StoreOptions) -> PyResult<Self> {
        if value.is_instance_of::<PyType>() {
            return Err(wrong_type("store", STORES, value));
        }
        if has_attribute(value, "cat_file")? && has_attribute(value, "info")? {
            return Ok(Self::Fsspec(value.clone().unbind()));
        }
        let Some(configuration) = Configuration::of(value)? else {
            return Err(wrong_type("store", STORES, value));
        };
        configuration.client(value.py()).map_err(|_| to_python(value.py(), refused()))?;
        let configuration = Arc::new(configuration);
        let make = move || match try_attach(|py| configuration.client(py)) {
            Some(client) => client.map_err(|_| refused()),
            None => Err(FeedError::io(std::io::Error::other(
                "expected a running Python interpreter, found it shut down",
            ))),
        };
        Ok(Self::Store(Store::custom(Arc::new(make), "store", options.clone())))
    }
}

/// The error for a store of obstore whose options this version of `object_store` does not accept. Their values may be
/// secret, so the message has none of them.
fn refused() -> FeedError {
    let message = "store: expected an obstore store with options that arrowfeed accepts, found one with an option that it does not accept; pass the options as storage_options=";
    FeedError::new(FeedErrorKind::Options, message)
}

/// Warns once about each server that sends whole files.
///
/// # Errors
/// The program turns warnings into errors.
pub(crate) fn warn_of_servers_without_ranges(py: Python<'_>) -> PyResult<()> {
    for server in arrowfeed::store::take_servers_without_ranges() {
        let message =
            format!("{server} does not support ranges: each file is read as a whole before its first row");
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(message)?, 1)?;
    }
    Ok(())
}

/// Parses `storage_options`.
fn storage_options(value: &Bound<'_, PyAny>) -> PyResult<StoreOptions> {
    let expected = "a dict of str to str, int, float or bool";
    // The message does not contain the value, which may be secret.
    let wrong = |value: &Bound<'_, PyAny>| {
        let found = value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("storage_options: expected {expected}, found {found}"))
    };
    let mapping = value.cast::<PyMapping>().map_err(|_| wrong(value))?;
    let mut pairs = Vec::new();
    for pair in mapping.items()? {
        let (key, value) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let key = key.extract::<String>().map_err(|_| wrong(&key))?;
        let text = match (value.extract::<bool>(), value.extract::<String>()) {
            (Ok(flag), _) => flag.to_string(),
            (_, Ok(text)) => text,
            _ if value.extract::<f64>().is_ok() => value.str()?.to_string(),
            // Nested options belong to an fsspec filesystem.
            _ => continue,
        };
        pairs.push((key, text));
    }
    StoreOptions::parse(pairs).map_err(|error| to_python(value.py(), error))
}

fn is_memory(url: &str) -> bool {
    scheme(url).is_some_and(|scheme| scheme.eq_ignore_ascii_case("memory"))
}
