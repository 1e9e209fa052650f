//! Read-ahead: requests that are sent before their bytes are needed, within limits.
//!
//! Readers announce ranges in the order in which they will read them. Requests are sent in that order, until a limit of
//! [`ReadAheadLimits`] is reached. A read of bytes that were not announced sends a request at once.
//!
//! Each response may trigger the next request, so that read-ahead continues while the consumer works.

#![expect(
    clippy::disallowed_types,
    reason = "requests to stores and their bytes; in a child, every method returns before it locks"
)]

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;

use super::file_state::{FileState, ReadRanges};
use super::object::{InFlight, ObjectRequest, RemoteObject, RequestCounts};
use super::segments::{OffsetState, Segment, SegmentContent};
use crate::report::Requests;
use crate::stats::{Stage, enter};
use crate::{FeedError, Interrupt, POLL_INTERVAL, stopped};

/// Up to 1 / `KEPT` of the read-ahead bytes is kept after it was read, because two units share the chunk at their border.
const KEPT: u64 = 4;

/// A function that is called when bytes have arrived.
pub type OnArrival = dyn Fn() + Send + Sync;

/// The requests of one reading, for all of its files.
#[derive(Clone)]
pub struct ReadAhead(Arc<Shared>);

pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) arrived: Condvar,
    counts: Arc<RequestCounts>,
    /// The process that sends the requests.
    process: u32,
}

#[derive(Default)]
pub(super) struct State {
    /// Open files, by increasing number.
    pub(super) files: BTreeMap<u64, FileState>,
    last_file: u64,
    last_request: u64,
    /// Announced ranges that were not requested yet, in order.
    queue: VecDeque<Announced>,
    pub(super) in_flight: InFlight,
    /// Bytes of announced segments that were requested and not yet fully read.
    pub(super) ahead: u64,
    /// Segments that were read or were not announced, oldest first: file and start.
    pub(super) kept: VecDeque<(u64, u64)>,
    kept_bytes: u64,
    cancelled: bool,
    pub(super) listeners: Vec<Weak<OnArrival>>,
}

/// An announced range that has not been requested yet.
#[derive(Clone)]
struct Announced {
    file: u64,
    range: Range<u64>,
}

impl Default for ReadAhead {
    fn default() -> Self {
        Self::new()
    }
}

impl ReadAhead {
    /// Creates a read-ahead without sending a request.
    pub fn new() -> Self {
        Self::counted_by(Arc::default())
    }

