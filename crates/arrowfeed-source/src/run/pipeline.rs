//! Pipeline that decodes units on the threads of a pool and returns their batches in the order of the units.
//!
//! A thread continues with the next batch of its unit while the memory budget has room. Otherwise it parks the unit and
//! does other work; the consumer restarts the unit after it takes a batch. The oldest unit may always have one waiting
//! batch, so the consumer never waits forever.
//!
//! It is not a [`MapStage`](super::MapStage), because a unit has many results, and its memory budget decides when a thread
//! continues with it.

#![expect(
    clippy::disallowed_types,
    reason = "decoding threads and their consumer; in a child, the reader and the destructor return before they lock"
)]

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::pool::{Pool, Urgent};
use crate::format::{DecodeOptions, FormatFile, LocatedBatch, Unit, UnitDecoder};
use crate::io::remote::OnArrival;
use crate::stats::{Meter, Stage, enter_for};
use crate::{Check, FeedError, POLL_INTERVAL, Report};

/// The next result of the oldest unit.
pub(super) enum Next {
    /// A batch, and the counts of its unit up to it.
    Batch(LocatedBatch, Report),
    /// The end of the unit: its remaining counts, and the error that ended it.
    End(Report, Option<FeedError>),
    /// No result yet.
    Pending,
}

/// The units in flight. Dropping it cancels them.
pub(super) struct Pipeline {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
    next_unit: u64,
}

struct Shared {
    state: Mutex<State>,
    /// The name of the format of all units.
    format: &'static str,
    /// Counts the batches that wait.
    meter: Option<Arc<Meter>>,
    /// Signalled when the oldest unit has a batch or has ended. The consumer waits on it.
    ready: Condvar,
    /// Called at the same moments, for a consumer that does not wait.
    listener: Option<Arc<OnArrival>>,
}

#[derive(Default)]
struct State {
    cancelled: bool,
    /// Memory budget, in bytes, for batches that wait for the consumer.
    budget: usize,
    /// Bytes of the batches that wait for the consumer.
    buffered: usize,
    /// Units in flight, oldest first.
    units: VecDeque<InFlight>,
}

struct InFlight {
    id: u64,
    /// Batches that wait for the consumer, with their bytes and the counts up to each.
    ready: VecDeque<(LocatedBatch, usize, Report)>,
    /// The end of the unit: the counts after its last batch, and its error.
    end: Option<(Report, Option<FeedError>)>,
    /// The parked task, if no thread works on the unit.
    parked: Option<Task>,
}

/// A task of a thread for one unit.
enum Task {
    Open(Arc<dyn FormatFile>, Unit, DecodeOptions),
    Decode(Box<dyn UnitDecoder>),
}

impl State {
    /// Whether a unit may decode another batch.
    fn has_room(&self, unit: &InFlight) -> bool {
        let oldest = self.units.front().is_some_and(|oldest| oldest.id == unit.id);
        self.buffered < self.budget || (oldest && unit.ready.is_empty())
    }

    fn find(&self, id: u64) -> Option<usize> {
        self.units.iter().position(|unit| unit.id == id)
    }
}

