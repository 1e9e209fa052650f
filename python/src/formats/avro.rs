//! Avro files: `arrowfeed.AvroDataset` and `arrowfeed.read_avro`.

use std::num::NonZeroUsize;

use arrowfeed::avro::{Encoding, StringType, Unions};
use arrowfeed::source::Limits;
use arrowfeed::source::run::FileReader;
use arrowfeed::{AvroFormat, AvroOptions, AvroReader, AvroSchema};
use pyo3::prelude::*;

use super::{FormatArguments, Reading};
use crate::argument_types::{Argument, Choice, Columns, Given};
use crate::reader::RecordBatchReader;
use crate::schema::parse;
use crate::source::sources;

/// Extension of Avro files.
pub(crate) const EXTENSION: &str = "avro";

file_format! {
    struct AvroArguments {
        columns: Option<Columns>,
        reader_schema: Option<AvroSchema>,
        encoding: Encoding,
        double_as_float: bool,
        unions: Unions,
        raw: bool,
        limits: Limits,
    }
    extension: EXTENSION,
    open: AvroFormat::files,
    dataset: AvroDataset,
}

impl FormatArguments for AvroArguments {
    type Options = AvroOptions;

    fn options(self, _: Python<'_>) -> PyResult<AvroOptions> {
        let Self { columns, reader_schema, encoding, double_as_float, unions, raw, limits } = self;
        let columns = columns.map(Columns::into);
        let options = AvroOptions {
            columns,
            reader_schema,
            encoding,
            double_as_float,
            unions,
            raw,
            limits,
            ..Default::default()
        };
        Ok(options)
    }
}

file_format! {
    struct ReadArguments {
        columns: Option<Columns>,
        reader_schema: Option<AvroSchema>,
        max_batch_bytes: Option<NonZeroUsize>,
        encoding: Encoding,
        double_as_float: bool,
        string_type: StringType,
        unions: Unions,
        raw: bool,
        limits: Limits,
    }
    reader: read_avro by read,
}

/// Opens a reader, which reads streams too.
fn read(
    source: &Bound<'_, PyAny>,
    arguments: ReadArguments,
    reading: Reading,
) -> PyResult<RecordBatchReader> {
    let Reading { mut options, progress, stores } = reading;
    let of_format = AvroOptions {
        columns: arguments.columns.map(Columns::into),
        reader_schema: arguments.reader_schema,
        max_batch_bytes: arguments.max_batch_bytes.map(NonZeroUsize::get),
        encoding: arguments.encoding,
        double_as_float: arguments.double_as_float,
        string_type: arguments.string_type,
        unions: arguments.unions,
        raw: arguments.raw,
        limits: arguments.limits,
        ..Default::default()
    };
    let sources = sources(source, EXTENSION, &stores)?;
    if sources.from_python {
        options.threads = Some(NonZeroUsize::MIN);
    }
    RecordBatchReader::open(source.py(), progress, |interrupt| {
        let builder = AvroReader::builder().with_options(of_format).with_read_options(options);
        builder.with_interrupt(interrupt).open_all(sources.list).map(FileReader::from)
    })
}

impl Choice for Encoding {
    const WORDS: &'static [(&'static str, Self)] =
        &[("native", Self::Native), ("feature", Self::Feature), ("tfx", Self::Tfx)];
}

impl Choice for StringType {
    const WORDS: &'static [(&'static str, Self)] =
        &[("utf8", Self::Utf8), ("large_utf8", Self::LargeUtf8), ("utf8_view", Self::Utf8View)];
}

impl Choice for Unions {
    const WORDS: &'static [(&'static str, Self)] =
        &[("dense", Self::Dense), ("struct", Self::Struct), ("json", Self::Json)];
}

impl Argument for AvroSchema {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        parse(name, value)
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        given.py().import("copy")?.call_method1("deepcopy", (given,))
    }
}
