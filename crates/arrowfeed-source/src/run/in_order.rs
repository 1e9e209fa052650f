//! Concurrent work on many remote objects, with results in order.

#![expect(
    clippy::disallowed_methods,
    reason = "results of threads that work on objects of stores; the threads live only during one call, which waits for them"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use crate::{Check, FeedError, FeedErrorKind, Interrupt, POLL_INTERVAL, Threads};

/// Number of threads. Each waits for one response at a time.
const THREADS: usize = 16;

/// Stops the threads when it is dropped.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` for the numbers below `count`, several at a time, and calls `visit` with the results in order, on the
/// caller's thread. The check passed to `work` cancels it as soon as the caller cancels or `visit` returns an error.
///
/// # Errors
/// `visit` returns an error; the caller cancels; the system cannot start more threads.
pub fn in_order<T: Send + 'static>(
    count: usize,
    interrupt: Option<&Interrupt>,
    work: impl Fn(usize, &Check<'_>) -> T + Send + Sync + 'static,
    mut visit: impl FnMut(usize, T) -> Result<(), FeedError>,
) -> Result<(), FeedError> {
    let check = Check::of(interrupt);
    let threads = Threads::start("arrowfeed-ahead", THREADS.min(count).max(1))?;
    let (send, results) = mpsc::channel();
    // Declared after `threads`, so that it is dropped first: dropping `threads` waits until they stop.
    let stop = Stop(Arc::default());
    let stopped: Interrupt = {
        let stop = stop.0.clone();
        Arc::new(move || stop.load(Ordering::Relaxed))
    };
    let work = Arc::new(work);
    for number in 0..count {
        let (work, stopped, send) = (work.clone(), stopped.clone(), send.clone());
        threads.spawn_in_order(move || {
            if !stopped() {
                // After an error, the receiver is gone.
                let _ = send.send((number, work(number, &Check::of(Some(&stopped)))));
            }
        });
    }
    drop(send);
    let mut early = BTreeMap::new();
    for number in 0..count {
        let result = loop {
            if let Some(result) = early.remove(&number) {
                break result;
            }
            check.now()?;
            match results.recv_timeout(POLL_INTERVAL) {
                Ok((number, result)) => _ = early.insert(number, result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "expected a result of each thread, found that one has panicked";
                    return Err(FeedError::new(FeedErrorKind::Internal, message));
                }
            }
        };
        visit(number, result)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stopped;

    #[test]
    fn results_come_in_order_and_an_error_ends_the_work() {
        let work = |number: usize, _: &Check<'_>| {
            std::thread::sleep(std::time::Duration::from_micros((number * 37 % 100) as u64));
            number
        };
        let mut seen = Vec::new();
        let visit = |number, result| {
            seen.push((number, result));
            Ok(())
        };
        in_order(100, None, work, visit).unwrap();
        assert_eq!(seen, (0..100).map(|number| (number, number)).collect::<Vec<_>>());
        let failed = in_order(100, None, work, |number, _| if number < 7 { Ok(()) } else { Err(stopped()) });
        assert!(failed.is_err());
        let interrupt: Interrupt = Arc::new(|| true);
        let endless = |_: usize, check: &Check<'_>| while check.now().is_ok() {};
        assert!(in_order(3, Some(&interrupt), endless, |_, ()| Ok(())).is_err());
    }
}
