//! `arrowfeed.ExampleRecordDecoder` and `arrowfeed.encode_examples`: messages of `tf.Example` without a file.

use arrow_array::RecordBatch as Batch;
use arrow_schema::SchemaRef;
use arrowfeed::FeedError;
use arrowfeed::source::ForkLock;
use arrowfeed::tfrecord::example::{ExampleDecoder, ExampleEncoder, Feature, Unlisted, decode_inferred};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::argument::{flag, wrong_type};
use crate::arrow_schema::{Schema, counted};
use crate::batch::RecordBatch;
use crate::call::call;
use crate::record_decoder::buffer_of;
use crate::source::is_buffer;
use crate::tfrecord::{features, tfmd_bytes};
use crate::write;

#[doc = docs!(ExampleRecordDecoder)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct ExampleRecordDecoder {
    /// `None`: the features are those of the records of each batch.
    known: Option<Known>,
}

/// The features of a schema.
struct Known {
    features: Vec<Feature>,
    columns: SchemaRef,
    /// One that no thread uses. It knows how much memory a batch takes: 1.18 times as fast as a new one.
    idle: ForkLock<Option<ExampleDecoder>>,
    /// The schema, for copies in other processes.
    given: Py<PyAny>,
}

impl Known {
    /// The batch of some records. After an error, the decoder is not used again.
    fn decode(&self, records: &[&[u8]]) -> Result<Batch, FeedError> {
        let mut decoder = match self.idle.with(Option::take).flatten() {
            Some(decoder) => decoder,
            None => ExampleDecoder::new(&self.features, Unlisted::Check)?,
        };
        records.iter().try_for_each(|record| decoder.push(record))?;
        let batch = decoder.finish();
        self.idle.with(|idle| *idle = Some(decoder));
        Ok(batch)
    }
}

#[pymethods]
impl ExampleRecordDecoder {
    #[new]
    #[pyo3(signature = (schema=None))]
    fn new(schema: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(schema) = schema else { return Ok(Self { known: None }) };
        let given = match tfmd_bytes(schema)? {
            Some(bytes) => bytes.into_any(),
            None => schema.call_method0("copy")?,
        };
        let features = features(&given)?;
        let columns = call(schema.py(), || {
            ExampleDecoder::new(&features, Unlisted::Check).map(|decoder| decoder.schema().clone())
        })?;
        let (idle, given) = (ForkLock::default(), given.unbind());
        Ok(Self { known: Some(Known { features, columns, idle, given }) })
    }

    #[doc = docs!(ExampleRecordDecoder.schema)]
    #[getter]
    fn schema(&self) -> Option<Schema> {
        self.known.as_ref().map(|known| Schema(known.columns.clone()))
    }

    #[doc = docs!(ExampleRecordDecoder.decode)]
    #[pyo3(signature = (records, /))]
    fn decode(&self, records: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
        let py = records.py();
        let expected = "an iterable of bytes";
        if is_buffer(records) || records.is_instance_of::<PyBytes>() {
            return Err(wrong_type("records", expected, records));
        }
        let items = records.try_iter().map_err(|_| wrong_type("records", expected, records))?;
        let buffers = items.map(|item| buffer_of(&item?)).collect::<PyResult<Vec<_>>>()?;
        let records: Vec<&[u8]> = buffers.iter().map(|buffer| buffer.as_bytes()).collect();
        let batch = call(py, || match &self.known {
            None => decode_inferred(&records),
            Some(known) => known.decode(&records),
        });
        batch.map(RecordBatch)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Option<Py<PyAny>>,)) {
        let py = slf.py();
        let given = slf.get().known.as_ref().map(|known| known.given.clone_ref(py));
        (slf.get_type().into_any(), (given,))
    }

    fn __repr__(&self) -> String {
        match &self.known {
            Some(known) => {
                format!("<arrowfeed.ExampleRecordDecoder of {}>", counted(known.features.len(), "feature"))
            }
            None => "<arrowfeed.ExampleRecordDecoder without a schema>".to_owned(),
        }
    }
}

#[doc = docs!(encode_examples)]
#[pyfunction]
#[pyo3(signature = (batches, *, null_features=None), text_signature = "(batches, *, null_features=False)")]
pub(crate) fn encode_examples<'py>(
    batches: &Bound<'py, PyAny>,
    null_features: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = batches.py();
    let null_features = null_features.map(|value| flag("null_features", value)).transpose()?.unwrap_or(false);
    let messages = PyList::empty(py);
    for batch in write::source("batches", batches)? {
        let batch = batch.map_err(|error| write::failure(py, write::source_error(error)))?;
        let mut encoder = call(py, || Ok(ExampleEncoder::new(&batch)?.with_null_features(null_features)))?;
        for row in 0..batch.num_rows() {
            messages.append(PyBytes::new(py, encoder.encode(row)))?;
        }
    }
    Ok(messages)
}
