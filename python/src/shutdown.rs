//! Calls of foreign code that may ask for the interpreter while it shuts down.
//!
//! CPython before 3.14 ends a daemon thread that asks for an interpreter that shuts down: it unwinds the stack of the thread
//! (`pthread_exit` of glibc). A call of Python code asks for the interpreter whenever that code let go of it, as `read()` of a file
//! does. Rust frames cannot be unwound in this way: the process would abort. The thread sleeps for ever instead, as
//! CPython 3.14 lets it sleep, and as PyO3 does where it attaches.
#![expect(unsafe_code, reason = "calls that may unwind need another type than PyO3 gives them")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::signals;

/// Runs `work` and returns its result. If CPython ends the thread inside `work`, the thread sleeps here for ever. Rust
/// frames between here and the foreign call are unwound.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> T {
    let guard = SleepsAtTheEnd { was_panicking: std::thread::panicking() };
    let done = work();
    std::mem::forget(guard);
    done
}

/// Runs a function of another library, detached. An interpreter that ends waits for such calls first, see
/// [`wait_for_foreign_calls`]. A thread that starts one after the end of the interpreter sleeps for ever.
///
/// The release of a batch is not waited for: it takes microseconds.
pub(crate) fn foreign_call<T>(call: impl FnOnce() -> T) -> T {
    guarded(|| {
        let _running = RunningCall::start();
        call()
    })
}

/// Longest wait for calls at exit. Some never return, such as a generator that waits for a queue.
const EXIT_WAIT: Duration = Duration::from_millis(200);

/// The time since the start of the exit in which threads start no calls. A function of `atexit` may wait for such a thread.
const NO_CALLS: Duration = Duration::from_millis(400);

/// The start of the exit.
static EXIT: OnceLock<Instant> = OnceLock::new();

/// Number of running calls (lower half) and process ID (upper half), so that the child of a fork starts at zero.
static RUNNING_CALLS: AtomicU64 = AtomicU64::new(0);

fn change_running_calls(change: impl Fn(u32) -> u32) {
    let process = std::process::id();
    let changed = |calls| Some(u64::from(process) << 32 | u64::from(change(calls_of(process, calls))));
    // The function always gives a value.
    let _ = RUNNING_CALLS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed);
}

fn calls_of(process: u32, running: u64) -> u32 {
    if running >> 32 == u64::from(process) { running as u32 } else { 0 }
}

/// Lets Python's `atexit` wait for the calls of other threads. Otherwise the end of the process would free what a C++ library
/// uses in them: pyarrow aborts or crashes.
pub(crate) fn wait_at_exit(py: Python<'_>) -> PyResult<()> {
    let wait = wrap_pyfunction!(wait_for_foreign_calls, py)?;
    let atexit = py.import("atexit")?;
    call_method(&atexit, "register", (wait,)).map(drop)
}

/// Attaches once, so that later attempts of other threads cannot panic.
///
/// The first `Python::try_attach` of a process asserts that the interpreter is initialized, after it has looked whether it
/// is. An interpreter that ends between the two would make a thread panic, and every later attempt too (PyO3 0.30).
pub(crate) fn attach_once(py: Python<'_>) {
    py.detach(|| Python::try_attach(|_| ()));
}

