//! Calls of foreign code that may ask for the interpreter while it shuts down.
//!
//! CPython before 3.14 terminates a daemon thread that requests the interpreter during shutdown, by unwinding its stack
//! (`pthread_exit` of glibc). Python code requests the interpreter again after it has released it, for example in `read()`
//! of a file. Rust frames cannot be unwound in this way: the process would abort. Instead, the thread sleeps forever, as in
//! CPython 3.14 and as in PyO3 when it attaches.
//!
//! [`try_attach`] replaces PyO3's function, which trusts that foreign code releases the interpreter only through PyO3.
#![expect(
    unsafe_code,
    reason = "calls Python functions through types that may unwind, because CPython ends a daemon thread by unwinding it; attaches threads through CPython, because PyO3's count of attachments may be wrong"
)]
#![expect(
    clippy::disallowed_types,
    reason = "a flag for the exit of the interpreter; only atexit sets it, when no other code runs"
)]

use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::main_thread;

/// Runs `work` and returns its result. If CPython terminates the thread inside `work`, the thread sleeps here forever. The
/// Rust frames between this function and the foreign call are unwound.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> T {
    let guard = SleepOnForcedUnwind { was_panicking: std::thread::panicking() };
    let done = work();
    std::mem::forget(guard);
    done
}

/// Runs a function of another library, detached. The interpreter waits for such calls before it ends; see
/// [`wait_for_foreign_calls`]. A thread that starts a call after the end of the interpreter sleeps forever.
///
/// The interpreter does not wait for the release of a batch, which takes microseconds.
pub(crate) fn foreign_call<T>(call: impl FnOnce() -> T) -> T {
    guarded(|| {
        let _running = RunningCall::start();
        call()
    })
}

/// Maximum wait for calls at exit. Some calls never return, such as a generator that waits for a queue.
const EXIT_WAIT: Duration = Duration::from_millis(200);

/// Time after the start of the exit in which threads start no calls. It is limited, because an `atexit` function may wait
/// for such a thread.
const NO_CALLS: Duration = Duration::from_millis(400);

/// The start of the exit.
static EXIT: OnceLock<Instant> = OnceLock::new();

/// Number of running calls (lower half) and process ID (upper half), so that the child of a fork starts at zero.
static RUNNING_CALLS: AtomicU64 = AtomicU64::new(0);

fn change_running_calls(change: impl Fn(u32) -> u32) {
    let process = std::process::id();
    let changed = |calls| Some(u64::from(process) << 32 | u64::from(change(calls_of(process, calls))));
    // The closure always returns `Some`, so the update cannot fail.
    let _ = RUNNING_CALLS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed);
}

fn calls_of(process: u32, running: u64) -> u32 {
    if running >> 32 == u64::from(process) { running as u32 } else { 0 }
}

/// Registers a wait for the calls of other threads with Python's `atexit`. Otherwise the process exit would free memory that
/// a C++ library uses in these calls: pyarrow aborts or crashes.
pub(crate) fn wait_at_exit(py: Python<'_>) -> PyResult<()> {
    let wait = wrap_pyfunction!(wait_for_foreign_calls, py)?;
    let atexit = py.import("atexit")?;
    call_method(&atexit, "register", (wait,)).map(drop)
}

/// Attaches once, so that later attempts of other threads cannot panic.
///
/// The first `Python::try_attach` of a process checks whether the interpreter is initialized, and then asserts it. If the
/// interpreter ended between the two, this attempt and every later one would panic (PyO3 0.30).
pub(crate) fn attach_once(py: Python<'_>) {
    py.detach(|| Python::try_attach(|_| ()));
}

/// Attaches the thread and runs `work`. `None`: the interpreter has ended.
///
/// PyO3 counts in each thread how often it is attached, and trusts the count. A foreign library that is called while the count
/// is above 0 may release the interpreter without PyO3, and then ask a reader for a batch: pyarrow does. With
/// `Python::try_attach` alone, Python code for that batch would run without the interpreter, and crash the process.
pub(crate) fn try_attach<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    // SAFETY: any thread may call both functions at any time.
    let is_known = unsafe { ffi::Py_IsInitialized() != 0 && !ffi::PyGILState_GetThisThreadState().is_null() };
    // A thread that the interpreter does not know cannot be inside of PyO3.
    let _ensured = is_known.then(Ensured::new);
    Python::try_attach(work)
}

/// Keeps a thread attached that the interpreter knows, whether or not it is attached already.
struct Ensured(ffi::PyGILState_STATE, PhantomData<*mut ()>);

