//! TFRecord files: `arrowfeed.ExampleDataset`, `arrowfeed.SequenceExampleDataset`, `arrowfeed.RawRecordDataset`,
//! `arrowfeed.read_tfrecord` and `arrowfeed.write_tfrecord`.

use std::num::NonZeroU64;

use arrowfeed::TensorDefinitions;
use arrowfeed::source::Limits;
use arrowfeed::sources::redacted;
use arrowfeed::tfrecord::example::Feature;
use arrowfeed::tfrecord::sequence_example::{SEQUENCE_COLUMN, SequenceFeatures};
use arrowfeed::tfrecord::{Compression, Encoding, ExampleWriter, RecordFormat, RecordKind, RecordOptions};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::FormatArguments;
use crate::argument::{self, wrong_type, wrong_value};
use crate::argument_types::{Argument, Choice, Columns, Given, given};
use crate::call::caught;
use crate::example_schema::{MessageFeatures, MessageSchema};
use crate::stores::StoreArguments;
use crate::tensor::representations_of_tfmd;
use crate::{signals, write};

/// Extension of TFRecord files.
const EXTENSION: &str = "tfrecord";

/// Generates the dataset class of a kind of messages.
macro_rules! messages {
    ($class:ident, $arguments:ident, $kind:ident of $features:ty) => {
        file_format! {
            struct $arguments {
                schema: Option<MessageSchema<$features>>,
                sample: Option<NonZeroU64>,
                columns: Option<Columns>,
                encoding: Encoding,
                limits: Limits,
            }
            extension: EXTENSION,
            open: RecordFormat::files,
            dataset: $class,
        }

        impl FormatArguments for $arguments {
            type Options = RecordOptions;

            fn options(self, _: Python<'_>) -> PyResult<RecordOptions> {
                let features = self.schema.map(|schema| schema.features);
                let kind = RecordKind::$kind { features, sample: self.sample.map(NonZeroU64::get) };
                Ok(options(kind, self.columns, self.encoding, self.limits))
            }

            /// The tensors that a TensorFlow Metadata schema defines, if all columns are read.
            fn tensors(&self, py: Python<'_>) -> PyResult<Option<TensorDefinitions>> {
                let schema = self.schema.as_ref().filter(|_| self.columns.is_none());
                let tfmd = schema.and_then(|schema| schema.tfmd.as_ref());
                let tensors = tfmd.map(|tfmd| representations_of_tfmd(py, tfmd, "")).transpose()?;
                Ok(tensors.map(TensorDefinitions::Representations))
            }
        }
    };
}

messages! { ExampleDataset, ExampleArguments, Example of Vec<Feature> }

messages! { SequenceExampleDataset, SequenceExampleArguments, SequenceExample of SequenceFeatures }

file_format! {
    struct RawRecordArguments {
        column: Option<ColumnName>,
        limits: Limits,
    }
    extension: EXTENSION,
    open: RecordFormat::files,
    dataset: RawRecordDataset,
}

impl FormatArguments for RawRecordArguments {
    type Options = RecordOptions;

    fn options(self, _: Python<'_>) -> PyResult<RecordOptions> {
        let column = self.column.map_or_else(|| RECORD.to_owned(), |ColumnName(name)| name);
        Ok(options(RecordKind::Raw { column }, None, Encoding::default(), self.limits))
    }
}

file_format! {
    struct ReadArguments {
        format: Format,
        schema: Option<Py<PyAny>>,
        sample: Option<NonZeroU64>,
        columns: Option<Columns>,
        encoding: Encoding,
        limits: Limits,
    }
    extension: EXTENSION,
    open: RecordFormat::files,
    reader: read_tfrecord,
}

impl FormatArguments for ReadArguments {
    type Options = RecordOptions;

    fn options(self, py: Python<'_>) -> PyResult<RecordOptions> {
        let sample = self.sample.map(NonZeroU64::get);
        let schema = self.schema.as_ref().map(|schema| schema.bind(py));
        let kind = match self.format {
            Format::Example => RecordKind::Example { features: features(schema)?, sample },
            Format::SequenceExample => RecordKind::SequenceExample { features: features(schema)?, sample },
            Format::Raw => {
                let expected = "None for raw records";
                if let Some(schema) = schema {
                    return Err(wrong_value("schema", expected, schema));
                }
                if let Some(sample) = sample {
                    return Err(wrong_value("sample", expected, &sample.into_pyobject(py)?.into_any()));
                }
                // A record is bytes in every encoding, so the default is accepted, and what would change a type is not.
                if self.encoding != Encoding::default() {
                    let found = PyString::new(py, self.encoding.word());
                    return Err(wrong_value("encoding", "'tfx', the default, for raw records", &found));
                }
                RecordKind::Raw { column: RECORD.to_owned() }
            }
        };
        Ok(options(kind, self.columns, self.encoding, self.limits))
    }
}

fn features<F: MessageFeatures>(schema: Option<&Bound<'_, PyAny>>) -> PyResult<Option<F>> {
    let schema = schema.map(|schema| MessageSchema::parse("schema", schema)).transpose()?;
    Ok(schema.map(|schema| schema.features))
}

fn options(kind: RecordKind, columns: Option<Columns>, encoding: Encoding, limits: Limits) -> RecordOptions {
    RecordOptions { columns: columns.map(Columns::into), encoding, limits, ..RecordOptions::new(kind) }
}

/// The column of raw records.
const RECORD: &str = "record";

/// The name of a column.
pub(crate) struct ColumnName(pub(crate) String);

impl Argument for ColumnName {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        value.extract().map(Self).map_err(|_| wrong_type(name, "the name of a column (str)", value))
    }
}

/// The record format of `read_tfrecord` and `write_tfrecord`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Format {
    #[default]
    Example,
    SequenceExample,
    Raw,
}

impl Choice for Format {
    const WORDS: &'static [(&'static str, Self)] =
        &[("example", Self::Example), ("sequence_example", Self::SequenceExample), ("raw", Self::Raw)];
}

impl Choice for Encoding {
    const WORDS: &'static [(&'static str, Self)] = &[("tfx", Self::Tfx), ("feature", Self::Feature)];
}

impl Choice for Compression {
    const WORDS: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("gzip", Self::Gzip), ("zlib", Self::Zlib)];
}

#[doc = signed!(write_tfrecord)]
#[pyfunction]
#[pyo3(
    signature = (batches, path, *, format=None, compression=None, storage_options=None, store=None),
    text_signature = None
)]
pub(crate) fn write_tfrecord(
    batches: &Bound<'_, PyAny>,
    path: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
    compression: Option<&Bound<'_, PyAny>>,
    storage_options: Option<Bound<'_, PyAny>>,
    store: Option<Bound<'_, PyAny>>,
) -> PyResult<u64> {
    let py = batches.py();
    let stores = StoreArguments::without_cache(storage_options, store)?;
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
