//! `arrowfeed.AvroRecordDecoder`.

use arrowfeed::avro::{AvroOptions, Framing, WriterId};
use arrowfeed::source::copy_error;
use arrowfeed::{DatasetError, FeedError, TensorRecordDecoder};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::argument::{integer, wrong_type, wrong_value};
use crate::argument_types::given;
use crate::arrow_schema::Schema;
use crate::batch::RecordBatch;
use crate::call::caught;
use crate::errors::{dataset_error, to_python};
use crate::exported::check_schema;
use crate::file::{copied, is_buffer};
use crate::message_schemas::{MessageSchemas, SchemasArgument};
use crate::schema::parse;
use crate::schema_merge::SchemaArgument;
use crate::tensor::{TensorAdapter, TensorNames, specs_by_name, tensor_definitions};

const NAME: &str = "AvroRecordDecoder";

/// Number of records that are decoded between two checks for signals, without the interpreter.
const PERIOD: usize = 1024;

#[doc = signed!(AvroRecordDecoder)]
#[pyclass(module = "arrowfeed")]
pub(crate) struct AvroRecordDecoder {
    decoder: TensorRecordDecoder,
    writers: Vec<WriterId>,
    /// Name of the records, for messages.
    name: Option<String>,
    /// The keyword `features`.
    features: Option<Py<PyAny>>,
    batch_bytes: usize,
    names: TensorNames,
    messages: MessageSchemas,
}

