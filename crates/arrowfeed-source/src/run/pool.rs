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
use crate::{FeedError, FeedErrorKind, Threads};

type Job = Box<dyn FnOnce() + Send>;

/// The worker threads of one iterator, which live until it is dropped, across all its epochs; or those of one writer. A job
/// never waits for another job.
pub struct Pool {
    threads: Threads,
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
        Ok(Self { threads: Threads::start(name, count)?, owner, urgent: Arc::default(), meter: None })
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.threads.count()
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