    /// Creates a read-ahead that counts its requests in `counts`.
    pub(crate) fn counted_by(counts: Arc<RequestCounts>) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::default(),
            arrived: Condvar::new(),
            counts,
            process: std::process::id(),
        }))
    }

    /// Whether this process is a forked child of the process that created it.
    pub fn is_forked(&self) -> bool {
        self.0.process != std::process::id()
    }

    /// Cancels all requests. Reads that wait, and all later ones, are errors of kind
    /// [`Interrupted`](crate::FeedErrorKind::Interrupted).
    pub fn cancel(&self) {
        if self.is_forked() {
            return;
        }
        let mut state = self.0.lock();
        state.cancelled = true;
        state.queue.clear();
        let files = std::mem::take(&mut state.files);
        drop(state);
        self.0.arrived.notify_all();
        drop(files);
    }

    /// Returns the counts of requests and resets them to zero.
    pub fn take_counts(&self) -> Requests {
        self.0.counts.take()
    }

    /// Calls `listener` whenever bytes have arrived, until it is dropped.
    pub fn notify(&self, listener: &Arc<OnArrival>) {
        if !self.is_forked() {
            let mut state = self.0.lock();
            state.listeners.retain(|known| known.strong_count() > 0);
            state.listeners.push(Arc::downgrade(listener));
        }
    }

    pub(super) fn add(&self, object: Arc<dyn RemoteObject>) -> io::Result<u64> {
        self.check_process()?;
        let mut state = self.0.lock();
        state.last_file += 1;
        let file = state.last_file;
        state.files.insert(file, FileState::new(object));
        Ok(file)
    }

    pub(super) fn remove(&self, file: u64) {
        let mut state = self.0.lock();
        let Some(mut gone) = state.files.remove(&file) else { return };
        let segments = gone.segments.take_all();
        for (start, segment) in &segments {
            state.forget(*start, segment);
        }
        if gone.asked.is_some() {
            state.in_flight.remove(0);
        }
        state.kept.retain(|(kept, _)| *kept != file);
        state.pump(&self.0);
        drop(state);
        drop((segments, gone));
    }

    /// Appends ranges to the queue.
    pub(super) fn announce(&self, file: u64, ranges: impl IntoIterator<Item = Range<u64>>) {
        if self.is_forked() {
            return;
        }
        let mut state = self.0.lock();
        for range in ranges {
            match state.queue.back_mut() {
                Some(last)
                    if last.file == file && (last.range.start..=last.range.end).contains(&range.start) =>
                {
                    last.range.end = last.range.end.max(range.end);
                }
                _ if range.is_empty() => {}
                _ => state.queue.push_back(Announced { file, range }),
            }
        }
        state.pump(&self.0);
    }

    /// Length of a file in bytes, if a listing or a response has reported it.
    pub(super) fn known_len(&self, file: u64) -> Option<u64> {
        if self.is_forked() {
            return None;
        }
        self.0.lock().files.get(&file).and_then(FileState::len)
    }

    /// Requests the version of a file, unless it is known or already requested.
    pub(super) fn ask_version_ahead(&self, file: u64) {
        if self.is_forked() {
            return;
        }
        let mut state = self.0.lock();
        let is_new = |found: &FileState| found.version.is_none() && found.asked.is_none();
        if state.files.get(&file).is_some_and(is_new) {
            state.ask_version(file, &self.0);
        }
    }

    /// Number of announced bytes that were not requested yet. A file of unknown length counts with up to 1 MiB per range.
    pub(super) fn announced(&self) -> u64 {
        if self.is_forked() {
            return u64::MAX;
        }
        let state = self.0.lock();
        let bytes = state.queue.iter().map(|Announced { file, range, .. }| {
            let len = state.files.get(file).and_then(FileState::len).unwrap_or(range.start + (1 << 20));
            range.end.min(len).saturating_sub(range.start)
        });
        bytes.fold(0, u64::saturating_add)
    }

    /// Whether the version is known and all bytes of the ranges have arrived, or reading them is an error.
    pub(super) fn has(&self, file: u64, ranges: &[Range<u64>]) -> bool {
        if self.is_forked() {
            return true;
        }
        let state = self.0.lock();
        state.cancelled || state.files.get(&file).is_none_or(|file| file.has(ranges))
    }

    /// Whether a request is in flight.
    pub(crate) fn has_requests_in_flight(&self) -> bool {
        !self.is_forked() && !self.0.lock().in_flight.is_empty()
    }

    /// Whether a request in flight fetches bytes of the ranges.
    pub(super) fn is_arriving(&self, file: u64, ranges: &[Range<u64>]) -> bool {
        if self.is_forked() {
            return false;
        }
        let state = self.0.lock();
        let segments = state.files.get(&file).map(|file| &file.segments);
        segments.is_some_and(|segments| ranges.iter().any(|range| segments.is_arriving(range)))
    }

    /// Waits until `look` finds a result. If `wait` is false, returns
    /// [`WouldBlock`](io::ErrorKind::WouldBlock) instead of waiting.
    fn wait_for<T>(
        &self,
        file: u64,
        interrupt: Option<&Interrupt>,
        wait: bool,
        mut look: impl FnMut(&mut State, &mut FileState) -> Result<Lookup<T>, FeedError>,
    ) -> io::Result<T> {
        self.check_process()?;
        let mut state = self.0.lock();
        loop {
            let mut found = match state.files.remove(&file) {
                Some(found) if !state.cancelled => found,
                _ => return Err(stopped().into_io()),
            };
            let looked = look(&mut state, &mut found);
            state.files.insert(file, found);
            match looked.map_err(FeedError::into_io)? {
                Lookup::OffsetState(found) => {
                    state.pump(&self.0);
                    return Ok(found);
                }
                Lookup::Demand(range) => state.demand(file, range, &self.0),
                Lookup::AskVersion => state.ask_version(file, &self.0),
                Lookup::Wait if !wait => return Err(io::ErrorKind::WouldBlock.into()),
                Lookup::Wait => {
                    let _waiting = enter(Stage::Request);
                    let waited = self.0.arrived.wait_timeout(state, POLL_INTERVAL);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    if interrupt.is_some() {
                        drop(state);
                        if interrupt.is_some_and(|interrupt| interrupt()) {
                            return Err(stopped().into_io());
                        }
                        state = self.0.lock();
                    }
                }
            }
        }
    }

    /// Reads up to `most` bytes from `offset` on; none at the end of the file.
    pub(super) fn read(
        &self,
        file: u64,
        (offset, most): (u64, usize),
        interrupt: Option<&Interrupt>,
        wait: bool,
    ) -> io::Result<Read> {
        self.wait_for(file, interrupt, wait, |state, found| {
            if let Some(whole) = &found.whole {
                return Ok(Lookup::OffsetState(Read::Whole(whole.clone())));
            }
            if found.version.as_ref().is_some_and(|version| offset >= version.len) {
                return Ok(Lookup::OffsetState(Read::Bytes(Vec::new())));
            }
            match found.segments.read(offset, most) {
                OffsetState::Bytes(bytes, whole) => {
                    if let Some(start) = whole {
                        state.keep(file, found, start);
                    }
                    Ok(Lookup::OffsetState(Read::Bytes(bytes)))
                }
                OffsetState::Requested => Ok(Lookup::Wait),
                OffsetState::Failed(error) => {
                    found.has_failed = false;
                    Err(error)
                }
                // A response in flight will make room for the request.
                OffsetState::Missing(_) if !state.in_flight.has_room(&found.object.limits()) => {
                    Ok(Lookup::Wait)
                }
                OffsetState::Missing(next) => Ok(Lookup::Demand(found.demanded(offset, most, next))),
            }
        })
    }

    /// Waits for the version of a file, and requests it if no request is in flight.
    pub(super) fn version(
        &self,
        file: u64,
        interrupt: Option<&Interrupt>,
    ) -> io::Result<super::ObjectVersion> {
        self.wait_for(file, interrupt, true, |state, found| {
            if let Some(version) = &found.version {
                return Ok(Lookup::OffsetState(version.clone()));
            }
            if let Some(error) = found.failure.take().or_else(|| found.segments.take_failure()) {
                found.has_failed = false;
                return Err(error);
            }
            let waits = found.asked.is_some() || found.segments.is_waiting();
            let is_full = !state.in_flight.has_room(&found.object.limits());
            Ok(if waits || is_full { Lookup::Wait } else { Lookup::AskVersion })
        })
    }

    fn check_process(&self) -> io::Result<()> {
        if self.is_forked() {
            return Err(io::Error::other("this file was opened before a fork: open it again in the child"));
        }
        Ok(())
    }
}

