//! `encode_records`, for the raw records of `arrowfeed.tfxio`.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::batch::RecordBatch;
use crate::call::call;
use crate::schema::parse;

#[doc = docs!(encode_records)]
#[pyfunction]
pub(crate) fn encode_records<'py>(
    batch: &Bound<'py, RecordBatch>,
    schema: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = batch.py();
    let schema = parse("schema", schema)?;
    let batch = &batch.get().batch;
    let records = call(py, || arrowfeed::avro::encode_records(batch, Some(&schema)))?;
    PyList::new(py, records.iter().map(|record| PyBytes::new(py, record)))
}
