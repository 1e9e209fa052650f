//! Schemas and batches of any Arrow library.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed::AvroError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PySchema;
use pyo3_arrow::input::AnyRecordBatch;

use crate::argument::wrong_type;
use crate::batch;
use crate::call::caught;
use crate::errors::{plain, to_python};

/// The schema of an argument.
pub(super) fn schema(value: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    if !value.hasattr("__arrow_c_schema__")? {
        return Err(wrong_type("schema", "an object with __arrow_c_schema__", value));
    }
    foreign(value.py(), || Ok(value.extract::<PySchema>()?.into_inner()))
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
    match foreign(py, || value.extract::<AnyRecordBatch>())? {
        AnyRecordBatch::RecordBatch(batch) => Ok(batch.into_inner()),
        AnyRecordBatch::Stream(stream) => {
            let mut stream = foreign(py, || stream.into_reader())?;
            let schema = stream.schema();
            let batches = py.detach(|| caught(|| Ok([stream.next(), stream.next()])));
            one(py, schema, batches.map_err(|error| to_python(py, error))?)
        }
    }
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
fn foreign<T>(py: Python<'_>, import: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(|| Ok::<_, AvroError>(import())).map_err(|error| to_python(py, error))?
}
