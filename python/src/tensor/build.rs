//! Construction of tensors from numpy arrays, lists and model results, which are copied.

use std::sync::Arc;

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, LargeBinaryArray, make_array};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrowfeed::tensor::{self, DType, RowSplits, Values};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::memory::dtype_argument;
use crate::argument::{items, wrong_type};
use crate::errors::conversion_error;
use crate::once::imported;

/// Creates a dense tensor from an object that numpy converts to an array.
pub(super) fn dense(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<tensor::DenseTensor> {
    let array = as_array(value, None)?;
    let dtype = match array.getattr("dtype")?.getattr("kind")?.extract::<char>()? {
        'S' | 'U' => DType::Bytes,
        _ => dtype_argument(&array.getattr("dtype")?)?,
    };
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let array = if dtype == DType::Bytes { strings(argument, &array)? } else { numbers(&array, dtype)? };
    let made = Values::try_new(array).and_then(|values| tensor::DenseTensor::try_new(values, shape));
    made.map_err(|error| conversion_error(value.py(), &error))
}

/// Parses coordinates `[values, rank]`.
pub(super) fn indices(value: &Bound<'_, PyAny>, values: usize, rank: usize) -> PyResult<ScalarBuffer<i64>> {
    let array = as_array(value, Some("int64"))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape != [values, rank] {
        let message = format!("indices: expected the shape [{values}, {rank}], found {shape:?}");
        return Err(PyValueError::new_err(message));
    }
    int64(value.py(), &array)
}

/// Parses row splits from the outside in: int32 if an array has this type, otherwise int64.
pub(super) fn row_splits(value: &Bound<'_, PyAny>) -> PyResult<Vec<RowSplits>> {
    let expected = "a list or tuple of arrays of integers";
    let levels = items(value).ok_or_else(|| wrong_type("row_splits", expected, value))?;
    levels.iter().map(splits).collect()
}

fn splits(value: &Bound<'_, PyAny>) -> PyResult<RowSplits> {
    let py = value.py();
    let array = as_array(value, None)?;
    let splits = if array.getattr("dtype")?.getattr("name")?.eq("int32")? {
        let made = Values::try_new(numbers(&array, DType::Int32)?);
        made.and_then(|values| {
            RowSplits::from_i32(values.as_primitive::<Int32Type>().cloned().unwrap_or_default())
        })
    } else {
        RowSplits::from_i64(int64(py, &as_array(value, Some("int64"))?)?)
    };
    splits.map_err(|error| conversion_error(py, &error))
}

fn int64(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<ScalarBuffer<i64>> {
    let values =
        Values::try_new(numbers(array, DType::Int64)?).map_err(|error| conversion_error(py, &error))?;
    Ok(values.as_primitive::<Int64Type>().cloned().unwrap_or_default())
}

/// Converts a value to a row-major numpy array in native byte order.
fn as_array<'py>(value: &Bound<'py, PyAny>, dtype: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", dtype)?;
    let array = imported(&AS_ARRAY, py, "numpy", "asarray")?.call((value,), Some(&keywords))?;
    let native = array.getattr("dtype")?.call_method1("newbyteorder", ("=",))?;
    array.call_method1("astype", (native, "C"))
}

fn numbers(array: &Bound<'_, PyAny>, dtype: DType) -> PyResult<ArrayRef> {
    let bytes = array.call_method0("tobytes")?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    if matches!(dtype, DType::Bool | DType::Bytes) {
        return Ok(Arc::new(BooleanArray::from_iter(bytes.iter().map(|byte| Some(*byte != 0)))));
    }
    let length = bytes.len() / dtype.size().unwrap_or(1);
    let data = ArrayData::builder(dtype.arrow_type()).len(length).add_buffer(Buffer::from(bytes)).build();
    Ok(make_array(data.map_err(|error| PyValueError::new_err(error.to_string()))?))
}

fn strings(argument: &str, array: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let list = array.call_method0("ravel")?.call_method0("tolist")?;
    let mut values: Vec<Vec<u8>> = Vec::new();
    for item in list.cast::<PyList>()? {
        if let Ok(text) = item.cast::<PyString>() {
            values.push(text.to_str()?.as_bytes().to_vec());
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            values.push(bytes.as_bytes().to_vec());
        } else {
            return Err(wrong_type(argument, "numbers, bools, bytes or str", &item));
        }
    }
    Ok(Arc::new(LargeBinaryArray::from_iter_values(values)))
}
