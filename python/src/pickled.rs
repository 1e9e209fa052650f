//! Pickling of Arrow schemas, as tuples of the C interface attributes of each field.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::ffi::{FFI_ArrowSchema, Flags};
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed::FeedError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrow_schema::Schema;
use crate::call::caught;
use crate::errors::to_python;
use crate::exported::check_schema;

/// Result of `__reduce__`: the function that restores a schema, and the tuples of the schema.
pub(crate) fn reduced<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyTuple>,))> {
    check_schema(py, schema)?;
    let described = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(invalid)?;
    let restore = py.import("arrowfeed._arrowfeed")?.getattr("_schema_of_fields")?;
    Ok((restore, (fields(py, &described)?,)))
}

/// Restores a schema from its tuples.
#[pyfunction]
pub(crate) fn _schema_of_fields(fields: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let described = described(fields, 0)?;
    // Catches panics for an unknown format or too few children.
    let schema = caught(|| Ok(arrow_schema::Schema::try_from(&described)));
    let schema = schema.map_err(|error: FeedError| to_python(fields.py(), error))?;
    Ok(Schema(Arc::new(schema.map_err(invalid)?)))
}

/// The tuple of a field: format, name, flags, metadata, children, dictionary.
fn fields<'py>(py: Python<'py>, schema: &FFI_ArrowSchema) -> PyResult<Bound<'py, PyTuple>> {
    let flags = schema.flags().map_or(0, |flags| flags.bits());
    let metadata = schema.metadata().map_err(invalid)?;
    let children = schema.children().map(|child| fields(py, child)).collect::<PyResult<Vec<_>>>()?;
    let dictionary = schema.dictionary().map(|values| fields(py, values)).transpose()?;
    let name = schema.name().unwrap_or_default();
    (schema.format(), name, flags, metadata, PyTuple::new(py, children)?, dictionary).into_pyobject(py)
}

type Fields<'py> =
    (String, String, i64, HashMap<String, String>, Bound<'py, PyTuple>, Option<Bound<'py, PyAny>>);

/// Maximum nesting of tuples that can be restored. Schemas of Avro files are less deeply nested.
const MAX_DEPTH: usize = 512;

fn described(fields: &Bound<'_, PyAny>, depth: usize) -> PyResult<FFI_ArrowSchema> {
    if depth > MAX_DEPTH {
        let message = format!("expected fields nested at most {MAX_DEPTH} levels deep, found more");
        return Err(PyValueError::new_err(message));
    }
    let (format, name, flags, metadata, children, dictionary): Fields<'_> = fields.extract()?;
    if format.contains('\0') {
        return Err(PyValueError::new_err("expected the format of a field, found a NUL character in it"));
    }
    let children = children.iter().map(|child| described(&child, depth + 1)).collect::<PyResult<_>>()?;
    let dictionary = dictionary.map(|values| described(&values, depth + 1)).transpose()?;
    let schema = FFI_ArrowSchema::try_new(&format, children, dictionary);
    let schema = schema.and_then(|schema| schema.with_name(&name));
    let schema = schema.and_then(|schema| schema.with_flags(Flags::from_bits_truncate(flags)));
    schema.and_then(|schema| schema.with_metadata(metadata)).map_err(invalid)
}

fn invalid(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
