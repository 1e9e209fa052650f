//! `arrowfeed.ChunkDataset`, and the adapter from `arrowfeed.ChunkSource` in Python to the `ChunkSource` trait of the engine.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::source::format::{ChunkFormat, ChunkOptions, ChunkSource};
use arrowfeed::source::quoted;
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_select::concat_batches;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::argument::{each, integer, items, wrong_type};
use crate::dataset::{Dataset, Keywords};
use crate::errors::{io_error, plain};
use crate::object::Object;
use crate::shutdown::{attribute, call_method, try_attach};
use crate::tensor::schema;
use crate::write;

#[doc = signed!(ChunkDataset)]
#[pyclass(module = "arrowfeed", frozen, extends = Dataset)]
#[derive(Default)]
pub(crate) struct ChunkDataset;

#[pymethods]
impl ChunkDataset {
    #[new]
    #[pyo3(
        signature = (
            source, *, columns=None, exclude=None, limits=None, features=None, representations=None, index=None
        ),
        text_signature = None
    )]
    fn new<'py>(
        source: &Bound<'py, PyAny>,
        columns: Option<Bound<'py, PyAny>>,
        exclude: Option<Bound<'py, PyAny>>,
        limits: Option<Bound<'py, PyAny>>,
        features: Option<Bound<'py, PyAny>>,
        representations: Option<Bound<'py, PyAny>>,
        index: Option<Bound<'py, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let keywords = Keywords::new(source.py());
        // Only the thread of the caller calls Python code, so no other thread waits for the interpreter.
        let mut options = ChunkOptions { read_by_caller: true, ..Default::default() };
        keywords.set(&mut options.columns, "columns", columns)?;
        keywords.set(&mut options.exclude, "exclude", exclude)?;
        keywords.set(&mut options.limits, "limits", limits)?;
        let of_dataset = keywords.dataset_options(features, representations, index)?;
        keywords.open_files(sources(source)?, of_dataset, |sources, _| ChunkFormat::files(sources, options))
    }
}

const EXPECTED: &str = "a ChunkSource or a list of these";

/// Sources in order.
type Sources = Vec<Arc<dyn ChunkSource>>;

/// A source, and its properties when the dataset was created.
#[derive(Debug)]
struct PythonChunks {
    source: Object,
    name: String,
    schema: SchemaRef,
    rows: Vec<u64>,
    fingerprint: [u8; 16],
}

/// Parses the sources of an argument. Also returns their picklable form.
fn sources(value: &Bound<'_, PyAny>) -> PyResult<(Sources, Py<PyAny>)> {
    let given = items(value).unwrap_or_else(|| vec![value.clone()]);
    let kept = PyList::new(value.py(), &given)?;
    let sources = given.iter().map(|source| Ok(Arc::new(PythonChunks::new(source)?) as Arc<dyn ChunkSource>));
    Ok((sources.collect::<PyResult<_>>()?, kept.into_any().unbind()))
}

impl PythonChunks {
    fn new(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        let module = py.import("arrowfeed._dataset.chunk_source")?;
        if !source.is_instance(&module.getattr("ChunkSource")?)? {
            return Err(wrong_type("source", EXPECTED, source));
        }
        let name = attribute(source, "name")?;
        let name = name.extract().map_err(|_| wrong_type("name", "a str", &name))?;
        let schema = schema(&attribute(source, "arrow_schema")?)?;
        let rows = attribute(source, "chunk_rows")?;
        let rows = each("chunk_rows", "a list of integers", &rows)?;
        let rows = rows.iter().map(|rows| integer("chunk_rows", 0, rows)).collect::<PyResult<Vec<u64>>>()?;
        let text = schema.fields().iter().map(|field| format!("{field:?}")).collect::<Vec<_>>().join("\n");
        let fingerprint = call_method(&module, "fingerprint", (source, text))?;
        let fingerprint = fingerprint.cast::<PyBytes>()?.as_bytes().try_into();
        let fingerprint = fingerprint.map_err(|_| plain(py, "expected a fingerprint of 16 bytes"))?;
        Ok(Self { source: Object::new(source.clone().unbind()), name, schema, rows, fingerprint })
    }

    /// Calls `read_chunk`, and returns the batch with the requested columns.
    fn batch(&self, py: Python<'_>, chunk: u64, columns: &[usize]) -> Result<RecordBatch, FeedError> {
        let names: Vec<&str> =
            columns.iter().map(|column| self.schema.field(*column).name().as_str()).collect();
        let rows = call_method(self.source.bind(py), "read_chunk", (chunk, &names));
        let rows = rows.map_err(|error| raised(py, error))?;
        let reader = write::source("read_chunk()", &rows);
        let mut reader = reader.map_err(|error| failed(FeedErrorKind::Conversion, py, error))?;
        let schema = reader.schema();
        let fields = schema.fields().iter().enumerate().rev();
        let numbers: HashMap<&str, usize> =
            fields.map(|(number, field)| (field.name().as_str(), number)).collect();
        let order = names.iter().map(|name| {
            numbers.get(name).copied().ok_or_else(|| {
                let fields: Vec<String> = schema.fields().iter().map(|field| quoted(field.name())).collect();
                let (name, fields) = (quoted(name), fields.join(", "));
                let message = format!("read_chunk(): expected the column {name}, found {fields}");
                FeedError::new(FeedErrorKind::Conversion, message)
            })
        });
        let order = order.collect::<Result<Vec<usize>, _>>()?;
        let joined = py.detach(|| {
            let batches = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
            let batches = batches.iter().map(|batch| batch.project(&order)).collect::<Result<Vec<_>, _>>()?;
            match &batches[..] {
                [only] => Ok(only.clone()),
                _ => {
                    let schema = schema.project(&order)?.into();
                    concat_batches(&schema, &batches.iter().collect::<Vec<_>>())
                }
            }
        });
        joined.map_err(|error| raised(py, write::failure(py, write::source_error(error))))
    }
}

impl ChunkSource for PythonChunks {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn chunk_rows(&self) -> &[u64] {
        &self.rows
    }

    fn fingerprint(&self) -> [u8; 16] {
        self.fingerprint
    }

    fn read(&self, chunk: u64, columns: &[usize]) -> Result<RecordBatch, FeedError> {
        try_attach(|py| self.batch(py, chunk, columns)).unwrap_or_else(|| {
            let message = "expected a running Python interpreter, found it shut down";
            Err(FeedError::io(io::Error::other(message)))
        })
    }
}

/// Converts an exception of Python code. Only damaged chunks and sources with an `OSError` may be skipped. Other exceptions,
/// such as `KeyboardInterrupt`, may not.
fn raised(py: Python<'_>, error: PyErr) -> FeedError {
    let is_damage = || {
        let module = py.import("arrowfeed._errors")?;
        let classes = (module.getattr("FormatError")?, module.getattr("CodecError")?);
        error.value(py).is_instance(classes.into_pyobject(py)?.as_any())
    };
    let kind = match is_damage() {
        Ok(true) => FeedErrorKind::CorruptBlock,
        _ if error.is_instance_of::<PyOSError>(py) => FeedErrorKind::Io,
        _ => FeedErrorKind::Conversion,
    };
    failed(kind, py, error)
}

/// An error that is raised in Python as the original exception.
fn failed(kind: FeedErrorKind, py: Python<'_>, error: PyErr) -> FeedError {
    let text = error.value(py).to_string();
    FeedError::new(kind, text).with_source(io_error(py, error))
}
