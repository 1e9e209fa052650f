//! Tests of the cache on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arrowfeed_source::FeedErrorKind;
use arrowfeed_source::io::remote::{RemoteObject, RequestCounts};
use arrowfeed_store::{Cache, CachedObject};

use crate::server::{Request, Server, ask, bytes, right};

const CHUNK: usize = 1 << 20;
const LEN: usize = 5 * CHUNK + 1000;

fn content() -> Vec<u8> {
    (0..LEN).map(|i| (i / 100 % 251) as u8).collect()
}

fn server(tag: &'static str) -> Server {
    let content = content();
    Server::start(move |request| right(request, &content, tag))
}

/// The number of chunks. Files that are being written have a leading dot and do not count.
fn chunks(directory: &Path) -> usize {
    let list =
        |path: &Path| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let is_whole = |path: &PathBuf| !path.file_name().unwrap().to_str().unwrap().starts_with('.');
    list(directory).iter().map(|path| list(path).into_iter().filter(is_whole).count()).sum()
}

/// Waits for a condition, because chunks are written in the background.
fn wait_for(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn cached(cache: &Cache, server: &Server) -> CachedObject {
    cache.object(Arc::new(server.object()))
}

#[test]
fn a_second_reader_sends_no_request() {
    let (server, directory, counts) =
        (server("\"a\""), tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let cache = Cache::open(directory.path(), 1 << 30).unwrap();
    let object = cached(&cache, &server);
    assert_eq!(object.limits().alignment, CHUNK as u64);
    let response = ask(&object, Some(100..LEN as u64 + 10), None, &counts).unwrap();
    assert!(bytes(&response) == content()[100..]);
    let taken = counts.take();
    assert_eq!((taken.requests, taken.bytes, taken.cached_bytes), (2, LEN as u64, 0));
    wait_for(|| chunks(directory.path()) == 6);
    let response = ask(&object, Some(100..LEN as u64 + 10), None, &counts).unwrap();
    assert!(bytes(&response) == content()[100..]);
    let taken = counts.take();
    assert_eq!((taken.requests, taken.cached_bytes), (0, LEN as u64 - 100));

    // Another process requests only the version.
    let other = cached(&Cache::open(directory.path(), 1 << 30).unwrap(), &server);
    let response = ask(&other, Some(10..20), None, &counts).unwrap();
    assert!(bytes(&response) == content()[10..20]);
    let taken = counts.take();
    assert_eq!((taken.requests, taken.bytes, taken.cached_bytes), (1, 0, 10));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn requests_at_the_same_time_ask_for_the_version_once() {
    let (server, directory) = (server("\"a\""), tempfile::tempdir().unwrap());
    let object = cached(&Cache::open(directory.path(), 1 << 30).unwrap(), &server);
    std::thread::scope(|scope| {
        for chunk in 0..5 {
            let (object, start) = (&object, (chunk * CHUNK) as u64);
            scope.spawn(move || ask(object, Some(start..start + 10), None, &Arc::default()).unwrap());
        }
    });
    assert_eq!(server.requests().iter().filter(|request| request.method == "HEAD").count(), 1);
}

#[test]
fn only_missing_chunks_are_requested() {
    let (server, directory, counts) =
        (server("\"a\""), tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let object = cached(&Cache::open(directory.path(), 1 << 30).unwrap(), &server);
    let at = |chunk: usize| (chunk * CHUNK) as u64;
    ask(&object, Some(at(2) + 5..at(2) + 6), None, &counts).unwrap();
    wait_for(|| chunks(directory.path()) == 1);
    let response = ask(&object, Some(at(1)..at(5)), None, &counts).unwrap();
    assert!(bytes(&response) == content()[CHUNK..5 * CHUNK]);
    let mut ranges: Vec<_> = server.requests().iter().filter_map(Request::range).collect();
    ranges.sort_unstable();
    assert_eq!(ranges, [(CHUNK, 2 * CHUNK - 1), (2 * CHUNK, 3 * CHUNK - 1), (3 * CHUNK, 5 * CHUNK - 1)]);
}

#[test]
fn a_wrong_chunk_is_requested_again() {
    let (server, directory, counts) =
        (server("\"a\""), tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let object = cached(&Cache::open(directory.path(), 1 << 30).unwrap(), &server);
    ask(&object, Some(0..10), None, &counts).unwrap();
    wait_for(|| chunks(directory.path()) == 1);
    let inside = fs::read_dir(directory.path()).unwrap().next().unwrap().unwrap().path();
    let chunk = fs::read_dir(inside).unwrap().next().unwrap().unwrap().path();
    let mut wrong = fs::read(&chunk).unwrap();
    *wrong.last_mut().unwrap() ^= 1;
    fs::write(&chunk, wrong).unwrap();
    let response = ask(&object, Some(0..10), None, &counts).unwrap();
    assert_eq!(bytes(&response), content()[..10]);
    assert_eq!(counts.take().cached_bytes, 0);
}

#[test]
fn a_changed_object_is_found_when_a_chunk_is_missing() {
    let changed = Arc::new(AtomicBool::new(false));
    let (flag, content) = (changed.clone(), content());
    let server = Server::start(move |request| {
        right(request, &content, if flag.load(Ordering::SeqCst) { "\"b\"" } else { "\"a\"" })
    });
    let (directory, counts) = (tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let object = cached(&Cache::open(directory.path(), 1 << 30).unwrap(), &server);
    ask(&object, Some(0..10), None, &counts).unwrap();
    changed.store(true, Ordering::SeqCst);
    let error = ask(&object, Some(2 * CHUNK as u64..3 * CHUNK as u64), None, &counts).unwrap_err();
    assert_eq!(error.kind(), FeedErrorKind::Changed);
    let response = ask(&object, Some(0..10), None, &counts).unwrap();
    assert_eq!(response.version.tag.as_deref(), Some("\"b\""));
}

#[test]
fn an_object_without_a_version_is_not_kept() {
    let (server, directory, counts) =
        (server(""), tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let object = cached(&Cache::open(directory.path(), 1 << 30).unwrap(), &server);
    for _ in 0..2 {
        assert_eq!(bytes(&ask(&object, Some(0..10), None, &counts).unwrap()), content()[..10]);
    }
    assert_eq!((counts.take().cached_bytes, chunks(directory.path())), (0, 0));
}

#[test]
fn a_whole_object_is_kept_too() {
    let content_of_server = content();
    let server = Server::start(move |request| {
        right(&Request { headers: Vec::new(), ..request.clone() }, &content_of_server, "\"a\"")
    });
    let (directory, counts) = (tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let object = cached(&Cache::open(directory.path(), 1 << 30).unwrap(), &server);
    assert!(bytes(&ask(&object, Some(0..10), None, &counts).unwrap()) == content());
    wait_for(|| chunks(directory.path()) == 6);
    counts.take();
    assert_eq!(
        bytes(&ask(&object, Some(CHUNK as u64..CHUNK as u64 + 10), None, &counts).unwrap()),
        content()[CHUNK..CHUNK + 10]
    );
    assert_eq!(counts.take().requests, 0);
}

#[test]
fn a_cache_has_a_bound() {
    let (server, directory, counts) =
        (server("\"a\""), tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let cache = Cache::open(directory.path(), 3 * CHUNK as u64).unwrap();
    let object = cached(&cache, &server);
    for chunk in 0..6 {
        let start = (chunk * CHUNK) as u64;
        ask(&object, Some(start..start + 10), None, &counts).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    wait_for(|| chunks(directory.path()) <= 3);
    assert_eq!(cache.failures(), 0);
}

#[test]
fn a_cache_that_cannot_be_written_fails_no_read() {
    let (server, directory, counts) =
        (server("\"a\""), tempfile::tempdir().unwrap(), Arc::<RequestCounts>::default());
    let path = directory.path().join("cache");
    let cache = Cache::open(&path, 1 << 30).unwrap();
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "a file").unwrap();
    let object = cached(&cache, &server);
    assert_eq!(bytes(&ask(&object, Some(0..10), None, &counts).unwrap()), content()[..10]);
    wait_for(|| cache.failures() == 1);
    let message = Cache::open(&path, 1).unwrap_err().to_string();
    assert!(message.ends_with("File exists (os error 17)"), "{message}");
}
