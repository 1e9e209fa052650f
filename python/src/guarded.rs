//! Something with threads of its own, used by several Python threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use arrowfeed::AvroError;

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
}

/// Why there is no answer.
pub(crate) enum Refusal<E = AvroError> {
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
    pub(crate) fn new(what: &'static str, value: T) -> Self {
        Self { what, process: std::process::id(), value: Mutex::new(value), inside: Mutex::new(None) }
    }

    pub(crate) fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    /// Runs `work` when no other thread is in it.
    pub(crate) fn with<R, E: From<AvroError>>(
        &self,
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
        let mut value = lock(&self.value);
        *lock(&self.inside) = Some(here);
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut value)));
        *lock(&self.inside) = None;
        done.unwrap_or_else(|panic| {
            *value = T::default();
            Err(Refusal::Error(AvroError::from_panic(&*panic).into()))
        })
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
