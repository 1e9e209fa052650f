//! Tests of streams of batches, with the format of the other tests.

#![expect(clippy::disallowed_types, reason = "tests do not fork")]

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use arrow_array::types::UInt8Type;
use arrow_array::{RecordBatch, cast::AsArray};
use bytes::Bytes;
use futures_core::Stream;

use super::tests::{Rows, bytes, set};
use super::*;
use crate::io::FileSource;
use crate::io::remote::{
    ObjectBody, ObjectRequest, ObjectResponse, ObjectVersion, ReadAheadLimits, RemoteObject, RequestGuard,
    ResponseHandler,
};
use crate::{FeedError, OnError};

/// The executor of the tests: one thread, which sleeps until it is woken.
#[derive(Default)]
struct Alarm(Mutex<bool>, Condvar);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        *self.0.lock().unwrap() = true;
        self.1.notify_one();
    }
}

impl Alarm {
    /// Sleeps until it is woken. Returns false if that takes longer than `most`.
    fn sleep(&self, most: Duration) -> bool {
        let woken = self.1.wait_timeout_while(self.0.lock().unwrap(), most, |woken| !*woken).unwrap().0;
        let mut woken = woken;
        std::mem::take(&mut *woken)
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let (alarm, mut future) = (Arc::<Alarm>::default(), pin!(future));
    let waker = Waker::from(alarm.clone());
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return result;
        }
        assert!(alarm.sleep(Duration::from_secs(60)), "nothing has woken the task");
    }
}

fn reader(files: &Arc<FileSet>, threads: usize, on_error: OnError) -> FileReader {
    let threads = std::num::NonZeroUsize::new(threads);
    let options = ReadOptions { batch_size: Some(999), threads, on_error, ..Default::default() };
    FileSet::clone(files).read_files(options).unwrap()
}

fn rows(batch: &RecordBatch) -> &[u8] {
    batch.column(0).as_primitive::<UInt8Type>().values()
}

type Results = (Vec<Vec<u8>>, Option<String>);

fn of_reader(reader: FileReader) -> Results {
    let mut batches = Vec::new();
    for batch in reader {
        match batch {
            Ok(batch) => batches.push(rows(&batch).to_vec()),
            Err(error) => return (batches, Some(error.to_string())),
        }
    }
    (batches, None)
}

async fn of_stream(mut stream: BatchStream) -> Results {
    let mut batches = Vec::new();
    while let Some(batch) = stream.next().await {
        match batch {
            Ok(batch) => batches.push(rows(&batch).to_vec()),
            Err(error) => {
                assert!(stream.next().await.is_none());
                return (batches, Some(error.to_string()));
            }
        }
    }
    assert!(stream.next().await.is_none());
    (batches, None)
}

#[test]
fn a_stream_has_the_batches_and_the_error_of_its_reader() {
    let mut faulty = bytes(40_000);
    faulty[31_000] = 255;
    let sets = [set(&[bytes(3_000_000), bytes(0), bytes(13)]), set(&[bytes(5), faulty, bytes(9)])];
    for (files, on_error) in
        [(&sets[0], OnError::Raise), (&sets[1], OnError::Raise), (&sets[1], OnError::SkipFile)]
    {
        let expected = of_reader(reader(files, 1, on_error));
        for threads in [0, 1, 2, 9] {
            let stream = reader(files, threads, on_error).into_stream().unwrap();
            assert!(run(of_stream(stream)) == expected, "{on_error:?}, {threads} threads");
        }
    }
}

#[test]
fn a_stream_counts_what_was_read_and_skipped() {
    let mut faulty = bytes(40_000);
    faulty[31_000] = 255;
    let files = set(&[faulty, bytes(9)]);
    let mut stream = reader(&files, 2, OnError::SkipFile).into_stream().unwrap();
    while run(stream.next()).is_some_and(|batch| batch.is_ok()) {}
    let report = stream.report();
    assert_eq!((report.rows, report.skipped.len()), (31_009, 1));
    assert_eq!(report.skipped[0].error, "file 0: expected a byte below 255");
    let stats = stream.stats();
    assert_eq!((stats.rows, stats.batches), (31_009, 33));
}

#[test]
fn a_dropped_future_loses_no_batch() {
    let files = set(&[bytes(300_000)]);
    let expected = of_reader(reader(&files, 1, OnError::Raise)).0;
    let mut stream = reader(&files, 2, OnError::Raise).into_stream().unwrap();
    let mut context = Context::from_waker(Waker::noop());
    let mut found = Vec::new();
    while found.len() < expected.len() {
        match pin!(stream.next()).poll(&mut context) {
            Poll::Ready(batch) => found.push(rows(&batch.unwrap().unwrap()).to_vec()),
            Poll::Pending => std::thread::yield_now(),
        }
    }
    assert!(found == expected);
}

#[test]
fn a_reader_that_has_begun_is_refused() {
    let mut reader = reader(&set(&[bytes(5000)]), 1, OnError::Raise);
    reader.next().unwrap().unwrap();
    let message = "expected a reader that has not begun and claims no chunks";
    assert_eq!(reader.into_stream().unwrap_err().to_string(), message);
}

