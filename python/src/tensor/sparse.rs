//! `arrowfeed.SparseTensor`.

use std::sync::Arc;

use arrowfeed::tensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use super::build;
use super::dense::DenseTensor;
use super::html;
use super::memory::numpy_dtype;
use super::view;
use crate::argument::{each, integer};
use crate::array::Array;
use crate::errors::conversion_error;
use crate::libraries::needed;
use crate::once::made_once;

#[doc = docs!(SparseTensor)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct SparseTensor {
    pub(super) tensor: tensor::SparseTensor,
    /// The numpy array, created on first use.
    indices: PyOnceLock<Py<PyAny>>,
    values: DenseTensor,
}

impl SparseTensor {
    pub(super) fn new(
        py: Python<'_>,
        tensor: tensor::SparseTensor,
        name: Option<&Arc<str>>,
    ) -> PyResult<Self> {
        let values = DenseTensor::flat(py, tensor.values(), name)?;
        Ok(Self { tensor, indices: PyOnceLock::new(), values })
    }

    fn indices_shape(&self) -> [usize; 2] {
        [self.tensor.values().len(), self.tensor.rank()]
    }
}

#[pymethods]
impl SparseTensor {
    #[new]
    #[pyo3(signature = (indices, values, dense_shape))]
    fn of_parts(
        indices: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        dense_shape: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let py = values.py();
        let sizes = each("dense_shape", "a list or tuple of sizes (int)", dense_shape)?;
        let sizes =
            sizes.iter().map(|size| integer("dense_shape", 0, size)).collect::<PyResult<Vec<i64>>>()?;
        let values = DenseTensor::given("values", values)?;
        if values.shape().len() != 1 {
            let message = format!("values: expected one dimension, found the shape {:?}", values.shape());
            return Err(PyValueError::new_err(message));
        }
        let indices = build::indices(indices, values.values().len(), sizes.len())?;
        let tensor = tensor::SparseTensor::try_new(indices, values.values().clone(), sizes);
        Self::new(py, tensor.map_err(|error| conversion_error(py, &error))?, None)
    }

    fn __getnewargs__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((self.indices(py)?, self.values(py)?, self.dense_shape(py)?))
    }

    #[doc = docs!(SparseTensor.indices)]
    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = || view::int64(py, self.tensor.indices(), &self.indices_shape()).map(Bound::unbind);
        Ok(made_once(&self.indices, py, made)?.bind(py).clone())
    }

    #[doc = docs!(SparseTensor.values)]
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.values.array(py)
    }

    #[doc = docs!(SparseTensor.dense_shape)]
    #[getter]
    fn dense_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor.dense_shape())
    }

    #[doc = docs!(SparseTensor.dtype)]
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy_dtype(py, self.tensor.values().dtype())
    }

    #[doc = docs!(SparseTensor.arrow)]
    #[getter]
    fn arrow(&self) -> Array {
        self.values.arrow_array()
    }

    #[doc = docs!(SparseTensor.parts)]
    fn parts(&self, py: Python<'_>) -> PyResult<(Py<DenseTensor>, Py<DenseTensor>)> {
        let indices = DenseTensor::int64(py, self.tensor.indices(), self.indices_shape().to_vec())?;
        Ok((Py::new(py, indices)?, self.values.object(py)?))
    }

    #[doc = docs!(SparseTensor.to_scipy)]
    fn to_scipy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.tensor.rank() != 2 {
            let message =
                format!("expected a sparse tensor of rank 2 for scipy, found {}", self.tensor.rank());
            return Err(PyValueError::new_err(message));
        }
        if self.tensor.values().dtype() == tensor::DType::Bytes {
            let message = "expected numbers or bools for scipy, found byte strings";
            return Err(PyTypeError::new_err(message));
        }
        let coordinates = self.indices(py)?.getattr("T")?;
        let coordinates = (coordinates.get_item(0)?, coordinates.get_item(1)?);
        let keywords = PyDict::new(py);
        keywords.set_item("shape", self.dense_shape(py)?)?;
        let class = needed(py, "scipy.sparse", "for to_scipy()")?.getattr("coo_array")?;
        class.call(((self.values(py)?, coordinates),), Some(&keywords))
    }

    fn __repr__(&self) -> String {
        let (values, shape) = (self.tensor.values(), self.tensor.dense_shape());
        format!("<arrowfeed.SparseTensor {} {shape:?}, {} stored>", values.dtype(), values.len())
    }

    fn _repr_html_(&self) -> String {
        html::sparse(&self.tensor)
    }
}