/// Result of [`ReadAhead::read`].
pub(super) enum Read {
    Bytes(Vec<Bytes>),
    /// All bytes of the object.
    Whole(Arc<std::fs::File>),
}

enum Lookup<T> {
    OffsetState(T),
    /// A request for this range is needed.
    Demand(ReadRanges),
    /// A request for the version is needed.
    AskVersion,
    /// A request is in flight.
    Wait,
}

impl State {
    /// Sends requests for announced ranges, within the limits.
    pub(super) fn pump(&mut self, shared: &Arc<Shared>) {
        if self.cancelled {
            return;
        }
        let mut at = 0;
        while let Some(Announced { file, range }) = self.queue.get(at).cloned() {
            let Some(found) = self.files.get(&file).filter(|found| found.whole.is_none()) else {
                self.queue.remove(at);
                continue;
            };
            let limits = found.object.limits();
            if !self.in_flight.has_room(&limits) || self.ahead >= limits.bytes {
                return;
            }
            if found.has_failed || (found.len().is_none() && found.segments.is_waiting()) {
                // Before the first response, the end of the file may be unknown. After an error, most readers stop.
                at += 1;
                continue;
            }
            let Some((piece, mut unread)) = found.next_piece(&range) else {
                self.queue.remove(at);
                continue;
            };
            let mut end = piece.end;
            self.queue[at].range.start = end;
            // The next ranges of the same file share the request if they are close.
            while self.queue[at].range.is_empty() {
                let Some(next) = self.queue.get(at + 1).filter(|next| next.file == file) else { break };
                let Some(more) = self.files[&file].joined(piece.start, end, &next.range) else { break };
                unread += more.end - more.start;
                end = more.end;
                self.queue.remove(at);
                self.queue[at].range.start = end;
            }
            self.send(file, piece.start..end, unread, shared);
        }
    }