#[pymethods]
impl AvroRecordDecoder {
    #[new]
    #[pyo3(
        signature = (
            schema=None, *, framing=None, schemas=None, features=None, representations=None, columns=None,
            exclude=None, reader_schema=None, batch_size=None, max_batch_bytes=None, encoding=None, double_as_float=None,
            string_type=None, unions=None, limits=None, name=None
        ),
        text_signature = None
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new<'py>(
        py: Python<'py>,
        schema: Option<&Bound<'py, PyAny>>,
        framing: Option<&Bound<'py, PyAny>>,
        schemas: Option<&Bound<'py, PyAny>>,
        features: Option<Bound<'py, PyAny>>,
        representations: Option<Bound<'py, PyAny>>,
        columns: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
        reader_schema: Option<&Bound<'py, PyAny>>,
        batch_size: Option<&Bound<'py, PyAny>>,
        max_batch_bytes: Option<&Bound<'py, PyAny>>,
        encoding: Option<&Bound<'py, PyAny>>,
        double_as_float: Option<&Bound<'py, PyAny>>,
        string_type: Option<&Bound<'py, PyAny>>,
        unions: Option<&Bound<'py, PyAny>>,
        limits: Option<&Bound<'py, PyAny>>,
        name: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let reader_schema = match given("reader_schema", reader_schema)? {
            Some(SchemaArgument::Merged) => {
                let message = "reader_schema: expected a schema, found \"merge\": a decoder has no files whose schemas could \
                               be merged; pass avro_schema(files, merge=True), or a schema of your own";
                return Err(PyValueError::new_err(message));
            }
            Some(SchemaArgument::Given(schema)) => Some(schema),
            None => None,
        };
        let options = parsed!(AvroOptions {
            columns,
            exclude,
            max_batch_bytes,
            encoding,
            double_as_float,
            string_type,
            unions,
            limits,
        });
        let options = AvroOptions { reader_schema, ..options };
        let batch_size: Option<usize> = given("batch_size", batch_size)?;
        let framing = given("framing", framing)?;
        let name: Option<String> = given("name", name)?;
        let known =
            schemas.map(|schemas| SchemasArgument::new(framing, schemas)).transpose()?.unwrap_or_default();
        let writer = match schema {
            Some(schema) => parse("schema", schema)?,
            // The columns are those of the reader schema, independent of the schemas of messages.
            None => match options.reader_schema.as_ref().or(known.known.first().map(|(_, schema)| schema)) {
                Some(schema) if framing != Framing::Bare => schema.clone(),
                _ => {
                    let message = "schema: expected a schema, found None; only framed messages with a reader_schema, or \
                                   with schemas in a dict or a list, need none";
                    return Err(PyValueError::new_err(message));
                }
            },
        };
        let batch_bytes = options.limits.batch_bytes;
        let tensors = tensor_definitions(features.clone(), representations)?;
        let features = features.map(|value| value.call_method0("copy")).transpose()?.map(Bound::unbind);
        let made = caught(|| {
            let mut decoder = TensorRecordDecoder::new(&writer, tensors, options)?;
            if let Some(rows) = batch_size {
                decoder.records.set_batch_size(rows)?;
            }
            let writers = vec![decoder.records.add_writer(&writer)?];
            Ok((decoder, writers))
        });
        let (mut decoder, writers) = made.map_err(|error| located(py, name.as_deref(), error))?;
        let messages = MessageSchemas::new(py, framing, known, &mut decoder.records)?;
        check_schema(py, decoder.records.schema())?;
        let names = TensorNames::new(py, decoder.tensor_adapter().specs());
        Ok(Self { decoder, writers, name, features, batch_bytes, names, messages })
    }

    #[doc = docs!(AvroRecordDecoder.schema)]
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.decoder.records.schema().clone())
    }

    #[doc = docs!(AvroRecordDecoder.specs)]
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        specs_by_name(py, self.decoder.tensor_adapter().specs())
    }

    #[doc = docs!(AvroRecordDecoder.tensor_adapter)]
    fn tensor_adapter(&self, py: Python<'_>) -> PyResult<TensorAdapter> {
        let (adapter, definitions) = (self.decoder.tensor_adapter(), self.decoder.tensor_definitions());
        let features = || Ok(self.features.as_ref().map_or_else(|| py.None(), |given| given.clone_ref(py)));
        TensorAdapter::defined(py, adapter.clone(), definitions, features, self.batch_bytes)
    }

    #[doc = docs!(AvroRecordDecoder.rows)]
    #[getter]
    fn rows(&self) -> usize {
        self.decoder.records.rows()
    }

    #[doc = docs!(AvroRecordDecoder.add_writer)]
    fn add_writer(&mut self, schema: &Bound<'_, PyAny>) -> PyResult<usize> {
        let writer = parse("schema", schema)?;
        let id = caught(|| self.decoder.records.add_writer(&writer));
        let id = id.map_err(|error| self.located(schema.py(), error))?;
        Ok(match self.writers.iter().position(|known| *known == id) {
            Some(known) => known,
            None => {
                self.writers.push(id);
                self.writers.len() - 1
            }
        })
    }

    #[doc = docs!(AvroRecordDecoder.decode)]
    #[pyo3(signature = (records, /, *, writer=None))]
    fn decode(
        &mut self,
        records: &Bound<'_, PyAny>,
        writer: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RecordBatch> {
        match is_bytes(records) {
            true => self.batch_of(PyTuple::new(records.py(), [records])?.as_any(), writer),
            false => self.batch_of(records, writer),
        }
    }

    #[doc = docs!(AvroRecordDecoder.append)]
    #[pyo3(signature = (record, /, *, writer=None))]
    fn append(&mut self, record: &Bound<'_, PyAny>, writer: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (writer, buffer) = (self.writer(writer)?, buffer_of(record)?);
        self.decode_all(record.py(), writer, &[buffer])
    }

    #[doc = docs!(AvroRecordDecoder.extend)]
    #[pyo3(signature = (records, /, *, writer=None))]
    fn extend(&mut self, records: &Bound<'_, PyAny>, writer: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (py, writer) = (records.py(), self.writer(writer)?);
        let expected = "an iterable of bytes";
        if is_bytes(records) {
            return Err(wrong_type("records", expected, records));
        }
        // A pyarrow array returns bytes from `to_pylist`, but not from iteration.
        let listed = records.getattr_opt("to_pylist")?.map(|method| method.call0()).transpose()?;
        let records = listed.as_ref().unwrap_or(records);
        let mut items = records.try_iter().map_err(|_| wrong_type("records", expected, records))?;
        loop {
            py.check_signals()?;
            let (mut buffers, mut failed) = (Vec::with_capacity(PERIOD), None);
            for item in items.by_ref().take(PERIOD) {
                match item.and_then(|item| buffer_of(&item)) {
                    Ok(buffer) => buffers.push(buffer),
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            self.decode_all(py, writer, &buffers)?;
            match failed {
                Some(error) => return Err(error),
                None if buffers.len() < PERIOD => return Ok(()),
                None => {}
            }
        }
    }

    #[doc = docs!(AvroRecordDecoder.flush)]
    fn flush(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let batch = caught(|| self.decoder.records.flush()).map_err(|error| self.located(py, error))?;
        Ok(batch.map(RecordBatch::new))
    }

    #[doc = docs!(AvroRecordDecoder.flush_tensors)]
    fn flush_tensors<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let flushed = py.detach(|| caught(|| self.decoder.flush_tensors()));
        let tensors = flushed.map_err(|error| located(py, self.name.as_deref(), error))?;
        tensors.map(|tensors| self.names.dict(py, tensors)).transpose()
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.{NAME} of {} rows>", self.decoder.records.rows())
    }
}

impl AvroRecordDecoder {
    /// Decodes records into one batch. If one fails, none is kept.
    fn batch_of(
        &mut self,
        records: &Bound<'_, PyAny>,
        writer: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RecordBatch> {
        let py = records.py();
        if self.decoder.records.rows() > 0 {
            let message =
                "records: expected a decoder without rows, found rows of earlier calls: call flush() first";
            return Err(PyValueError::new_err(message));
        }
        let extended = self.extend(records, writer);
        let mut batches = Vec::new();
        while let Some(RecordBatch { batch, .. }) = self.flush(py)? {
            batches.push(batch);
        }
        extended?;
        if let [batch] = &batches[..] {
            return Ok(RecordBatch::new(batch.clone()));
        }
        let schema = self.decoder.records.schema();
        let joined = arrowfeed_select::concat_batches(schema, &batches.iter().collect::<Vec<_>>());
        joined.map(RecordBatch::new).map_err(|error| {
            let message = format!("expected records that fit into one batch: {error}");
            self.located(py, copy_error(error, || FeedError::limit_reached("batch_bytes", message)))
        })
    }

    /// Decodes records up to the first damaged one, without the interpreter.
    fn decode_all(&mut self, py: Python<'_>, of: WriterId, buffers: &[Bound<'_, PyBytes>]) -> PyResult<()> {
        let Self { decoder, messages, .. } = self;
        for buffer in buffers {
            messages.look_up(py, buffer.as_bytes(), &mut decoder.records)?;
        }
        let bytes: Vec<&[u8]> = buffers.iter().map(|buffer| buffer.as_bytes()).collect();
        let framing = messages.framing;
        let mut decode = |record: &&[u8]| match framing {
            Framing::Bare => decoder.records.decode_of(of, record),
            _ => decoder.records.decode_message(framing, &messages.writers, record),
        };
        let decoded = py.detach(|| caught(|| bytes.iter().try_for_each(&mut decode)));
        decoded.map_err(|error| located(py, self.name.as_deref(), error.into()))
    }

    fn writer(&self, number: Option<&Bound<'_, PyAny>>) -> PyResult<WriterId> {
        let Some(number) = number else { return Ok(self.writers[0]) };
        let found = self.writers.get(integer::<usize>("writer", 0, number)?);
        found.copied().ok_or_else(|| wrong_value("writer", "a number that add_writer() returned", number))
    }

    fn located(&self, py: Python<'_>, error: FeedError) -> PyErr {
        located(py, self.name.as_deref(), error.into())
    }
}

/// The exception for an error in named records.
fn located(py: Python<'_>, name: Option<&str>, error: DatasetError) -> PyErr {
    match (error, name) {
        (DatasetError::Feed(error), Some(name)) => to_python(py, error.in_file(name)),
        (error, _) => dataset_error(py, error),
    }
}

fn is_bytes(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyBytes>() || is_buffer(value) && !value.hasattr("to_pylist").unwrap_or(false)
}

/// The bytes of a record, copied if other threads could change them.
pub(crate) fn buffer_of<'py>(record: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match record.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.clone()),
        Err(_) if is_buffer(record) => copied(record),
        Err(_) => Err(wrong_type("record", "bytes", record)),
    }
}
