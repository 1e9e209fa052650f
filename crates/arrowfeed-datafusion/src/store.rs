//! Files of the object stores of a session.
//!
//! DataFusion and `arrowfeed-store` depend on different versions of `object_store`. So requests go to the store of the session
//! as it is, with its own retries.

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use arrowfeed::source::io::FileSource;
use arrowfeed::source::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestGuard,
    ResponseHandler,
};
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_source::{ForkLock, quoted, thousands};
use futures_util::TryStreamExt;
use object_store::{Error, GetOptions, GetRange, GetResultPayload, ObjectMeta, ObjectStore};
use tokio::runtime::Handle;

/// The start of the text of a store of local files. Without it, such a file is read by requests.
const LOCAL: &str = "LocalFileSystem";

/// An object of a store of a session.
#[derive(Debug)]
struct SessionObject {
    object: Arc<Object>,
    /// The runtime in which the file was made, which sends the requests.
    runtime: Handle,
}

#[derive(Debug)]
struct Object {
    store: Arc<dyn ObjectStore>,
    /// The metadata of a listing. The object may have changed since.
    listed: ObjectMeta,
}

/// The handler of a response, until it is called. The task of the request and its guard share it.
#[derive(Clone)]
struct Handler(Arc<ForkLock<Option<ResponseHandler>>>);

impl Handler {
    fn take(&self) -> Option<ResponseHandler> {
        self.0.with(Option::take).flatten()
    }
}

/// Reports an error when the task of a request is dropped before it has a response.
struct ReportOnDrop(Handler);

impl Drop for ReportOnDrop {
    fn drop(&mut self) {
        let Some(done) = self.0.take() else { return };
        let found = if std::thread::panicking() {
            "a panic of the store"
        } else {
            "the end of the tokio runtime that sends the requests, in which the table was created"
        };
        let message = format!("expected a response of the store, found {found}");
        let error = FeedError::io(io::Error::other(message));
        // The thread that drops the task may be the one that sends the request, which must not call the handler. If the system
        // has no thread, the reading waits until it is cancelled.
        let _ = std::thread::Builder::new().spawn(move || done(Err(error)));
    }
}

/// Cancels a request when it is dropped.
struct CancelOnDrop {
    handler: Handler,
    task: tokio::task::AbortHandle,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        drop(self.handler.take());
        self.task.abort();
    }
}

/// The file of an object of the store with this URL. A local file is read without the store. Must be called on a runtime of tokio.
///
/// # Errors
/// A local file does not exist.
pub(crate) async fn session_file(
    store: &Arc<dyn ObjectStore>,
    url: &str,
    listed: ObjectMeta,
) -> Result<FileSource, FeedError> {
    let name = format!("{}/{}", url.trim_end_matches('/'), listed.location);
    if store.to_string().starts_with(LOCAL) {
        // This asks for the path only: the store opens the file, and reads nothing of it.
        let options = GetOptions { head: true, ..GetOptions::default() };
        let opened = store.get_opts(&listed.location, options).await;
        let opened = opened.map_err(|error| failure(&error).in_file(&name))?;
        if let GetResultPayload::File(_, path) = opened.payload {
            return Ok(path.into());
        }
    }
    let object = Arc::new(Object { store: store.clone(), listed });
    Ok(FileSource::remote(name, Arc::new(SessionObject { object, runtime: Handle::current() })))
}

impl RemoteObject for SessionObject {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        let (object, handler) = (self.object.clone(), Handler(Arc::new(ForkLock::new(Some(done)))));
        let report = ReportOnDrop(handler.clone());
        let task = self.runtime.spawn(async move {
            let answer = object.answer(request).await;
            if let Some(done) = report.0.take() {
                done(answer);
            }
        });
        Box::new(CancelOnDrop { handler, task: task.abort_handle() })
    }

    fn known_len(&self) -> Option<u64> {
        Some(self.object.listed.size)
    }

    fn limits(&self) -> ReadAheadLimits {
        ReadAheadLimits::default()
    }
}

impl Object {
    /// An error message if a response has another length than the listing. The tags and times of listings have other forms than
    /// those of responses in some stores.
    fn difference(&self, found: &ObjectVersion) -> Option<String> {
        (found.len != self.listed.size).then(|| {
            let [listed, found] = [self.listed.size, found.len].map(thousands);
            format!("expected the object to be unchanged since it was listed ({listed} bytes), found {found} bytes")
        })
    }

    async fn answer(&self, request: ObjectRequest) -> Result<ObjectResponse, FeedError> {
        let ObjectRequest { range, version, counts } = request;
        let range = range.filter(|range| !range.is_empty() && range.start < self.listed.size);
        // A weak tag never matches.
        let tag = version.as_ref().and_then(|version| version.tag.as_deref());
        let tag = tag.filter(|tag| !tag.starts_with("W/"));
        let options = GetOptions {
            head: range.is_none(),
            range: range.clone().map(GetRange::Bounded),
            if_match: tag.map(str::to_owned),
            ..GetOptions::default()
        };
        counts.attempt(false);
        let result = self.store.get_opts(&self.listed.location, options).await;
        let result = result.map_err(|error| failure(&error))?;
        let found = version_of(&result.meta);
        let difference = match version {
            Some(version) => version.difference(&found),
            None => self.difference(&found),
        };
        if let Some(message) = difference {
            return Err(FeedError::new(FeedErrorKind::Changed, message));
        }
        let Some(range) = range else {
            return Ok(ObjectResponse { version: found, body: ObjectBody::Range(Vec::new()) });
        };
        let (start, end) = (range.start, range.end.min(found.len));
        if (result.range.start, result.range.end) != (start, end) {
            let (found, text) = (result.range.clone(), "expected the store to return the bytes");
            let message = format!("{text} {start} to {end}, found {} to {}", found.start, found.end);
            return Err(FeedError::io(io::Error::other(message)));
        }
        let pieces: Vec<_> = result.into_stream().try_collect().await.map_err(|error| failure(&error))?;
        let bytes: usize = pieces.iter().map(bytes_len).sum();
        counts.fetched(bytes as u64);
        if bytes as u64 != end - start {
            let message = format!("expected a response of {} bytes, found {bytes}", end - start);
            return Err(FeedError::io(io::Error::new(io::ErrorKind::UnexpectedEof, message)));
        }
        Ok(ObjectResponse { version: found, body: ObjectBody::Range(pieces) })
    }
}

fn bytes_len(piece: &impl AsRef<[u8]>) -> usize {
    piece.as_ref().len()
}

fn version_of(meta: &ObjectMeta) -> ObjectVersion {
    ObjectVersion {
        len: meta.size,
        tag: meta.e_tag.as_deref().map(Arc::from),
        modified: Some(SystemTime::from(meta.last_modified)),
    }
}

/// Converts an error of a store, with its text as DataFusion shows it.
fn failure(error: &Error) -> FeedError {
    let io = |kind: io::ErrorKind, text: &str| FeedError::io(io::Error::new(kind, text.to_owned()));
    match error {
        Error::NotFound { .. } => io(io::ErrorKind::NotFound, "expected an object, found none"),
        Error::Precondition { path, .. } | Error::NotModified { path, .. } => {
            let path = quoted(path);
            let message =
                format!("expected {path} to be unchanged since it was opened, found another version");
            FeedError::new(FeedErrorKind::Changed, message)
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => io(
            io::ErrorKind::PermissionDenied,
            "expected access to the object, found that the store denies it",
        ),
        other => io(io::ErrorKind::Other, &other.to_string()),
    }
}
