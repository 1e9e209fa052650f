//! A file of an fsspec filesystem as an object of a store. Each request has a thread, which waits for Python code.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrowfeed::FeedError;
use arrowfeed::source::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestGuard,
    ResponseHandler,
};
use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::errors::io_error;
use crate::object::Object;
use crate::shutdown::{call_method, try_attach};

/// An object that is read through `cat_file` and `info` of a filesystem.
#[derive(Debug)]
pub(crate) struct FsspecObject {
    file: Arc<File>,
    limits: ReadAheadLimits,
}

#[derive(Debug)]
struct File {
    filesystem: Object,
    path: String,
    size: Option<u64>,
}

/// Cancels a request on drop; a result is discarded.
struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl FsspecObject {
    /// `size`: the file length, if a listing contains it.
    pub(crate) fn new(filesystem: Object, path: String, size: Option<u64>, limits: ReadAheadLimits) -> Self {
        // Each request has a thread.
        let limits = ReadAheadLimits { max_small_requests: limits.max_requests, ..limits };
        Self { file: Arc::new(File { filesystem, path, size }), limits }
    }
}

impl File {
    fn respond(&self, request: &ObjectRequest) -> Result<ObjectResponse, FeedError> {
        let ask = |py: Python<'_>| self.ask(py, request).map_err(|error| io_error(py, error));
        let response = match try_attach(ask) {
            Some(response) => response,
            None => Err(io::Error::other("expected a running Python interpreter, found it shut down")),
        };
        response.map_err(FeedError::io)
    }

    fn ask(&self, py: Python<'_>, request: &ObjectRequest) -> PyResult<ObjectResponse> {
        let module = py.import("arrowfeed._files")?;
        let Range { start, end } = request.range.clone().unwrap_or(0..0);
        let filesystem = self.filesystem.bind(py);
        let found = call_method(&module, "read_range", (filesystem, &self.path, start, end))?;
        let (len, tag, bytes) = found.extract::<(u64, Option<String>, PyBackedBytes)>()?;
        request.counts.fetched(bytes.len() as u64);
        let version = ObjectVersion { len, tag: tag.map(Into::into), modified: None };
        Ok(ObjectResponse { version, body: ObjectBody::Range(vec![Bytes::from_owner(bytes)]) })
    }
}

impl RemoteObject for FsspecObject {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        request.counts.attempt(false);
        let cancelled = Arc::new(AtomicBool::new(false));
        let (file, is_cancelled) = (self.file.clone(), cancelled.clone());
        let run = move || {
            if !is_cancelled.load(Ordering::Relaxed) {
                let response = file.respond(&request);
                // Releases the reference to the filesystem before it notifies the reader.
                drop(file);
                done(response);
            }
        };
        // If no thread can be started, there is no response, and the caller may stop.
        let _ = std::thread::Builder::new().name("arrowfeed-fsspec".to_owned()).spawn(run);
        Box::new(Guard(cancelled))
    }

    fn known_len(&self) -> Option<u64> {
        self.file.size
    }

    fn limits(&self) -> ReadAheadLimits {
        self.limits
    }

    fn variant(&self) -> Option<u64> {
        Some(BuildHasherDefault::<DefaultHasher>::default().hash_one(&self.file.path))
    }
}
