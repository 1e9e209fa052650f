//! Export through Arrow's C data interface.
//!
//! Its names, and the time zones in its types, are C strings, which end at the character NUL. Names with NUL come from headers of
//! CSV, keys of JSON, columns of Parquet, and names that Avro cannot have.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use arrowfeed::source::quoted;
use arrowfeed::{FeedError, FeedErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};

use crate::errors::to_python;

/// Checks that a schema can be exported.
///
/// # Errors
/// `SchemaError` that names the column: a name or a time zone contains NUL.
pub(crate) fn check_schema(py: Python<'_>, schema: &Schema) -> PyResult<()> {
    check_fields(schema.fields()).map_err(|error| to_python(py, error))
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
    let mut path = Vec::new();
    first_nul(field, &mut path).map_or(Ok(()), |found| Err(to_python(py, unfit(&path, found))))
}

fn check_fields(fields: &Fields) -> Result<(), FeedError> {
    let mut path = Vec::new();
    fields
        .iter()
        .find_map(|field| first_nul(field, &mut path))
        .map_or(Ok(()), |found| Err(unfit(&path, found)))
}

/// A text with NUL, and what it is.
type Found<'a> = (&'static str, &'a str);

#[cold]
fn unfit(path: &[&str], (what, text): Found<'_>) -> FeedError {
    let text = quoted(text);
    let message = format!(
        "expected {what} without the character NUL, which Arrow's C data interface needs, found {text}"
    );
    let path = path.iter().copied().filter(|name| !name.is_empty()).collect::<Vec<_>>();
    FeedError::new(FeedErrorKind::Schema, message).in_field(path.join("."))
}

/// Finds the first text with NUL in a field. `path` then ends with the names from the field to that text.
fn first_nul<'a>(field: &'a Field, path: &mut Vec<&'a str>) -> Option<Found<'a>> {
    path.push(field.name());
    if field.name().contains('\0') {
        return Some(("a name", field.name()));
    }
    let found = first_nul_of(field.data_type(), path);
    if found.is_none() {
        path.pop();
    }
    found
}

fn first_nul_of<'a>(data_type: &'a DataType, path: &mut Vec<&'a str>) -> Option<Found<'a>> {
    use DataType::{
        Dictionary, FixedSizeList, LargeList, LargeListView, List, ListView, Map, RunEndEncoded, Struct,
        Timestamp, Union,
    };
    match data_type {
        Timestamp(_, Some(zone)) if zone.contains('\0') => Some(("a time zone", zone)),
        List(item)
        | LargeList(item)
        | ListView(item)
        | LargeListView(item)
        | FixedSizeList(item, _)
        | Map(item, _) => first_nul(item, path),
        Struct(fields) => fields.iter().find_map(|field| first_nul(field, path)),
        Union(fields, _) => fields.iter().find_map(|(_, field)| first_nul(field, path)),
        Dictionary(_, values) => first_nul_of(values, path),
        RunEndEncoded(_, values) => first_nul(values, path),
        _ => None,
    }
}