#[test]
fn the_stream_of_a_dropped_consumer_stops() {
    let files = set(&[bytes(4_000_000)]);
    for polls in 0..40 {
        let mut stream = reader(&files, 2, OnError::Raise).into_stream().unwrap();
        for _ in 0..polls % 4 {
            run(stream.next()).unwrap().unwrap();
        }
        let driver = stream.driver_for_tests();
        drop(stream);
        let start = Instant::now();
        while driver.upgrade().is_some() {
            assert!(start.elapsed() < Duration::from_secs(60), "the driver still has its reader");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// An object that responds when the test lets it.
#[derive(Debug)]
struct Object {
    bytes: Vec<u8>,
    waiting: Mutex<Vec<Waiting>>,
}

struct Waiting(ObjectRequest, ResponseHandler, std::sync::Weak<()>);

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Waiting").field(&self.0).finish()
    }
}

impl RemoteObject for Object {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        let guard = Arc::new(());
        self.waiting.lock().unwrap().push(Waiting(request, done, Arc::downgrade(&guard)));
        Box::new(guard)
    }

    fn known_len(&self) -> Option<u64> {
        Some(self.bytes.len() as u64)
    }

    fn limits(&self) -> ReadAheadLimits {
        ReadAheadLimits {
            max_requests: 64,
            max_small_requests: 64,
            bytes: 1 << 20,
            request_bytes: 1 << 16,
            gap: 0,
            alignment: 1,
        }
    }
}

impl Object {
    fn new(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self { bytes, waiting: Mutex::default() })
    }

    /// Answers the requests that wait.
    fn respond(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap());
        for Waiting(request, done, _) in waiting {
            let len = self.bytes.len() as u64;
            let range = request.range.unwrap_or(0..0);
            let (start, end) = (range.start.min(len) as usize, range.end.min(len) as usize);
            let version = ObjectVersion { len, tag: None, modified: None };
            let body = ObjectBody::Range(vec![Bytes::copy_from_slice(&self.bytes[start..end])]);
            done(Ok(ObjectResponse { version, body }));
        }
    }

    /// Number of requests in flight.
    fn in_flight(&self) -> usize {
        self.waiting.lock().unwrap().iter().filter(|waiting| waiting.2.strong_count() > 0).count()
    }
}

fn remote(objects: &[Arc<Object>]) -> Arc<FileSet> {
    let sources = objects.iter().enumerate().map(|(i, object)| {
        FileSource::remote(format!("object {i}"), object.clone() as Arc<dyn RemoteObject>)
    });
    Arc::new(FileSet::new(Files::new(sources), Arc::new(Rows)))
}

fn poll(stream: &mut BatchStream) -> Poll<Option<Result<RecordBatch, FeedError>>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

/// Waits until a condition holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn streams_that_wait_for_a_store_have_no_thread() {
    let threads = crate::thread_count(None);
    let objects: Vec<Vec<Arc<Object>>> =
        (0..4 * threads).map(|_| (0..3).map(|_| Object::new(bytes(5000))).collect()).collect();
    let mut streams: Vec<BatchStream> = objects
        .iter()
        .map(|objects| reader(&remote(objects), 0, OnError::Raise).into_stream().unwrap())
        .collect();
    for (stream, objects) in streams.iter_mut().zip(&objects) {
        assert!(poll(stream).is_pending());
        until("a request for each object", || objects.iter().all(|object| object.in_flight() > 0));
    }
    // All threads are free for a stream whose bytes are there.
    let local = set(&[bytes(100_000)]);
    let expected = of_reader(reader(&local, 1, OnError::Raise));
    assert!(run(of_stream(reader(&local, 0, OnError::Raise).into_stream().unwrap())) == expected);

    let of_objects = of_reader(reader(&set(&[bytes(5000), bytes(5000), bytes(5000)]), 1, OnError::Raise));
    for (mut stream, objects) in streams.into_iter().zip(objects) {
        let mut found = Vec::new();
        until("the end of the stream", || {
            objects.iter().for_each(|object| object.respond());
            match poll(&mut stream) {
                Poll::Ready(Some(batch)) => found.push(rows(&batch.unwrap()).to_vec()),
                Poll::Ready(None) => return true,
                Poll::Pending => {}
            }
            false
        });
        assert!((found, None) == of_objects);
    }
}

#[test]
fn dropping_a_stream_cancels_its_requests() {
    let objects = [Object::new(bytes(100_000)), Object::new(bytes(100_000))];
    let mut stream = reader(&remote(&objects), 2, OnError::Raise).into_stream().unwrap();
    assert!(poll(&mut stream).is_pending());
    until("requests", || objects.iter().any(|object| object.in_flight() > 0));
    drop(stream);
    until("no request in flight", || objects.iter().all(|object| object.in_flight() == 0));
}

#[test]
fn every_order_of_responses_gives_the_batches() {
    let contents: Vec<Vec<u8>> = [70_000, 3, 0, 41_234, 900].map(bytes).into();
    let expected = of_reader(reader(&set(&contents), 1, OnError::Raise));
    for seed in 0..20_usize {
        let objects: Vec<Arc<Object>> = contents.iter().cloned().map(Object::new).collect();
        let mut stream = reader(&remote(&objects), seed % 4, OnError::Raise).into_stream().unwrap();
        let (mut found, mut turn) = (Vec::new(), seed);
        until(&format!("the end of the stream, seed {seed}"), || {
            turn = turn.wrapping_mul(25_214_903_917).wrapping_add(11);
            objects[(turn >> 16) % objects.len()].respond();
            match poll(&mut stream) {
                Poll::Ready(Some(batch)) => found.push(rows(&batch.unwrap()).to_vec()),
                Poll::Ready(None) => return true,
                Poll::Pending => {}
            }
            false
        });
        assert!((found, None) == expected, "seed {seed}");
    }
}
