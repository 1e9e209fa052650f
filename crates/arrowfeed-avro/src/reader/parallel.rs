//! Units decoded by several threads, batches given out in file order.
//!
//! The consumer hands units to the pool and takes batches from the oldest one. Decoders of later units stop when
//! the batches that wait hold more than a budget; the oldest unit may always go on, so nobody waits for ever.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arrowfeed_source::{Check, FeedError, Report, Threads};

use super::prepare::{Prepare, Prepared};
use super::unit::UnitReader;
use crate::decode::origin::LocatedBatch;

/// How often a waiting consumer looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(20);

/// What comes out of the oldest unit next.
pub(crate) enum Next {
    Batch(LocatedBatch, Option<Prepared>),
    /// The unit is done: what it counted, and the error that ended it.
    End(Report, Option<FeedError>),
    /// Nothing yet.
    Waiting,
}

/// A pool of threads and the units in flight. Dropped, it stops them and waits until they are gone.
pub(crate) struct Pipeline {
    shared: Arc<Shared>,
    threads: Threads,
    next_unit: u64,
}

struct Shared {
    /// Bytes of batches that may wait.
    budget: usize,
    prepare: Option<Prepare>,
    state: Mutex<State>,
    /// The oldest unit has a batch, or has ended: the consumer waits for it.
    ready: Condvar,
    /// There is more room, or another unit is the oldest: decoders wait for it.
    room: Condvar,
}

#[derive(Default)]
struct State {
    cancelled: bool,
    /// Bytes of the batches that wait.
    held: usize,
    /// Units in flight, the oldest first.
    units: VecDeque<Unit>,
}

struct Unit {
    id: u64,
    ready: VecDeque<Ready>,
    end: Option<(Report, Option<FeedError>)>,
}

/// A batch that waits.
struct Ready {
    batch: LocatedBatch,
    prepared: Option<Prepared>,
    bytes: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room; false: nobody wants the batch any more.
    fn push(&self, id: u64, batch: LocatedBatch) -> bool {
        let prepared = self.prepare.as_ref().map(|prepare| prepare(&batch.batch));
        let bytes = batch.memory_size() + prepared.as_ref().map_or(0, |it| it.bytes);
        let mut state = self.lock();
        loop {
            if state.cancelled {
                return false;
            }
            let State { held, units, .. } = &mut *state;
            let oldest = units.front().map(|unit| unit.id) == Some(id);
            let Some(unit) = units.iter_mut().find(|unit| unit.id == id) else {
                return false;
            };
            if *held + bytes <= self.budget || (oldest && unit.ready.is_empty()) {
                *held += bytes;
                unit.ready.push_back(Ready { batch, prepared, bytes });
                // The consumer cannot use a batch of a later unit: woken for it, it would only take a core from a decoder.
                if oldest {
                    self.ready.notify_one();
                }
                return true;
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, id: u64, report: Report, error: Option<FeedError>) {
        let mut state = self.lock();
        let oldest = state.units.front().map(|unit| unit.id) == Some(id);
        if let Some(unit) = state.units.iter_mut().find(|unit| unit.id == id) {
            unit.end = Some((report, error));
        }
        if oldest {
            self.ready.notify_one();
        }
    }
}

impl Pipeline {
    /// `budget`: bytes of batches that may wait.
    pub(crate) fn start(threads: usize, budget: usize, prepare: Option<Prepare>) -> Result<Self, FeedError> {
        let threads = Threads::start("arrowfeed", threads)?;
        let (state, ready, room) = (Mutex::default(), Condvar::new(), Condvar::new());
        let shared = Arc::new(Shared { budget, prepare, state, ready, room });
        Ok(Self { shared, threads, next_unit: 0 })
    }

    /// Whether this process is a child of the one that started the threads.
    pub(crate) fn is_forked(&self) -> bool {
        self.threads.is_forked()
    }

    /// Starts on one more unit. `open` makes its reader, in the thread that decodes it.
    pub(crate) fn submit(&mut self, open: impl FnOnce() -> Result<UnitReader, FeedError> + Send + 'static) {
        let id = self.next_unit;
        self.next_unit += 1;
        self.shared.lock().units.push_back(Unit { id, ready: VecDeque::new(), end: None });
        let shared = self.shared.clone();
        self.threads.spawn(move || {
            let (report, error) = match catch_unwind(AssertUnwindSafe(|| decode(&shared, id, open))) {
                Ok(ended) => ended,
                Err(panic) => (Report::default(), Some(FeedError::from_panic(&*panic))),
            };
            shared.end(id, report, error);
        });
    }

    /// Has a thread do something else, when it comes to it, or when this is dropped.
    pub(crate) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.threads.spawn(work);
    }

    /// Waits a moment for the oldest unit.
    pub(crate) fn next(&mut self) -> Next {
        let mut state = self.shared.lock();
        for _ in 0..2 {
            let State { held, units, .. } = &mut *state;
            let Some(unit) = units.front_mut() else {
                return Next::Waiting;
            };
            if let Some(Ready { batch, prepared, bytes }) = unit.ready.pop_front() {
                *held -= bytes;
                self.shared.room.notify_all();
                return Next::Batch(batch, prepared);
            }
            if let Some((report, error)) = unit.end.take() {
                units.pop_front();
                self.shared.room.notify_all();
                return Next::End(report, error);
            }
            let waited = self.shared.ready.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Next::Waiting
    }
}

fn decode(
    shared: &Shared,
    id: u64,
    open: impl FnOnce() -> Result<UnitReader, FeedError>,
) -> (Report, Option<FeedError>) {
    let mut reader = match open() {
        Ok(reader) => reader,
        Err(error) => return (Report::default(), Some(error)),
    };
    let cancelled = || shared.lock().cancelled;
    let check = Check::new(&cancelled);
    loop {
        match reader.next(&check) {
            Ok(Some(batch)) => {
                if !shared.push(id, batch) {
                    return (reader.recycle(), None);
                }
            }
            Ok(None) => return (reader.recycle(), None),
            Err(error) => return (reader.recycle(), Some(error)),
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.is_forked() {
            // A thread of the parent may have held the lock.
            std::mem::forget(self.shared.clone());
            return;
        }
        self.shared.lock().cancelled = true;
        self.shared.room.notify_all();
    }
}
