//! Interface between read-ahead and a remote store: objects, requests and responses.

use std::any::Any;
use std::fmt::Debug;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bytes::Bytes;

use crate::report::Requests;
use crate::{FeedError, quoted, thousands};

/// An object in a remote store, such as S3. Its bytes are fetched by requests, each of which takes milliseconds.
pub trait RemoteObject: Send + Sync + Debug {
    /// Sends a request. `done` runs once, on another thread, and never before this function returns. Dropping the
    /// returned guard cancels the request; `done` may then never run.
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard;

    /// Length of the object, if a listing has reported it.
    fn known_len(&self) -> Option<u64>;

    /// The read-ahead limits for objects of this store.
    fn limits(&self) -> ReadAheadLimits;

    /// Distinguishes objects that have the same name without their secrets, such as URLs with different queries. It is a
    /// hash, which reveals no secret. `None`: objects with the same name are the same object.
    fn variant(&self) -> Option<u64> {
        None
    }
}

/// A guard that cancels its request when it is dropped.
pub type RequestGuard = Box<dyn Any + Send>;

/// A function that receives the response to a request.
pub type ResponseHandler = Box<dyn FnOnce(Result<ObjectResponse, FeedError>) + Send>;

/// A request for bytes of an object.
#[derive(Debug, Clone)]
pub struct ObjectRequest {
    /// The requested range. It may extend past the end of the object. `None`: only the version.
    pub range: Option<Range<u64>>,
    /// The version that the object must have. Another one is an error of kind
    /// [`Changed`](crate::FeedErrorKind::Changed). `None`: any.
    pub version: Option<ObjectVersion>,
    /// Counters for attempts and bytes.
    pub counts: Arc<RequestCounts>,
}

/// The response to a request.
#[derive(Debug)]
pub struct ObjectResponse {
    /// Version of the object.
    pub version: ObjectVersion,
    /// The bytes.
    pub body: ObjectBody,
}

/// Bytes of a response.
#[derive(Debug)]
pub enum ObjectBody {
    /// The bytes of the range up to its end or the end of the object, in pieces; none for a request without a range.
    Range(Vec<Bytes>),
    /// All bytes of the object, in a temporary file, because the server does not support ranges.
    Whole(Arc<File>),
}

/// Version of an object: properties that change when the object changes.
///
/// ```
/// use arrowfeed_source::io::remote::ObjectVersion;
///
/// let opened = ObjectVersion { len: 100, tag: Some("\"a\"".into()), modified: None };
/// let found = ObjectVersion { tag: Some("\"b\"".into()), ..opened.clone() };
/// assert_eq!(opened.difference(&opened), None);
/// assert_eq!(
///     opened.difference(&found).as_deref(),
///     Some("expected the object to be unchanged since it was opened (ETag \"a\"), found the ETag \"b\"")
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectVersion {
    /// Length in bytes.
    pub len: u64,
    /// The ETag or generation, if the store has one.
    pub tag: Option<Arc<str>>,
    /// Time of the last change, if known.
    pub modified: Option<SystemTime>,
}

impl ObjectVersion {
    /// Returns an error message if `found` is not a version of the same bytes. Times are compared only if one of the
    /// versions has no tag.
    pub fn difference(&self, found: &Self) -> Option<String> {
        const OPENED: &str = "expected the object to be unchanged since it was opened";
        match (&self.tag, &found.tag) {
            (Some(old), Some(new)) if old != new => {
                let [old, new] = [old, new].map(|tag| quoted(tag.trim_matches('"')));
                return Some(format!("{OPENED} (ETag {old}), found the ETag {new}"));
            }
            _ => {}
        }
        if self.len != found.len {
            let [old, new] = [self.len, found.len].map(thousands);
            return Some(format!("{OPENED} ({old} bytes), found {new} bytes"));
        }
        match (&self.tag, &found.tag, self.modified, found.modified) {
            (Some(_), Some(_), _, _) => None,
            (_, _, Some(old), Some(new)) if old != new => {
                Some(format!("{OPENED}, found a different modification time"))
            }
            _ => None,
        }
    }
}

