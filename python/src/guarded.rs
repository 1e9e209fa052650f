//! Something with threads of its own, used by several Python threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use arrowfeed::{FeedError, FeedErrorKind};

use crate::signals;

/// Time between two looks for signals of a thread that waits.
const PATIENCE: Duration = Duration::from_millis(20);

/// A value that one thread at a time is in, and only threads of the process that made it. A panic leaves the default
/// in its place.
///
/// Whoever waits for it has let go of the interpreter, since the thread in it may want that for a moment.
pub(crate) struct Guarded<T: Default> {
    /// What it is, for messages.
    what: &'static str,
    process: u32,
    value: Mutex<T>,
    /// The thread that is in it: a signal handler that runs there must not wait for itself.
    inside: Mutex<Option<ThreadId>>,
    /// No thread is in it any more.
    free: Condvar,
    /// Asks the thread that is in it to come out.
    stop: Arc<AtomicBool>,
}

/// Why there is no answer.
pub(crate) enum Refusal<E = FeedError> {
    /// It cannot be used in this way; the text says why.
    State(String),
    Error(E),
}

impl<E> Refusal<E> {
    pub(crate) fn state(text: impl Into<String>) -> Self {
        Self::State(text.into())
    }
}

impl<E> From<E> for Refusal<E> {
    fn from(error: E) -> Self {
        Self::Error(error)
    }
}

impl<T: Default> Guarded<T> {
    /// `stop`: part of the interrupt that the value asks, see [`signals::interrupt_or`].
    pub(crate) fn new(what: &'static str, value: T, stop: Arc<AtomicBool>) -> Self {
        let (process, inside, free) = (std::process::id(), Mutex::new(None), Condvar::new());
        Self { what, process, value: Mutex::new(value), inside, free, stop }
    }

    pub(crate) fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Runs `work` when no other thread is in it.
    pub(crate) fn with<R, E: From<FeedError>>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, Refusal<E>>,
    ) -> Result<R, Refusal<E>> {
        self.when_free(false, work)
    }

    /// Stops the thread that is in it, and runs `work`.
    pub(crate) fn stop_and<R, E: From<FeedError>>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, Refusal<E>>,
    ) -> Result<R, Refusal<E>> {
        self.when_free(true, work)
    }

    /// Whether an error means that another thread has asked this one to come out. Asked by work that still is inside.
    pub(crate) fn was_stopped(&self, error: &FeedError) -> bool {
        let asked = self.stop.load(Ordering::Relaxed) && error.kind() == FeedErrorKind::Interrupted;
        asked && error.io_error().is_none() && !signals::has_raised()
    }

    fn when_free<R, E: From<FeedError>>(
        &self,
        stop: bool,
        work: impl FnOnce(&mut T) -> Result<R, Refusal<E>>,
    ) -> Result<R, Refusal<E>> {
        let what = self.what;
        // First: after a fork, a lock may be held by a thread that is not there.
        if self.is_forked() {
            return Err(Refusal::state(format!(
                "expected {what} of this process, found one that was made before a fork: make a new one after it",
                what = with_article(what)
            )));
        }
        let here = std::thread::current().id();
        if *lock(&self.inside) == Some(here) {
            return Err(Refusal::state(format!(
                "expected {} that is not in use, found a call from inside another call of it",
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
        entered.map_err(|error| Refusal::Error(error.into()))?;
        let mut value = lock(&self.value);
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut value)));
        *lock(&self.inside) = None;
        self.free.notify_one();
        done.unwrap_or_else(|panic| {
            *value = T::default();
            Err(Refusal::Error(FeedError::from_panic(&*panic).into()))
        })
    }
}

impl<T: Default> Guarded<T> {
    /// Waits until no other thread is in it, or a signal handler raises.
    fn enter(&self, here: ThreadId) -> Result<(), FeedError> {
        let mut interrupt = None;
        let mut inside = lock(&self.inside);
        while inside.is_some() {
            inside = self.free.wait_timeout(inside, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
            if inside.is_none() {
                break;
            }
            // A handler may call the methods of this very value.
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
            // Its locks may be held by threads that only the parent has.
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
