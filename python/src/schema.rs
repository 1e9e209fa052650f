//! `arrowfeed.AvroSchema` and `arrowfeed.avro_schema`.

use std::path::PathBuf;

use arrowfeed::avro::{AvroHeader, AvroOptions, MergedSchema};
use arrowfeed::source::io::{FileSource, Opened, checked_read_at};
use arrowfeed::source::{Check, Limits};
use arrowfeed::{FeedError, FeedErrorKind, printable};
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::argument::{path, wrong_type};
use crate::argument_types::{Argument, given};
use crate::arrow_schema::Schema;
use crate::call::call;
use crate::errors::to_python;
use crate::formats::avro::EXTENSION;
use crate::html;
use crate::shutdown::{call_method, call_with};
use crate::signals;
use crate::source::{first_source, rereadable};
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;

#[doc = docs!(AvroSchema)]
#[pyclass(module = "arrowfeed", frozen)]
#[derive(Debug)]
pub(crate) struct AvroSchema {
    schema: arrowfeed::avro::AvroSchema,
    codec: Option<String>,
    metadata: Vec<(String, Vec<u8>)>,
}

#[pymethods]
impl AvroSchema {
    #[new]
    #[pyo3(signature = (schema, *, codec=None, metadata=None))]
    fn new(
        schema: &Bound<'_, PyAny>,
        codec: Option<String>,
        metadata: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let pairs = metadata.into_iter().flatten();
        let metadata = pairs.map(|(key, value)| Ok((key.extract()?, value.extract()?)));
        Ok(Self { schema: parse("schema", schema)?, codec, metadata: metadata.collect::<PyResult<_>>()? })
    }

    #[doc = docs!(AvroSchema.json)]
    #[getter]
    fn json(&self) -> &str {
        self.schema.json()
    }

    #[doc = docs!(AvroSchema.canonical)]
    #[getter]
    fn canonical(&self) -> String {
        self.schema.canonical()
    }

    #[doc = docs!(AvroSchema.fingerprint)]
    #[getter]
    fn fingerprint(&self) -> u64 {
        self.schema.fingerprint()
    }

    #[doc = docs!(AvroSchema.warnings)]
    #[getter]
    fn warnings(&self) -> Vec<&str> {
        self.schema.warnings().iter().map(String::as_str).collect()
    }

    #[doc = docs!(AvroSchema.arrow)]
    #[getter]
    fn arrow(&self, py: Python<'_>) -> PyResult<Schema> {
        call(py, || self.schema.arrow_schema(&AvroOptions::default())).map(Schema)
    }

    #[doc = docs!(AvroSchema.codec)]
    #[getter]
    fn codec(&self) -> Option<&str> {
        self.codec.as_deref()
    }

    #[doc = docs!(AvroSchema.metadata)]
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let metadata = PyDict::new(py);
        for (key, value) in &self.metadata {
            metadata.set_item(key, PyBytes::new(py, value))?;
        }
        Ok(metadata)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.schema == other.schema
    }

    fn __hash__(&self) -> u64 {
        self.schema.fingerprint()
    }

    fn __str__(&self) -> &str {
        self.schema.json()
    }

    fn __repr__(&self) -> String {
        format!("AvroSchema('{}')", printable(self.schema.json()))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let json = py.import("json")?;
        let keywords = PyDict::new(py);
        keywords.set_item("indent", 2)?;
        keywords.set_item("ensure_ascii", false)?;
        let value = call_method(json.as_any(), "loads", (self.schema.json(),))?;
        let text = call_with(&json.getattr("dumps")?, (value,), Some(&keywords))?;
        Ok(html::preformatted(text.extract()?))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("codec", &self.codec)?;
        keywords.set_item("metadata", self.metadata(py)?)?;
        Ok((PyTuple::new(py, [self.schema.json()])?, keywords))
    }
}

