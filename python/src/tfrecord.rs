//! `arrowfeed.read_tfrecord`, `arrowfeed.write_tfrecord`, and the features of records.

use arrowfeed::AvroOptions;
use arrowfeed::sources::redacted;
use arrowfeed::tensor::{ValueType, sequence_value_types_from_tfmd, value_types_from_tfmd};
use arrowfeed::tfrecord::example::{Feature, FeatureKind};
use arrowfeed::tfrecord::sequence_example::{SEQUENCE_COLUMN, SequenceFeatures};
use arrowfeed::tfrecord::{
    Compression, ExampleWriter, FeatureEncoding, RecordFormat, RecordKind, RecordOptions,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::argument::{self, choice, integer, unexpected_keyword, wrong_type, wrong_value};
use crate::call::caught;
use crate::errors::representation_error;
use crate::options::READ_OPTIONS;
use crate::reader::{RecordBatchReader, read_files};
use crate::source::TFRECORD;
use crate::stores::StoreArguments;
use crate::tensor::message_bytes;
use crate::{signals, write};

/// Kinds of features by name.
const KINDS: [(&str, FeatureKind); 4] = [
    ("bytes", FeatureKind::Bytes),
    ("float", FeatureKind::Float),
    ("int64", FeatureKind::Int64),
    ("null", FeatureKind::Null),
];

const EXPECTED: &str = "a dict of names to kinds of values, or a Schema of TensorFlow Metadata or its bytes";

/// The record format of `read_tfrecord` and `write_tfrecord`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Example,
    SequenceExample,
    Raw,
}

const FORMATS: [(&str, Format); 3] =
    [("example", Format::Example), ("sequence_example", Format::SequenceExample), ("raw", Format::Raw)];

const ENCODINGS: [(&str, FeatureEncoding); 2] =
    [("tfx", FeatureEncoding::Tfx), ("feature", FeatureEncoding::Feature)];

/// Parses an `encoding` argument.
pub(crate) fn encoding(value: &Bound<'_, PyAny>) -> PyResult<FeatureEncoding> {
    choice("encoding", &ENCODINGS, value)
}

/// The name of the encoding, for pickles.
pub(crate) fn encoding_name(encoding: FeatureEncoding) -> &'static str {
    ENCODINGS.iter().find(|(_, one)| *one == encoding).map_or("tfx", |(name, _)| name)
}

/// The column of raw records.
pub(crate) const RECORD: &str = "record";

/// Parses the features of a `schema` argument.
pub(crate) fn features(value: &Bound<'_, PyAny>) -> PyResult<Vec<Feature>> {
    match value.cast::<PyDict>() {
        Ok(dict) => features_of(dict.iter()),
        Err(_) => {
            let bytes = message_bytes("schema", EXPECTED, value)?;
            let types = value_types_from_tfmd(&bytes);
            Ok(typed(types.map_err(|error| representation_error(value.py(), &error))?))
        }
    }
}

/// Parses the features of a `schema` argument for `tf.SequenceExample` messages.
pub(crate) fn sequence_features(value: &Bound<'_, PyAny>, column: &str) -> PyResult<SequenceFeatures> {
    let (context, sequence) = match value.cast::<PyDict>() {
        Ok(dict) => {
            let sequence = match dict.get_item(column)? {
                Some(steps) => match steps.cast::<PyDict>() {
                    Ok(steps) => features_of(steps.iter())?,
                    Err(_) => {
                        let name = format!("schema[{column:?}]");
                        return Err(wrong_type(&name, "a dict of names to kinds of values", &steps));
                    }
                },
                None => Vec::new(),
            };
            let is_context = |(name, _): &(Bound<'_, PyAny>, _)| name.eq(column).is_ok_and(|is_it| !is_it);
            (features_of(dict.iter().filter(is_context))?, sequence)
        }
        Err(_) => {
            let bytes = message_bytes("schema", EXPECTED, value)?;
            let types = sequence_value_types_from_tfmd(&bytes, column);
            let (context, sequence) = types.map_err(|error| representation_error(value.py(), &error))?;
            (typed(context), typed(sequence))
        }
    };
    Ok(SequenceFeatures { context, sequence, sequence_column: column.to_owned() })
}

fn features_of<'py>(
    items: impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
) -> PyResult<Vec<Feature>> {
    let feature = |(name, kind): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
        let name =
            name.cast::<PyString>().map_err(|_| wrong_type("schema", "names of features (str)", &name))?;
        let name = name.to_str()?.to_owned();
        let kind = choice(&format!("schema[{name:?}]"), &KINDS, &kind)?;
        Ok(Feature { name, kind })
    };
    items.map(feature).collect()
}

fn typed(types: Vec<(String, ValueType)>) -> Vec<Feature> {
    types.into_iter().map(|(name, value_type)| Feature { name, kind: kind(value_type) }).collect()
}

