//! Messages without a file: `arrowfeed.ExampleRecordDecoder`, `arrowfeed.encode_examples`, and their `tf.SequenceExample`
//! counterparts.

use arrow_array::RecordBatch as Batch;
use arrow_schema::SchemaRef;
use arrowfeed::FeedError;
use arrowfeed::source::ForkLock;
use arrowfeed::tfrecord::FeatureEncoding;
use arrowfeed::tfrecord::example::{self, ExampleDecoder, ExampleEncoder, Feature, UnknownFeatures};
use arrowfeed::tfrecord::sequence_example::{
    self, SEQUENCE_COLUMN, SequenceExampleDecoder, SequenceExampleEncoder, SequenceFeatures,
};
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyList};

use crate::argument::wrong_type;
use crate::argument_types::{Argument, Choice, given};
use crate::arrow_schema::{Schema, counted};
use crate::batch::RecordBatch;
use crate::call::call;
use crate::example_schema::{MessageFeatures, MessageSchema};
use crate::exported::check_schema;
use crate::file::is_buffer;
use crate::formats::tfrecord::ColumnName;
use crate::record_decoder::buffer_of;
use crate::write;

/// A decoder of messages of one schema.
trait Decoder: Sized + Send {
    type Features;

    fn new(features: &Self::Features) -> Result<Self, FeedError>;

    fn schema(&self) -> &SchemaRef;

    fn push(&mut self, record: &[u8]) -> Result<(), FeedError>;

    fn finish(&mut self) -> Batch;
}

macro_rules! decoder {
    ($decoder:ty, $features:ty) => {
        impl Decoder for $decoder {
            type Features = $features;

            fn new(features: &$features) -> Result<Self, FeedError> {
                Self::new(features, UnknownFeatures::Check)
            }

            fn schema(&self) -> &SchemaRef {
                self.schema()
            }

            fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
                self.push(record)
            }

            fn finish(&mut self) -> Batch {
                self.finish()
            }
        }
    };
}

decoder! { ExampleDecoder, Vec<Feature> }
decoder! { SequenceExampleDecoder, SequenceFeatures }

/// The features of a known schema.
struct Known<D: Decoder> {
    features: D::Features,
    columns: SchemaRef,
    /// An idle decoder. It knows how much memory a batch takes, which makes it 1.18 times as fast as a new decoder.
    idle: ForkLock<Option<D>>,
    /// The schema, for pickles.
    given: Py<PyAny>,
}

impl<D: Decoder> Known<D> {
    /// `column`: the column of the feature lists.
    fn new(schema: &Bound<'_, PyAny>, column: &str) -> PyResult<Self>
    where
        D::Features: MessageFeatures + Sync,
    {
        let py = schema.py();
        let parsed = MessageSchema::<D::Features>::new(schema, column)?;
        let (given, features) = (parsed.picklable(schema.clone())?.unbind(), parsed.features);
        let columns = call(py, || D::new(&features).map(|decoder| decoder.schema().clone()))?;
        check_schema(py, &columns)?;
        Ok(Self { features, columns, idle: ForkLock::default(), given })
    }

    /// Decodes records into a batch. After an error, the decoder is discarded.
    fn decode(&self, records: &[&[u8]]) -> Result<Batch, FeedError> {
        let mut decoder = match self.idle.with(Option::take).flatten() {
            Some(decoder) => decoder,
            None => D::new(&self.features)?,
        };
        records.iter().try_for_each(|record| decoder.push(record))?;
        let batch = decoder.finish();
        self.idle.with(|idle| *idle = Some(decoder));
        Ok(batch)
    }
}

/// Result of `__reduce__`: the function that restores a decoder, and its schema argument.
type Reduced<'py> = (Bound<'py, PyAny>, (Option<Py<PyAny>>,));

fn reduced<'py, T: PyClass, D: Decoder>(
    decoder: &Bound<'py, T>,
    known: Option<&Known<D>>,
    keywords: &[(&str, &str)],
) -> PyResult<Reduced<'py>> {
    let py = decoder.py();
    let keywords = keywords.iter().copied().into_py_dict(py)?;
    let class =
        py.import("functools")?.call_method("partial", (decoder.as_any().get_type(),), Some(&keywords))?;
    Ok((class, (known.map(|known| known.given.clone_ref(py)),)))
}

/// Applies `decode` to an iterable of records.
fn decoded(
    records: &Bound<'_, PyAny>,
    encoding: FeatureEncoding,
    decode: impl FnOnce(&[&[u8]]) -> Result<Batch, FeedError> + Send,
) -> PyResult<RecordBatch> {
    let expected = "an iterable of bytes";
    if is_buffer(records) || records.is_instance_of::<PyBytes>() {
        return Err(wrong_type("records", expected, records));
    }
    let items = records.try_iter().map_err(|_| wrong_type("records", expected, records))?;
    let buffers = items.map(|item| buffer_of(&item?)).collect::<PyResult<Vec<_>>>()?;
    let slices: Vec<&[u8]> = buffers.iter().map(|buffer| buffer.as_bytes()).collect();
    let batch = call(records.py(), || decode(&slices).and_then(|batch| encoding.encoded(batch)))?;
    check_schema(records.py(), batch.schema_ref())?;
    Ok(RecordBatch::new(batch))
}

