//! Tests of reads of remote objects, with a simulated store.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests do not fork")]

use std::io;
use std::ops::Range;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::*;
use crate::io::{ByteSource, checked_read_at};
use crate::{Check, FeedError, FeedErrorKind};

/// A pseudo-random generator with a fixed sequence per seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

type Requested = (ObjectRequest, ResponseHandler, Arc<()>);

/// An object whose responses are sent by a thread, in random order.
#[derive(Debug)]
struct Object {
    len: u64,
    known_len: Option<u64>,
    limits: ReadAheadLimits,
    requests: Sender<Requested>,
    /// Ranges of all requests.
    log: Arc<Mutex<Vec<Option<Range<u64>>>>>,
    most_in_flight: Arc<Mutex<usize>>,
}

/// Faults of the simulated store.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// One in this many requests fails; 0: none.
    fails: u64,
    /// The object changes after this many responses; 0: never.
    changes: usize,
    /// No response is ever sent.
    silent: bool,
}

fn byte(at: u64) -> u8 {
    (at ^ (at >> 8) ^ (at >> 16)) as u8
}

fn object(len: u64, known: bool, limits: ReadAheadLimits, faults: Faults, seed: u64) -> Arc<Object> {
    let (send, receive) = mpsc::channel::<Requested>();
    let log = Arc::<Mutex<Vec<_>>>::default();
    let most_in_flight = Arc::<Mutex<usize>>::default();
    let most = most_in_flight.clone();
    std::thread::spawn(move || {
        let mut random = Random(seed);
        let (mut waiting, mut responses): (Vec<Requested>, usize) = (Vec::new(), 0);
        loop {
            let timeout =
                if waiting.is_empty() { Duration::from_secs(60) } else { Duration::from_micros(50) };
            match receive.recv_timeout(timeout) {
                Ok(request) => waiting.push(request),
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            // Cancelled requests are not in flight.
            waiting.retain(|(_, _, guard)| Arc::strong_count(guard) > 1);
            let mut most = most.lock().unwrap();
            *most = waiting.len().max(*most);
            drop(most);
            if faults.silent || waiting.is_empty() || random.below(3) == 0 {
                continue;
            }
            let at = random.below(waiting.len() as u64) as usize;
            let (request, done, _guard) = waiting.swap_remove(at);
            responses += 1;
            if faults.fails > 0 && random.below(faults.fails) == 0 {
                done(Err(FeedError::io(io::Error::new(io::ErrorKind::TimedOut, "expected a response"))));
                continue;
            }
            let changed = faults.changes > 0 && responses > faults.changes;
            let tag = if changed { "b" } else { "a" };
            let version = ObjectVersion { len, tag: Some(tag.into()), modified: None };
            let range = request.range.unwrap_or(0..0);
            let bytes: Vec<u8> = (range.start.min(len)..range.end.min(len)).map(byte).collect();
            let pieces = bytes.chunks(random.below(5000) as usize + 1).map(Bytes::copy_from_slice);
            done(Ok(ObjectResponse { version, body: ObjectBody::Range(pieces.collect()) }));
        }
    });
    let known_len = known.then_some(len);
    Arc::new(Object { len, known_len, limits, requests: send, log, most_in_flight })
}

impl RemoteObject for Object {
    fn request(&self, request: ObjectRequest, done: ResponseHandler) -> RequestGuard {
        self.log.lock().unwrap().push(request.range.clone());
        request.counts.attempt(false);
        let guard = Arc::new(());
        let _ = self.requests.send((request, done, guard.clone()));
        Box::new(guard)
    }

    fn known_len(&self) -> Option<u64> {
        self.known_len
    }

    fn limits(&self) -> ReadAheadLimits {
        self.limits
    }
}

impl Object {
    /// Number of requested bytes that lie within the object.
    fn fetched(&self) -> u64 {
        let log = self.log.lock().unwrap();
        log.iter().flatten().map(|range| range.end.min(self.len) - range.start.min(self.len)).sum()
    }
}

fn limits(random: &mut Random) -> ReadAheadLimits {
    ReadAheadLimits {
        max_requests: 1 + random.below(8) as usize,
        max_small_requests: 1 + random.below(16) as usize,
        bytes: 1 + random.below(1 << 20),
        request_bytes: 1 + random.below(1 << 18),
        gap: random.below(1 << 14),
        alignment: [1, 1, 4096, 1000][random.below(4) as usize],
    }
}

fn open(object: &Arc<Object>, read_ahead: &ReadAhead) -> RemoteFile {
    RemoteFile::new(object.clone(), read_ahead.clone(), &Check::never()).unwrap()
}

fn check_read(file: &RemoteFile, len: u64, offset: u64, most: usize) {
    let mut into = vec![0; most];
    let found = checked_read_at(file, offset, &mut into).unwrap();
    let end = offset.saturating_add(most as u64).min(len);
    assert_eq!(found as u64, end.saturating_sub(offset), "{offset} {most}");
    assert!(into[..found].iter().zip(offset..).all(|(byte, at)| *byte == self::byte(at)), "{offset} {most}");
}

#[test]
fn any_reads_and_announcements_give_the_bytes_of_the_object() {
    let mut requests = 0;
    for seed in crate::random_run::seeds(30) {
        let mut random = Random(seed);
        let read_ahead = ReadAhead::new();
        let objects: Vec<Arc<Object>> = (0..3)
            .map(|_| {
                let len = [0, 1, random.below(1000), random.below(1 << 21)][random.below(4) as usize];
                object(len, random.below(2) == 0, limits(&mut random), Faults::default(), seed)
            })
            .collect();
        let files: Vec<RemoteFile> = objects.iter().map(|object| open(object, &read_ahead)).collect();
        for _ in 0..30 {
            let file = random.below(3) as usize;
            let len = objects[file].len;
            let start = random.below(len + 10);
            let bits = [4, 10, 18][random.below(3) as usize];
            let count = random.below(1 << bits);
            match random.below(4) {
                0 => files[file].announce([start..start + count, start + 2 * count..u64::MAX]),
                1 => files[file].announce(std::iter::once(start..start + count)),
                2 => assert_eq!(files[file].version().unwrap().len, len),
                _ => check_read(&files[file], len, start, count as usize),
            }
        }
        drop(files);
        requests += read_ahead.take_counts().requests;
    }
    assert!(requests > 0);
}

#[test]
fn an_announced_file_is_fetched_once_within_the_bounds() {
    let limits = ReadAheadLimits {
        max_requests: 4,
        max_small_requests: 4,
        bytes: 1 << 20,
        request_bytes: 1 << 17,
        ..Default::default()
    };
    let object = object(4 << 20, true, limits, Faults::default(), 1);
    let file = open(&object, &ReadAhead::new());
    file.announce(std::iter::once(0..u64::MAX));
    for offset in (0..4 << 20).step_by(10_000) {
        check_read(&file, 4 << 20, offset, 10_000);
    }
    assert_eq!(object.fetched(), 4 << 20);
    assert!(*object.most_in_flight.lock().unwrap() <= 4);
}

#[test]
fn ranges_that_are_close_share_a_request() {
    let limits = ReadAheadLimits { gap: 100, ..Default::default() };
    let object = object(1 << 20, true, limits, Faults::default(), 1);
    let file = open(&object, &ReadAhead::new());
    file.announce([0..1000, 1100..2000, 2101..3000, 2900..3500]);
    check_read(&file, 1 << 20, 0, 3500);
    assert_eq!(object.log.lock().unwrap()[..2], [Some(0..2000), Some(2101..3500)]);
}

#[test]
fn more_small_requests_are_in_flight_than_large_ones() {
    let limits = ReadAheadLimits { max_requests: 3, max_small_requests: 20, ..Default::default() };
    let sent = |bytes: u64| {
        let silent = Faults { silent: true, ..Default::default() };
        let object = object(1 << 40, true, limits, silent, 1);
        let file = open(&object, &ReadAhead::new());
        file.announce((0..50).map(|i| (i << 30)..(i << 30) + bytes));
        object.log.lock().unwrap().len()
    };
    assert_eq!(sent(1 << 10), 20);
    assert_eq!(sent(1 << 20), 16);
    assert_eq!(sent(8 << 20), 3);
}

#[test]
fn sequential_reads_without_announcement_are_read_ahead() {
    let limits = ReadAheadLimits { bytes: 16 << 20, request_bytes: 4 << 20, ..Default::default() };
    let object = object(32 << 20, true, limits, Faults::default(), 1);
    let file = open(&object, &ReadAhead::new());
    for offset in (0..32 << 20).step_by(1 << 16) {
        check_read(&file, 32 << 20, offset, 64);
    }
    assert_eq!(object.fetched(), 32 << 20);
    assert!(*object.most_in_flight.lock().unwrap() > 1);
    let requests = object.log.lock().unwrap().len();
    assert!(requests < 24, "{requests}");
}

#[test]
fn failed_requests_are_errors_of_their_bytes_alone() {
    let (mut failed, mut right) = (0, 0);
    for seed in crate::random_run::seeds(20) {
        let faults = Faults { fails: 3, ..Default::default() };
        let object = object(1 << 18, seed % 2 == 0, limits(&mut Random(seed)), faults, seed);
        let file = open(&object, &ReadAhead::new());
        file.announce(std::iter::once(0..1 << 17));
        for offset in (0..1_u64 << 18).step_by(5000) {
            let mut into = [0; 5000];
            match file.read_at(offset, &mut into) {
                Ok(found) => {
                    assert!(into[..found].iter().zip(offset..).all(|(byte, at)| *byte == self::byte(at)));
                    right += 1;
                }
                Err(error) => {
                    assert_eq!(error.to_string(), "expected a response");
                    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                    failed += 1;
                }
            }
        }
    }
    assert!(failed > 10 && right > 10, "{failed} {right}");
}

#[test]
fn an_object_that_changes_is_an_error() {
    let faults = Faults { changes: 2, ..Default::default() };
    let limits = ReadAheadLimits { request_bytes: 1 << 16, bytes: 1 << 16, ..Default::default() };
    let object = object(1 << 20, true, limits, faults, 1);
    let file = open(&object, &ReadAhead::new());
    let mut into = [0; 1 << 15];
    let read = (0..32).map(|i| file.read_at(i << 15, &mut into));
    let error = read.filter_map(Result::err).next().unwrap();
    let error = FeedError::io(error);
    assert_eq!(error.kind(), FeedErrorKind::Changed);
    let text = "expected the object to be unchanged since it was opened (ETag \"a\"), found the ETag \"b\"";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_read_ends_when_it_is_cancelled_or_the_caller_wants_to_stop() {
    let silent = Faults { silent: true, ..Default::default() };
    let object = object(1 << 20, true, ReadAheadLimits::default(), silent, 1);
    let read_ahead = ReadAhead::new();
    let file = open(&object, &read_ahead);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let read = scope.spawn(|| file.read_at(0, &mut [0; 10]).unwrap_err());
        std::thread::sleep(Duration::from_millis(30));
        read_ahead.cancel();
        assert_eq!(FeedError::io(read.join().unwrap()).kind(), FeedErrorKind::Interrupted);
    });
    let interrupt: crate::Interrupt = Arc::new(move || started.elapsed() > Duration::from_millis(50));
    let check = Check::of(Some(&interrupt));
    let file = RemoteFile::new(object, ReadAhead::new(), &check).unwrap();
    assert_eq!(FeedError::io(file.read_at(0, &mut [0; 10]).unwrap_err()).kind(), FeedErrorKind::Interrupted);
}

#[test]
fn a_read_without_waiting_returns_would_block() {
    let object = object(1 << 16, true, ReadAheadLimits::default(), Faults::default(), 1);
    let file = open(&object, &ReadAhead::new());
    let mut into = [0; 100];
    let first = without_waiting(|| file.read_at(0, &mut into));
    assert_eq!(first.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    let started = Instant::now();
    while !file.has(std::slice::from_ref(&(0..100))) {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::yield_now();
    }
    assert_eq!(without_waiting(|| file.read_at(0, &mut into)).unwrap(), 100);
}

#[test]
fn after_an_error_no_more_requests_are_sent_for_the_file() {
    let faults = Faults { fails: 1, ..Default::default() };
    for known in [false, true] {
        let limits = ReadAheadLimits {
            max_requests: 1,
            max_small_requests: 1,
            request_bytes: 1 << 12,
            ..Default::default()
        };
        let object = object(1 << 20, known, limits, faults, 1);
        let file = open(&object, &ReadAhead::new());
        file.announce(std::iter::once(0..u64::MAX));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(object.log.lock().unwrap()[..], [Some(0..1 << 12)]);
        assert_eq!(file.version().unwrap_err().to_string(), "expected a response");
    }
}
