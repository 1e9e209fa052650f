//! Objects of a store as sources of the read-ahead.

use std::fmt;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use arrowfeed_source::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestCounts,
    RequestGuard, ResponseHandler,
};
use arrowfeed_source::{FeedError, FeedErrorKind, panic_text, thousands};
use bytes::Bytes;
use futures_util::{FutureExt, Stream, StreamExt};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta};

use crate::StoreOptions;
use crate::clients::Client;
use crate::exact_url::{ExactUrl, UNKNOWN_LEN};
use crate::failure::{Failed, Fault, Reason, classify};
use crate::retry::{RequestFailure, retried, seconds};
use crate::runtime;
use crate::stores::Store;
use crate::whole::Downloads;

/// The name of an object in its store.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    path: Path,
    /// Only HTTP objects have one.
    exact: Option<Box<ExactUrl>>,
}

impl Key {
    pub(crate) fn of(path: Path) -> Self {
        Self { path, exact: None }
    }

    /// The key of an HTTP object. The path is not used, because the URL replaces it.
    pub(crate) fn exact(exact: ExactUrl) -> Self {
        Self { path: Path::from("object"), exact: Some(Box::new(exact)) }
    }

    fn options(&self) -> GetOptions {
        let mut options = GetOptions::default();
        if let Some(exact) = &self.exact {
            options.extensions.insert(ExactUrl::clone(exact));
        }
        options
    }
}

/// An object of a store.
///
/// [`Store`](crate::Store) has an example.
pub struct StoreObject {
    object: Arc<Object>,
    known_len: Option<u64>,
}

/// State that the requests for an object share.
pub(crate) struct Object {
    pub store: Store,
    /// The server has sent the whole object in response to a range request.
    without_ranges: AtomicBool,
    key: Key,
    name: String,
    pub downloads: Downloads,
}

impl StoreObject {
    pub(crate) fn new(store: Store, key: Key, name: String, known_len: Option<u64>) -> Self {
        Self {
            object: Arc::new(Object {
                store,
                without_ranges: AtomicBool::new(false),
                key,
                name,
                downloads: Downloads::new(),
            }),
            known_len,
        }
    }

    /// The URL of the object, without user name, password and query.
    pub fn name(&self) -> &str {
        &self.object.name
    }

    /// The store of the object.
    pub fn store(&self) -> &Store {
        &self.object.store
    }

    /// Identifies the object without revealing secrets: the URL, and a hash of the query.
    pub(crate) fn identity(&self) -> String {
        match &self.object.key.exact {
            Some(exact) => format!("{} {:08x}", self.object.name, exact.hash()),
            None => self.object.name.clone(),
        }
    }

    /// Requests the version of the object. Retries after transient errors.
    pub(crate) async fn version(&self, counts: &Arc<RequestCounts>) -> Result<ObjectVersion, FeedError> {
        self.object.head(counts).await.map_err(|end| end.failed("the object").into())
    }
}

impl fmt::Debug for StoreObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreObject").field("name", &self.object.name).finish_non_exhaustive()
    }
}

impl RemoteObject for StoreObject {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        let object = self.object.clone();
        spawn_request(async move { object.answer(request).await }, done)
    }

    fn known_len(&self) -> Option<u64> {
        self.known_len
    }

    fn limits(&self) -> ReadAheadLimits {
        self.object.store.options().limits()
    }

    fn variant(&self) -> Option<u64> {
        self.object.key.exact.as_ref().map(|exact| u64::from(exact.hash()))
    }
}

/// Runs a request in the runtime. `done` is never called by the calling thread.
pub(crate) fn spawn_request(
    answer: impl Future<Output = Result<ObjectResponse, FeedError>> + Send + 'static,
    done: ResponseHandler,
) -> RequestGuard {
    match runtime::handle() {
        Ok(runtime) => Box::new(runtime::spawn_on(&runtime, answer, done)),
        Err(error) => {
            // Without a thread, the error cannot be delivered.
            let _ = std::thread::Builder::new().spawn(move || done(Err(error)));
            Box::new(())
        }
    }
}

