//! `arrowfeed.StructuredTensor`.

use arrowfeed::tensor;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::dense::DenseTensor;
use super::ragged::arrays;
use super::wrapped;
use crate::arrow_schema::counted;

/// Tensors by name, all of them with the same rows.
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct StructuredTensor {
    pub(super) tensor: tensor::StructuredTensor,
    fields: Vec<(String, Py<PyAny>)>,
    row_splits: Vec<Py<DenseTensor>>,
}

impl StructuredTensor {
    pub(super) fn new(py: Python<'_>, tensor: tensor::StructuredTensor) -> PyResult<Self> {
        let fields = tensor.fields().iter();
        let fields = fields.map(|(name, field)| Ok((name.clone(), wrapped(py, field.clone())?)));
        let fields = fields.collect::<PyResult<_>>()?;
        let row_splits = tensor.row_splits().iter().map(|splits| DenseTensor::row_splits(py, splits));
        Ok(Self { fields, row_splits: row_splits.collect::<PyResult<_>>()?, tensor })
    }
}

#[pymethods]
impl StructuredTensor {
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for (name, tensor) in &self.fields {
            fields.set_item(name, tensor)?;
        }
        Ok(fields)
    }

    #[getter]
    fn row_splits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        arrays(py, &self.row_splits)
    }

    fn __len__(&self) -> usize {
        self.tensor.rows()
    }

    fn __repr__(&self) -> String {
        let rows = counted(self.tensor.rows(), "row");
        let names: Vec<&str> = self.fields.iter().map(|(name, _)| name.as_str()).collect();
        format!("<arrowfeed.StructuredTensor of {rows}, fields {}>", names.join(", "))
    }
}
