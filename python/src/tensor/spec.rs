//! `arrowfeed.TensorSpec`.

use std::hash::{DefaultHasher, Hash, Hasher};

use arrowfeed::tensor;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::memory::numpy_dtype;

/// What every tensor of a representation has in common.
#[pyclass(module = "arrowfeed", frozen, eq)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TensorSpec(pub(crate) tensor::TensorSpec);

#[pymethods]
impl TensorSpec {
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.dtype.map(|dtype| numpy_dtype(py, dtype)).transpose()
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.shape)
    }

    #[getter]
    fn ragged_rank(&self) -> usize {
        self.0.ragged_rank
    }

    #[getter]
    fn row_splits_dtype(&self) -> Option<&'static str> {
        self.0.row_splits_dtype.map(tensor::SplitsDType::name)
    }

    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for (name, spec) in &self.0.fields {
            fields.set_item(name, Self(spec.clone()))?;
        }
        Ok(fields)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.TensorSpec {}>", self.0)
    }
}
