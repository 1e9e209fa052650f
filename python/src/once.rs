//! Python objects that are made once, on first use.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The value of a cell, which `make` gives if there is none. If two threads make it, the first to finish sets it.
///
/// `make` runs before the cell is locked, unlike in `get_or_try_init`: it may run Python code, another thread may fork
/// meanwhile, and the child would wait for ever for a value that no thread makes.
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

/// The attribute of a module, imported on first use.
pub(crate) fn imported<'py>(
    cell: &PyOnceLock<Py<PyAny>>,
    py: Python<'py>,
    module: &str,
    attribute: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let import = || Ok(py.import(module)?.getattr(attribute)?.unbind());
    Ok(made_once(cell, py, import)?.bind(py).clone())
}
