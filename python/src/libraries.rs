//! Imports of optional Python libraries.

use pyo3::prelude::*;

use crate::shutdown::call_method;

/// Imports a library that arrowfeed does not depend on.
///
/// `purpose` is for the error, such as "for to_pandas()".
///
/// # Errors
/// The library is not installed; the message tells how to install it.
pub(crate) fn needed<'py>(py: Python<'py>, name: &str, purpose: &str) -> PyResult<Bound<'py, PyAny>> {
    call_method(py.import("arrowfeed._libraries")?.as_any(), "needed", (name, purpose))
}

/// Converts an object with a `to_pyarrow` that calls this function of pyarrow.
pub(crate) fn to_pyarrow<'py>(object: &Bound<'py, PyAny>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    needed(object.py(), "pyarrow", "for to_pyarrow()")?.call_method1(function, (object,))
}

/// Converts rows with the `to_pandas` of the pyarrow object that this function of pyarrow makes.
pub(crate) fn to_pandas<'py>(rows: &Bound<'py, PyAny>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = rows.py();
    let pyarrow = needed(py, "pyarrow", "for to_pandas()")?;
    needed(py, "pandas", "for to_pandas()")?;
    pyarrow.call_method1(function, (rows,))?.call_method0("to_pandas")
}
