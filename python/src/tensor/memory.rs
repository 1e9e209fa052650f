//! Immutable memory of numbers, which numpy views and DLPack capsules share.

use std::collections::TryReserveError;

use arrow_buffer::Buffer;
use arrowfeed::tensor::DType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::argument::wrong_value;
use crate::once::imported;

/// Alignment in bytes that TensorFlow and JAX require.
const ALIGNMENT: usize = 64;

/// An Arrow buffer with `dtype.size()` bytes for each element of the row-major shape.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) buffer: Buffer,
    pub(super) dtype: DType,
    pub(super) shape: Vec<usize>,
}

impl Memory {
    pub(super) fn address(&self) -> usize {
        self.buffer.as_ptr() as usize
    }

    pub(super) fn is_aligned(&self) -> bool {
        self.address().is_multiple_of(ALIGNMENT)
    }

    /// Copies the numbers to aligned memory.
    pub(super) fn copy(&self) -> Result<Self, TryReserveError> {
        let mut bytes: Vec<u8> = Vec::new();
        bytes.try_reserve_exact(self.buffer.len().saturating_add(ALIGNMENT))?;
        let start = (bytes.as_ptr() as usize).next_multiple_of(ALIGNMENT) - bytes.as_ptr() as usize;
        bytes.resize(start, 0);
        bytes.extend_from_slice(&self.buffer);
        let buffer = Buffer::from_vec(bytes).slice(start);
        Ok(Self { buffer, dtype: self.dtype, shape: self.shape.clone() })
    }
}

/// The numpy dtype; `object` for byte strings.
pub(super) fn numpy_dtype(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let name = if dtype == DType::Bytes { "object" } else { dtype.name() };
    imported(&CLASS, py, "numpy", "dtype")?.call1((name,))
}

/// Parses a numpy dtype or its name.
pub(super) fn dtype_argument(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let given = imported(&CLASS, value.py(), "numpy", "dtype")?.call1((value,));
    let name = given.and_then(|dtype| dtype.getattr("name")?.extract::<String>()).unwrap_or_default();
    let name = if name == "object" { DType::Bytes.name() } else { &name };
    let found = DType::ALL.into_iter().find(|dtype| dtype.name() == name);
    found.ok_or_else(|| wrong_value("dtype", "a type of numbers, bool, or object for byte strings", value))
}
