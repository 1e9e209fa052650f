//! `arrowfeed.AvroRecordDecoder`.

use arrowfeed::RecordDecoder;
use arrowfeed::avro::WriterId;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::argument::{integer, unexpected_keyword, wrong_type, wrong_value};
use crate::arrow_schema::Schema;
use crate::batch::RecordBatch;
use crate::call::caught;
use crate::errors::to_python;
use crate::options::read_options;
use crate::schema::parse;
use crate::source::{copied, is_buffer};

const NAME: &str = "AvroRecordDecoder";

/// Records between two looks for signals.
const PERIOD: usize = 1024;

#[doc = docs!(AvroRecordDecoder)]
#[pyclass(module = "arrowfeed")]
pub(crate) struct AvroRecordDecoder {
    decoder: RecordDecoder,
    writers: Vec<WriterId>,
}

#[pymethods]
impl AvroRecordDecoder {
    #[new]
    #[pyo3(signature = (schema, **options))]
    fn new(schema: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let py = schema.py();
        for name in ["threads", "on_error"] {
            if options.is_some_and(|options| options.contains(name).unwrap_or(false)) {
                return Err(unexpected_keyword(NAME, name));
            }
        }
        let writer = parse("schema", schema)?;
        let options = read_options(NAME, options)?;
        let made = caught(|| {
            let mut decoder = RecordDecoder::new(&writer, options)?;
            let writers = vec![decoder.add_writer(&writer)?];
            Ok(Self { decoder, writers })
        });
        made.map_err(|error| to_python(py, error))
    }

    #[doc = docs!(AvroRecordDecoder.schema)]
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.decoder.schema().clone())
    }

    #[doc = docs!(AvroRecordDecoder.rows)]
    #[getter]
    fn rows(&self) -> usize {
        self.decoder.rows()
    }

    #[doc = docs!(AvroRecordDecoder.add_writer)]
    fn add_writer(&mut self, schema: &Bound<'_, PyAny>) -> PyResult<usize> {
        let writer = parse("schema", schema)?;
        let id =
            caught(|| self.decoder.add_writer(&writer)).map_err(|error| to_python(schema.py(), error))?;
        Ok(match self.writers.iter().position(|known| *known == id) {
            Some(known) => known,
            None => {
                self.writers.push(id);
                self.writers.len() - 1
            }
        })
    }

    #[doc = docs!(AvroRecordDecoder.decode)]
    #[pyo3(signature = (record, /, *, writer=None))]
    fn decode(&mut self, record: &Bound<'_, PyAny>, writer: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let writer = self.writer(writer)?;
        self.decode_one(writer, record)
    }

    #[doc = docs!(AvroRecordDecoder.extend)]
    #[pyo3(signature = (records, /, *, writer=None))]
    fn extend(&mut self, records: &Bound<'_, PyAny>, writer: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let writer = self.writer(writer)?;
        let expected = "an iterable of bytes";
        if is_buffer(records) || records.is_instance_of::<PyBytes>() {
            return Err(wrong_type("records", expected, records));
        }
        let items = records.try_iter().map_err(|_| wrong_type("records", expected, records))?;
        for (number, record) in items.enumerate() {
            if number % PERIOD == 0 {
                records.py().check_signals()?;
            }
            self.decode_one(writer, &record?)?;
        }
        Ok(())
    }

    #[doc = docs!(AvroRecordDecoder.flush)]
    fn flush(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let batch = caught(|| self.decoder.flush()).map_err(|error| to_python(py, error))?;
        Ok(batch.map(RecordBatch))
    }

    fn __repr__(&self) -> String {
        format!("<arrowfeed.{NAME} of {} rows>", self.decoder.rows())
    }
}

impl AvroRecordDecoder {
    fn writer(&self, number: Option<&Bound<'_, PyAny>>) -> PyResult<WriterId> {
        let Some(number) = number else { return Ok(self.writers[0]) };
        let found = self.writers.get(integer::<usize>("writer", 0, number)?);
        found.copied().ok_or_else(|| wrong_value("writer", "a number that add_writer() gave", number))
    }

    fn decode_one(&mut self, writer: WriterId, record: &Bound<'_, PyAny>) -> PyResult<()> {
        let buffer = match record.cast::<PyBytes>() {
            Ok(bytes) => bytes.clone(),
            Err(_) if is_buffer(record) => copied(record)?,
            Err(_) => return Err(wrong_type("record", "bytes", record)),
        };
        let decoded = caught(|| self.decoder.decode_of(writer, buffer.as_bytes()));
        decoded.map_err(|error| to_python(record.py(), error))
    }
}
