//! Ctrl-C during calls of the library. Python's signal handlers run only in its main thread, and only on request.
//!
//! This module has no lock: a forked child also checks for signals, and a thread of the parent could hold the lock.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrowfeed::source::Interrupt;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::main_thread;
use crate::shutdown::{call_method, try_attach};

/// Interval between two runs of the handlers.
const PERIOD: Duration = Duration::from_millis(50);

thread_local! {
    /// The exception of a handler, for the call that it stopped.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Stores whether this thread is Python's main thread.
pub(crate) fn notice_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let main = call_method(&threading, "main_thread", ())?.getattr("ident")?;
    if main.eq(call_method(&threading, "get_ident", ())?)? {
        main_thread::set();
    }
    Ok(())
}

/// Returns the function with which readers check whether to stop. Outside the main thread, it never waits for the
/// interpreter.
pub(crate) fn interrupt() -> Interrupt {
    let start = Instant::now();
    let now = move || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let last = AtomicU64::new(0);
    Arc::new(move || {
        let due = now().saturating_sub(last.load(Ordering::Relaxed)) >= PERIOD.as_millis() as u64;
        if !due || !main_thread::is_this() {
            return false;
        }
        last.store(now(), Ordering::Relaxed);
        run_handlers()
    })
}

/// Number of loop items between two runs of the handlers, in loops that hold the interpreter.
const ITEMS: usize = 1 << 14;

/// Runs the handlers once every [`ITEMS`] items. An error is the exception of a handler.
pub(crate) fn check_at(py: Python<'_>, item: usize) -> PyResult<()> {
    if item % ITEMS == ITEMS - 1 { py.check_signals() } else { Ok(()) }
}

/// Returns the interrupt of a call that begins in this thread.
pub(crate) fn interrupt_of_call(py: Python<'_>) -> PyResult<Interrupt> {
    notice_main_thread(py)?;
    Ok(interrupt())
}

/// Returns an interrupt that also stops when a thread sets `stop`.
pub(crate) fn interrupt_or(stop: Arc<AtomicBool>) -> Interrupt {
    arrowfeed::source::interrupt_or(stop, Some(interrupt()))
}

/// Runs the handlers. Returns true if one raised an exception, which [`take_raised`] returns.
fn run_handlers() -> bool {
    let raised = try_attach(|py| py.check_signals().err()).flatten();
    let stop = raised.is_some();
    if stop {
        RAISED.set(raised);
    }
    stop
}

/// Whether a handler has raised an exception in this thread.
pub(crate) fn has_raised() -> bool {
    RAISED.with_borrow(Option::is_some)
}

/// Takes the exception of a handler in this thread.
pub(crate) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}

/// Sends Ctrl-C again. Arrow's C interface transfers only the text of an error, so the `KeyboardInterrupt` that stopped a
/// stream would disappear.
pub(crate) fn repeat_interrupt() {
    let Some(raised) = take_raised() else {
        return;
    };
    try_attach(|py| {
        if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
            // If this fails, the error of the stream still reports the interrupt.
            let _ = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
        }
    });
}
