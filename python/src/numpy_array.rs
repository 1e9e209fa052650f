//! Conversion of Arrow arrays to numpy arrays, for `numpy.asarray`.
//!
//! | Arrow | numpy |
//! |---|---|
//! | integers, floats | the same type over the same memory; a null float is NaN |
//! | Boolean | bool |
//! | Date32, Date64, Timestamp, Duration | datetime64 or timedelta64; a null is NaT |
//! | Utf8, Binary (also large and view types), FixedSizeBinary | objects: `str` or `bytes` |
//! | integers and Boolean with nulls | objects: a null is `None`, so that no integer is rounded |
//! | Dictionary | the values |
//! | all others | objects, as `pyarrow.Array.to_pylist` converts them |

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, PrimitiveArray};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::cast::cast_to;
use crate::signals::check_at;
use crate::tensor;

type F16 = <Float16Type as ArrowPrimitiveType>::Native;

/// The integer that numpy reads as NaT.
const NOT_A_TIME: i64 = i64::MIN;

/// Converts the values of an array for numpy's `__array__` protocol.
///
/// `column` creates the pyarrow column, for types that only pyarrow converts.
pub(crate) fn to_numpy<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    column: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let has_nulls = array.null_count() > 0;
    match array.data_type() {
        DataType::Float16 if has_nulls => with_nan::<Float16Type>(py, array, F16::NAN),
        DataType::Float32 if has_nulls => with_nan::<Float32Type>(py, array, f32::NAN),
        DataType::Float64 if has_nulls => with_nan::<Float64Type>(py, array, f64::NAN),
        kind if (kind.is_numeric() && !is_decimal(kind) || *kind == DataType::Boolean) && !has_nulls => {
            tensor::numbers(py, array)
        }
        DataType::Date32 => times(py, array, "datetime64[D]"),
        DataType::Date64 => times(py, array, "datetime64[ms]"),
        DataType::Timestamp(unit, _) => times(py, array, &format!("datetime64[{}]", letters(*unit))),
        DataType::Duration(unit) => times(py, array, &format!("timedelta64[{}]", letters(*unit))),
        DataType::Dictionary(_, values) => {
            let values = cast_to(array, values).map_err(|error| not_converted(&error))?;
            to_numpy(py, &values, column)
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let texts = cast_to(array, &DataType::LargeUtf8).map_err(|error| not_converted(&error))?;
            objects(py, texts.as_string::<i64>().iter().map(|text| text.map(|text| PyString::new(py, text))))
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            let bytes = cast_to(array, &DataType::LargeBinary).map_err(|error| not_converted(&error))?;
            objects(
                py,
                bytes.as_binary::<i64>().iter().map(|bytes| bytes.map(|bytes| PyBytes::new(py, bytes))),
            )
        }
        DataType::Boolean => objects(py, array.as_boolean().iter()),
        DataType::UInt64 => objects(py, array.as_primitive::<arrow_array::types::UInt64Type>().iter()),
        kind if kind.is_integer() => {
            let integers = cast_to(array, &DataType::Int64).map_err(|error| not_converted(&error))?;
            objects(py, integers.as_primitive::<Int64Type>().iter())
        }
        _ => of_list(column()?.call_method0("to_pylist")?),
    }
}

/// Applies the arguments `dtype` and `copy` of `numpy.asarray` to the values.
pub(crate) fn as_requested<'py>(
    values: Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let other = match dtype {
        Some(dtype) => {
            let dtype = values.py().import("numpy")?.getattr("dtype")?.call1((dtype,))?;
            Some(dtype).filter(|dtype| values.getattr("dtype").is_ok_and(|own| own.ne(dtype).unwrap_or(true)))
        }
        None => None,
    };
    match (other, copy) {
        (Some(dtype), Some(false)) => {
            Err(PyValueError::new_err(format!("expected a copy, which {dtype} needs, found copy=False")))
        }
        (Some(dtype), _) => values.call_method1("astype", (dtype,)),
        (None, Some(true)) => values.call_method0("copy"),
        (None, _) => Ok(values),
    }
}

fn is_decimal(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    )
}

fn with_nan<'py, T: ArrowPrimitiveType>(
    py: Python<'py>,
    array: &ArrayRef,
    nan: T::Native,
) -> PyResult<Bound<'py, PyAny>> {
    let values = array.as_primitive::<T>().iter().map(|value| value.unwrap_or(nan));
    let values: ArrayRef = Arc::new(PrimitiveArray::<T>::from_iter_values(values));
    tensor::numbers(py, &values)
}

fn times<'py>(py: Python<'py>, array: &ArrayRef, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let numbers = cast_to(array, &DataType::Int64).map_err(|error| not_converted(&error))?;
    let numbers = match numbers.null_count() {
        0 => numbers,
        _ => {
            let numbers =
                numbers.as_primitive::<Int64Type>().iter().map(|number| number.unwrap_or(NOT_A_TIME));
            Arc::new(Int64Array::from_iter_values(numbers))
        }
    };
    tensor::numbers(py, &numbers)?.call_method1("view", (dtype,))
}

fn letters(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

fn objects<'py, V: IntoPyObjectExt<'py>>(
    py: Python<'py>,
    values: impl Iterator<Item = Option<V>>,
) -> PyResult<Bound<'py, PyAny>> {
    let list = PyList::empty(py);
    for (row, value) in values.enumerate() {
        check_at(py, row)?;
        list.append(value.map(|value| value.into_bound_py_any(py)).transpose()?)?;
    }
    of_list(list.into_any())
}

/// Creates a numpy array with one element for each item, even if the items are lists.
fn of_list(list: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let keywords = PyDict::new(list.py());
    keywords.set_item("dtype", "object")?;
    keywords.set_item("count", list.len()?)?;
    list.py().import("numpy")?.getattr("fromiter")?.call((list,), Some(&keywords))
}

fn not_converted(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The error of `numpy.asarray` for objects that have columns of several types. pandas passes it on.
pub(crate) fn is_no_array(class: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "a {class} has columns of several types and is not an array: use to_pandas(), to_polars() or to_pyarrow()"
    ))
}