#[doc = signed!(ExampleRecordDecoder)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct ExampleRecordDecoder {
    /// `None`: the features of each batch are those of its records.
    known: Option<Known<ExampleDecoder>>,
    encoding: FeatureEncoding,
}

#[pymethods]
impl ExampleRecordDecoder {
    #[new]
    #[pyo3(signature = (schema=None, *, encoding=None), text_signature = None)]
    fn new(schema: Option<&Bound<'_, PyAny>>, encoding: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let known = schema.map(|schema| Known::new(schema, SEQUENCE_COLUMN)).transpose()?;
        Ok(Self { known, encoding: given("encoding", encoding)? })
    }

    #[doc = docs!(ExampleRecordDecoder.schema)]
    #[getter]
    fn schema(&self) -> Option<Schema> {
        self.known.as_ref().map(|known| Schema(self.encoding.schema(&known.columns)))
    }

    #[doc = docs!(ExampleRecordDecoder.decode)]
    #[pyo3(signature = (records, /))]
    fn decode(&self, records: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
        decoded(records, self.encoding, |records| match &self.known {
            None => example::decode_inferred(records),
            Some(known) => known.decode(records),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let Self { known, encoding } = slf.get();
        reduced(slf, known.as_ref(), &[("encoding", encoding.word())])
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

#[doc = signed!(SequenceExampleRecordDecoder)]
#[pyclass(module = "arrowfeed", frozen)]
pub(crate) struct SequenceExampleRecordDecoder {
    /// As in `ExampleRecordDecoder`.
    known: Option<Known<SequenceExampleDecoder>>,
    sequence_column: String,
    encoding: FeatureEncoding,
}

#[pymethods]
impl SequenceExampleRecordDecoder {
    #[new]
    #[pyo3(
        signature = (schema=None, *, sequence_column=None, encoding=None), text_signature = None
    )]
    fn new(
        schema: Option<&Bound<'_, PyAny>>,
        sequence_column: Option<&Bound<'_, PyAny>>,
        encoding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let sequence_column = column_name(sequence_column)?;
        let known = schema.map(|schema| Known::new(schema, &sequence_column)).transpose()?;
        Ok(Self { known, sequence_column, encoding: given("encoding", encoding)? })
    }

    #[doc = docs!(SequenceExampleRecordDecoder.schema)]
    #[getter]
    fn schema(&self) -> Option<Schema> {
        self.known.as_ref().map(|known| Schema(self.encoding.schema(&known.columns)))
    }

    #[doc = docs!(SequenceExampleRecordDecoder.decode)]
    #[pyo3(signature = (records, /))]
    fn decode(&self, records: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
        decoded(records, self.encoding, |records| match &self.known {
            None => sequence_example::decode_inferred(records, &self.sequence_column),
            Some(known) => known.decode(records),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let Self { known, sequence_column, encoding } = slf.get();
        let keywords = [("sequence_column", &**sequence_column), ("encoding", encoding.word())];
        reduced(slf, known.as_ref(), &keywords)
    }

    fn __repr__(&self) -> String {
        match &self.known {
            Some(Known { features: SequenceFeatures { context, sequence, .. }, .. }) => format!(
                "<arrowfeed.SequenceExampleRecordDecoder of {}, {} of steps>",
                counted(context.len(), "feature"),
                sequence.len()
            ),
            None => "<arrowfeed.SequenceExampleRecordDecoder without a schema>".to_owned(),
        }
    }
}

/// Parses a `sequence_column` argument.
fn column_name(name: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let name: Option<ColumnName> = given("sequence_column", name)?;
    Ok(name.map_or_else(|| SEQUENCE_COLUMN.to_owned(), |ColumnName(name)| name))
}

#[doc = signed!(encode_examples)]
#[pyfunction]
#[pyo3(signature = (batches, *, null_features=None), text_signature = None)]
pub(crate) fn encode_examples<'py>(
    batches: &Bound<'py, PyAny>,
    null_features: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = batches.py();
    let null_features = given("null_features", null_features)?;
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

#[doc = signed!(encode_sequence_examples)]
#[pyfunction]
#[pyo3(
    signature = (batches, *, sequence_column=None), text_signature = None
)]
pub(crate) fn encode_sequence_examples<'py>(
    batches: &Bound<'py, PyAny>,
    sequence_column: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = batches.py();
    let sequence_column = column_name(sequence_column)?;
    let messages = PyList::empty(py);
    for batch in write::source("batches", batches)? {
        let batch = batch.map_err(|error| write::failure(py, write::source_error(error)))?;
        let mut encoder = call(py, || SequenceExampleEncoder::new(&batch, &sequence_column))?;
        for row in 0..batch.num_rows() {
            messages.append(PyBytes::new(py, encoder.encode(row)))?;
        }
    }
    Ok(messages)
}
