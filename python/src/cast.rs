//! Lossless casts to the type that a consumer of Arrow data requests.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::{Array, ArrayRef};
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_schema::{ArrowError, DataType, FieldRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::foreign;

/// Raises an error for a value that does not fit the other type, instead of a null.
const STRICT: CastOptions<'static> =
    CastOptions { safe: false, format_options: arrow_cast::display::FormatOptions::new() };

/// The field to cast to. `None`: no cast, which the C interface allows for any request.
pub(crate) fn requested(
    capsule: Option<&Bound<'_, PyCapsule>>,
    field: &FieldRef,
) -> PyResult<Option<FieldRef>> {
    let Some(capsule) = capsule else {
        return Ok(None);
    };
    let wanted = foreign::field(capsule)?;
    let (from, to) = (field.data_type(), wanted.data_type());
    Ok((from != to && can_cast_types(from, to)).then_some(wanted))
}

/// Casts the array to the type of the field.
pub(crate) fn cast(array: &dyn Array, to: &FieldRef) -> Result<ArrayRef, ArrowError> {
    cast_to(array, to.data_type())
}

/// Casts the array to another type. A value that does not fit is an error.
pub(crate) fn cast_to(array: &dyn Array, to: &DataType) -> Result<ArrayRef, ArrowError> {
    catch_unwind(AssertUnwindSafe(|| cast_with_options(array, to, &STRICT))).unwrap_or_else(|_| {
        Err(ArrowError::CastError(format!("expected a cast to {to}, found a panic in it")))
    })
}
