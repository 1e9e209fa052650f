//! Byte strings for those who cannot take Arrow's.

use std::collections::TryReserveError;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::once::imported;
use crate::signals::check_at;

/// A read-only numpy array of `bytes` objects.
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

/// An error where there is no memory for the objects: Python does not tell in every place.
pub(super) fn room(array: &ArrayRef) -> Result<(), TryReserveError> {
    // A pointer, and an object of 33 bytes and its own, at a multiple of 16.
    const OBJECT: usize = 8 + 48;
    let bytes =
        values(array).into_iter().flatten().fold(0_usize, |sum, value| sum.saturating_add(value.len()));
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(array.len().saturating_mul(OBJECT).saturating_add(bytes))?;
    // Without it the compiler may leave out memory that nobody uses.
    std::hint::black_box(&room);
    Ok(())
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

/// Mean bytes of a value from which an object for each is cheaper than another copy of the bytes. Into TensorFlow, for
/// each value, by objects and joined: 12 bytes 63 and 40 ns, 200 bytes 281 and 237 ns, 2,000 bytes 0.4 and 1.1 µs.
const LONG: usize = 256;

/// All values with a byte between them that none of them has, and that byte. `None`: there is none, or the values are
/// long, or they are no byte strings.
pub(super) fn joined(array: &ArrayRef) -> Option<(Vec<u8>, u8)> {
    let bytes: usize = values(array)?.map(<[u8]>::len).sum();
    if bytes > LONG * array.len() {
        return None;
    }
    // Text has no such byte as 0xff, and the first one is taken.
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
