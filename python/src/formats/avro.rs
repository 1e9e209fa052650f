//! Avro files: `arrowfeed.AvroDataset` and `arrowfeed.read_avro`.

use std::num::NonZeroUsize;

use arrowfeed::ReadOptions;
use arrowfeed::avro::{AvroFormat, AvroOptions, AvroSchema};
use arrowfeed::formats::{Format, FormatOptions};
use pyo3::prelude::*;

use super::{FormatArguments, Reading};
use crate::predicate::RowFilter;
use crate::reader::RecordBatchReader;
use crate::schema_merge::SchemaArgument;
use crate::source::sources;

/// Extension of Avro files.
pub(crate) const EXTENSION: &str = "avro";

#[derive(Default)]
struct AvroArguments {
    options: AvroOptions,
    reader_schema: Option<SchemaArgument<AvroSchema>>,
}

impl FormatArguments for AvroArguments {
    fn options(self, _: Python<'_>) -> PyResult<FormatOptions> {
        Ok(self.of_avro().into())
    }
}

impl AvroArguments {
    fn of_avro(self) -> AvroOptions {
        let (reader_schema, merge_schemas) = SchemaArgument::parts(self.reader_schema);
        AvroOptions { reader_schema, merge_schemas, ..self.options }
    }
}

file_format! {
    AvroArguments: {
        columns in options,
        exclude in options,
        reader_schema,
        encoding in options,
        double_as_float in options,
        string_type in options,
        unions in options,
        fixed_lengths in options,
        raw in options,
        limits in options,
    }
    format: Avro,
    dataset: AvroDataset,
}

read_function! {
    read_avro, read, AvroArguments: {
        columns in options,
        exclude in options,
        reader_schema,
        max_batch_bytes in options,
        encoding in options,
        double_as_float in options,
        string_type in options,
        unions in options,
        fixed_lengths in options,
        raw in options,
        limits in options,
    }
}

/// Opens a reader, which reads streams too, unless the schema must be known before the filter.
fn read(source: &Bound<'_, PyAny>, avro: AvroArguments, reading: Reading) -> PyResult<RecordBatchReader> {
    // The numbers of rows and the columns of an expression need files that can be read again.
    if !reading.added.is_empty() || matches!(reading.filter, Some(RowFilter::Expression(_))) {
        return super::read((source, Format::Avro), avro, reading);
    }
    let avro = avro.of_avro();
    let Reading { mut options, filter, progress, stores, .. } = reading;
    if let Some(RowFilter::Predicate(predicate)) = filter {
        options.filter = Some(predicate);
    }
    let sources = sources(source, EXTENSION, &stores)?;
    if sources.from_python {
        options.threads = Some(NonZeroUsize::MIN);
    }
    RecordBatchReader::open(source.py(), progress, |interrupt| {
        AvroFormat::read(sources.list, avro, ReadOptions { interrupt: Some(interrupt), ..options })
    })
}