#[doc = signed!(avro_schema)]
#[pyfunction]
#[pyo3(
    signature = (source, *, merge=None, limits=None, storage_options=None, store=None), text_signature = None
)]
pub(crate) fn avro_schema(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    merge: Option<&Bound<'_, PyAny>>,
    limits: Option<&Bound<'_, PyAny>>,
    storage_options: Option<Bound<'_, PyAny>>,
    store: Option<Bound<'_, PyAny>>,
) -> PyResult<AvroSchema> {
    let stores = StoreArguments::new(&StoreKeywords::without_cache(storage_options, store))?;
    let limits = given("limits", limits)?;
    let interrupt = signals::interrupt_of_call(py)?;
    if given("merge", merge)? {
        let (sources, _) = rereadable(source, EXTENSION, false, &stores)?;
        let merged = call(py, || MergedSchema::of_files(sources, &limits, Some(&interrupt)))?;
        return Ok(AvroSchema { schema: merged.schema, codec: None, metadata: Vec::new() });
    }
    let source = first_source(source, EXTENSION, &stores)?;
    call(py, || {
        let header = AvroHeader::read_with(source, &limits, Some(&interrupt))?;
        Ok(AvroSchema {
            schema: header.schema().clone(),
            codec: Some(header.codec().name().to_owned()),
            metadata: header.metadata(),
        })
    })
}

#[doc = signed!(avro_columns)]
#[pyfunction]
#[pyo3(
    signature = (schema, *, reader_schema=None, string_type=None, unions=None, limits=None), text_signature = None
)]
pub(crate) fn avro_columns(
    py: Python<'_>,
    schema: &AvroSchema,
    reader_schema: Option<&Bound<'_, PyAny>>,
    string_type: Option<&Bound<'_, PyAny>>,
    unions: Option<&Bound<'_, PyAny>>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<Schema> {
    let options = parsed!(AvroOptions { reader_schema, string_type, unions, limits });
    call(py, || schema.schema.arrow_schema_of_all(&options)).map(Schema)
}

/// A schema argument: JSON text, the dict or list of it, a path of a file that has it, or an `AvroSchema`.
pub(crate) fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<arrowfeed::avro::AvroSchema> {
    let py = value.py();
    if let Ok(schema) = value.cast::<AvroSchema>() {
        return Ok(schema.get().schema.clone());
    }
    let text = if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str()?;
        if !text.ends_with(SCHEMA_FILE) {
            return parsed(py, text);
        }
        text_of_file(py, path(name, value)?)?
    } else if value.is_instance_of::<PyDict>() || value.is_instance_of::<PyList>() {
        match call_method(py.import("json")?.as_any(), "dumps", (value,)) {
            // A schema may be nested less deeply than Python allows, so this is the error of such a schema.
            Err(error) if error.is_instance_of::<PyRecursionError>(py) => "[".repeat(TOO_DEEP),
            text => text?.extract()?,
        }
    } else if let Ok(path) = path(name, value) {
        text_of_file(py, path)?
    } else {
        return Err(wrong_type(name, "JSON text, a dict, the path of an .avsc file or an AvroSchema", value));
    };
    parsed(py, &text)
}

impl Argument for arrowfeed::avro::AvroSchema {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        parse(name, value)
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        given.py().import("copy")?.call_method1("deepcopy", (given,))
    }
}

fn parsed(py: Python<'_>, text: &str) -> PyResult<arrowfeed::avro::AvroSchema> {
    arrowfeed::avro::AvroSchema::parse(text).map_err(|error| to_python(py, error))
}

/// Number of brackets that no limits allow in a schema.
const TOO_DEEP: usize = 1000;

/// End of the name of a schema file. No JSON text ends in this way.
const SCHEMA_FILE: &str = ".avsc";

/// The text of a schema file, which has at most the bytes that a schema may have.
fn text_of_file(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let interrupt = signals::interrupt_of_call(py)?;
    call(py, || {
        let Opened::File(file) = FileSource::from(path).open(&Check::of(Some(&interrupt)))? else {
            return Ok(String::new());
        };
        let (most, found) = (Limits::default().schema_bytes as u64, file.len());
        if found > most {
            let message = format!("expected a schema of at most {most} bytes, found {found}");
            return Err(FeedError::limit_reached("schema_bytes", message).in_file(file.name()));
        }
        let mut bytes = vec![0; usize::try_from(found).unwrap_or_default()];
        let read = checked_read_at(&**file.source(), 0, &mut bytes);
        bytes.truncate(read.map_err(|error| FeedError::io(error).in_file(file.name()))?);
        String::from_utf8(bytes).map_err(|_| {
            let message = "expected a schema in UTF-8, found other bytes";
            FeedError::new(FeedErrorKind::Schema, message).in_file(file.name())
        })
    })
}
