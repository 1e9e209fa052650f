//! Helpers that read in-memory files through the engine.

use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::format::{Chunk, ChunkScan};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, Workers};
use arrowfeed_source::{Check, FeedError, OnError, Report};
use arrowfeed_text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};

pub(crate) fn csv(file: &[u8], options: CsvOptions) -> Result<FileSet, FeedError> {
    CsvFormat::files([FileSource::bytes(file.to_vec()).with_name("file")], options, None)
}

pub(crate) fn json(file: &[u8], options: JsonLinesOptions) -> Result<FileSet, FeedError> {
    JsonLinesFormat::files([FileSource::bytes(file.to_vec()).with_name("file")], options, None)
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn schema(columns: &[(&str, DataType)]) -> SchemaRef {
    let field = |(name, data_type): &(&str, DataType)| Field::new(*name, data_type.clone(), true);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

pub(crate) fn options(batch_size: usize, on_error: OnError, workers: Workers) -> PartOptions {
    PartOptions {
        batch_size: Some(batch_size),
        boundaries: BatchBoundaries::Continue(0),
        on_error,
        workers,
        prefetch_bytes: 1 << 20,
        interrupt: None,
        claim: None,
    }
}

/// The batches of parts of a file, the report, and the error that ends them.
pub(crate) fn read(
    files: &FileSet,
    parts: Vec<Part>,
    options: PartOptions,
) -> (Vec<RecordBatch>, Report, Option<FeedError>) {
    let mut reader = PartReader::new(Arc::new(files.clone()), parts, options).unwrap();
    let mut batches = Vec::new();
    let error = reader.find_map(|found| found.map(|found| batches.push(found.batch)).err());
    (batches, reader.report().clone(), error)
}

/// All rows of a file in one batch.
pub(crate) fn whole(files: &FileSet) -> RecordBatch {
    let (batches, _, error) =
        read(files, vec![Part::whole(0)], options(100_000, OnError::Raise, Workers::Caller));
    assert!(error.is_none(), "{error:?}");
    joined(files, &batches)
}

pub(crate) fn joined(files: &FileSet, batches: &[RecordBatch]) -> RecordBatch {
    arrowfeed_select::concat_batches(files.schema(), &batches.iter().collect::<Vec<_>>()).unwrap()
}

pub(crate) fn scanned(scan: &mut dyn ChunkScan) -> Vec<Chunk> {
    std::iter::from_fn(|| scan.next(&Check::never()).unwrap()).collect()
}

/// The error of reading a file from its start to its end.
pub(crate) fn error_of(files: &FileSet) -> String {
    let (_, _, error) = read(files, vec![Part::whole(0)], options(100, OnError::Raise, Workers::Caller));
    error.unwrap().to_string()
}

/// A batch as text, one line per row.
pub(crate) fn shown(batch: &RecordBatch) -> Vec<String> {
    use arrow_cast::display::{ArrayFormatter, FormatOptions};
    let options = FormatOptions::default().with_null("null");
    let columns: Vec<_> =
        batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    let row =
        |row| columns.iter().map(|column| column.value(row).to_string()).collect::<Vec<_>>().join(" | ");
    (0..batch.num_rows()).map(row).collect()
}
