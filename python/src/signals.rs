//! Ctrl-C while the library works: Python's signal handlers run in its main thread, and only when asked to.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use arrowfeed::avro::Interrupt;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// How often handlers get their turn.
const PERIOD: Duration = Duration::from_millis(50);

/// The main thread, and its process: a fork makes the thread that forked the child's main thread.
static MAIN: Mutex<Option<(u32, ThreadId)>> = Mutex::new(None);

thread_local! {
    /// What a handler raised, on its way to the call that was stopped for it.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn here() -> (u32, ThreadId) {
    (std::process::id(), std::thread::current().id())
}

/// Remembers this thread if it is Python's main thread.
pub(crate) fn notice_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    if main.eq(threading.call_method0("get_ident")?)? {
        *lock(&MAIN) = Some(here());
    }
    Ok(())
}

/// What a reader asks now and then. In other threads than the main one it never waits for the interpreter.
pub(crate) fn interrupt() -> Interrupt {
    let last = Mutex::new(Instant::now());
    Arc::new(move || {
        let mut last = lock(&last);
        if last.elapsed() < PERIOD || *lock(&MAIN) != Some(here()) {
            return false;
        }
        *last = Instant::now();
        drop(last);
        run_handlers()
    })
}

/// True if a handler raised, which is kept for [`take_raised`].
fn run_handlers() -> bool {
    let raised = Python::try_attach(|py| py.check_signals().err()).flatten();
    let stop = raised.is_some();
    if stop {
        RAISED.set(raised);
    }
    stop
}

/// What a handler raised in this thread.
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
