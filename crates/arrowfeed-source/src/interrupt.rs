//! Cancellation: long operations regularly check whether the caller wants to stop.
//!
//! A loop over input calls [`Check::now`] before each file or block. Inside a block it calls [`Check::after`] with the
//! number of bytes processed. There is no check per value.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::{FeedError, FeedErrorKind};

/// A function that long operations call regularly. It returns true to cancel the operation.
pub type Interrupt = Arc<dyn Fn() -> bool + Send + Sync>;

/// Interval at which a thread that waits for another one, or for a response, checks for cancellation.
pub const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Bytes that are read or decoded between two checks: a few milliseconds of work.
const WORK: usize = 1 << 20;

/// Checks for cancellation, at most once for each mebibyte of work. Belongs to one thread and one call.
///
/// ```
/// use std::sync::Arc;
///
/// use arrowfeed_source::{Check, FeedErrorKind, Interrupt};
///
/// let interrupt: Interrupt = Arc::new(|| true);
/// assert_eq!(Check::of(Some(&interrupt)).now().unwrap_err().kind(), FeedErrorKind::Interrupted);
/// assert!(Check::never().now().is_ok());
/// ```
pub struct Check<'a> {
    wants_to_stop: Option<&'a dyn Fn() -> bool>,
    /// The same function, if it may be shared with other threads.
    interrupt: Option<&'a Interrupt>,
    /// Bytes processed since the last check.
    work: Cell<usize>,
    stopped: Cell<bool>,
}

impl fmt::Debug for Check<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

impl<'a> Check<'a> {
    /// Creates a check that calls `wants_to_stop`.
    pub fn new(wants_to_stop: &'a dyn Fn() -> bool) -> Self {
        Self { wants_to_stop: Some(wants_to_stop), ..Self::never() }
    }

    /// Creates a check that calls the caller's interrupt, if there is one.
    pub fn of(interrupt: Option<&'a Interrupt>) -> Self {
        let wants_to_stop = interrupt.map(|interrupt| &**interrupt as &dyn Fn() -> bool);
        Self { wants_to_stop, interrupt, ..Self::never() }
    }

    /// Creates a check that never cancels.
    pub fn never() -> Self {
        Self { wants_to_stop: None, interrupt: None, work: Cell::new(0), stopped: Cell::new(false) }
    }

    /// The caller's interrupt, if the check was created by [`of`](Self::of).
    pub fn interrupt(&self) -> Option<Interrupt> {
        self.interrupt.cloned()
    }

    /// Checks for cancellation now. After the first cancellation, every later call returns the error too.
    pub fn now(&self) -> Result<(), FeedError> {
        self.work.set(0);
        if self.stopped.get() || self.wants_to_stop.is_some_and(|wants_to_stop| wants_to_stop()) {
            self.stopped.set(true);
            return Err(stopped());
        }
        Ok(())
    }

    /// Counts `bytes` of work, and checks for cancellation once for each mebibyte.
    pub fn after(&self, bytes: usize) -> Result<(), FeedError> {
        let work = self.work.get().saturating_add(bytes);
        self.work.set(work);
        if work < WORK { Ok(()) } else { self.now() }
    }

    /// Whether a check has found a cancellation.
    pub fn has_stopped(&self) -> bool {
        self.stopped.get()
    }
}

/// Cancels when `stop` is set, and when `interrupt` does.
pub fn interrupt_or(stop: Arc<AtomicBool>, interrupt: Option<Interrupt>) -> Interrupt {
    Arc::new(move || stop.load(Ordering::Relaxed) || interrupt.as_ref().is_some_and(|interrupt| interrupt()))
}

/// The error of a cancelled call.
#[cold]
pub fn stopped() -> FeedError {
    FeedError::new(FeedErrorKind::Interrupted, "the caller asked to stop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_before_a_question() {
        let asked = Cell::new(0);
        let ask = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let check = Check::new(&ask);
        let results: Vec<bool> = (0..8).map(|_| check.after(WORK / 2).is_ok()).collect();
        assert_eq!((results, asked.get()), (vec![true, true, true, true, true, false, true, false], 3));
        assert!(check.has_stopped());
        assert_eq!(check.now().unwrap_err().to_string(), "the caller asked to stop");
        assert!(Check::never().after(usize::MAX).is_ok());
    }
}
