//! `arrowfeed.DenseTensor`.

#![expect(
    clippy::disallowed_types,
    reason = "booleans that were expanded from bits to bytes; set only while the GIL is held"
)]

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::Field;
use arrowfeed::tensor::{self, DType, RowSplits, Values};
use pyo3::exceptions::{PyBufferError, PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};

use super::build;
use super::dlpack::{self, Request};
use super::html;
use super::memory::{Memory, numpy_dtype};
use super::strings;
use super::view::view;
use crate::array::Array;
use crate::errors::{array_error, conversion_error};
use crate::once::made_once;

#[doc = docs!(DenseTensor)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct DenseTensor {
    pub(super) tensor: tensor::DenseTensor,
    /// Bools as bytes, created on first use, because Arrow stores bits.
    bools: OnceLock<Buffer>,
    /// The numpy array, created on first use.
    numpy: PyOnceLock<Py<PyAny>>,
    /// Name for messages. Tensors of an adapter have one.
    name: Option<Arc<str>>,
}

impl DenseTensor {
    pub(super) fn new(tensor: tensor::DenseTensor) -> Self {
        Self { tensor, bools: OnceLock::new(), numpy: PyOnceLock::new(), name: None }
    }

    /// Sets the name for messages.
    /// The tensor of an argument: a tensor of this class, or an object that numpy converts to an array.
    pub(super) fn given(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<tensor::DenseTensor> {
        match value.cast::<Self>() {
            Ok(tensor) => Ok(tensor.get().tensor.clone()),
            Err(_) => build::dense(argument, value),
        }
    }

    pub(super) fn named(mut self, name: Option<&Arc<str>>) -> Self {
        self.name = name.cloned();
        self
    }

    /// Creates a tensor of one dimension.
    pub(super) fn flat(py: Python<'_>, values: &Values, name: Option<&Arc<str>>) -> PyResult<Self> {
        let tensor = tensor::DenseTensor::try_new(values.clone(), vec![values.len()]);
        Ok(Self::new(tensor.map_err(|error| conversion_error(py, &error))?).named(name))
    }

    /// Creates a tensor of 64-bit integers.
    pub(super) fn int64(py: Python<'_>, numbers: &ScalarBuffer<i64>, shape: Vec<usize>) -> PyResult<Self> {
        Self::integers(py, Arc::new(arrow_array::Int64Array::new(numbers.clone(), None)), shape)
    }

    /// Creates a tensor of row splits with their integer width.
    pub(super) fn row_splits(py: Python<'_>, splits: &RowSplits) -> PyResult<Self> {
        let array: ArrayRef = match (splits.as_i32(), splits.as_i64()) {
            (Some(splits), _) => Arc::new(arrow_array::Int32Array::new(splits.clone(), None)),
            (None, splits) => {
                Arc::new(arrow_array::Int64Array::new(splits.cloned().unwrap_or_default(), None))
            }
        };
        let shape = vec![array.len()];
        Self::integers(py, array, shape)
    }

    fn integers(py: Python<'_>, array: ArrayRef, shape: Vec<usize>) -> PyResult<Self> {
        let tensor = Values::try_new(array).and_then(|values| tensor::DenseTensor::try_new(values, shape));
        tensor.map(Self::new).map_err(|error| conversion_error(py, &error))
    }

    /// Creates a new Python object of the same tensor, which shares the arrays created so far.
    pub(super) fn object(&self, py: Python<'_>) -> PyResult<Py<Self>> {
        let numpy = PyOnceLock::new();
        if let Some(array) = self.numpy.get(py) {
            // The lock is new and empty, so `set` succeeds.
            let _ = numpy.set(py, array.clone_ref(py));
        }
        let (tensor, bools, name) = (self.tensor.clone(), self.bools.clone(), self.name.clone());
        Py::new(py, Self { tensor, bools, numpy, name })
    }

    /// The values as memory; `None` for byte strings.
    fn memory(&self, py: Python<'_>) -> PyResult<Option<Memory>> {
        let (dtype, shape) = (self.tensor.values().dtype(), self.tensor.shape().to_vec());
        Ok(self.buffer(py)?.map(|buffer| Memory { buffer, dtype, shape }))
    }

    fn buffer(&self, py: Python<'_>) -> PyResult<Option<Buffer>> {
        let values = self.tensor.values();
        Ok(match (values.array().as_boolean_opt(), self.bools.get()) {
            (None, _) => values.buffer(),
            (Some(_), Some(bools)) => Some(bools.clone()),
            (Some(bits), None) => {
                let mut bytes: Vec<u8> = Vec::new();
                bytes.try_reserve_exact(bits.len()).map_err(|error| self.impossible(py, &error))?;
                bytes.extend(bits.values().iter().map(u8::from));
                Some(self.bools.get_or_init(|| bytes.into()).clone())
            }
        })
    }

    /// The error if the values do not fit into memory or a numpy array.
    #[cold]
    fn impossible(&self, py: Python<'_>, reason: &dyn Display) -> PyErr {
        let (dtype, shape) = (self.tensor.values().dtype(), self.tensor.shape());
        array_error(py, self.name.as_deref(), &format!("{dtype} {shape:?}: {reason}"))
    }

    /// Whether the Arrow buffer has the layout of the tensor.
    fn is_view(&self) -> bool {
        !matches!(self.tensor.values().dtype(), DType::Bool | DType::Bytes)
    }

    /// Returns the values as a read-only array.
    pub(super) fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = made_once(&self.numpy, py, || {
            let array = match self.buffer(py)? {
                Some(buffer) => view(py, buffer, self.tensor.values().dtype(), self.tensor.shape()),
                None => {
                    let array = self.tensor.values().array();
                    strings::room(array).map_err(|error| self.impossible(py, &error))?;
                    strings::objects(py, array, self.tensor.shape())
                }
            };
            // The shape may have more dimensions than numpy supports, or be too large with a dimension of 0.
            let array = array.map_err(|error| match error.is_instance_of::<PyException>(py) {
                true => self.impossible(py, &error.value(py)),
                false => error,
            });
            array.map(Bound::unbind)
        });
        Ok(array?.bind(py).clone())
    }

