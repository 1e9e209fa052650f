//! Threads that decode units and convert batches in turn.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{FeedError, Threads};

/// How long one who waits for a thread does so before it looks whether the caller wants to stop.
pub(super) const PATIENCE: Duration = Duration::from_millis(20);

type Job = Box<dyn FnOnce() + Send>;

/// The threads of one iterator. They live until it is dropped, over all its epochs. Nothing that they run waits for
/// anything but the system.
pub struct Pool {
    threads: Threads,
    urgent: Arc<Urgent>,
}

/// Jobs that are done before anything else.
#[derive(Default)]
pub(super) struct Urgent(Mutex<VecDeque<Job>>);

impl Urgent {
    /// Does all of them that no other thread has begun.
    pub(super) fn run_all(&self) {
        while let Some(job) = { self.lock().pop_front() } {
            // The one who waits for the job sees that its result is missing.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// Starts `count` threads.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start(count: usize) -> Result<Self, FeedError> {
        Ok(Self { threads: Threads::start("arrowfeed", count)?, urgent: Arc::default() })
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.threads.count()
    }

    /// Whether this process is a child of the one that started the threads.
    pub fn is_forked(&self) -> bool {
        self.threads.is_forked()
    }

    /// Has a thread do a job when it comes to it.
    pub(super) fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        self.threads.spawn(job);
    }

    /// Has a thread do a job before all that has not begun; a thread that decodes does it after the next batch.
    pub(super) fn spawn_urgent(&self, job: impl FnOnce() + Send + 'static) {
        if self.is_forked() {
            return;
        }
        self.urgent.lock().push_back(Box::new(job));
        let urgent = self.urgent.clone();
        self.threads.spawn(move || urgent.run_all());
    }

    pub(super) fn urgent(&self) -> Arc<Urgent> {
        self.urgent.clone()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.is_forked() {
            // A thread of the parent may have held the lock, and the jobs belong to the parent.
            std::mem::forget(self.urgent.clone());
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pool").field(&self.threads).finish()
    }
}
