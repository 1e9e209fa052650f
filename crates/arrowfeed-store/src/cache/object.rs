//! Objects whose bytes are looked up in a cache before they are requested.

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use arrowfeed_source::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestCounts,
    RequestGuard, ResponseHandler,
};
use arrowfeed_source::io::{ByteSource, LocalFile};
use arrowfeed_source::{FeedError, FeedErrorKind, ForkLock};
use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use tokio::sync::oneshot;

use super::chunk::ChunkName;
use super::{CHUNK, Cache};
use crate::object::{StoreObject, check, spawn_request};
use crate::runtime;
use crate::shared_work::SharedWork;

/// An object of a store with a cache. It remembers its version, so that a second reader sends no request for cached
/// bytes.
///
/// [`Store`](crate::Store) has an example.
pub struct CachedObject(Arc<Shared>);

struct Shared {
    cache: Cache,
    object: Arc<StoreObject>,
    /// The version that the first request has returned.
    version: ForkLock<Option<ObjectVersion>>,
    /// The version request in flight.
    asked: SharedWork<ObjectVersion>,
}

impl CachedObject {
    pub(super) fn new(cache: Cache, object: Arc<StoreObject>) -> Self {
        Self(Arc::new(Shared { cache, object, version: ForkLock::new(None), asked: SharedWork::new() }))
    }

    /// The object without the cache.
    pub fn inner(&self) -> &Arc<StoreObject> {
        &self.0.object
    }
}

impl fmt::Debug for CachedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CachedObject").field(&self.0.object).finish()
    }
}

impl RemoteObject for CachedObject {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        let shared = self.0.clone();
        spawn_request(async move { shared.answer(request).await }, done)
    }

    fn known_len(&self) -> Option<u64> {
        self.0.known().map(|version| version.len).or(self.0.object.known_len())
    }

    fn limits(&self) -> ReadAheadLimits {
        let limits = self.0.object.limits();
        let request_bytes = limits.request_bytes.div_ceil(CHUNK).saturating_mul(CHUNK);
        ReadAheadLimits { request_bytes, alignment: CHUNK, ..limits }
    }

    fn variant(&self) -> Option<u64> {
        self.0.object.variant()
    }
}

impl Shared {
    async fn answer(self: Arc<Self>, request: ObjectRequest) -> Result<ObjectResponse, FeedError> {
        let ObjectRequest { range, version: expected, counts } = request;
        let version = self.version(&counts).await?;
        check(expected.as_ref(), &version)?;
        let Some(range) = range.filter(|range| range.start < range.end.min(version.len)) else {
            return Ok(ObjectResponse { version, body: ObjectBody::Range(Vec::new()) });
        };
        let range = range.start..range.end.min(version.len);
        let Some(key) = self.key(&version) else {
            return fetch(&self.object, range, &version, &counts).await;
        };
        let answered = self.chunks(key, range, &version, &counts).await;
        if let Err(error) = &answered
            && error.kind() == FeedErrorKind::Changed
        {
            // Makes the next reader request the version again.
            self.version.with(|version| *version = None);
        }
        answered
    }

    fn known(&self) -> Option<ObjectVersion> {
        self.version.with(|version| version.clone()).flatten()
    }