    /// Returns the values as an Arrow array, without creating objects for byte strings.
    pub(super) fn arrow_array(&self) -> Array {
        let array = self.tensor.values().array().clone();
        let field = Arc::new(Field::new("values", array.data_type().clone(), false));
        Array { array, field }
    }
}

#[pymethods]
impl DenseTensor {
    #[new]
    #[pyo3(signature = (values))]
    fn of_values(values: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::given("values", values).map(Self::new)
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>,)> {
        Ok((self.array(py)?,))
    }

    #[doc = docs!(DenseTensor.values)]
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py)
    }

    #[doc = docs!(DenseTensor.shape)]
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor.shape())
    }

    #[doc = docs!(DenseTensor.dtype)]
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy_dtype(py, self.tensor.values().dtype())
    }

    #[doc = docs!(DenseTensor.arrow)]
    #[getter]
    fn arrow(&self) -> Array {
        self.arrow_array()
    }

    #[doc = docs!(DenseTensor.numpy)]
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py)
    }

    #[doc = docs!(DenseTensor.aligned)]
    fn aligned(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let py = slf.py();
        let this = slf.get();
        let Some(memory) = this.memory(py)? else {
            let message = "expected numbers or bools to align, found byte strings";
            return Err(PyTypeError::new_err(message));
        };
        if memory.is_aligned() {
            return Ok(slf);
        }
        let copy = py.detach(|| memory.copy()).map_err(|error| this.impossible(py, &error))?.buffer;
        if this.tensor.values().dtype() == DType::Bool {
            let aligned = Self::new(this.tensor.clone());
            // The lock is new and empty, so `set` succeeds.
            let _ = aligned.bools.set(copy);
            return Bound::new(py, aligned);
        }
        let data = this.tensor.values().array().to_data();
        let array = data.into_builder().offset(0).buffers(vec![copy]).nulls(None).build();
        let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let shape = this.tensor.shape().to_vec();
        Bound::new(py, Self::integers(py, arrow_array::make_array(array), shape)?)
    }

    #[doc = docs!(DenseTensor.__array__)]
    #[pyo3(signature = (dtype=None, *, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        let same = match dtype {
            Some(dtype) => numpy_dtype(py, self.tensor.values().dtype())?.eq(dtype)?,
            None => true,
        };
        match copy {
            Some(false) if !same || !self.is_view() => {
                let found = self.tensor.values().dtype();
                let message =
                    format!("expected values that need no copy, found {found}, which must be converted");
                Err(PyValueError::new_err(message))
            }
            Some(true) if same => array.call_method0("copy"),
            _ if same => Ok(array),
            _ => array.call_method1("astype", (dtype,)),
        }
    }

    #[doc = docs!(DenseTensor.__dlpack__)]
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let request = Request::new(stream, max_version, dl_device)?;
        let Some(memory) = self.memory(py)? else {
            let message = "expected numbers or bools, found byte strings, which DLPack does not have";
            return Err(PyBufferError::new_err(message));
        };
        if copy == Some(false) && !self.is_view() {
            let message =
                "expected values that need no copy, found bools, which Arrow stores as bits: use copy=None";
            return Err(PyBufferError::new_err(message));
        }
        // TensorFlow, which asks for the old form, ends the process if the memory is not aligned.
        let copied = copy.unwrap_or_else(|| !request.versioned && !memory.is_aligned());
        let memory = match copied {
            true => py.detach(|| memory.copy()).map_err(|error| self.impossible(py, &error))?,
            false => memory,
        };
        dlpack::capsule(py, memory, &request, copied)
    }

    #[doc = docs!(DenseTensor.__dlpack_device__)]
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::CPU
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.tensor.shape().first().copied();
        first.ok_or_else(|| PyTypeError::new_err("len() of a tensor without dimensions"))
    }

    #[doc = docs!(DenseTensor.joined)]
    fn joined<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (joined, between) = py.detach(|| strings::joined(self.tensor.values().array()))?;
        Some((PyBytes::new(py, &joined), PyBytes::new(py, &[between])))
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.DenseTensor {} {:?}>", self.tensor.values().dtype(), self.tensor.shape())
    }

    fn _repr_html_(&self) -> String {
        html::dense(&self.tensor)
    }
}
