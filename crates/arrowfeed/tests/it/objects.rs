//! Test files as objects of a store with delayed responses and small read-ahead limits.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrowfeed::FeedError;
use arrowfeed::source::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestGuard,
    ResponseHandler,
};
use arrowfeed::source::io::{ByteSource, FileSource, LocalFile};
use bytes::Bytes;

/// Part of the name of directories whose files are opened as objects.
pub(crate) const MARK: &str = "-objects";

/// The source of a file: an object if the name of its directory has the mark.
pub(crate) fn source(path: &Path) -> FileSource {
    let name = path.display().to_string();
    if !name.contains(MARK) {
        return path.into();
    }
    FileSource::remote(name, Arc::new(Object { path: path.to_owned(), pause: None }))
}

/// The source of a file as an object whose responses take this long.
pub(crate) fn slow_source(path: &Path, pause: Duration) -> FileSource {
    FileSource::remote("slow", Arc::new(Object { path: path.to_owned(), pause: Some(pause) }))
}

#[derive(Debug)]
struct Object {
    path: PathBuf,
    /// The time before each response. `None`: short times, which depend on the range.
    pause: Option<Duration>,
}

/// Cancels a request when it is dropped.
struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Object {
    /// A number that is always the same for a file.
    fn number(&self) -> usize {
        self.path
            .file_stem()
            .map_or(0, |name| name.as_encoded_bytes().iter().map(|byte| *byte as usize).sum())
    }

    fn response(&self, request: &ObjectRequest) -> Result<ObjectResponse, FeedError> {
        let file = File::open(&self.path).and_then(LocalFile::new).map_err(FeedError::io)?;
        let version = file.version().map_err(FeedError::io)?;
        let mut bytes = Vec::new();
        if let Some(range) = &request.range {
            let len = range.end.min(version.len).saturating_sub(range.start) as usize;
            bytes.resize(len, 0);
            assert_eq!(file.read_at(range.start, &mut bytes).unwrap(), len);
        }
        let tag = format!("{:?}", version.modified);
        Ok(ObjectResponse {
            version: ObjectVersion { len: version.len, tag: Some(tag.into()), modified: version.modified },
            body: ObjectBody::Range(bytes.chunks(100).map(Bytes::copy_from_slice).collect()),
        })
    }
}

impl RemoteObject for Object {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        request.counts.attempt(false);
        let cancelled = Arc::new(AtomicBool::new(false));
        let (object, is_cancelled) = (Self { path: self.path.clone(), ..*self }, cancelled.clone());
        // A test makes up to 100,000 requests. If every one slept, it would take 13 s.
        let pause = request.range.as_ref().map_or(0, |range| (range.start * 37 % 200).saturating_sub(150));
        let pause = self.pause.unwrap_or(Duration::from_micros(4 * pause));
        std::thread::spawn(move || {
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            if !is_cancelled.load(Ordering::Relaxed) {
                let response = object.response(&request);
                request.counts.fetched(request.range.map_or(0, |range| range.end - range.start));
                done(response);
            }
        });
        Box::new(Guard(cancelled))
    }

    fn known_len(&self) -> Option<u64> {
        // The length is known from a listing for every second file.
        let known = self.number().is_multiple_of(2);
        known.then(|| std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len()))
    }

    fn limits(&self) -> ReadAheadLimits {
        let number = self.number();
        ReadAheadLimits {
            max_requests: 1 + number % 5,
            max_small_requests: 1 + number % 7,
            bytes: [1_000, 20_000, 1 << 20][number % 3],
            request_bytes: [500, 4096, 1 << 16][number % 3],
            gap: [0, 50][number % 2],
            alignment: [1, 64][number / 2 % 2],
        }
    }
}
