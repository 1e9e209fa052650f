//! Calls into the library: without the interpreter, and without a panic coming back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrowfeed::FeedError;
use pyo3::prelude::*;

use crate::errors::to_python;

/// Lets go of the interpreter, works, and comes back with a value or a Python exception.
pub(crate) fn call<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, FeedError> + Send,
) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|error| to_python(py, error))
}

/// A panic as the error that it is: a defect of the library.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, FeedError>) -> Result<T, FeedError> {
    caught_any(work)
}

/// The same, for errors of another type.
pub(crate) fn caught_any<T, E: From<FeedError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(FeedError::from_panic(&*panic).into()))
}