/// Limits of read-ahead.
///
/// ```
/// use arrowfeed_source::io::remote::ReadAheadLimits;
///
/// let limits = ReadAheadLimits { max_requests: 4, max_small_requests: 16, ..ReadAheadLimits::default() };
/// assert_eq!(limits.request_bytes, 8 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadAheadLimits {
    /// Maximum number of requests in flight, if they ask for 16 MiB or more together.
    pub max_requests: usize,
    /// Maximum number of requests in flight, if they ask for less than 16 MiB together. A value below
    /// `max_requests` has no effect.
    pub max_small_requests: usize,
    /// Maximum number of bytes that are in flight, or have arrived and wait to be read. A quarter as many may be kept
    /// after they were read.
    pub bytes: u64,
    /// Maximum size of one request in bytes.
    pub request_bytes: u64,
    /// Ranges with at most this many unread bytes between them share a request.
    pub gap: u64,
    /// Requests start and end at multiples of this many bytes; 1: anywhere.
    pub alignment: u64,
}

/// Below this many bytes in flight, latency limits the reading rate, not bandwidth.
const SMALL_BYTES: u64 = 16 << 20;

impl Default for ReadAheadLimits {
    fn default() -> Self {
        Self {
            max_requests: 16,
            max_small_requests: 128,
            bytes: 128 << 20,
            request_bytes: 8 << 20,
            gap: 32 << 10,
            alignment: 1,
        }
    }
}

/// The number of requests in flight, and the bytes that they ask for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InFlight {
    requests: usize,
    bytes: u64,
}

impl InFlight {
    pub(super) fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes += bytes;
    }

    pub(super) fn remove(&mut self, bytes: u64) {
        self.requests -= 1;
        self.bytes -= bytes;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests == 0
    }

    /// Whether the limits allow one more request.
    pub(super) fn has_room(&self, limits: &ReadAheadLimits) -> bool {
        let small = self.bytes < SMALL_BYTES && self.requests < limits.max_small_requests;
        small || self.requests < limits.max_requests.max(1)
    }
}

/// Request counters, which any thread may increment.
///
/// ```
/// use arrowfeed_source::io::remote::RequestCounts;
///
/// let counts = RequestCounts::default();
/// counts.attempt(false);
/// counts.attempt(true);
/// counts.fetched(100);
/// let counts = counts.take();
/// assert_eq!((counts.requests, counts.retries, counts.bytes), (2, 1, 100));
/// ```
#[derive(Debug, Default)]
pub struct RequestCounts {
    requests: AtomicU64,
    retries: AtomicU64,
    bytes: AtomicU64,
    cached: AtomicU64,
    whole_downloads: AtomicU64,
    slow: AtomicU64,
}

impl RequestCounts {
    /// Counts an attempt of a request. `again` is true if it is not the first one.
    pub fn attempt(&self, again: bool) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.retries.fetch_add(u64::from(again), Ordering::Relaxed);
    }

    /// Counts bytes of response bodies, including those of failed attempts.
    pub fn fetched(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that came from a local cache.
    pub fn from_cache(&self, bytes: u64) {
        self.cached.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a file that was downloaded whole because its server does not support ranges.
    pub fn whole_downloads(&self) {
        self.whole_downloads.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an attempt that failed because too few bytes arrived for too long.
    pub fn slow(&self) {
        self.slow.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts and resets them to zero.
    pub fn take(&self) -> Requests {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        Requests {
            requests: take(&self.requests),
            retries: take(&self.retries),
            bytes: take(&self.bytes),
            cached_bytes: take(&self.cached),
            whole_downloads: take(&self.whole_downloads),
            slow: take(&self.slow),
        }
    }
}
