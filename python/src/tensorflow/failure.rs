//! Conversion of errors to TensorFlow errors.

use arrowfeed::{DatasetError, FeedError, FeedErrorKind};
use arrowfeed_tensorflow::{Code, Failure};
use pyo3::prelude::*;

use super::MODULE;
use crate::errors::dataset_error;
use crate::shutdown::{call_method, try_attach};
use crate::signals;

/// Converts an error to a TensorFlow failure.
pub(super) fn failure(error: DatasetError) -> Failure {
    if let DatasetError::Feed(error) = &error
        && error.kind() == FeedErrorKind::Interrupted
    {
        // TensorFlow transfers only a text, not the exception of a signal handler.
        signals::repeat_interrupt();
        return Failure::new(Code::Cancelled, error.to_string());
    }
    let text = error.to_string();
    let told = try_attach(|py| raised(py, dataset_error(py, error)));
    told.unwrap_or(Failure::new(Code::Unknown, text))
}

/// Converts a Python exception to a TensorFlow failure.
pub(super) fn raised(py: Python<'_>, error: PyErr) -> Failure {
    let text = error.to_string();
    let told = || -> PyResult<(String, String)> {
        call_method(py.import(MODULE)?.as_any(), "told", (error.into_value(py),))?.extract()
    };
    match told() {
        Ok((class, message)) => Failure::new(code(&class), message),
        Err(_) => Failure::new(Code::Unknown, text),
    }
}

fn code(class: &str) -> Code {
    match class {
        "InvalidArgumentError" => Code::InvalidArgument,
        "NotFoundError" => Code::NotFound,
        _ => Code::Unknown,
    }
}

/// The error for a state that arrowfeed did not create.
pub(super) fn not_a_state() -> DatasetError {
    FeedError::new(FeedErrorKind::Options, "expected a state of arrowfeed, found other data").into()
}
