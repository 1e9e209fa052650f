//! Ctrl-C while the library works: Python's signal handlers run in its main thread, and only when asked to.
//!
//! No lock is here: a child of a fork asks too, and a thread of the parent could have held it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrowfeed::source::Interrupt;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::shutdown::call_method;

/// Time between two runs of the handlers.
const PERIOD: Duration = Duration::from_millis(50);

thread_local! {
    /// The process in which this thread is the main thread: a fork makes the thread that forks the child's main thread.
    static MAIN_OF: Cell<Option<u32>> = const { Cell::new(None) };

    /// The exception of a handler, for the call that it stopped.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Remembers this thread if it is Python's main thread.
pub(crate) fn notice_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let main = call_method(&threading, "main_thread", ())?.getattr("ident")?;
    if main.eq(call_method(&threading, "get_ident", ())?)? {
        MAIN_OF.set(Some(std::process::id()));
    }
    Ok(())
}

/// Whether this thread is Python's main thread, as far as it was noticed.
pub(crate) fn is_main_thread() -> bool {
    MAIN_OF.get() == Some(std::process::id())
}

/// The function that readers call to ask whether they shall stop. Outside the main thread it never waits for the
/// interpreter.
pub(crate) fn interrupt() -> Interrupt {
    let start = Instant::now();
    let now = move || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let last = AtomicU64::new(0);
    Arc::new(move || {
        let due = now().saturating_sub(last.load(Ordering::Relaxed)) >= PERIOD.as_millis() as u64;
        if !due || !is_main_thread() {
            return false;
        }
        last.store(now(), Ordering::Relaxed);
        run_handlers()
    })
}

/// Items of a loop that holds the interpreter between two runs of the handlers.
const ITEMS: usize = 1 << 14;

/// Runs the handlers once in so many items; an error is the exception of a handler.
pub(crate) fn check_at(py: Python<'_>, item: usize) -> PyResult<()> {
    if item % ITEMS == ITEMS - 1 { py.check_signals() } else { Ok(()) }
}

/// The interrupt of one call, which begins in this thread.
pub(crate) fn interrupt_of_call(py: Python<'_>) -> PyResult<Interrupt> {
    notice_main_thread(py)?;
    Ok(interrupt())
}

/// Also stops when `stop` is set, which any thread may do.
pub(crate) fn interrupt_or(stop: Arc<AtomicBool>) -> Interrupt {
    let interrupt = interrupt();
    Arc::new(move || stop.load(Ordering::Relaxed) || interrupt())
}

/// True if a handler raised an exception, which is kept for [`take_raised`].
fn run_handlers() -> bool {
    let raised = Python::try_attach(|py| py.check_signals().err()).flatten();
    let stop = raised.is_some();
    if stop {
        RAISED.set(raised);
    }
    stop
}

/// Whether a handler has raised in this thread.
pub(crate) fn has_raised() -> bool {
    RAISED.with_borrow(Option::is_some)
}

/// The exception of a handler in this thread.
pub(crate) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}

/// Sends Ctrl-C once more. Arrow's C interface carries a text, not an exception, so the `KeyboardInterrupt` that
/// stopped a stream would be lost.
pub(crate) fn repeat_interrupt() {
    let Some(raised) = take_raised() else {
        return;
    };
    Python::try_attach(|py| {
        if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
            // Without it, the stream's error tells.
            let _ = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
        }
    });
}
