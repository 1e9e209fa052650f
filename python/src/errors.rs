//! Conversion of library errors to Python exceptions. The classes are in `arrowfeed/_errors.py`.

use std::error::Error;
use std::{fmt, io};

use arrowfeed::tensor::{ConversionError, RepresentationError};
use arrowfeed::{DatasetError, FeedError, FeedErrorKind, StateErrorKind, printable};
use arrowfeed_ffi::Invalid;
use pyo3::exceptions::{
    PyIndexError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyStopIteration,
    PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::guarded::CallError;
use crate::object::Object;
use crate::shutdown::{call_method, call_with};
use crate::signals;

/// The exception for an error. An exception of Python code, such as a file object or a signal handler, is returned
/// unchanged.
pub(crate) fn to_python(py: Python<'_>, error: FeedError) -> PyErr {
    if let Some(raised) = error.io_error().and_then(raised_by_python) {
        return PyErr::from_value(raised.exception.bind(py).clone());
    }
    match error.kind() {
        FeedErrorKind::Io if is_allocation(&error) => PyMemoryError::new_err(error.to_string()),
        FeedErrorKind::Io => os_error(py, &error),
        FeedErrorKind::Interrupted => {
            let raised = signals::take_raised().map(|raised| without_end(py, raised, STOPPED));
            raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(error.message().to_owned()))
        }
        kind => located(py, class_name(kind), &error).unwrap_or_else(|failure| failure),
    }
}

/// The exception for a result that a reader does not return.
pub(crate) fn exception(py: Python<'_>, refusal: CallError) -> PyErr {
    match refusal {
        CallError::State(text) => PyValueError::new_err(text),
        CallError::Error(error) => to_python(py, error),
    }
}

/// An exception of the base class `ArrowfeedError`, for failures that do not belong to a file.
pub(crate) fn plain(py: Python<'_>, message: &str) -> PyErr {
    let class = || call_method(py.import("arrowfeed._errors")?.as_any(), "ArrowfeedError", (message,));
    class().map_or_else(|failure| failure, PyErr::from_value)
}

/// The exception for an invalid representation, with the column as `field`.
pub(crate) fn representation_error(py: Python<'_>, error: &RepresentationError) -> PyErr {
    of_tensor(py, "RepresentationError", error.to_string(), (error.tensor(), error.column(), None))
}

/// The exception for an invalid representation of a tensor that the error does not name.
pub(crate) fn unnamed_representation_error(
    py: Python<'_>,
    tensor: &str,
    error: &RepresentationError,
) -> PyErr {
    let message = format!("tensor {tensor:?}: {error}");
    of_tensor(py, "RepresentationError", message, (Some(tensor), error.column(), None))
}

/// The exception for a batch that does not fit or exceeds a limit, with the column as `field` and the row of the batch as
/// `record`.
pub(crate) fn conversion_error(py: Python<'_>, error: &ConversionError) -> PyErr {
    let place = (error.tensor(), error.column(), error.row());
    match error.limit() {
        None => of_tensor(py, "ConversionError", error.to_string(), place),
        Some(limit) => {
            let raised = of_tensor(py, "LimitError", error.to_string(), place);
            match raised.value(py).setattr("limit", limit) {
                Ok(()) => raised,
                Err(failure) => failure,
            }
        }
    }
}

/// The exception for values that do not fit into a numpy array.
pub(crate) fn array_error(py: Python<'_>, tensor: Option<&str>, found: &str) -> PyErr {
    let place = tensor.map(|name| format!("tensor {name:?}: ")).unwrap_or_default();
    let message = format!("{place}expected values that fit in a numpy array, found {found}");
    of_tensor(py, "ConversionError", message, (tensor, None, None))
}

/// The exception for invalid data of another library, with the column as `field`.
pub(crate) fn invalid_arrow(py: Python<'_>, error: &Invalid) -> PyErr {
    of_tensor(py, "ConversionError", error.to_string(), (None, error.field(), None))
}

type TensorPlace<'a> = (Option<&'a str>, Option<&'a str>, Option<usize>);

fn of_tensor(
    py: Python<'_>,
    class: &str,
    message: String,
    (tensor, field, record): TensorPlace<'_>,
) -> PyErr {
    let made = || {
        let attributes = PyDict::new(py);
        attributes.set_item("tensor", tensor)?;
        attributes.set_item("field", field)?;
        attributes.set_item("record", record)?;
        call_with(&py.import("arrowfeed._errors")?.getattr(class)?, (message,), Some(&attributes))
    };
    made().map_or_else(|failure| failure, PyErr::from_value)
}