    /// Sends a request for bytes that a reader waits for. Bytes that are likely to be read next are announced.
    fn demand(&mut self, file: u64, window: ReadRanges, shared: &Arc<Shared>) {
        let ReadRanges { range, next } = window;
        if let Some(next) = next {
            self.queue.push_front(Announced { file, range: next });
        }
        self.send(file, range, 0, shared);
    }

    fn send(&mut self, file: u64, range: Range<u64>, unread: u64, shared: &Arc<Shared>) {
        self.last_request += 1;
        let (request, start) = (self.last_request, range.start);
        let Some(found) = self.files.get_mut(&file) else { return };
        self.in_flight.add(range.end - range.start);
        if unread > 0 {
            self.ahead += range.end - range.start;
        }
        found.segments.insert_requested(range.clone(), unread, request);
        let (weak, version) = (Arc::downgrade(shared), found.version.clone());
        let guard = found.object.request(
            ObjectRequest { range: Some(range), version, counts: shared.counts.clone() },
            Box::new(move |response| {
                if let Some(shared) = weak.upgrade() {
                    shared.receive(file, Some(start), request, response);
                }
            }),
        );
        if let Some(segment) = found.segments.get_mut(start) {
            segment.content = SegmentContent::Requested { request, _guard: Some(guard) };
        }
    }

    fn ask_version(&mut self, file: u64, shared: &Arc<Shared>) {
        self.last_request += 1;
        let request = self.last_request;
        let Some(found) = self.files.get_mut(&file) else { return };
        self.in_flight.add(0);
        let weak = Arc::downgrade(shared);
        let guard = found.object.request(
            ObjectRequest { range: None, version: None, counts: shared.counts.clone() },
            Box::new(move |response| {
                if let Some(shared) = weak.upgrade() {
                    shared.receive(file, None, request, response);
                }
            }),
        );
        found.asked = Some((request, guard));
    }

    /// Updates the counters for a removed segment.
    pub(super) fn forget(&mut self, start: u64, segment: &Segment) {
        match &segment.content {
            SegmentContent::Requested { .. } => {
                self.in_flight.remove(segment.len(start));
                if segment.unread > 0 {
                    self.ahead -= segment.len(start);
                }
            }
            SegmentContent::Arrived(_) if segment.unread > 0 => self.ahead -= segment.len(start),
            SegmentContent::Arrived(_) => {
                self.kept_bytes = self.kept_bytes.saturating_sub(segment.len(start))
            }
            SegmentContent::Failed(_) => {}
        }
    }

    /// Keeps a fully read segment until the memory is needed.
    fn keep(&mut self, file: u64, found: &mut FileState, start: u64) {
        let Some(segment) = found.segments.get_mut(start) else { return };
        self.ahead -= segment.len(start);
        self.push_kept(file, found, start);
    }

    /// Adds a segment to the kept ones, and drops the oldest ones beyond the limit.
    pub(super) fn push_kept(&mut self, file: u64, found: &mut FileState, start: u64) {
        let Some(segment) = found.segments.get_mut(start) else { return };
        self.kept_bytes += segment.len(start);
        self.kept.push_back((file, start));
        let most = found.object.limits().bytes / KEPT;
        while self.kept_bytes > most && self.kept.len() > 1 {
            let Some((oldest, start)) = self.kept.pop_front() else { break };
            let owner = if oldest == file { Some(&mut *found) } else { self.files.get_mut(&oldest) };
            if let Some(segment) = owner.and_then(|owner| owner.segments.remove(start)) {
                self.kept_bytes -= segment.len(start);
            }
        }
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ReadAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadAhead").finish_non_exhaustive()
    }
}
