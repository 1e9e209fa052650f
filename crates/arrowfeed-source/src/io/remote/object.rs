//! The interface between read-ahead and a store: objects, requests and responses.

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

/// An object of a store, such as S3. Its bytes are fetched by requests, each of which takes milliseconds.
pub trait RemoteObject: Send + Sync + Debug {
    /// Sends a request. `done` runs once, in another thread, and never before this function returns. Dropping the returned
    /// guard cancels the request; then `done` may not run.
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard;

    /// Length of the object, where a listing has told it.
    fn known_len(&self) -> Option<u64>;

    /// Bounds of read-ahead for objects of this store.
    fn limits(&self) -> ReadAheadLimits;
}

/// Cancels a request when it is dropped.
pub type RequestGuard = Box<dyn Any + Send>;

/// Receives the response of a request.
pub type ResponseHandler = Box<dyn FnOnce(Result<ObjectResponse, FeedError>) + Send>;

/// A request for bytes of an object.
#[derive(Debug, Clone)]
pub struct ObjectRequest {
    /// The bytes. A range may end behind the end of the object. `None`: only its version.
    pub range: Option<Range<u64>>,
    /// The version that the object must have: another one is an error of kind [`Changed`](crate::FeedErrorKind::Changed).
    /// `None`: any.
    pub version: Option<ObjectVersion>,
    /// Counts attempts and bytes.
    pub counts: Arc<RequestCounts>,
}

/// The response to a request.
#[derive(Debug)]
pub struct ObjectResponse {
    /// Version of the object.
    pub version: ObjectVersion,
    /// Its bytes.
    pub body: ObjectBody,
}

/// Bytes of a response.
#[derive(Debug)]
pub enum ObjectBody {
    /// The bytes of the range up to its end or the end of the object, in pieces; none without a range.
    Range(Vec<Bytes>),
    /// All bytes of the object, in a temporary file: the server does not support ranges.
    Whole(Arc<File>),
}

/// What changes when an object changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectVersion {
    /// Length in bytes.
    pub len: u64,
    /// The ETag, or the generation, where the store has one.
    pub tag: Option<Arc<str>>,
    /// The time of the last change, where it is known.
    pub modified: Option<SystemTime>,
}

impl ObjectVersion {
    /// The message of the error where `found` is not a version of the same bytes. Times are compared where one of the
    /// versions has no tag.
    pub fn difference(&self, found: &Self) -> Option<String> {
        const OPENED: &str = "expected the object as it was opened";
        match (&self.tag, &found.tag) {
            (Some(old), Some(new)) if old != new => {
                let [old, new] = [old, new].map(|tag| quoted(tag.trim_matches('"')));
                return Some(format!("{OPENED}, with the ETag {old}, found it changed, with the ETag {new}"));
            }
            _ => {}
        }
        if self.len != found.len {
            let [old, new] = [self.len, found.len].map(thousands);
            return Some(format!("{OPENED}, with {old} bytes, found it changed, with {new} bytes"));
        }
        match (&self.tag, &found.tag, self.modified, found.modified) {
            (Some(_), Some(_), _, _) => None,
            (_, _, Some(old), Some(new)) if old != new => {
                Some(format!("{OPENED}, found it changed: the time of its last change is another one"))
            }
            _ => None,
        }
    }
}

/// Bounds of read-ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadAheadLimits {
    /// Requests in flight that ask for 16 MiB or more together.
    pub max_requests: usize,
    /// Requests in flight that ask for less than 16 MiB together. Fewer than `max_requests` mean as many as those.
    pub max_small_requests: usize,
    /// Bytes that are in flight, or have arrived and wait to be read. A quarter as many may be kept after they were read.
    pub bytes: u64,
    /// Bytes of one request.
    pub request_bytes: u64,
    /// Ranges with at most so many unread bytes between them share a request.
    pub gap: u64,
    /// Requests start and end at multiples of so many bytes; 1: anywhere.
    pub alignment: u64,
}

/// Below this many bytes in flight, latency limits a reading, not bandwidth.
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

/// Requests that are in flight, and the bytes that they ask for.
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

    /// Whether the limits allow one more request.
    pub(super) fn has_room(&self, limits: &ReadAheadLimits) -> bool {
        let small = self.bytes < SMALL_BYTES && self.requests < limits.max_small_requests;
        small || self.requests < limits.max_requests.max(1)
    }
}

/// Counts of requests, which any thread may raise.
#[derive(Debug, Default)]
pub struct RequestCounts {
    requests: AtomicU64,
    retries: AtomicU64,
    bytes: AtomicU64,
    cached: AtomicU64,
    without_ranges: AtomicU64,
}

impl RequestCounts {
    /// Counts an attempt of a request. `again`: it is not the first one.
    pub fn attempt(&self, again: bool) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.retries.fetch_add(u64::from(again), Ordering::Relaxed);
    }

    /// Counts bytes of bodies, also of attempts that failed.
    pub fn fetched(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that came from a local cache.
    pub fn from_cache(&self, bytes: u64) {
        self.cached.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a file that was read as a whole because its server does not support ranges.
    pub fn without_ranges(&self) {
        self.without_ranges.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes the counts, which start at zero again.
    pub fn take(&self) -> Requests {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        Requests {
            requests: take(&self.requests),
            retries: take(&self.retries),
            bytes: take(&self.bytes),
            cached_bytes: take(&self.cached),
            without_ranges: take(&self.without_ranges),
        }
    }
}
