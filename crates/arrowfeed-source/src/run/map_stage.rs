//! Work on batches that other threads may do before its result is asked for. Results come in the order of the work.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::pool::{PATIENCE, Pool};
use crate::{Check, FeedError, FeedErrorKind};

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// What is to be done, the oldest first. Dropped, it cancels what has not begun.
pub struct MapStage<T> {
    pool: Arc<Pool>,
    tasks: VecDeque<Task<T>>,
}

enum Task<T> {
    Done(T),
    InFlight(InFlight<T>),
}

struct InFlight<T> {
    /// Taken by who does it: a thread of the pool, or the one that asks for the result before that has begun.
    work: Arc<Mutex<Option<Work<T>>>>,
    result: Receiver<Result<T, FeedError>>,
}

impl<T: Send + 'static> MapStage<T> {
    /// Threads of `pool` do the work.
    pub fn new(pool: Arc<Pool>) -> Self {
        Self { pool, tasks: VecDeque::new() }
    }

    /// Number of results that are to come.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether no result is to come.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Adds a result for which there is no work.
    pub fn add_done(&mut self, result: T) {
        self.tasks.push_back(Task::Done(result));
    }

    /// Adds work, which a thread may do at once.
    pub fn add(&mut self, work: impl FnOnce() -> T + Send + 'static) {
        let (sender, result) = channel();
        let work: Work<T> = Box::new(work);
        let work = Arc::new(Mutex::new(Some(work)));
        let shared = work.clone();
        self.tasks.push_back(Task::InFlight(InFlight { work, result }));
        self.pool.spawn_urgent(move || {
            if let Some(work) = take(&shared) {
                // Nobody may want the result any more.
                let _ = sender.send(done(work));
            }
        });
    }

    /// The oldest result: does the work, or waits for who does; `None`: there is none.
    ///
    /// # Errors
    /// The work panicked; the caller wants to stop; this process is a child of the one that has the threads.
    pub fn next(&mut self, check: &Check<'_>) -> Result<Option<T>, FeedError> {
        if self.pool.is_forked() {
            return Err(forked());
        }
        let task = match self.tasks.pop_front() {
            None => return Ok(None),
            Some(Task::Done(result)) => return Ok(Some(result)),
            Some(Task::InFlight(task)) => task,
        };
        match task.result.try_recv() {
            Ok(result) => return result.map(Some),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
        }
        if let Some(work) = take(&task.work) {
            return done(work).map(Some);
        }
        loop {
            match task.result.recv_timeout(PATIENCE) {
                Ok(result) => return result.map(Some),
                Err(RecvTimeoutError::Timeout) => check.now()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "expected a thread that works on a batch, found it gone";
                    return Err(FeedError::new(FeedErrorKind::Internal, message));
                }
            }
        }
    }
}

#[cold]
pub(super) fn forked() -> FeedError {
    let message = "this reader was started in another process: make a new one after a fork";
    FeedError::new(FeedErrorKind::Internal, message)
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
            // A thread of the parent may have held the lock of the work, or have been sending the result, which the
            // destructor of a receiver waits for.
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