impl Shared {
    fn wake(&self) {
        match &self.listener {
            Some(listener) => listener(),
            None => self.ready.notify_one(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the task if its unit may continue. Parks it if there is no room; drops it if the unit was cancelled.
    fn go_on(&self, id: u64, task: Task) -> Option<Task> {
        let mut state = self.lock();
        let at = state.find(id)?;
        if state.has_room(&state.units[at]) {
            return Some(task);
        }
        state.units[at].parked = Some(task);
        None
    }

    fn push(&self, id: u64, batch: LocatedBatch, report: Report) {
        let bytes = batch.memory_size();
        let mut state = self.lock();
        let Some(at) = state.find(id) else { return };
        state.buffered += bytes;
        if let Some(meter) = &self.meter {
            meter.add_decoded(bytes);
        }
        let unit = &mut state.units[at];
        unit.ready.push_back((batch, bytes, report));
        // The consumer cannot use a batch of a later unit. Waking it would only take a core from a decoder.
        if at == 0 {
            self.wake();
        }
    }

    fn end(&self, id: u64, report: Report, error: Option<FeedError>) {
        let mut state = self.lock();
        let Some(at) = state.find(id) else { return };
        let unit = &mut state.units[at];
        unit.end = Some((report, error));
        if at == 0 {
            self.wake();
        }
    }

    /// Decodes a unit while there is room. Urgent jobs run between two batches.
    fn run(&self, id: u64, task: Task, urgent: &Urgent) {
        let cancelled = || self.lock().cancelled;
        let check = Check::new(&cancelled);
        let mut task = task;
        loop {
            urgent.run_all();
            let Some(next) = self.go_on(id, task) else { return };
            let decoding = enter_for(Stage::Decode, self.format);
            let mut decoder = match next {
                Task::Decode(decoder) => decoder,
                Task::Open(file, unit, options) => match file.decoder(unit, &options, None) {
                    Ok(decoder) => decoder,
                    Err(error) => return self.end(id, Report::default(), Some(error)),
                },
            };
            let decoded = decoder.next(&check);
            drop(decoding);
            match decoded {
                Ok(Some(batch)) => self.push(id, batch, decoder.take_report()),
                Ok(None) => {
                    let report = decoder.take_report();
                    decoder.recycle();
                    return self.end(id, report, None);
                }
                Err(error) => return self.end(id, decoder.take_report(), Some(error)),
            }
            task = Task::Decode(decoder);
        }
    }
}

impl Pipeline {
    /// Creates a pipeline for files of a format. `budget` is the memory budget, in bytes, for batches that wait for the
    /// consumer. A consumer that does not wait has a `listener`, which is called when there may be a result.
    pub(super) fn new(
        pool: Arc<Pool>,
        budget: usize,
        format: &'static str,
        listener: Option<Arc<OnArrival>>,
    ) -> Self {
        let state = Mutex::new(State { budget, ..State::default() });
        let shared = Shared { state, format, meter: pool.meter(), ready: Condvar::new(), listener };
        Self { shared: Arc::new(shared), pool, next_unit: 0 }
    }

    /// Whether the consumer does not wait.
    pub(super) fn has_listener(&self) -> bool {
        self.shared.listener.is_some()
    }

    /// The thread pool that decodes.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Changes the memory budget.
    pub(super) fn set_budget(&self, budget: usize) {
        self.shared.lock().budget = budget;
        self.resume();
    }

    /// Returns a function that wakes the consumer, so that it checks its state again.
    pub(super) fn waker(&self) -> Arc<OnArrival> {
        let shared = self.shared.clone();
        Arc::new(move || shared.wake())
    }

    /// Submits a unit for decoding.
    pub(super) fn submit(&mut self, file: Arc<dyn FormatFile>, unit: Unit, options: DecodeOptions) {
        let id = self.next_unit;
        self.next_unit += 1;
        let (ready, end, parked) = (VecDeque::new(), None, None);
        self.shared.lock().units.push_back(InFlight { id, ready, end, parked });
        self.spawn(id, Task::Open(file, unit, options));
    }

    fn spawn(&self, id: u64, task: Task) {
        let (shared, urgent) = (self.shared.clone(), self.pool.urgent());
        self.pool.spawn(move || {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| shared.run(id, task, &urgent))) {
                shared.end(id, Report::default(), Some(FeedError::from_panic(&*panic)));
            }
        });
    }

    /// Returns the next result of the oldest unit. With `wait`, waits up to [`POLL_INTERVAL`] for it.
    pub(super) fn next(&mut self, wait: bool) -> Next {
        let mut state = self.shared.lock();
        for attempt in 0..2 {
            let State { buffered, units, .. } = &mut *state;
            let Some(unit) = units.front_mut() else {
                return Next::Pending;
            };
            if let Some((batch, bytes, report)) = unit.ready.pop_front() {
                *buffered -= bytes;
                drop(state);
                if let Some(meter) = &self.shared.meter {
                    meter.remove_decoded(1, bytes);
                }
                self.resume();
                return Next::Batch(batch, report);
            }
            if let Some((report, error)) = unit.end.take() {
                units.pop_front();
                drop(state);
                self.resume();
                return Next::End(report, error);
            }
            if !wait || attempt > 0 {
                break;
            }
            let waited = self.shared.ready.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Next::Pending
    }

    /// Restarts parked units for which there is room, oldest first, at most one per thread.
    fn resume(&self) {
        let mut state = self.shared.lock();
        let mut tasks = Vec::new();
        for at in 0..state.units.len() {
            if tasks.len() >= self.pool.count() || !state.has_room(&state.units[at]) {
                break;
            }
            let unit = &mut state.units[at];
            tasks.extend(unit.parked.take().map(|task| (unit.id, task)));
        }
        drop(state);
        for (id, task) in tasks {
            self.spawn(id, task);
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.pool.is_forked() {
            // A thread of the parent process may have held the lock.
            std::mem::forget(self.shared.clone());
            return;
        }
        let mut state = self.shared.lock();
        state.cancelled = true;
        let units = std::mem::take(&mut state.units);
        if let Some(meter) = &self.shared.meter {
            meter.remove_decoded(units.iter().map(|unit| unit.ready.len()).sum(), state.buffered);
        }
        drop(state);
        drop(units);
    }
}
