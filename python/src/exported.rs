//! Export through Arrow's C data interface.
//!
//! Its names, and the time zones in its types, are C strings, which end at the character NUL. Names with NUL come from headers of
//! CSV, keys of JSON, columns of Parquet, and names that Avro cannot have.

use arrow_array::ArrayRef;
use arrow_schema::{Field, FieldRef, Schema};
use arrowfeed::source::quoted;
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_ffi::{Nul, first_nul, first_nul_in};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};

use crate::errors::to_python;

/// Checks that a schema can be exported.
///
/// # Errors
/// `SchemaError` that names the column: a name or a time zone contains NUL.
pub(crate) fn check_schema(py: Python<'_>, schema: &Schema) -> PyResult<()> {
    first_nul(schema.fields()).map_or(Ok(()), |found| Err(to_python(py, unfit(&found))))
}

/// The capsule of a schema.
pub(crate) fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    check_schema(py, schema)?;
    Ok(to_schema_pycapsule(py, schema)?)
}

/// The capsule of the type of an array.
pub(crate) fn field_capsule<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    check_field(py, field)?;
    Ok(to_schema_pycapsule(py, field)?)
}

/// The capsules of an array and its type.
pub(crate) fn array_capsules<'py>(
    py: Python<'py>,
    field: FieldRef,
    array: &ArrayRef,
) -> PyResult<Bound<'py, PyTuple>> {
    check_field(py, &field)?;
    Ok(to_array_pycapsules(py, field, array, None)?)
}

fn check_field(py: Python<'_>, field: &Field) -> PyResult<()> {
    first_nul_in(field).map_or(Ok(()), |found| Err(to_python(py, unfit(&found))))
}

#[cold]
fn unfit(found: &Nul<'_>) -> FeedError {
    let message = format!("expected {}, found {}", found.expected(), quoted(found.text));
    FeedError::new(FeedErrorKind::Schema, message).in_field(found.path.join("."))
}
