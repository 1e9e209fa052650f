//! Names of tensors, as dict keys that Python hashes once and as text for messages.

use std::sync::Arc;

use arrowfeed::tensor::{TensorSpec, Tensors};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::structured::wrapped;

/// The names of the tensors of an adapter, in order.
#[derive(Debug)]
pub(crate) struct TensorNames(Vec<(Py<PyString>, Arc<str>)>);

impl TensorNames {
    pub(crate) fn new(py: Python<'_>, specs: &[(String, TensorSpec)]) -> Self {
        let names = specs.iter().map(|(name, _)| name.as_str());
        Self(names.map(|name| (PyString::new(py, name).unbind(), name.into())).collect())
    }

    /// The names as text.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.0.iter().map(|(_, name)| &**name).collect()
    }

    /// Converts all tensors to a dict.
    pub(crate) fn dict<'py>(&self, py: Python<'py>, tensors: Tensors) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for ((_, tensor), (key, name)) in tensors.into_iter().zip(&self.0) {
            named.set_item(key, wrapped(py, tensor, name)?)?;
        }
        Ok(named)
    }
}

/// Converts some tensors to a dict.
pub(super) fn dict_of_some(py: Python<'_>, tensors: Tensors) -> PyResult<Bound<'_, PyDict>> {
    let named = PyDict::new(py);
    for (name, tensor) in tensors {
        named.set_item(&name, wrapped(py, tensor, &name.as_str().into())?)?;
    }
    Ok(named)
}