    async fn version(&self, counts: &Arc<RequestCounts>) -> Result<ObjectVersion, FeedError> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let start = || {
            let (object, counts) = (self.object.clone(), counts.clone());
            async move { Ok(object.version(&counts).await?) }.boxed()
        };
        let found = self.asked.join(start).await?;
        self.version.with(|version| *version = Some(found.clone()));
        Ok(found)
    }

    /// Cache key of the object and its version. `None`: the version has nothing that distinguishes it from others of
    /// the same length.
    fn key(&self, version: &ObjectVersion) -> Option<Arc<str>> {
        let key = match (&version.tag, version.modified) {
            // A strong ETag identifies the bytes, so URLs that are signed again share them.
            (Some(tag), _) if tag.starts_with('"') => {
                format!("{}\n{tag}\n{}", self.object.name(), version.len)
            }
            (Some(tag), _) => format!("{}\n{tag}\n{}", self.object.identity(), version.len),
            (None, Some(modified)) => {
                let modified = modified.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
                format!("{}\n{modified}\n{}", self.object.identity(), version.len)
            }
            (None, None) => return None,
        };
        Some(key.into())
    }

    /// Collects the bytes of a range: chunks from the cache, and requests for the others.
    async fn chunks(
        self: &Arc<Self>,
        key: Arc<str>,
        range: Range<u64>,
        version: &ObjectVersion,
        counts: &Arc<RequestCounts>,
    ) -> Result<ObjectResponse, FeedError> {
        let len = version.len;
        let name = move |number: u64| {
            let (key, start) = (key.clone(), number * CHUNK);
            ChunkName { key, number, len: len.min(start + CHUNK) - start }
        };
        let numbers = range.start / CHUNK..range.end.div_ceil(CHUNK);
        let mut found = self.look_up(numbers.clone().map(&name).collect()).await?;
        for (number, chunk) in numbers.clone().zip(&found) {
            if chunk.is_some() {
                let chunk = number * CHUNK..(number + 1) * CHUNK;
                counts.from_cache(chunk.end.min(range.end) - chunk.start.max(range.start));
            }
        }
        let missing = missing(&found);
        let requests = missing.iter().map(|run| {
            let first = numbers.start + run.start as u64;
            let bytes = first * CHUNK..((numbers.start + run.end as u64) * CHUNK).min(len);
            fetch(&self.object, bytes, version, counts)
        });
        for (run, response) in missing.iter().zip(try_join_all(requests).await?) {
            let pieces = match response.body {
                ObjectBody::Range(pieces) => pieces,
                ObjectBody::Whole(file) => {
                    self.keep_whole(file.clone(), len, name);
                    return Ok(ObjectResponse { version: response.version, body: ObjectBody::Whole(file) });
                }
            };
            let mut bytes = joined(pieces);
            for at in run.clone() {
                let name = name(numbers.start + at as u64);
                let chunk = bytes.split_to((name.len as usize).min(bytes.len()));
                if chunk.len() as u64 == name.len {
                    let (cache, chunk) = (self.cache.clone(), chunk.clone());
                    in_background(move || cache.put(&name, &chunk));
                }
                found[at] = Some(chunk);
            }
        }
        let pieces = numbers.zip(found).filter_map(|(number, chunk)| {
            let (chunk, start) = (chunk?, number * CHUNK);
            let end = (range.end - start).min(chunk.len() as u64) as usize;
            Some(chunk.slice(range.start.saturating_sub(start) as usize..end))
        });
        Ok(ObjectResponse { version: version.clone(), body: ObjectBody::Range(pieces.collect()) })
    }

    async fn look_up(&self, names: Vec<ChunkName>) -> Result<Vec<Option<Bytes>>, FeedError> {
        let cache = self.cache.clone();
        let found =
            runtime::handle()?.spawn_blocking(move || names.iter().map(|name| cache.get(name)).collect());
        found.await.map_err(|error| FeedError::io(std::io::Error::other(error)))
    }

    /// Stores the chunks of an object that was downloaded as a whole.
    fn keep_whole(&self, file: Arc<File>, len: u64, name: impl Fn(u64) -> ChunkName + Send + 'static) {
        let cache = self.cache.clone();
        in_background(move || {
            let Ok(file) = file.try_clone().and_then(LocalFile::new) else { return };
            let mut bytes = vec![0; CHUNK as usize];
            for number in 0..len.div_ceil(CHUNK) {
                let name = name(number);
                let bytes = &mut bytes[..name.len as usize];
                if file.read_at(number * CHUNK, bytes).is_ok_and(|read| read == bytes.len()) {
                    cache.put(&name, bytes);
                }
            }
        });
    }
}

fn in_background(work: impl FnOnce() + Send + 'static) {
    if let Ok(runtime) = runtime::handle() {
        drop(runtime.spawn_blocking(work));
    }
}

/// Requests a range of the object itself.
async fn fetch(
    object: &StoreObject,
    range: Range<u64>,
    version: &ObjectVersion,
    counts: &Arc<RequestCounts>,
) -> Result<ObjectResponse, FeedError> {
    let (send, receive) = oneshot::channel();
    let request =
        ObjectRequest { range: Some(range), version: Some(version.clone()), counts: counts.clone() };
    let done = Box::new(move |response| drop(send.send(response)));
    let _guard = object.request(request, done);
    receive.await.map_err(|error| FeedError::io(std::io::Error::other(error)))?
}

/// Ranges of consecutive missing chunks.
fn missing(chunks: &[Option<Bytes>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in chunks.iter().enumerate().filter(|(_, chunk)| chunk.is_none()) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn joined(mut pieces: Vec<Bytes>) -> Bytes {
    if pieces.len() == 1 {
        return pieces.remove(0);
    }
    let mut bytes = BytesMut::with_capacity(pieces.iter().map(Bytes::len).sum());
    pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
    bytes.freeze()
}
