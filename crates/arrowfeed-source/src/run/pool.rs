//! Thread pool that decodes units and converts batches.

#![expect(
    clippy::disallowed_types,
    reason = "jobs of threads; in a child, every method returns before it locks, and nothing is dropped"
)]

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::stats::{Meter, current_meter, measured};
use crate::{FeedError, FeedErrorKind, ForkLock, Threads, thread_count};

type Job = Box<dyn FnOnce() + Send>;

/// The threads of all streams of this process. They start with the first stream and never end.
static SHARED_THREADS: ForkLock<Option<Arc<Threads>>> = ForkLock::new(None);

/// The worker threads of one iterator, which live until it is dropped, across all its epochs; or those of one writer; or the
/// share of a stream in the threads of all streams. A job never waits for another job.
pub struct Pool {
    threads: Arc<Threads>,
    /// The number of threads that work for the owner at a time.
    count: usize,
    /// The name of what the threads work for, in messages.
    owner: &'static str,
    urgent: Arc<Urgent>,
    /// The meter of the iteration that started the threads.
    meter: Option<Arc<Meter>>,
}

/// Jobs that run before all others.
#[derive(Default)]
pub(super) struct Urgent(Mutex<VecDeque<Job>>);

impl Urgent {
    /// Runs all jobs that no other thread has started.
    pub(super) fn run_all(&self) {
        while let Some(job) = { self.lock().pop_front() } {
            // The thread that waits for the job sees that its result is missing.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// Starts a pool of `count` threads for a reader. They count for the meter for which this thread works.
    ///
    /// # Errors
    /// The system cannot start more threads.
    pub fn start(count: usize) -> Result<Self, FeedError> {
        let mut pool = Self::start_for("reader", "arrowfeed", count)?;
        pool.meter = current_meter();
        Ok(pool)
    }

    /// Starts a pool of `count` threads whose names begin with `name`. Messages call its user `owner`.
    ///
    /// # Errors
    /// The system cannot start more threads.
    pub fn start_for(owner: &'static str, name: &'static str, count: usize) -> Result<Self, FeedError> {
        let threads = Arc::new(Threads::start(name, count)?);
        Ok(Self { threads, count, owner, urgent: Arc::default(), meter: None })
    }

    /// Returns a share of `count` threads in those of all streams, or all of them if there are fewer. They count for the meter
    /// for which this thread works.
    ///
    /// # Errors
    /// The system cannot start more threads.
    pub(super) fn shared(count: usize) -> Result<Self, FeedError> {
        let started =
            SHARED_THREADS.with(|threads| match threads.as_ref().filter(|known| !known.is_forked()) {
                Some(known) => Ok(known.clone()),
                None => {
                    let new = Arc::new(Threads::start("arrowfeed-shared", thread_count(None))?);
                    *threads = Some(new.clone());
                    Ok(new)
                }
            });
        let threads = started.unwrap_or_else(|| {
            let message =
                "a thread of another process was starting threads: make streams before a fork, or after it";
            Err(FeedError::new(FeedErrorKind::Internal, message))
        })?;
        let (count, owner) = (count.min(threads.count()), "stream");
        Ok(Self { threads, count, owner, urgent: Arc::default(), meter: current_meter() })
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Maximum number of units in flight: two per thread, so that an idle thread finds the next unit at once. A share in other
    /// threads has one per thread, because each may run on another one.
    pub(super) fn most_units(&self) -> usize {
        if self.count < self.threads.count() { self.count } else { 2 * self.count }
    }

    /// Whether this process is a forked child of the process that started the threads.
    pub fn is_forked(&self) -> bool {
        self.threads.is_forked()
    }

    /// Checks that this process started the threads.
    ///
    /// # Errors
    /// It is a forked child of the process that started them.
    pub fn check_not_forked(&self) -> Result<(), FeedError> {
        if !self.is_forked() {
            return Ok(());
        }
        let message =
            format!("this {} was started in another process: make a new one after a fork", self.owner);
        Err(FeedError::new(FeedErrorKind::Internal, message))
    }

    /// Runs a job on one of the threads.
    pub(super) fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        match self.meter.clone() {
            Some(meter) => self.threads.spawn(move || measured(&meter, job)),
            None => self.threads.spawn(job),
        }
    }

    /// Runs a job before all jobs that have not started. A thread that is decoding runs it after its current batch.
    pub(super) fn spawn_urgent(&self, job: impl FnOnce() + Send + 'static) {
        if self.is_forked() {
            return;
        }
        self.urgent.lock().push_back(Box::new(job));
        let urgent = self.urgent.clone();
        self.spawn(move || urgent.run_all());
    }

    /// The meter of the iteration that started the threads.
    pub(super) fn meter(&self) -> Option<Arc<Meter>> {
        self.meter.clone()
    }

    pub(super) fn urgent(&self) -> Arc<Urgent> {
        self.urgent.clone()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.is_forked() {
            // A thread of the parent process may have held the lock, and the jobs belong to the parent.
            std::mem::forget(self.urgent.clone());
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pool").field(&self.threads).finish()
    }
}
