//! Calls of foreign code that may ask for the interpreter while it shuts down.
//!
//! CPython before 3.14 ends a daemon thread that asks for an interpreter that shuts down: it unwinds the stack of the thread
//! (`pthread_exit` of glibc). A call of Python code asks for the interpreter whenever that code let go of it, as `read()` of a file
//! does. Rust frames cannot be unwound in this way: the process would abort. The thread sleeps for ever instead, as
//! CPython 3.14 lets it sleep, and as PyO3 does where it attaches.
#![expect(unsafe_code, reason = "calls that may unwind need another type than PyO3 gives them")]

use std::time::Duration;

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

/// Sleeps for ever in a thread that goes on after the end of the interpreter, which the main thread ends: another library
/// may have freed what its functions need.
pub(crate) fn sleep_after_the_end() {
    // SAFETY: the function may be called at any time, by any thread.
    while unsafe { ffi::Py_IsInitialized() } == 0 && !signals::is_main_thread() {
        std::thread::park();
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
