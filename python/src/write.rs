//! `arrowfeed.write_avro`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed::avro::Interrupt;
use arrowfeed::{AvroError, AvroErrorKind, WriteOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping};

use crate::argument::{self, choice, integer, wrong_type};
use crate::call::caught;
use crate::errors::{invalid_arrow, plain, to_python};
use crate::foreign::{self, Invalid};
use crate::options::CODECS;
use crate::stream::Direct;
use crate::{batch, reader, schema, signals};

/// Writes batches to an Avro file and gives the number of rows.
#[pyfunction]
#[pyo3(signature = (batches, path, *, codec=None, block_bytes=None, schema=None, metadata=None),
    text_signature = "(batches, path, *, codec='zstandard', block_bytes=65536, schema=None, metadata=None)")]
pub(crate) fn write_avro(
    batches: &Bound<'_, PyAny>,
    path: &Bound<'_, PyAny>,
    codec: Option<&Bound<'_, PyAny>>,
    block_bytes: Option<&Bound<'_, PyAny>>,
    schema: Option<&Bound<'_, PyAny>>,
    metadata: Option<&Bound<'_, PyAny>>,
) -> PyResult<u64> {
    let py = batches.py();
    let path = argument::path("path", path)?;
    let mut options = WriteOptions::default();
    if let Some(value) = codec {
        options.codec = choice("codec", &CODECS, value)?;
    }
    if let Some(value) = block_bytes {
        options.block_bytes = integer("block_bytes", 1, value)?;
    }
    options.schema = schema.map(|value| schema::parse("schema", value)).transpose()?;
    options.metadata = metadata.map(entries).transpose()?.unwrap_or_default();
    signals::notice_main_thread(py)?;
    let batches = Batches { source: source(batches)?, interrupt: signals::interrupt() };
    let written = py.detach(|| caught(|| arrowfeed::write_avro(batches, &path, &options)));
    written.map_err(|error| match error.source().and_then(|source| source.downcast_ref()) {
        Some(SourceFailed(failure)) => match Invalid::of(failure) {
            Some(invalid) => invalid_arrow(py, invalid),
            None => plain(py, &failure.to_string()),
        },
        // All that the options can be wrong in by now is what is in `metadata`.
        None if error.kind() == AvroErrorKind::Options => PyValueError::new_err(error.message().to_owned()),
        None => to_python(py, error),
    })
}

/// Keys and values of a mapping.
fn entries(metadata: &Bound<'_, PyAny>) -> PyResult<BTreeMap<String, Vec<u8>>> {
    let expected = "a dict of str to bytes";
    let mapping = metadata.cast::<PyMapping>().map_err(|_| wrong_type("metadata", expected, metadata))?;
    let mut entries = BTreeMap::new();
    for pair in mapping.items()? {
        let (key, value) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let key = key.extract().map_err(|_| wrong_type("metadata", expected, &key))?;
        let value = value.cast::<PyBytes>().map_err(|_| wrong_type("metadata", expected, &value))?;
        entries.insert(key, value.as_bytes().to_vec());
    }
    Ok(entries)
}

fn source(batches: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let py = batches.py();
    if let Ok(reader) = batches.cast::<reader::RecordBatchReader>() {
        return Ok(Box::new(Direct(reader.get().hand_over(py)?)));
    }
    if let Ok(batch) = batches.cast::<batch::RecordBatch>() {
        let batch = batch.get().0.clone();
        let schema = batch.schema();
        return Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    }
    if batches.hasattr("__arrow_c_array__")? {
        let batch = foreign::record_batch("batches", batches)?;
        let schema = batch.schema();
        return Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    }
    if batches.hasattr("__arrow_c_stream__")? {
        return Ok(Box::new(foreign::stream("batches", batches)?));
    }
    Err(wrong_type("batches", "an object with __arrow_c_stream__ or __arrow_c_array__", batches))
}

/// Batches of the caller, with a look at Ctrl-C before each.
struct Batches {
    source: Box<dyn RecordBatchReader + Send>,
    interrupt: Interrupt,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if (self.interrupt)() {
            return Some(Err(AvroError::new(AvroErrorKind::Interrupted, "the caller asked to stop").into()));
        }
        let batch = self.source.next()?;
        Some(batch.map_err(|error| match error {
            ArrowError::ExternalError(error) if error.is::<AvroError>() => ArrowError::ExternalError(error),
            error => ArrowError::ExternalError(Box::new(SourceFailed(error))),
        }))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.source.schema()
    }
}

/// The caller's stream could not give a batch: not an error of the file that is written.
#[derive(Debug)]
struct SourceFailed(ArrowError);

impl fmt::Display for SourceFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for SourceFailed {}
