//! Numbers in memory that nobody writes to: what numpy's views and DLPack's capsules hold on to.

use std::collections::TryReserveError;

use arrow_buffer::Buffer;
use arrowfeed::tensor::DType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::argument::wrong_value;

/// Bytes at whose multiples TensorFlow and JAX want tensors to begin.
const ALIGNMENT: usize = 64;

/// A buffer of Arrow, as numpy wants it described: the base object of the views, which keeps them alive.
///
/// The buffer has `dtype.size()` bytes for each place of the shape, which is row-major.
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    pub(super) buffer: Buffer,
    pub(super) dtype: DType,
    pub(super) shape: Vec<usize>,
}

#[pymethods]
impl Memory {
    /// The array interface of numpy, version 3: the view is read-only.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", self.type_string())?;
        interface.set_item("data", (self.address(), true))?;
        Ok(interface)
    }
}

impl Memory {
    pub(super) fn address(&self) -> usize {
        self.buffer.as_ptr() as usize
    }

    pub(super) fn is_aligned(&self) -> bool {
        self.address().is_multiple_of(ALIGNMENT)
    }

    /// The same numbers elsewhere, aligned.
    pub(super) fn copy(&self) -> Result<Self, TryReserveError> {
        let mut bytes: Vec<u8> = Vec::new();
        bytes.try_reserve_exact(self.buffer.len().saturating_add(ALIGNMENT))?;
        let start = (bytes.as_ptr() as usize).next_multiple_of(ALIGNMENT) - bytes.as_ptr() as usize;
        bytes.resize(start, 0);
        bytes.extend_from_slice(&self.buffer);
        let buffer = Buffer::from_vec(bytes).slice(start);
        Ok(Self { buffer, dtype: self.dtype, shape: self.shape.clone() })
    }

    /// A read-only array over the memory.
    pub(super) fn view<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        AS_ARRAY.import(py, "numpy", "asarray")?.call1((self.clone(),))
    }

    /// Byte order, kind and size.
    fn type_string(&self) -> String {
        let size = self.dtype.size().unwrap_or_default();
        let kind = match self.dtype {
            DType::Bool => 'b',
            dtype if dtype.is_floating() => 'f',
            DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => 'u',
            _ => 'i',
        };
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        format!("{order}{kind}{size}")
    }
}

/// numpy's type: `object` for byte strings.
pub(super) fn numpy_dtype(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let name = if dtype == DType::Bytes { "object" } else { dtype.name() };
    CLASS.import(py, "numpy", "dtype")?.call1((name,))
}

/// The type that numpy's, or a name of it, stands for.
pub(super) fn dtype_argument(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    const TYPES: [DType; 13] = [
        DType::Bool,
        DType::Int8,
        DType::Int16,
        DType::Int32,
        DType::Int64,
        DType::UInt8,
        DType::UInt16,
        DType::UInt32,
        DType::UInt64,
        DType::Float16,
        DType::Float32,
        DType::Float64,
        DType::Bytes,
    ];
    let given = CLASS.import(value.py(), "numpy", "dtype")?.call1((value,));
    let name = given.and_then(|dtype| dtype.getattr("name")?.extract::<String>()).unwrap_or_default();
    let name = if name == "object" { DType::Bytes.name() } else { &name };
    let found = TYPES.into_iter().find(|dtype| dtype.name() == name);
    found.ok_or_else(|| wrong_value("dtype", "a type of numbers, bool, or object for byte strings", value))
}
