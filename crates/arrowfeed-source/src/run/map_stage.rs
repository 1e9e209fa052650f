//! Ordered map stage: tasks that worker threads may run before their results are requested. Results are returned in task order.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "work on batches; in a child, every method and the destructor return before they lock"
)]

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::pool::Pool;
use crate::{Check, FeedError, FeedErrorKind, POLL_INTERVAL};

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// The pending tasks, oldest first. Dropping it cancels the tasks that have not started.
pub struct MapStage<T> {
    pool: Arc<Pool>,
    tasks: VecDeque<Task<T>>,
}

enum Task<T> {
    Done(T),
    InFlight(InFlight<T>),
}

struct InFlight<T> {
    /// Claimed by whichever of a pool thread and the consumer starts first.
    work: Arc<Mutex<Option<Work<T>>>>,
    result: Receiver<Result<T, FeedError>>,
}

impl<T: Send + 'static> MapStage<T> {
    /// Creates a stage whose tasks run on the threads of `pool`.
    pub fn new(pool: Arc<Pool>) -> Self {
        Self { pool, tasks: VecDeque::new() }
    }

    /// Number of pending results.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are no pending results.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Adds a finished result.
    pub fn add_done(&mut self, result: T) {
        self.tasks.push_back(Task::Done(result));
    }

    /// Adds a task, which a pool thread may start immediately.
    pub fn add(&mut self, work: impl FnOnce() -> T + Send + 'static) {
        let (sender, result) = channel();
        let work: Work<T> = Box::new(work);
        let work = Arc::new(Mutex::new(Some(work)));
        let shared = work.clone();
        self.tasks.push_back(Task::InFlight(InFlight { work, result }));
        self.pool.spawn_urgent(move || {
            if let Some(work) = take(&shared) {
                // The stage may have been dropped.
                let _ = sender.send(done(work));
            }
        });
    }

    /// Returns the oldest result, or `None` if there is none. Runs the task on this thread if it has not started;
    /// otherwise waits for it.
    ///
    /// # Errors
    /// The task panicked; the caller cancels, and the task stays the oldest one; this process is a forked child of the
    /// process that owns the threads.
    pub fn next(&mut self, check: &Check<'_>) -> Result<Option<T>, FeedError> {
        self.oldest(check, true)
    }

    /// Like [`next`](Self::next), but always waits for a thread of the pool, so that the caller can cancel soon.
    ///
    /// # Errors
    /// As in [`next`](Self::next).
    pub fn next_of_pool(&mut self, check: &Check<'_>) -> Result<Option<T>, FeedError> {
        self.oldest(check, false)
    }

    fn oldest(&mut self, check: &Check<'_>, runs_here: bool) -> Result<Option<T>, FeedError> {
        self.pool.check_not_forked()?;
        let task = match self.tasks.pop_front() {
            None => return Ok(None),
            Some(Task::Done(result)) => return Ok(Some(result)),
            Some(Task::InFlight(task)) => task,
        };
        match task.result.try_recv() {
            Ok(result) => return result.map(Some),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
        }
        if let Some(work) = runs_here.then(|| take(&task.work)).flatten() {
            return done(work).map(Some);
        }
        loop {
            match task.result.recv_timeout(POLL_INTERVAL) {
                Ok(result) => return result.map(Some),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(stopped) = check.now() {
                        self.tasks.push_front(Task::InFlight(task));
                        return Err(stopped);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "expected the worker thread of a batch, found that it has ended";
                    return Err(FeedError::new(FeedErrorKind::Internal, message));
                }
            }
        }
    }
}

fn done<T>(work: Work<T>) -> Result<T, FeedError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| FeedError::from_panic(&*panic))
}

fn take<T>(work: &Mutex<Option<Work<T>>>) -> Option<Work<T>> {
    work.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl<T> Drop for MapStage<T> {
    fn drop(&mut self) {
        if self.pool.is_forked() {
            // A thread of the parent process may have held the lock of the task. Or it may have been sending the
            // result, and the destructor of a receiver waits for that.
            std::mem::forget(std::mem::take(&mut self.tasks));
            return;
        }
        for task in &self.tasks {
            if let Task::InFlight(task) = task {
                drop(take(&task.work));
            }
        }
    }
}

impl<T> fmt::Debug for MapStage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapStage").field("waiting", &self.tasks.len()).finish_non_exhaustive()
    }
}
