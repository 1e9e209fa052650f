//! Conversion of byte strings for libraries that do not accept Arrow strings.

use std::collections::TryReserveError;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::once::imported;
use crate::signals::check_at;

/// Creates a read-only numpy array of `bytes` objects.
pub(super) fn objects<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    static ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let list = PyList::empty(py);
    for (item, value) in values(array).into_iter().flatten().enumerate() {
        check_at(py, item)?;
        list.append(PyBytes::new(py, value))?;
    }
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", "object")?;
    let objects = imported(&ARRAY, py, "numpy", "array")?.call((list,), Some(&keywords))?;
    objects.getattr("flags")?.setattr("writeable", false)?;
    objects.call_method1("reshape", (shape,))
}

/// Checks whether there is enough memory for the objects, because Python does not report it everywhere.
pub(super) fn room(array: &ArrayRef) -> Result<(), TryReserveError> {
    // A pointer, and an object of 33 bytes and the value, rounded up to a multiple of 16.
    const OBJECT: usize = 8 + 48;
    let bytes =
        values(array).into_iter().flatten().fold(0_usize, |sum, value| sum.saturating_add(value.len()));
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(array.len().saturating_mul(OBJECT).saturating_add(bytes))?;
    // Prevents the compiler from removing the unused allocation.
    std::hint::black_box(&room);
    Ok(())
}

/// The first value of an array of byte strings without nulls.
pub(super) fn first(array: &ArrayRef) -> Option<&[u8]> {
    values(array)?.next()
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

/// Mean length of the values above which one object per value is cheaper than another copy of the bytes. The time per value
/// into TensorFlow, with objects and joined: 63 and 40 ns for 12 bytes, 281 and 237 ns for 200 bytes, 0.4 and 1.1 µs for
/// 2,000 bytes.
const LONG: usize = 256;

/// Joins all values with a separator byte that none of them contains, and returns both. `None`: there is no such byte, the
/// values are long, or they are not byte strings.
pub(super) fn joined(array: &ArrayRef) -> Option<(Vec<u8>, u8)> {
    let bytes: usize = values(array)?.map(<[u8]>::len).sum();
    if bytes > LONG * array.len() {
        return None;
    }
    // UTF-8 text never contains 0xff, so the search for text ends at the first byte.
    let free = |byte: &u8| values(array).is_some_and(|mut values| values.all(|value| !value.contains(byte)));
    let between = (0..=u8::MAX).rev().find(free)?;
    let mut joined = Vec::with_capacity(bytes + array.len());
    for (row, value) in values(array)?.enumerate() {
        if row > 0 {
            joined.push(between);
        }
        joined.extend_from_slice(value);
    }
    Some((joined, between))
}
