//! Ctrl-C while no Python handler can run, because the main thread waits in another library, which calls from its own
//! thread.
//!
//! Python's signal function notes the signal for the main thread. [`CtrlC::watched`] installs a function that counts the
//! signal and then calls Python's function. Handlers of the program are not changed: only `signal.default_int_handler` is
//! watched.
//!
//! Unsafe: the module installs a signal handler, which only counts and calls the previous handler.
#![allow(
    unsafe_code,
    reason = "sets a signal handler, which counts the signals and calls the previous handler"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrowfeed::source::Interrupt;
use pyo3::prelude::*;

use crate::shutdown::try_attach;
use crate::signals;

/// Number of signals so far.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Time for a step to finish by itself. If it does, Python raises `KeyboardInterrupt` in the caller. For a stopped step,
/// TensorFlow raises its own error.
const GRACE_PERIOD: Duration = Duration::from_millis(100);

/// Detects Ctrl-C since the start of the last step.
pub(crate) struct CtrlC(Arc<Step>);

struct Step {
    /// Number of signals before the step.
    before: AtomicUsize,
    /// Milliseconds from `start` until a signal was first seen; 0: none.
    seen: AtomicU64,
    start: Instant,
}

impl CtrlC {
    pub(crate) fn watched() -> Self {
        // If this fails, Ctrl-C takes effect only after the step, as it does without this library.
        let _ = try_attach(watch);
        Self(Arc::new(Step { before: AtomicUsize::new(0), seen: AtomicU64::new(0), start: Instant::now() }))
    }

    /// Ignores all previous signals.
    pub(crate) fn begin_step(&self) {
        self.0.before.store(COUNT.load(Ordering::Relaxed), Ordering::Relaxed);
        self.0.seen.store(0, Ordering::Relaxed);
    }

    pub(crate) fn interrupt(&self) -> Interrupt {
        let (step, in_main_thread) = (self.0.clone(), signals::interrupt());
        Arc::new(move || step.is_too_long() || in_main_thread())
    }
}

impl Step {
    fn is_too_long(&self) -> bool {
        if COUNT.load(Ordering::Relaxed) == self.before.load(Ordering::Relaxed) {
            return false;
        }
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        let seen = self.seen.load(Ordering::Relaxed);
        if seen == 0 {
            self.seen.store(now, Ordering::Relaxed);
        }
        seen != 0 && now.saturating_sub(seen) >= GRACE_PERIOD.as_millis() as u64
    }
}

/// Starts to count the signal, if its handler is Python's. The GIL excludes other threads.
fn watch(py: Python<'_>) -> PyResult<()> {
    let signal = py.import("signal")?;
    let handler = signal.getattr("getsignal")?.call1((signal.getattr("SIGINT")?,))?;
    if handler.is(&signal.getattr("default_int_handler")?) {
        set::handler();
    }
    Ok(())
}

#[cfg(unix)]
mod set {
    use std::ffi::c_int;
    use std::mem::{MaybeUninit, transmute};
    use std::ptr;
    use std::sync::atomic::Ordering;

    use super::{AtomicUsize, COUNT};

    /// Python's signal function; 0: not known yet.
    static PYTHONS: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn count(signal: c_int) {
        COUNT.fetch_add(1, Ordering::Relaxed);
        let pythons = PYTHONS.load(Ordering::Relaxed);
        if pythons != 0 {
            // SAFETY: it was the handler of the signal without `SA_SIGINFO`, so it is a function of this type.
            let pythons: extern "C" fn(c_int) = unsafe { transmute(pythons) };
            pythons(signal);
        }
    }

    /// Replaces Python's function with the counting function. A function of another library is not replaced.
    pub(super) fn handler() {
        let mut found = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: there is room for the action.
        let is_read = unsafe { libc::sigaction(libc::SIGINT, ptr::null(), found.as_mut_ptr()) } == 0;
        if !is_read {
            return;
        }
        // SAFETY: the call above has initialized it.
        let mut action = unsafe { found.assume_init() };
        let handler = action.sa_sigaction;
        let is_function = action.sa_flags & libc::SA_SIGINFO == 0
            && ![libc::SIG_DFL, libc::SIG_IGN, count as *const () as usize].contains(&handler);
        let known = PYTHONS.load(Ordering::Relaxed);
        if !is_function || ![0, handler].contains(&known) {
            return;
        }
        PYTHONS.store(handler, Ordering::Relaxed);
        action.sa_sigaction = count as *const () as usize;
        // SAFETY: the action is the previous one with another function, which is async-signal-safe.
        unsafe { libc::sigaction(libc::SIGINT, &raw const action, ptr::null_mut()) };
    }
}

#[cfg(not(unix))]
mod set {
    pub(super) fn handler() {}
}
