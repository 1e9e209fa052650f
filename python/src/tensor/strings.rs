//! Byte strings for those who cannot take Arrow's.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};

/// A read-only numpy array of `bytes` objects.
pub(super) fn objects<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    static ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let list = PyList::empty(py);
    for value in values(array).into_iter().flatten() {
        list.append(PyBytes::new(py, value))?;
    }
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", "object")?;
    let objects = ARRAY.import(py, "numpy", "array")?.call((list,), Some(&keywords))?;
    objects.getattr("flags")?.setattr("writeable", false)?;
    objects.call_method1("reshape", (shape,))
}

/// The values of an array of byte strings without nulls.
fn values(array: &ArrayRef) -> Option<Box<dyn Iterator<Item = &[u8]> + '_>> {
    let length = array.len();
    Some(match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            Box::new((0..length).map(|row| array.value(row).as_bytes()))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            Box::new((0..length).map(|row| array.value(row).as_bytes()))
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            Box::new((0..length).map(|row| array.value(row).as_bytes()))
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>();
            Box::new((0..length).map(|row| array.value(row)))
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            Box::new((0..length).map(|row| array.value(row)))
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            Box::new((0..length).map(|row| array.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            Box::new((0..length).map(|row| array.value(row)))
        }
        _ => return None,
    })
}

/// The bytes of a `tensorflow.TensorProto` of strings; `None` for other arrays.
///
/// Its content is packed: the lengths as varints, then all bytes.
pub(super) fn tensor_proto(array: &ArrayRef, shape: &[usize]) -> Option<Vec<u8>> {
    const DTYPE: u8 = 1 << 3;
    const SHAPE: u8 = 2 << 3 | 2;
    const CONTENT: u8 = 4 << 3 | 2;
    const DIMENSION: u8 = 2 << 3 | 2;
    const SIZE: u8 = 1 << 3;
    const STRING: u8 = 7;

    let mut dimensions = Vec::new();
    for size in shape {
        let mut dimension = vec![SIZE];
        varint(&mut dimension, *size as u64);
        dimensions.push(DIMENSION);
        varint(&mut dimensions, dimension.len() as u64);
        dimensions.extend(dimension);
    }
    let mut lengths = Vec::new();
    let mut bytes = 0;
    for value in values(array)? {
        varint(&mut lengths, value.len() as u64);
        bytes += value.len();
    }
    let mut message = Vec::with_capacity(lengths.len() + bytes + dimensions.len() + 32);
    message.extend([DTYPE, STRING, SHAPE]);
    varint(&mut message, dimensions.len() as u64);
    message.extend(dimensions);
    message.push(CONTENT);
    varint(&mut message, (lengths.len() + bytes) as u64);
    message.extend(lengths);
    values(array)?.for_each(|value| message.extend_from_slice(value));
    Some(message)
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}