impl Object {
    async fn answer(self: Arc<Self>, request: ObjectRequest) -> Result<ObjectResponse, FeedError> {
        let ObjectRequest { range, version, counts } = request;
        let empty = |found: ObjectVersion| {
            check(version.as_ref(), &found)?;
            Ok(ObjectResponse { version: found, body: ObjectBody::Range(Vec::new()) })
        };
        let Some(mut range) = range.filter(|range| !range.is_empty()) else {
            return empty(self.head(&counts).await.map_err(|end| end.failed("the object"))?);
        };
        if self.without_ranges.load(Ordering::Relaxed) {
            return self.whole(version.as_ref(), &counts).await;
        }
        let mut is_cut = false;
        loop {
            let expected = expected_range(&range);
            match self.range(&range, version.as_ref(), &counts, &expected).await {
                Ok((version, pieces)) => {
                    return Ok(ObjectResponse { version, body: ObjectBody::Range(pieces) });
                }
                Err(RequestFailure::WithoutRanges) => {
                    self.without_ranges.store(true, Ordering::Relaxed);
                    self.store.set_without_ranges();
                    return self.whole(version.as_ref(), &counts).await;
                }
                Err(RequestFailure::PastEnd) => {
                    let found = self.head(&counts).await.map_err(|end| end.failed("the object"))?;
                    if range.start >= found.len {
                        return empty(found);
                    }
                    check(version.as_ref(), &found)?;
                    if is_cut || range.end <= found.len {
                        return Err(RequestFailure::PastEnd.failed(&expected).into());
                    }
                    // The server rejects ranges that end past the end of the object.
                    (range.end, is_cut) = (found.len, true);
                }
                Err(RequestFailure::Failed(failed, _)) if failed.kind == FeedErrorKind::Changed => {
                    // The response does not tell the new version of the object.
                    if failed.message.ends_with("changed")
                        && let Ok(found) = self.head(&counts).await
                    {
                        check(version.as_ref(), &found)?;
                    }
                    return Err(failed.into());
                }
                Err(end) => return Err(end.failed(&expected).into()),
            }
        }
    }

    /// Requests the bytes of a range, up to the end of the object.
    async fn range(
        &self,
        range: &Range<u64>,
        version: Option<&ObjectVersion>,
        counts: &RequestCounts,
        expected: &str,
    ) -> Result<(ObjectVersion, Vec<Bytes>), RequestFailure> {
        let (client, options) = (self.client()?, self.store.options());
        let (client, tag) = (&client, version.and_then(|version| version.tag.as_deref()));
        let attempt = || async move {
            let mut get = self.key.options();
            get.range = Some(GetRange::Bounded(range.clone()));
            get.if_match = tag.filter(|tag| tag.starts_with('"')).map(str::to_owned);
            let result = self.get(client, get).await?;
            let found = version_of(&result.meta);
            if let Some(message) = version.and_then(|version| version.difference(&found)) {
                return Err(Fault::Changed(Some(message)));
            }
            if result.range.start != range.start || result.range.end != range.end.min(found.len) {
                let text = "a range other than the requested one";
                return Err(Fault::Transient(Reason::new(io::ErrorKind::Other, text)));
            }
            let len = result.range.end - result.range.start;
            let mut pieces = Vec::new();
            let push = |bytes| {
                pieces.push(bytes);
                Ok(())
            };
            receive(result.into_stream(), Some(len), options, counts, push).await?;
            Ok((found, pieces))
        };
        retried(options, Some(counts), expected, attempt).await
    }

    /// Requests the version of the object.
    pub(crate) async fn head(
        self: &Arc<Self>,
        counts: &Arc<RequestCounts>,
    ) -> Result<ObjectVersion, RequestFailure> {
        /// Statuses of servers, and of presigned URLs, that accept only GET.
        const NO_HEAD: [u16; 5] = [400, 401, 403, 405, 501];
        let (client, options) = (self.client()?, self.store.options());
        let client = &client;
        let attempt = |head| {
            move || async move {
                let get = GetOptions { head, ..self.key.options() };
                // A GET without a range tells the same; its body is not read.
                Ok(version_of(&self.get(client, get).await?.meta))
            }
        };
        let mut found = retried(options, Some(counts), "the object", attempt(true)).await;
        let is_refused = match &found {
            Ok(found) => found.len == UNKNOWN_LEN,
            Err(RequestFailure::Failed(_, Some(status))) => NO_HEAD.contains(status),
            Err(_) => false,
        };
        if self.store.is_http() && is_refused {
            found = retried(options, Some(counts), "the object", attempt(false)).await;
        }
        match found {
            Ok(found) if found.len == UNKNOWN_LEN => {
                // The length is known only at the end of the body.
                let downloaded = self.download(counts).await?;
                Ok(downloaded.version)
            }
            found => found,
        }
    }

    fn client(&self) -> Result<Client, Failed> {
        self.store.reading().map_err(Failed::from)
    }

