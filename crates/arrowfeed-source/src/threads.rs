//! Threads of a reader or a writer, which end with it.

use std::fmt;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;

use crate::{FeedError, FeedErrorKind};

/// Threads that work where so many are wanted. `None`: every core that the process may use.
pub fn thread_count(wanted: Option<NonZeroUsize>) -> usize {
    let own = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    wanted.map_or_else(own, NonZeroUsize::get)
}

/// Some threads. Dropped, they finish what they were given, and are waited for; in a child of a fork there are none.
pub struct Threads {
    pool: Option<rayon::ThreadPool>,
    handles: Vec<JoinHandle<()>>,
    count: usize,
    /// The process that started the threads.
    process: u32,
}

impl Threads {
    /// Starts `count` threads whose names begin with `name`.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start(name: &'static str, count: usize) -> Result<Self, FeedError> {
        let mut handles = Vec::with_capacity(count);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(move |i| format!("{name}-{i}"))
            .spawn_handler(|thread| {
                let name = thread.name().unwrap_or(name).to_owned();
                handles.push(std::thread::Builder::new().name(name).spawn(|| thread.run())?);
                Ok(())
            })
            .build();
        let pool = pool.map_err(|error| {
            FeedError::new(FeedErrorKind::Io, format!("expected {count} threads: {error}"))
        })?;
        Ok(Self { pool: Some(pool), handles, count, process: std::process::id() })
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether this process is a child of the one that started the threads.
    pub fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Has a thread do the work when it comes to it; in a child of a fork, nobody does. A panic ends the work alone.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        if let Some(pool) = self.pool.as_ref().filter(|_| !self.is_forked()) {
            pool.spawn(move || drop(catch_unwind(AssertUnwindSafe(work))));
        }
    }

    /// As [`spawn`](Self::spawn), behind all work that was given this way before.
    pub fn spawn_in_order(&self, work: impl FnOnce() + Send + 'static) {
        if let Some(pool) = self.pool.as_ref().filter(|_| !self.is_forked()) {
            pool.spawn_fifo(move || drop(catch_unwind(AssertUnwindSafe(work))));
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if self.is_forked() {
            // The threads are the parent's, and so may be a lock that one of them held.
            std::mem::forget(self.pool.take());
            std::mem::forget(std::mem::take(&mut self.handles));
            return;
        }
        drop(self.pool.take());
        for handle in self.handles.drain(..) {
            // A panic of work was caught.
            let _ = handle.join();
        }
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").field("count", &self.count).finish_non_exhaustive()
    }
}
