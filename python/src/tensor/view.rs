//! numpy arrays over shared memory, created through numpy's C interface: `numpy.asarray` of an object with
//! `__array_interface__` takes 1.4 µs longer per array.
//!
//! Unsafe: numpy receives a raw pointer and trusts that it points to as many bytes as the shape requires. This module checks
//! the number. The memory is an immutable Arrow buffer: the array is read-only, and its base object keeps the buffer alive.
//! numpy releases the base object after the array and all arrays over it are gone.
#![expect(unsafe_code, reason = "passes a raw pointer, and the object that keeps its memory alive, to numpy")]

use std::ptr;

use arrow_buffer::{Buffer, ScalarBuffer};
use arrowfeed::tensor::{DType, RowSplits};
use numpy::npyffi::{NPY_ARRAY_CARRAY_RO, NpyTypes, get_type_object, npy_intp};
use numpy::{PY_ARRAY_API, PyArrayDescr, PyArrayDescrMethods, dtype};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The base object of a view, which keeps the memory alive.
#[pyclass(module = "arrowfeed", frozen)]
struct BufferOwner(#[expect(dead_code, reason = "owner, not read")] Buffer);

/// Creates a read-only array of this type and shape over the whole buffer.
pub(super) fn view<'py>(
    py: Python<'py>,
    buffer: Buffer,
    dtype: DType,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let places = shape.iter().try_fold(1_usize, |places, size| places.checked_mul(*size));
    if places.zip(dtype.size()).and_then(|(places, size)| places.checked_mul(size)) != Some(buffer.len()) {
        let message = format!("expected {dtype} {shape:?} in memory, found {} bytes", buffer.len());
        return Err(PyValueError::new_err(message));
    }
    let dimensions = shape.len().try_into()?;
    let descriptor = descriptor(py, dtype)?.into_dtype_ptr();
    let (data, sizes) = (buffer.as_ptr().cast_mut().cast(), shape.as_ptr().cast_mut().cast::<npy_intp>());
    let owner = Bound::new(py, BufferOwner(buffer))?;
    // SAFETY: numpy takes ownership of the descriptor, reads `dimensions` sizes of pointer width, and rejects sizes that are
    // too large for its signed integers. The number of bytes behind `data` is checked above. Without `obj`, `flags` apply to
    // the new array. The result is a new reference to an array, or null with an exception.
    let array = unsafe {
        let class = get_type_object(py, NpyTypes::PyArray_Type);
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            descriptor,
            dimensions,
            sizes,
            ptr::null_mut(),
            data,
            NPY_ARRAY_CARRAY_RO,
            ptr::null_mut(),
        );
        Bound::from_owned_ptr_or_err(py, array)?
    };
    // SAFETY: the array was created above. The call takes ownership of the reference to the base object, even if it fails.
    match unsafe { PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), owner.into_ptr()) } {
        0 => Ok(array),
        _ => Err(PyErr::fetch(py)),
    }
}

/// Creates an array of 64-bit integers.
pub(super) fn int64<'py>(
    py: Python<'py>,
    numbers: &ScalarBuffer<i64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    view(py, numbers.inner().clone(), DType::Int64, shape)
}

/// Creates an array of row splits with their integer width.
pub(super) fn row_splits<'py>(py: Python<'py>, splits: &RowSplits) -> PyResult<Bound<'py, PyAny>> {
    match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => view(py, splits.inner().clone(), DType::Int32, &[splits.len()]),
        (None, splits) => {
            let splits = splits.cloned().unwrap_or_default();
            int64(py, &splits, &[splits.len()])
        }
    }
}

fn descriptor(py: Python<'_>, of: DType) -> PyResult<Bound<'_, PyArrayDescr>> {
    Ok(match of {
        DType::Bool => dtype::<bool>(py),
        DType::Int8 => dtype::<i8>(py),
        DType::Int16 => dtype::<i16>(py),
        DType::Int32 => dtype::<i32>(py),
        DType::Int64 => dtype::<i64>(py),
        DType::UInt8 => dtype::<u8>(py),
        DType::UInt16 => dtype::<u16>(py),
        DType::UInt32 => dtype::<u32>(py),
        DType::UInt64 => dtype::<u64>(py),
        DType::Float32 => dtype::<f32>(py),
        DType::Float64 => dtype::<f64>(py),
        DType::Float16 | DType::Bytes => PyArrayDescr::new(py, of.name())?,
    })
}
