//! The worker threads of a reader or a writer.

use std::fmt;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;

use crate::{FeedError, FeedErrorKind, thousands};

/// The largest number of threads that can be requested. More would not make anything faster, but each takes memory.
pub const MAX_THREADS: usize = 1024;

/// Returns the requested number of threads. `None` means one for each core that the process may use.
pub fn thread_count(wanted: Option<NonZeroUsize>) -> usize {
    let own = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    wanted.map_or_else(own, NonZeroUsize::get)
}

/// Checks a requested number of threads.
///
/// # Errors
/// More than [`MAX_THREADS`] are requested.
pub fn check_threads(wanted: Option<NonZeroUsize>) -> Result<(), FeedError> {
    match wanted.map(NonZeroUsize::get) {
        Some(count) if count > MAX_THREADS => {
            let (most, found) = (thousands(MAX_THREADS as u64), thousands(count as u64));
            let message = format!("threads: expected at most {most}, found {found}");
            Err(FeedError::new(FeedErrorKind::Options, message))
        }
        _ => Ok(()),
    }
}

/// A group of worker threads. Dropping it waits until all submitted work is done. In a forked child it has no threads.
pub struct Threads {
    pool: Option<rayon::ThreadPool>,
    handles: Vec<JoinHandle<()>>,
    count: usize,
    /// ID of the process that started the threads.
    process: u32,
}

impl Threads {
    /// Starts `count` threads. Their names begin with `name`.
    ///
    /// # Errors
    /// The system cannot start more threads.
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

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether this process is a forked child of the process that started the threads.
    pub fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Runs `work` on one of the threads, in the order of the calls; does nothing in a forked child. A panic ends only this `work`.
    ///
    /// Work that is submitted by one of the threads starts in order too. A thread that took its newest work first would decode the last
    /// rows before those that a consumer waits for: a stream of linkedin then took 13 % longer.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        if let Some(pool) = self.pool.as_ref().filter(|_| !self.is_forked()) {
            pool.spawn_fifo(move || drop(catch_unwind(AssertUnwindSafe(work))));
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if self.is_forked() {
            // The threads belong to the parent process, and one of them may have held a lock when the process forked.
            std::mem::forget(self.pool.take());
            std::mem::forget(std::mem::take(&mut self.handles));
            return;
        }
        drop(self.pool.take());
        for handle in self.handles.drain(..) {
            // Panics of submitted work are caught in `spawn`.
            let _ = handle.join();
        }
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").field("count", &self.count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_threads_are_refused() {
        let check = |wanted| check_threads(NonZeroUsize::new(wanted)).map_err(|error| error.to_string());
        assert_eq!((check(0), check(1), check(MAX_THREADS)), (Ok(()), Ok(()), Ok(())));
        for wanted in [MAX_THREADS + 1, usize::MAX] {
            let found = thousands(wanted as u64);
            assert_eq!(check(wanted), Err(format!("threads: expected at most 1,024, found {found}")));
        }
    }
}
