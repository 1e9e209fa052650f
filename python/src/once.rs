//! Python objects that are created once, on first use.

#![expect(
    clippy::disallowed_methods,
    reason = "objects that are created once; each is created before its cell is locked, and set only while the GIL is held"
)]

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Returns the value of a cell, and creates it with `make` if it is missing. If two threads create it, the first to finish
/// sets it.
///
/// Unlike in `get_or_try_init`, `make` runs before the cell is locked. It may run Python code, during which another thread
/// may fork; with a locked cell, the child would wait forever for a value that no thread creates.
pub(crate) fn made_once<'a, T>(
    cell: &'a PyOnceLock<T>,
    py: Python<'_>,
    make: impl FnOnce() -> PyResult<T>,
) -> PyResult<&'a T> {
    match cell.get(py) {
        Some(value) => Ok(value),
        None => {
            let value = make()?;
            Ok(cell.get_or_init(py, || value))
        }
    }
}

/// Returns an attribute of a module, which is imported on first use.
pub(crate) fn imported<'py>(
    cell: &PyOnceLock<Py<PyAny>>,
    py: Python<'py>,
    module: &str,
    attribute: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let import = || Ok(py.import(module)?.getattr(attribute)?.unbind());
    Ok(made_once(cell, py, import)?.bind(py).clone())
}
