//! Schemas and batches of any Arrow library.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use arrowfeed::AvroError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatchReader, PySchema};

use super::foreign;
use crate::argument::wrong_type;
use crate::batch;
use crate::call::caught;
use crate::errors::{plain, to_python};

/// The schema of an argument.
pub(super) fn schema(value: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    if !value.hasattr("__arrow_c_schema__")? {
        return Err(wrong_type("schema", "an object with __arrow_c_schema__", value));
    }
    let capsule = value.call_method0("__arrow_c_schema__")?.cast_into()?;
    let schema = caught_import(value.py(), || PySchema::from_arrow_pycapsule(&capsule));
    let schema = schema.map_err(|_| wrong_type("schema", "the schema of a record batch", value))?;
    Ok(schema.into_inner())
}

/// The batch of an argument: one, or a stream of one.
pub(super) fn record_batch(value: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let py = value.py();
    if let Ok(batch) = value.cast::<batch::RecordBatch>() {
        return Ok(batch.get().0.clone());
    }
    if !value.hasattr("__arrow_c_array__")? && !value.hasattr("__arrow_c_stream__")? {
        let expected = "an object with __arrow_c_array__, or with an __arrow_c_stream__ of one batch";
        return Err(wrong_type("batch", expected, value));
    }
    if value.hasattr("__arrow_c_array__")? {
        let (array, field) = caught_import(py, || foreign::array(value))?;
        return rows(&array, &field);
    }
    let mut stream = caught_import(py, || value.extract::<PyRecordBatchReader>()?.into_reader())?;
    let schema = stream.schema();
    let batches = py.detach(|| caught(|| Ok([stream.next(), stream.next()])));
    one(py, schema, batches.map_err(|error| to_python(py, error))?)
}

/// An array of structs as the batch that it stands for.
fn rows(array: &ArrayRef, field: &Field) -> PyResult<RecordBatch> {
    let error = |found: String| {
        let message = format!("batch: expected an array of structs without nulls, found {found}");
        PyValueError::new_err(message)
    };
    let Some(structs) = array.as_struct_opt() else {
        return Err(error(array.data_type().to_string()));
    };
    if structs.null_count() > 0 {
        return Err(error(format!("structs, {} of them null", structs.null_count())));
    }
    let schema = Schema::new_with_metadata(structs.fields().clone(), field.metadata().clone());
    let options = RecordBatchOptions::new().with_row_count(Some(structs.len()));
    RecordBatch::try_new_with_options(schema.into(), structs.columns().to_vec(), &options)
        .map_err(|failure| error(failure.to_string()))
}

/// A stream without batches has no rows; one with two is not told apart from one with many.
fn one(
    py: Python<'_>,
    schema: SchemaRef,
    batches: [Option<Result<RecordBatch, ArrowError>>; 2],
) -> PyResult<RecordBatch> {
    let failed = |error: ArrowError| plain(py, &error.to_string());
    match batches {
        [None, _] => Ok(RecordBatch::new_empty(schema)),
        [Some(batch), None] => batch.map_err(failed),
        [Some(batch), Some(more)] => {
            batch.and(more).map_err(failed)?;
            let message = "batch: expected a stream of one batch, found more: convert them one by one";
            Err(PyValueError::new_err(message))
        }
    }
}

/// What comes from another library, which may not keep to the C interface.
fn caught_import<T>(py: Python<'_>, import: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(|| Ok::<_, AvroError>(import())).map_err(|error| to_python(py, error))?
}
