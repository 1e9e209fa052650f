//! `arrowfeed.write_avro`, and the options that it shares with `AvroWriter`.

use std::error::Error;
use std::path::PathBuf;

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed::avro::{AvroHeader, AvroOptions, AvroSchema, AvroWriter, Codec, Unsigned, WriteOptions};
use arrowfeed::source::{Limits, out_of_memory};
use arrowfeed::sources::redacted;
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_ffi::Invalid;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{self, refuse_others, wrong_type};
use crate::arrow_schema::Schema;
use crate::call::{call, caught};
use crate::dataset::BatchIterator;
use crate::errors::{invalid_arrow, plain, to_python};
use crate::file::PythonSink;
use crate::foreign::{self, check_text};
use crate::iterated::Iterated;
use crate::shutdown::has_attribute;
use crate::store_arguments::StoreKeywords;
use crate::stores::StoreArguments;
use crate::stream::Direct;
use crate::{batch, reader, signals};

choices! {
    Unsigned { "decimal" = Decimal, "error" = Long }
    Codec {
        "null" = Null, "deflate" = Deflate, "snappy" = Snappy, "zstandard" = Zstandard, "zstd" = Zstandard,
        "bzip2" = Bzip2, "xz" = Xz,
    }
}

#[doc = signed!(write_avro)]
#[pyfunction]
#[pyo3(signature = (batches, path, *, codec=None, level=None, block_bytes=None, schema=None, metadata=None,
        on_overflow=None, threads=None, append=None, storage_options=None, store=None, **others), text_signature = None)]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn write_avro(
    batches: &Bound<'_, PyAny>,
    path: &Bound<'_, PyAny>,
    codec: Option<&Bound<'_, PyAny>>,
    level: Option<&Bound<'_, PyAny>>,
    block_bytes: Option<&Bound<'_, PyAny>>,
    schema: Option<&Bound<'_, PyAny>>,
    metadata: Option<&Bound<'_, PyAny>>,
    on_overflow: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    append: Option<&Bound<'_, PyAny>>,
    storage_options: Option<Bound<'_, PyAny>>,
    store: Option<Bound<'_, PyAny>>,
    others: Option<&Bound<'_, PyDict>>,
) -> PyResult<u64> {
    let py = batches.py();
    refuse_others("write_avro", others, &["codec", "level"])?;
    let arguments = parsed!(WriteArguments {
        codec, level in options, block_bytes in options, schema in options, metadata in options, on_overflow,
        threads in options, append,
    });
    let mut target = Target::new(
        path,
        arguments,
        StoreArguments::new(&StoreKeywords::without_cache(storage_options, store))?,
    )?;
    signals::notice_main_thread(py)?;
    let batches = source_of_rows("batches", batches, target.columns(py)?.as_ref())?;
    let written = py.detach(|| {
        caught(|| {
            let mut writer = target.open(batches.schema())?;
            for batch in batches {
                writer.write(&batch.map_err(source_error)?)?;
            }
            writer.finish()
        })
    });
    written.map(|written| written.rows).map_err(|error| failure(py, error))
}

/// The arguments that configure the writer.
#[derive(Default)]
pub(crate) struct WriteArguments {
    pub(crate) options: WriteOptions,
    pub(crate) codec: Option<Codec>,
    pub(crate) on_overflow: Unsigned,
    pub(crate) append: bool,
}

/// The destination and the options of a writer.
pub(crate) struct Target {
    place: Option<Destination>,
    options: WriteOptions,
}

enum Destination {
    New(PathBuf),
    Appended { path: PathBuf, codec: Option<Codec> },
    File(PythonSink),
    Object { url: String, stores: StoreArguments },
}

impl Target {
    pub(crate) fn new(
        path: &Bound<'_, PyAny>,
        arguments: WriteArguments,
        stores: StoreArguments,
    ) -> PyResult<Self> {
        let WriteArguments { options, codec, on_overflow, append } = arguments;
        let codec_or_default = codec.unwrap_or(options.codec);
        let options = WriteOptions { codec: codec_or_default, unsigned: on_overflow, ..options };
        let place = if has_attribute(path, "write")? {
            if append {
                let message = "append: expected a path, found a file object: the header of the file must be \
                               read";
                return Err(PyValueError::new_err(message));
            }
            Destination::File(PythonSink::new("path", path.clone()))
        } else {
            let expected = "a path (str or os.PathLike), a URL or a binary file object with write()";
            let path = argument::path("path", path).map_err(|_| wrong_type("path", expected, path))?;
            match path.to_str().filter(|text| stores.is_remote(text)).map(str::to_owned) {
                Some(_) if append => {
                    let message = "append: expected a path, found a URL: stores cannot append to objects";
                    return Err(PyValueError::new_err(message));
                }
                Some(url) => Destination::Object { url, stores },
                None if append => Destination::Appended { path, codec },
                None => Destination::New(path),
            }
        };
        Ok(Self { place: Some(place), options })
    }

    /// The columns of the Avro schema that is written, as far as it is known before the first batch.
    pub(crate) fn columns(&self, py: Python<'_>) -> PyResult<Option<SchemaRef>> {
        let appended = match &self.place {
            Some(Destination::Appended { path, .. }) => {
                Some(call(py, || AvroHeader::read(path.as_path(), &Limits::default()))?)
            }
            _ => None,
        };
        let schema = appended.as_ref().map(AvroHeader::schema).or(self.options.schema.as_ref());
        Ok(schema.and_then(columns_of))
    }

