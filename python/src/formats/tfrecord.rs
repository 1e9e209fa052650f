//! TFRecord files: `arrowfeed.ExampleDataset`, `arrowfeed.SequenceExampleDataset`, `arrowfeed.RawRecordDataset`,
//! `arrowfeed.read_tfrecord` and `arrowfeed.write_tfrecord`.

use arrowfeed::TensorDefinitions;
use arrowfeed::formats::FormatOptions;
use arrowfeed::source::Limits;
use arrowfeed::source::options::Words;
use arrowfeed::sources::redacted;
use arrowfeed::tfrecord::example::Feature;
use arrowfeed::tfrecord::sequence_example::{SEQUENCE_COLUMN, SequenceFeatures};
use arrowfeed::tfrecord::{Compression, ExampleWriter, FeatureEncoding, RecordKind, RecordOptions};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::FormatArguments;
use crate::argument::{self, refuse_others, wrong_value};
use crate::argument_types::given;
use crate::call::caught;
use crate::example_schema::{MessageFeatures, MessageSchema};
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;
use crate::tensor::representations_of_tfmd;
use crate::{signals, write};

/// The arguments of datasets of messages.
struct MessageArguments<F> {
    schema: Option<MessageSchema<F>>,
    sample: Option<u64>,
    columns: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    encoding: FeatureEncoding,
    chunk_bytes: Option<u64>,
    limits: Limits,
}

file_format! {
    MessageArguments<Vec<Feature>>: { schema, sample, columns, exclude, encoding, chunk_bytes, limits }
    format: TfRecord,
    dataset: ExampleDataset,
}

file_format! {
    MessageArguments<SequenceFeatures>: { schema, sample, columns, exclude, encoding, chunk_bytes, limits }
    format: TfRecord,
    dataset: SequenceExampleDataset,
}

impl<F> Default for MessageArguments<F> {
    fn default() -> Self {
        let (encoding, limits) = Default::default();
        Self { schema: None, sample: None, columns: None, exclude: None, encoding, chunk_bytes: None, limits }
    }
}

impl<F: MessageFeatures> FormatArguments for MessageArguments<F> {
    fn options(self, _: Python<'_>) -> PyResult<FormatOptions> {
        let Self { schema, sample, columns, exclude, encoding, chunk_bytes, limits } = self;
        let kind = F::kind(schema.map(|schema| schema.features), sample);
        let options = RecordOptions { columns, exclude, encoding, limits, ..RecordOptions::new(kind) };
        Ok(in_chunks(options, chunk_bytes))
    }

    /// The tensors that a TensorFlow Metadata schema defines, if all columns are read.
    fn tensors(&self, py: Python<'_>) -> PyResult<Option<TensorDefinitions>> {
        let schema = self.schema.as_ref().filter(|_| self.columns.is_none() && self.exclude.is_none());
        let tfmd = schema.and_then(|schema| schema.tfmd.as_ref());
        let tensors = tfmd.map(|tfmd| representations_of_tfmd(py, tfmd, "")).transpose()?;
        Ok(tensors.map(TensorDefinitions::Representations))
    }
}

#[derive(Default)]
struct RawRecordArguments {
    column: Option<String>,
    chunk_bytes: Option<u64>,
    limits: Limits,
}

file_format! {
    RawRecordArguments: { column, chunk_bytes, limits }
    format: TfRecord,
    dataset: RawRecordDataset,
}

impl FormatArguments for RawRecordArguments {
    fn options(self, _: Python<'_>) -> PyResult<FormatOptions> {
        let column = self.column.unwrap_or_else(|| RECORD.to_owned());
        let options = RecordOptions { limits: self.limits, ..RecordOptions::new(RecordKind::Raw { column }) };
        Ok(in_chunks(options, self.chunk_bytes))
    }
}

#[derive(Default)]
struct ReadArguments {
    format: Format,
    schema: Option<Py<PyAny>>,
    sample: Option<u64>,
    columns: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    encoding: FeatureEncoding,
    chunk_bytes: Option<u64>,
    limits: Limits,
}

file_format! {
    ReadArguments: { format, schema, sample, columns, exclude, encoding, chunk_bytes, limits }
    format: TfRecord,
    reader: read_tfrecord,
}

impl FormatArguments for ReadArguments {
    fn options(self, py: Python<'_>) -> PyResult<FormatOptions> {
        let Self { format, schema, sample, columns, exclude, encoding, chunk_bytes, limits } = self;
        let schema = schema.as_ref().map(|schema| schema.bind(py));
        let kind = match format {
            Format::Example => Vec::<Feature>::kind(features(schema)?, sample),
            Format::SequenceExample => SequenceFeatures::kind(features(schema)?, sample),
            Format::Raw => {
                let expected = "None for raw records";
                if let Some(schema) = schema {
                    return Err(wrong_value("schema", expected, schema));
                }
                if let Some(sample) = sample {
                    return Err(wrong_value("sample", expected, &sample.into_pyobject(py)?.into_any()));
                }
                // A record is bytes in every encoding, so the default is accepted, and what would change a type is not.
                if encoding != FeatureEncoding::default() {
                    let found = PyString::new(py, encoding.word());
                    return Err(wrong_value("encoding", "'tfx', the default, for raw records", &found));
                }
                RecordKind::Raw { column: RECORD.to_owned() }
            }
        };
        let options = RecordOptions { columns, exclude, encoding, limits, ..RecordOptions::new(kind) };
        Ok(in_chunks(options, chunk_bytes))
    }
}

fn in_chunks(options: RecordOptions, bytes: Option<u64>) -> FormatOptions {
    let chunk_bytes = bytes.unwrap_or(options.chunk_bytes);
    RecordOptions { chunk_bytes, ..options }.into()
}

fn features<F: MessageFeatures>(schema: Option<&Bound<'_, PyAny>>) -> PyResult<Option<F>> {
    let schema: Option<MessageSchema<F>> = given("schema", schema)?;
    Ok(schema.map(|schema| schema.features))
}

/// The column of raw records.
const RECORD: &str = "record";

/// The record format of `read_tfrecord` and `write_tfrecord`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Format {
    #[default]
    Example,
    SequenceExample,
    Raw,
}

choices! { Format { "example" = Example, "sequence_example" = SequenceExample, "raw" = Raw } }

#[doc = signed!(write_tfrecord)]
#[pyfunction]
#[pyo3(
    signature = (batches, path, *, format=None, compression=None, storage_options=None, store=None, **others),
    text_signature = None
)]
pub(crate) fn write_tfrecord(
    batches: &Bound<'_, PyAny>,
    path: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
    compression: Option<&Bound<'_, PyAny>>,
    storage_options: Option<Bound<'_, PyAny>>,
    store: Option<Bound<'_, PyAny>>,
    others: Option<&Bound<'_, PyDict>>,
) -> PyResult<u64> {
    let py = batches.py();
    refuse_others("write_tfrecord", others, &["compression"])?;
    let stores = StoreArguments::new(&StoreKeywords::without_cache(storage_options, store))?;
    let format: Format = given("format", format)?;
    let path = argument::path("path", path)?;
    let compression = match given::<Option<Compression>>("compression", compression)? {
        Some(compression) => compression,
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