    /// Sends one GET request, without retries.
    async fn get(&self, client: &Client, get: GetOptions) -> Result<GetResult, Fault> {
        let time = self.store.options().request_timeout;
        let asked = AssertUnwindSafe(client.objects.get_opts(&self.key.path, get)).catch_unwind();
        match tokio::time::timeout(time, asked).await {
            Ok(Ok(result)) => result.map_err(|error| classify(&error)),
            // The HDFS client panics if an object has become shorter.
            Ok(Err(panic))
                if panic_text(&*panic).is_some_and(|text| text.contains("past end of the file")) =>
            {
                Err(Fault::PastEnd)
            }
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => Err(timed_out(time, "response")),
        }
    }

    /// Sends one GET request for the whole object.
    pub(crate) async fn get_whole(&self, client: &Client) -> Result<GetResult, Fault> {
        self.get(client, self.key.options()).await
    }
}

fn timed_out(time: Duration, what: &str) -> Fault {
    let text = format!("no {what} within {}", seconds(time));
    Fault::Transient(Reason::new(io::ErrorKind::TimedOut, text))
}

fn expected_range(range: &Range<u64>) -> String {
    format!("bytes {} to {} of the object", thousands(range.start), thousands(range.end))
}

/// The bytes that arrived in a window of time, which lasts as long as `request_timeout`.
struct Rate {
    window: Duration,
    /// Number of bytes that must arrive in a window.
    least: u64,
    waited: Duration,
    bytes: u64,
}

impl Rate {
    fn new(options: &StoreOptions) -> Self {
        let window = options.request_timeout;
        let least = options.min_bytes_per_second as f64 * window.as_secs_f64();
        Self { window, least: least as u64, waited: Duration::ZERO, bytes: 0 }
    }

    /// Adds bytes that arrived after a wait. Returns false at the end of a window in which too few bytes arrived. Only time
    /// that was spent waiting for the server counts.
    fn is_enough(&mut self, bytes: u64, waited: Duration) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        self.waited += waited;
        if self.waited < self.window {
            return true;
        }
        let is_enough = self.bytes >= self.least;
        (self.bytes, self.waited) = (0, Duration::ZERO);
        is_enough
    }
}

/// Receives a body. `len` is the number of bytes that it must have.
pub(crate) async fn receive(
    mut body: impl Stream<Item = object_store::Result<Bytes>> + Unpin,
    len: Option<u64>,
    options: &StoreOptions,
    counts: &RequestCounts,
    mut take: impl FnMut(Bytes) -> Result<(), Fault>,
) -> Result<u64, Fault> {
    let time = options.request_timeout;
    let passing = |text: String| Fault::Transient(Reason::new(io::ErrorKind::UnexpectedEof, text));
    let mut received = 0;
    let mut rate = Rate::new(options);
    loop {
        let start = Instant::now();
        let piece = tokio::time::timeout(time, body.next()).await.map_err(|_| timed_out(time, "byte"))?;
        let Some(piece) = piece else { break };
        let piece = piece.map_err(|error| classify(&error))?;
        received += piece.len() as u64;
        if !rate.is_enough(piece.len() as u64, start.elapsed()) && len != Some(received) {
            counts.fetched(piece.len() as u64);
            counts.slow();
            let text = format!("fewer than {} bytes within {}", thousands(rate.least), seconds(time));
            return Err(Fault::Transient(Reason::new(io::ErrorKind::TimedOut, text)));
        }
        counts.fetched(piece.len() as u64);
        if len.is_some_and(|len| received > len) {
            return Err(passing("more bytes".to_owned()));
        }
        take(piece)?;
    }
    match len {
        Some(len) if received < len => Err(passing(format!(
            "the end of the body after {} of {} bytes",
            thousands(received),
            thousands(len)
        ))),
        _ => Ok(received),
    }
}

/// The version of the object, from the metadata of a response.
pub(crate) fn version_of(meta: &ObjectMeta) -> ObjectVersion {
    let modified = SystemTime::from(meta.last_modified);
    ObjectVersion {
        len: meta.size,
        tag: meta.e_tag.as_deref().or(meta.version.as_deref()).map(Arc::from),
        // `object_store` uses this time if the server has sent none.
        modified: (modified != SystemTime::UNIX_EPOCH).then_some(modified),
    }
}

/// Compares the version of the object with the expected one.
///
/// # Errors
/// The versions differ.
pub(crate) fn check(expected: Option<&ObjectVersion>, found: &ObjectVersion) -> Result<(), FeedError> {
    match expected.and_then(|expected| expected.difference(found)) {
        Some(message) => Err(FeedError::new(FeedErrorKind::Changed, message)),
        None => Ok(()),
    }
}
