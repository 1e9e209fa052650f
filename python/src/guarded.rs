//! Mutual exclusion for readers and iterators that several Python threads use.

#![expect(
    clippy::disallowed_types,
    reason = "readers and iterators of several Python threads; using one in a child is an error, and nothing is dropped there"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use arrowfeed::source::POLL_INTERVAL;
use arrowfeed::{FeedError, FeedErrorKind};

use crate::signals;

/// A value that one thread at a time may use, and only in the process that created it. After a panic, the value is the
/// default.
///
/// A waiting thread must have released the interpreter, because the thread that uses the value may need it.
pub(crate) struct Guarded<T: Default> {
    /// Noun for messages.
    what: &'static str,
    process: u32,
    value: Mutex<T>,
    /// The thread that uses the value. A signal handler on this thread must not wait for itself.
    inside: Mutex<Option<ThreadId>>,
    /// Signals that no thread uses the value.
    free: Condvar,
    /// Requests the thread that uses the value to stop.
    stop: Arc<AtomicBool>,
}

/// The reason for a missing result.
pub(crate) enum CallError<E = FeedError> {
    /// The value cannot be used in this way; the text states the reason.
    State(String),
    Error(E),
}

impl<E> CallError<E> {
    pub(crate) fn state(text: impl Into<String>) -> Self {
        Self::State(text.into())
    }
}

impl<E> From<E> for CallError<E> {
    fn from(error: E) -> Self {
        Self::Error(error)
    }
}

impl<T: Default> Guarded<T> {
    /// `stop`: part of the interrupt that the value checks; see [`signals::interrupt_or`].
    pub(crate) fn new(what: &'static str, value: T, stop: Arc<AtomicBool>) -> Self {
        let (process, inside, free) = (std::process::id(), Mutex::new(None), Condvar::new());
        Self { what, process, value: Mutex::new(value), inside, free, stop }
    }

    pub(crate) fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Runs `work` when no other thread uses the value.
    pub(crate) fn with<R, E: From<FeedError>>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, CallError<E>>,
    ) -> Result<R, CallError<E>> {
        self.when_free(false, work)
    }

    /// Stops the thread that uses the value, and runs `work`.
    pub(crate) fn stop_and<R, E: From<FeedError>>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, CallError<E>>,
    ) -> Result<R, CallError<E>> {
        self.when_free(true, work)
    }

    /// Whether an error means that another thread has requested this one to stop. Only the running `work` may call it.
    pub(crate) fn was_stopped(&self, error: &FeedError) -> bool {
        let asked = self.stop.load(Ordering::Relaxed) && error.kind() == FeedErrorKind::Interrupted;
        asked && error.io_error().is_none() && !signals::has_raised()
    }

    fn when_free<R, E: From<FeedError>>(
        &self,
        stop: bool,
        work: impl FnOnce(&mut T) -> Result<R, CallError<E>>,
    ) -> Result<R, CallError<E>> {
        let what = self.what;
        // This check comes first: after a fork, a lock may be held by a thread that does not exist.
        if self.is_forked() {
            return Err(CallError::state(format!(
                "expected {what} of this process, found one that was made before a fork: make a new one in the child process",
                what = with_article(what)
            )));
        }
        let here = std::thread::current().id();
        if *lock(&self.inside) == Some(here) {
            return Err(CallError::state(format!(
                "expected {} that is not in use, found a call from inside another call to it",
                with_article(what)
            )));
        }
        if stop {
            self.stop.store(true, Ordering::Relaxed);
        }
        let entered = self.enter(here);
        if stop {
            self.stop.store(false, Ordering::Relaxed);
        }
        entered.map_err(|error| CallError::Error(error.into()))?;
        let mut value = lock(&self.value);
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut value)));
        *lock(&self.inside) = None;
        self.free.notify_one();
        done.unwrap_or_else(|panic| {
            *value = T::default();
            Err(CallError::Error(FeedError::from_panic(&*panic).into()))
        })
    }
}

impl<T: Default> Guarded<T> {
    /// Waits until no other thread uses the value, or until a signal handler raises.
    fn enter(&self, here: ThreadId) -> Result<(), FeedError> {
        let mut interrupt = None;
        let mut inside = lock(&self.inside);
        while inside.is_some() {
            inside = self.free.wait_timeout(inside, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
            if inside.is_none() {
                break;
            }
            // A handler may call methods of this value.
            drop(inside);
            if interrupt.get_or_insert_with(signals::interrupt)() {
                return Err(FeedError::new(FeedErrorKind::Interrupted, "the caller asked to stop"));
            }
            inside = lock(&self.inside);
        }
        *inside = Some(here);
        Ok(())
    }
}

impl<T: Default> Drop for Guarded<T> {
    fn drop(&mut self) {
        if self.is_forked() {
            // Its locks may be held by threads that exist only in the parent.
            let value = self.value.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::take(value));
        }
    }
}

fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
