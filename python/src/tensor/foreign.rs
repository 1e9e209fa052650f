//! Arrays of other libraries, out of the capsules of Arrow's C data interface.
//!
//! As `pyo3-arrow` does it, but for slices of structs in structs, and of fixed-size lists of structs: arrow 59 counts
//! the offset of the outer one twice there, and panics. arrow 60 does not; once `pyo3-arrow` takes it, this file can go.
//!
//! Unsafe: what a capsule points to is believed, as everybody who takes one must, and parts of arrays that were checked
//! are put together again.
#![allow(unsafe_code)]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// What `__arrow_c_array__` of an object gives.
pub(super) fn array(value: &Bound<'_, PyAny>) -> PyResult<(ArrayRef, Field)> {
    type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);
    let (schema, array): Capsules<'_> = value.call_method0("__arrow_c_array__")?.extract()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    let wrong = |error: arrow_schema::ArrowError| PyTypeError::new_err(error.to_string());
    // SAFETY: capsules of these names hold such structs, and live until the end of this function. The array is moved
    // out: what is left is marked as released.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    let field = Field::try_from(schema).map_err(wrong)?;
    // SAFETY: whoever made the capsules says that the array is of this schema.
    let data = unsafe { from_ffi(array, schema) }.map_err(wrong)?;
    Ok((make_array(if is_cut(&data) { cut(&data, 0, data.len()) } else { data }), field))
}

/// How many slots of its children a slot of an array with children of its own length has; `None` for others.
fn width(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::Struct(_) => Some(1),
        DataType::FixedSizeList(_, size) => usize::try_from(*size).ok(),
        _ => None,
    }
}

/// Whether there is a struct or fixed-size list in it that is a slice of its children.
fn is_cut(data: &ArrayData) -> bool {
    let children = data.child_data();
    let here = width(data.data_type()).is_some_and(|width| {
        data.offset() != 0 || children.iter().any(|child| Some(child.len()) != data.len().checked_mul(width))
    });
    here || children.iter().any(is_cut)
}

/// A slice, of which structs and fixed-size lists begin where their children do.
fn cut(data: &ArrayData, offset: usize, len: usize) -> ArrayData {
    let Some(width) = width(data.data_type()) else {
        let children = data.child_data().iter().map(|child| cut(child, 0, child.len()));
        let builder = data.slice(offset, len).into_builder().child_data(children.collect());
        // SAFETY: as it was; the children have the same values at the same places.
        return unsafe { builder.build_unchecked() };
    };
    let start = (data.offset() + offset) * width;
    let children = data.child_data().iter().map(|child| cut(child, start, len * width));
    let nulls = data.nulls().map(|nulls| nulls.slice(offset, len));
    let builder = ArrayData::builder(data.data_type().clone()).len(len).nulls(nulls);
    // SAFETY: the children are cut to the slots of this array, or have panicked.
    unsafe { builder.child_data(children.collect()).build_unchecked() }
}
