//! Concurrent work on many remote objects, with results in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::map_stage::MapStage;
use super::pool::Pool;
use crate::{Check, FeedError, Interrupt, interrupt_or};

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
pub(super) fn in_order<T: Send + 'static>(
    count: usize,
    interrupt: Option<&Interrupt>,
    work: impl Fn(usize, &Check<'_>) -> T + Send + Sync + 'static,
    mut visit: impl FnMut(usize, T) -> Result<(), FeedError>,
) -> Result<(), FeedError> {
    let check = Check::of(interrupt);
    let pool = Arc::new(Pool::start_for("reader", "arrowfeed-ahead", THREADS.min(count).max(1))?);
    let mut stage = MapStage::new(pool);
    // Declared after `stage`, so that it is dropped first: dropping the pool waits until its threads stop.
    let stop = Stop(Arc::default());
    let stopped = interrupt_or(stop.0.clone(), None);
    let work = Arc::new(work);
    for number in 0..count {
        let (work, stopped) = (work.clone(), stopped.clone());
        stage.add(move || work(number, &Check::of(Some(&stopped))));
    }
    for number in 0..count {
        check.now()?;
        // This thread does not wait for a store itself, because it must notice an interrupt.
        if let Some(result) = stage.next_of_pool(&check)? {
            visit(number, result)?;
        }
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