impl Ensured {
    fn new() -> Self {
        // SAFETY: the interpreter is initialized. If it ends before the thread is attached, the thread sleeps forever.
        Self(unsafe { ffi::PyGILState_Ensure() }, PhantomData)
    }
}

impl Drop for Ensured {
    fn drop(&mut self) {
        // SAFETY: the state is that of the call in `new`, in the same thread, because the type is not `Send`.
        unsafe { ffi::PyGILState_Release(self.0) };
    }
}

/// Waits until no calls run, at most [`EXIT_WAIT`]. The interpreter still works here, so calls that need it can finish.
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

/// Counts a running call until it is dropped.
struct RunningCall;

impl RunningCall {
    fn start() -> Self {
        loop {
            // The call is counted before the check, so the exit sees the call, or the call sees the exit.
            change_running_calls(|calls| calls + 1);
            let running = Self;
            fence(Ordering::SeqCst);
            // SAFETY: any thread may call the function at any time.
            let has_ended = unsafe { ffi::Py_IsInitialized() } == 0;
            let is_late = EXIT.get().is_some_and(|start| start.elapsed() < NO_CALLS);
            if main_thread::is_this() || !(has_ended || is_late) {
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

/// Sleeps forever if the termination of the thread drops it.
struct SleepOnForcedUnwind {
    was_panicking: bool,
}

impl Drop for SleepOnForcedUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.was_panicking {
            return;
        }
        // CPython terminates threads shortly before `Py_IsInitialized` returns 0. If it does not return 0, the unwinding is
        // an exception of another language: it continues, and the process aborts.
        for _ in 0..1000 {
            // SAFETY: any thread may call the function at any time.
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

/// A PyO3 function with a type that permits unwinding. The volatile read hides from the compiler which function it is: PyO3
/// declares that it never unwinds, so the compiler would remove the guard around the call.
///
/// The effect of a forced unwinding on frames with destructors is not specified. Like PyO3, this module relies on the
/// current behaviour of the compiler, which runs the destructors; `test_life_cycle_exit.py` checks it.
macro_rules! may_unwind {
    ($function:path: fn($($argument:ty),*) $(-> $result:ty)?) => {{
        type Declared = unsafe extern "C" fn($($argument),*) $(-> $result)?;
        type Unwinds = unsafe extern "C-unwind" fn($($argument),*) $(-> $result)?;
        let declared: Declared = $function;
        // SAFETY: the read is from a live local. The types differ only in the permission to unwind, and are ABI-compatible.
        unsafe { std::mem::transmute::<Declared, Unwinds>(std::ptr::read_volatile(&raw const declared)) }
    }};
}

/// Calls `function(*arguments)`.
pub(crate) fn call<'py, A>(function: &Bound<'py, PyAny>, arguments: A) -> PyResult<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>>,
{
    call_with(function, arguments, None)
}

/// Calls `function(*arguments, **keywords)`.
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
    // SAFETY: the thread is attached. Function and arguments are valid references, and keywords may be null. The result is a
    // new reference, or null with an exception set.
    guarded(|| unsafe { Bound::from_owned_ptr_or_err(py, call(function, arguments, keywords)) })
}

/// Returns `object.name`.
pub(crate) fn attribute<'py, N>(object: &Bound<'py, PyAny>, name: N) -> PyResult<Bound<'py, PyAny>>
where
    N: IntoPyObject<'py, Target = PyString>,
{
    let py = object.py();
    let name = name.into_bound_py_any(py)?;
    let get = may_unwind!(ffi::PyObject_GetAttr: fn(Object, Object) -> Object);
    let (object, name) = (object.as_ptr(), name.as_ptr());
    // SAFETY: the thread is attached. Object and name are valid references. The result is as in `call_with`.
    guarded(|| unsafe { Bound::from_owned_ptr_or_err(py, get(object, name)) })
}

/// Whether `object` has the attribute, like `hasattr`.
pub(crate) fn has_attribute(object: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    match attribute(object, name) {
        Ok(_) => Ok(true),
        Err(error) if error.is_instance_of::<PyAttributeError>(object.py()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Calls `object.name(*arguments)`.
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

/// Releases a reference. The last release may close a file or run `__del__`.
pub(crate) fn release(_: Python<'_>, object: Py<PyAny>) {
    let release = may_unwind!(ffi::Py_DecRef: fn(Object));
    // SAFETY: this call consumes an owned reference. The thread is attached.
    guarded(|| unsafe { release(object.into_ptr()) });
}