/// The interpreter still lives here: calls that need it go on.
#[pyfunction]
fn wait_for_foreign_calls(py: Python<'_>) {
    let start = *EXIT.get_or_init(Instant::now);
    fence(Ordering::SeqCst);
    py.detach(|| {
        let running = || calls_of(std::process::id(), RUNNING_CALLS.load(Ordering::SeqCst)) > 0;
        while running() && start.elapsed() < EXIT_WAIT {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// A call that is counted until it is dropped.
struct RunningCall;

impl RunningCall {
    fn start() -> Self {
        loop {
            // A call is counted before it looks: the exit sees the call, or the call sees the exit.
            change_running_calls(|calls| calls + 1);
            let running = Self;
            fence(Ordering::SeqCst);
            // SAFETY: the function may be called at any time, by any thread.
            let has_ended = unsafe { ffi::Py_IsInitialized() } == 0;
            let is_late = EXIT.get().is_some_and(|start| start.elapsed() < NO_CALLS);
            if signals::is_main_thread() || !(has_ended || is_late) {
                return running;
            }
            drop(running);
            std::thread::park_timeout(Duration::from_millis(if has_ended { 60_000 } else { 1 }));
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        change_running_calls(|calls| calls.saturating_sub(1));
    }
}

/// Sleeps for ever when the end of the thread drops it.
struct SleepsAtTheEnd {
    was_panicking: bool,
}

impl Drop for SleepsAtTheEnd {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.was_panicking {
            return;
        }
        // CPython ends threads shortly before `Py_IsInitialized` returns 0. If it never returns 0, another language threw an
        // exception: the unwinding goes on, and the process aborts.
        for _ in 0..1000 {
            // SAFETY: the function may be called at any time, by any thread.
            if unsafe { ffi::Py_IsInitialized() } == 0 {
                loop {
                    std::thread::park();
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

type Object = *mut ffi::PyObject;

/// A function of PyO3's, with the type of one that may unwind. It is read in a way that hides from the compiler which
/// function it is: PyO3 declares that it never unwinds, and the guard around the call would be removed.
///
/// What a forced unwinding does to frames with destructors is not specified. PyO3 relies on what the compiler does today,
/// which is to run them, and so does this module; `test_life_cycle_exit.py` sees that it does.
macro_rules! may_unwind {
    ($function:path: fn($($argument:ty),*) $(-> $result:ty)?) => {{
        type Declared = unsafe extern "C" fn($($argument),*) $(-> $result)?;
        type Unwinds = unsafe extern "C-unwind" fn($($argument),*) $(-> $result)?;
        let declared: Declared = $function;
        // SAFETY: a live local is read. The types differ only in that one may unwind, and are compatible.
        unsafe { std::mem::transmute::<Declared, Unwinds>(std::ptr::read_volatile(&raw const declared)) }
    }};
}

/// `function(*arguments)`.
pub(crate) fn call<'py, A>(function: &Bound<'py, PyAny>, arguments: A) -> PyResult<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>>,
{
    call_with(function, arguments, None)
}

/// `function(*arguments, **keywords)`.
pub(crate) fn call_with<'py, A>(
    function: &Bound<'py, PyAny>,
    arguments: A,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>>,
{
    let py = function.py();
    let arguments = arguments.into_pyobject(py).map_err(Into::into)?;
    let call = may_unwind!(ffi::PyObject_Call: fn(Object, Object, Object) -> Object);
    let (function, arguments) = (function.as_ptr(), arguments.as_ptr());
    let keywords = keywords.map_or(std::ptr::null_mut(), |keywords| keywords.as_ptr());
    // SAFETY: the thread is attached. Both are references, and keywords may be null. The result is a new reference, or null with an exception set.
    guarded(|| unsafe { Bound::from_owned_ptr_or_err(py, call(function, arguments, keywords)) })
}

/// `object.name`.
pub(crate) fn attribute<'py, N>(object: &Bound<'py, PyAny>, name: N) -> PyResult<Bound<'py, PyAny>>
where
    N: IntoPyObject<'py, Target = PyString>,
{
    let py = object.py();
    let name = name.into_bound_py_any(py)?;
    let get = may_unwind!(ffi::PyObject_GetAttr: fn(Object, Object) -> Object);
    let (object, name) = (object.as_ptr(), name.as_ptr());
    // SAFETY: the thread is attached. Object and name are references. The result is as in `call`.
    guarded(|| unsafe { Bound::from_owned_ptr_or_err(py, get(object, name)) })
}

/// Whether `object` has the attribute, as `hasattr` says.
pub(crate) fn has_attribute(object: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    match attribute(object, name) {
        Ok(_) => Ok(true),
        Err(error) if error.is_instance_of::<PyAttributeError>(object.py()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// `object.name(*arguments)`.
pub(crate) fn call_method<'py, N, A>(
    object: &Bound<'py, PyAny>,
    name: N,
    arguments: A,
) -> PyResult<Bound<'py, PyAny>>
where
    N: IntoPyObject<'py, Target = PyString>,
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>>,
{
    call(&attribute(object, name)?, arguments)
}

/// Lets go of a reference: the last one closes a file, or runs `__del__`.
pub(crate) fn release(_: Python<'_>, object: Py<PyAny>) {
    let release = may_unwind!(ffi::Py_DecRef: fn(Object));
    // SAFETY: the reference is owned, and given up here. The thread is attached.
    guarded(|| unsafe { release(object.into_ptr()) });
}
