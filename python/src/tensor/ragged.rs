//! `arrowfeed.RaggedTensor`.

use arrowfeed::tensor;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::build;
use super::dense::DenseTensor;
use super::memory::numpy_dtype;
use crate::array::Array;
use crate::arrow_schema::counted;
use crate::errors::conversion_error;

/// Flat values and the row splits over them.
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct RaggedTensor {
    pub(super) tensor: tensor::RaggedTensor,
    flat_values: DenseTensor,
    row_splits: Vec<DenseTensor>,
}

impl RaggedTensor {
    pub(super) fn new(py: Python<'_>, tensor: tensor::RaggedTensor, name: Option<&str>) -> PyResult<Self> {
        let flat_values = DenseTensor::new(tensor.flat_values().clone()).named(name);
        let row_splits = tensor.row_splits().iter().map(|splits| DenseTensor::row_splits(py, splits));
        Ok(Self { row_splits: row_splits.collect::<PyResult<_>>()?, flat_values, tensor })
    }
}

/// Row splits as arrays.
pub(super) fn arrays<'py>(py: Python<'py>, splits: &[DenseTensor]) -> PyResult<Bound<'py, PyTuple>> {
    let arrays = splits.iter().map(|splits| splits.array(py));
    PyTuple::new(py, arrays.collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl RaggedTensor {
    #[new]
    #[pyo3(signature = (flat_values, row_splits))]
    fn of_parts(flat_values: &Bound<'_, PyAny>, row_splits: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = flat_values.py();
        let splits = build::row_splits(row_splits)?;
        let tensor = tensor::RaggedTensor::try_new(build::dense("flat_values", flat_values)?, splits);
        Self::new(py, tensor.map_err(|error| conversion_error(py, &error))?, None)
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((self.flat_values(py)?, self.row_splits(py)?))
    }

    #[getter]
    fn flat_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.flat_values.array(py)
    }

    #[getter]
    fn row_splits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        arrays(py, &self.row_splits)
    }

    #[getter]
    fn ragged_rank(&self) -> usize {
        self.row_splits.len()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy_dtype(py, self.tensor.flat_values().values().dtype())
    }

    #[getter]
    fn arrow(&self) -> Array {
        self.flat_values.arrow_array()
    }

    /// Flat values and row splits as dense tensors, which can be handed on.
    fn parts(&self, py: Python<'_>) -> PyResult<(Py<DenseTensor>, Vec<Py<DenseTensor>>)> {
        let row_splits = self.row_splits.iter().map(|splits| splits.object(py));
        Ok((self.flat_values.object(py)?, row_splits.collect::<PyResult<_>>()?))
    }

    /// Nested lists of Python's own objects.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut items: Bound<'py, PyList> = self.flat_values(py)?.call_method0("tolist")?.cast_into()?;
        for splits in self.tensor.row_splits().iter().rev() {
            let rows = (0..splits.rows()).filter_map(|row| splits.range(row));
            items = PyList::new(py, rows.map(|row| items.get_slice(row.start, row.end)).collect::<Vec<_>>())?;
        }
        Ok(items)
    }

    fn __len__(&self) -> usize {
        self.tensor.rows()
    }

    fn __repr__(&self) -> String {
        let flat = self.tensor.flat_values();
        let ragged = self.row_splits.iter().map(|_| "?".to_owned());
        let inner = flat.shape().iter().skip(1).map(ToString::to_string);
        let shape: Vec<String> =
            std::iter::once(self.tensor.rows().to_string()).chain(ragged).chain(inner).collect();
        let (dtype, values) = (flat.values().dtype(), counted(flat.values().len(), "value"));
        format!("<arrowfeed.RaggedTensor {dtype} [{}], {values}>", shape.join(", "))
    }
}
