//! Calls into the library that release the interpreter and catch panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrowfeed::FeedError;
use pyo3::prelude::*;

use crate::errors::to_python;

/// Runs `work` without the interpreter, and converts its error to a Python exception.
pub(crate) fn call<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, FeedError> + Send,
) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|error| to_python(py, error))
}

/// Converts a panic to an error that reports a defect of the library.
pub(crate) fn caught<T, E: From<FeedError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(FeedError::from_panic(&*panic).into()))
}