/// The exception for an error of a dataset.
pub(crate) fn dataset_error(py: Python<'_>, error: DatasetError) -> PyErr {
    match error {
        DatasetError::Feed(error) => to_python(py, error),
        DatasetError::Representation(error) => representation_error(py, &error),
        DatasetError::Conversion(error) => conversion_error(py, &error),
        DatasetError::State(error) if error.kind() == StateErrorKind::Files => {
            to_python(py, FeedError::new(FeedErrorKind::Changed, error.to_string()))
        }
        error @ DatasetError::RowNumber { .. } => PyIndexError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

fn raised_by_python(error: &io::Error) -> Option<&Raised> {
    error.get_ref()?.downcast_ref()
}

/// An exception of Python code, with its text: a thread that is not attached may read the text and drop the exception.
#[derive(Debug)]
struct Raised {
    exception: Object,
    text: String,
}

const STOPPED: &str = "Python code that arrowfeed called raised StopIteration";

/// An error with the text in place of `StopIteration`, as a generator raises one (PEP 479): an iterator that raised it
/// would end as if it were complete. Other exceptions are returned unchanged.
pub(crate) fn without_end(py: Python<'_>, error: PyErr, text: &'static str) -> PyErr {
    if !error.is_instance_of::<PyStopIteration>(py) {
        return error;
    }
    let raised = PyRuntimeError::new_err(text);
    raised.set_cause(py, Some(error));
    raised
}

/// Wraps an exception of Python code, for code without the interpreter. [`to_python`] returns the exception.
pub(crate) fn io_error(py: Python<'_>, error: PyErr) -> io::Error {
    let error = without_end(py, error, STOPPED);
    let text = error.to_string();
    io::Error::other(Raised { exception: Object::new(error.into_value(py).into_any()), text })
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Raised {}

fn class_name(kind: FeedErrorKind) -> &'static str {
    match kind {
        FeedErrorKind::Format => "FormatError",
        FeedErrorKind::Truncated => "TruncatedError",
        FeedErrorKind::CorruptBlock => "CorruptBlockError",
        FeedErrorKind::Codec => "CodecError",
        FeedErrorKind::Schema => "SchemaError",
        FeedErrorKind::Options => "OptionError",
        FeedErrorKind::Conversion => "ConversionError",
        FeedErrorKind::Limit => "LimitError",
        FeedErrorKind::Changed => "ChangedError",
        FeedErrorKind::Internal => "InternalError",
        _ => "ArrowfeedError",
    }
}

fn located(py: Python<'_>, class: &str, error: &FeedError) -> PyResult<PyErr> {
    let location = error.location();
    let attributes = PyDict::new(py);
    attributes.set_item("path", &location.path)?;
    attributes.set_item("block", location.block)?;
    attributes.set_item("record", location.record)?;
    attributes.set_item("offset", location.offset)?;
    attributes.set_item("field", &location.field)?;
    attributes.set_item("limit", error.limit())?;
    attributes.set_item("reason", printable(error.message()))?;
    let class = py.import("arrowfeed._errors")?.getattr(class)?;
    Ok(PyErr::from_value(call_with(&class, (error.to_string(),), Some(&attributes))?))
}

/// Whether an allocation failed, as opposed to a system call.
fn is_allocation(error: &FeedError) -> bool {
    error.is_out_of_memory() && error.io_error().is_some_and(|error| error.raw_os_error().is_none())
}

/// Creates `OSError(errno, text, filename)`. Python selects subclasses such as `FileNotFoundError` by the number.
fn os_error(py: Python<'_>, error: &FeedError) -> PyErr {
    let number = |source: &io::Error| source.raw_os_error().or_else(|| number_of(py, source.kind()));
    let Some(number) = error.io_error().and_then(number) else {
        return PyOSError::new_err(error.to_string());
    };
    let text = match error.io_error().and_then(io::Error::get_ref) {
        // An arrowfeed message, which is more specific than that of the system.
        Some(_) => Ok(error.message().to_owned()),
        None => py.import("os").and_then(|os| os.call_method1("strerror", (number,))?.extract()),
    };
    match text {
        Ok(text) => PyOSError::new_err((number, text, error.location().path.clone())),
        Err(failure) => failure,
    }
}

/// The system error number for errors that have only a kind.
fn number_of(py: Python<'_>, kind: io::ErrorKind) -> Option<i32> {
    let name = match kind {
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::IsADirectory => "EISDIR",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        io::ErrorKind::InvalidInput => "EINVAL",
        io::ErrorKind::OutOfMemory => "ENOMEM",
        _ => return None,
    };
    py.import("errno").ok()?.getattr(name).ok()?.extract().ok()
}