    /// Opens the writer. May be called only once.
    pub(crate) fn open(&mut self, schema: SchemaRef) -> Result<AvroWriter, FeedError> {
        let options = self.options.clone();
        let writer = match self.place.take() {
            Some(Destination::New(path)) => AvroWriter::create(path, schema, options)?,
            Some(Destination::Appended { path, codec }) => {
                if let Some(wanted) = codec {
                    let found = AvroHeader::read(path.as_path(), &Limits::default())?.codec();
                    if found != wanted {
                        let (wanted, found) = (wanted.name(), found.name());
                        let message =
                            format!("codec: expected the codec {found} of the existing file, found {wanted}");
                        return Err(FeedError::new(FeedErrorKind::Options, message));
                    }
                }
                AvroWriter::append(path, schema, options)?
            }
            Some(Destination::Object { url, stores }) => {
                AvroWriter::create_file(redacted(&url), || stores.create(&url), schema, options)?
            }
            Some(Destination::File(sink)) => AvroWriter::to_sink(sink, schema, options)?,
            None => return Err(FeedError::new(FeedErrorKind::Internal, "expected to open a writer once")),
        };
        Ok(writer.with_interrupt(signals::interrupt()))
    }
}

/// The columns of an Avro schema, unless it is recursive.
pub(crate) fn columns_of(schema: &AvroSchema) -> Option<SchemaRef> {
    schema.arrow_schema(&AvroOptions::default()).ok()
}

/// Converts an argument to a reader of batches.
pub(crate) fn source(
    argument: &str,
    batches: &Bound<'_, PyAny>,
) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    source_of_rows(argument, batches, None)
}

/// Like [`source`]. The floats of dicts and dataclass instances have the types of the `columns`.
pub(crate) fn source_of_rows(
    argument: &str,
    batches: &Bound<'_, PyAny>,
    columns: Option<&SchemaRef>,
) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    if let Ok(batch) = batches.cast::<batch::RecordBatch>() {
        let batch = batch.get().batch.clone();
        let schema = batch.schema();
        return Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    }
    if has_attribute(batches, "__arrow_c_array__")? {
        return Ok(Box::new(Checked(foreign::record_batch(argument, batches)?)));
    }
    if batches.is_instance_of::<reader::RecordBatchReader>() {
        return self::batches(argument, batches);
    }
    if let Ok(iterator) = batches.cast::<BatchIterator>() {
        return Ok(Box::new(BatchIterator::rows(iterator, argument)?));
    }
    if has_attribute(batches, "__arrow_c_stream__")? {
        return Ok(Box::new(Checked(self::batches(argument, batches)?)));
    }
    let module = batches.py().import("arrowfeed._row_batches")?;
    let columns = columns.map(|columns| Schema(columns.clone()));
    let iterator = module.call_method1("batches_of", (argument, batches, columns))?;
    if iterator.is_none() {
        let expected = "an object with __arrow_c_stream__ or __arrow_c_array__, or an iterable of batches, dicts or \
                        dataclass instances";
        return Err(wrong_type(argument, expected, batches));
    }
    Ok(Box::new(Checked(Iterated::new(argument, &iterator)?)))
}

/// The batches of an object with `__arrow_c_stream__`. Errors of an arrowfeed reader keep their types.
pub(crate) fn batches(
    argument: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    match value.cast::<reader::RecordBatchReader>() {
        Ok(reader) => Ok(Box::new(Direct(reader.get().hand_over(value.py())?))),
        Err(_) => Ok(Box::new(foreign::stream(argument, value)?)),
    }
}

/// Iterates over batches of another library, and checks their strings: a file with invalid UTF-8 could not be read.
struct Checked<R>(R);

impl<R: RecordBatchReader> Iterator for Checked<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let checked = |batch| check_text(&batch).map(|()| batch).map_err(ArrowError::from);
        self.0.next().map(|batch| batch.and_then(checked))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for Checked<R> {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}

/// Converts an error of the stream of the caller. Errors of an arrowfeed reader are kept unchanged.
pub(crate) fn source_error(error: ArrowError) -> FeedError {
    match error {
        ArrowError::ExternalError(error) => match error.downcast::<FeedError>() {
            Ok(error) => *error,
            Err(error) => SourceFailed(ArrowError::ExternalError(error)).into(),
        },
        error => out_of_memory(&error).unwrap_or_else(|| SourceFailed(error).into()),
    }
}

/// An error of the stream of the caller, as opposed to the written file.
#[derive(Debug)]
struct SourceFailed(ArrowError);

impl std::fmt::Display for SourceFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for SourceFailed {}

impl From<SourceFailed> for FeedError {
    fn from(failed: SourceFailed) -> Self {
        FeedError::new(FeedErrorKind::Schema, failed.to_string()).with_source(failed)
    }
}

/// The exception for a write error.
pub(crate) fn failure(py: Python<'_>, error: FeedError) -> PyErr {
    match error.source().and_then(|source| source.downcast_ref()) {
        Some(SourceFailed(failure)) => match Invalid::of(failure) {
            Some(invalid) => invalid_arrow(py, invalid),
            None => plain(py, &failure.to_string()),
        },
        None if error.kind() == FeedErrorKind::Options => PyValueError::new_err(error.message().to_owned()),
        None => to_python(py, error),
    }
}
