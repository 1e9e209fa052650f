//! Work of other threads whose results come in the order in which it was given to them.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use arrowfeed_avro::{AvroError, AvroErrorKind};

/// How often one who waits looks whether the caller wants to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// A pool of threads, and what they have been asked for. Dropped, it waits until they are gone.
pub(super) struct Ahead<T> {
    pool: Option<rayon::ThreadPool>,
    threads: Vec<JoinHandle<()>>,
    /// The process that started the threads: in a child of it there are none.
    process: u32,
    results: VecDeque<Receiver<Result<T, AvroError>>>,
}

impl<T: Send + 'static> Ahead<T> {
    pub(super) fn start(threads: usize) -> Result<Self, AvroError> {
        let mut handles = Vec::with_capacity(threads);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|thread| {
                let name = format!("arrowfeed-rows-{}", thread.index());
                handles.push(std::thread::Builder::new().name(name).spawn(|| thread.run())?);
                Ok(())
            })
            .build();
        let pool = pool.map_err(|error| {
            AvroError::new(AvroErrorKind::Io, format!("expected {threads} threads: {error}"))
        })?;
        Ok(Self { pool: Some(pool), threads: handles, process: std::process::id(), results: VecDeque::new() })
    }

    pub(super) fn submit(&mut self, work: impl FnOnce() -> Result<T, AvroError> + Send + 'static) {
        let (sender, result) = channel();
        self.results.push_back(result);
        if let Some(pool) = &self.pool {
            pool.spawn(move || {
                let done = catch_unwind(AssertUnwindSafe(work));
                // Nobody may want it any more.
                let _ = sender.send(done.unwrap_or_else(|panic| Err(AvroError::from_panic(&*panic))));
            });
        }
    }

    /// Waits for the oldest result; `None`: nothing is to come. `ask` is called now and then.
    pub(super) fn next(&mut self, ask: impl Fn() -> Result<(), AvroError>) -> Option<Result<T, AvroError>> {
        let result = self.results.pop_front()?;
        if self.process != std::process::id() {
            let message = "this reader was started in another process: make a new one after a fork";
            return Some(Err(AvroError::new(AvroErrorKind::Internal, message)));
        }
        loop {
            match result.recv_timeout(PATIENCE) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = ask() {
                        return Some(Err(error));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "expected a thread that prepares rows, found it gone";
                    return Some(Err(AvroError::new(AvroErrorKind::Internal, message)));
                }
            }
        }
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The threads are the parent's, and so may be a lock that one of them held.
            std::mem::forget(self.pool.take());
            std::mem::forget(std::mem::take(&mut self.threads));
            std::mem::forget(std::mem::take(&mut self.results));
            return;
        }
        self.results.clear();
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            // What panicked has told so through its result.
            let _ = thread.join();
        }
    }
}

impl<T> fmt::Debug for Ahead<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ahead").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> Result<(), AvroError> {
        Ok(())
    }

    #[test]
    fn results_come_in_the_order_of_the_work() {
        let mut ahead = Ahead::start(3).unwrap();
        for i in 0..50_u64 {
            ahead.submit(move || {
                std::thread::sleep(Duration::from_micros(50 * (i * 7 % 5)));
                Ok(i)
            });
        }
        let found: Vec<u64> = std::iter::from_fn(|| ahead.next(nothing)).map(Result::unwrap).collect();
        assert_eq!(found, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_is_the_error_of_its_own_work() {
        let mut ahead = Ahead::start(1).unwrap();
        ahead.submit(|| panic!("no such row"));
        ahead.submit(|| Ok(1));
        let error = ahead.next(nothing).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "a defect of this library, please report it: no such row");
        assert_eq!(ahead.next(nothing).unwrap().unwrap(), 1);
        assert!(ahead.next(nothing).is_none());
    }

    #[test]
    fn who_waits_may_stop() {
        let mut ahead = Ahead::start(1).unwrap();
        let (sender, stop) = channel::<()>();
        ahead.submit(move || {
            let _ = stop.recv();
            Ok(())
        });
        let error = ahead.next(|| Err(AvroError::new(AvroErrorKind::Interrupted, "enough"))).unwrap();
        assert_eq!(error.unwrap_err().to_string(), "enough");
        drop(sender);
    }
}