fn kind(value_type: ValueType) -> FeatureKind {
    match value_type {
        ValueType::Bytes => FeatureKind::Bytes,
        ValueType::Float => FeatureKind::Float,
        ValueType::Int => FeatureKind::Int64,
    }
}

/// The bytes of a `schema` argument, if it is a TensorFlow Metadata schema.
pub(crate) fn tfmd_bytes<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if value.is_instance_of::<PyDict>() {
        return Ok(None);
    }
    Ok(Some(PyBytes::new(value.py(), &message_bytes("schema", EXPECTED, value)?)))
}

/// Parses a `sample` argument.
pub(crate) fn sample(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer("sample", 1, value)
}

#[doc = signed!(read_tfrecord)]
#[pyfunction]
#[pyo3(signature = (source, **options), text_signature = None)]
pub(crate) fn read_tfrecord(
    source: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RecordBatchReader> {
    const NAME: &str = "read_tfrecord";
    let py = source.py();
    let (stores, options) = StoreArguments::split(py, options)?;
    let reading = PyDict::new(py);
    let (mut format, mut schema, mut sample, mut encoding) = (Format::Example, None, None, None);
    for (name, value) in &options {
        match name.extract::<String>()?.as_str() {
            "format" => format = choice("format", &FORMATS, &value)?,
            "schema" if value.is_none() => {}
            "schema" => schema = Some(value),
            "encoding" => encoding = Some(value),
            "sample" if value.is_none() => {}
            "sample" => sample = Some(value),
            name if name == "progress" || READ_OPTIONS.contains(&name) => reading.set_item(name, value)?,
            unknown => return Err(unexpected_keyword(NAME, unknown)),
        }
    }
    let kind = match format {
        Format::Example => RecordKind::Example {
            features: schema.as_ref().map(features).transpose()?,
            sample: sample.as_ref().map(self::sample).transpose()?,
        },
        Format::SequenceExample => RecordKind::SequenceExample {
            features: schema.as_ref().map(|schema| sequence_features(schema, SEQUENCE_COLUMN)).transpose()?,
            sample: sample.as_ref().map(self::sample).transpose()?,
        },
        Format::Raw => {
            let given = [("schema", &schema), ("sample", &sample)];
            if let Some((name, Some(value))) = given.into_iter().find(|(_, value)| value.is_some()) {
                return Err(wrong_value(name, "None for raw records", value));
            }
            // A record is bytes in every encoding, so the default is accepted, and what would change a type is not.
            if let Some(value) = &encoding
                && self::encoding(value)? != FeatureEncoding::default()
            {
                return Err(wrong_value("encoding", "'tfx', the default, for raw records", value));
            }
            RecordKind::Raw { column: RECORD.to_owned() }
        }
    };
    let encoding = encoding.as_ref().map(self::encoding).transpose()?.unwrap_or_default();
    read_files(NAME, &READ_OPTIONS, (source, TFRECORD, &stores), &reading, |sources, options, interrupt| {
        let AvroOptions { columns, limits, .. } = options;
        let options = RecordOptions { columns, encoding, limits, ..RecordOptions::new(kind) };
        RecordFormat::files(sources, options, Some(interrupt))
    })
}

const COMPRESSIONS: [(&str, Compression); 3] =
    [("none", Compression::None), ("gzip", Compression::Gzip), ("zlib", Compression::Zlib)];

#[doc = signed!(write_tfrecord)]
#[pyfunction]
#[pyo3(
    signature = (batches, path, *, format=None, compression=None, **stores), text_signature = None
)]
pub(crate) fn write_tfrecord(
    batches: &Bound<'_, PyAny>,
    path: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
    compression: Option<&Bound<'_, PyAny>>,
    stores: Option<&Bound<'_, PyDict>>,
) -> PyResult<u64> {
    let py = batches.py();
    let stores = StoreArguments::only("write_tfrecord", py, stores)?;
    let format = format.map_or(Ok(Format::Example), |format| choice("format", &FORMATS, format))?;
    let path = argument::path("path", path)?;
    let compression = match compression {
        Some(value) => choice("compression", &COMPRESSIONS, value)?,
        None if path.extension().is_some_and(|extension| extension == "gz") => Compression::Gzip,
        None => Compression::None,
    };
    signals::notice_main_thread(py)?;
    let batches = write::source("batches", batches)?;
    let written = py.detach(|| {
        caught(|| {
            let writer = match path.to_str().filter(|text| stores.is_remote(text)) {
                Some(url) => ExampleWriter::to_file(redacted(url), stores.create(url)?, compression),
                None => ExampleWriter::create(path, compression)?,
            };
            let mut writer = writer.with_interrupt(signals::interrupt());
            writer = match format {
                Format::Example => writer,
                Format::SequenceExample => writer.with_sequences(SEQUENCE_COLUMN),
                Format::Raw => writer.with_raw_records(),
            };
            for batch in batches {
                writer.write(&batch.map_err(write::source_error)?)?;
            }
            writer.finish()
        })
    });
    written.map_err(|error| write::failure(py, error))
}
