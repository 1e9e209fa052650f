//! Helpers: Parquet files in memory that are read through the engine.

pub(crate) mod compared;
pub(crate) mod nested;

use std::path::Path;
use std::sync::{Arc, Once};

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileSet, ReadOptions};
use arrowfeed_source::{FeedError, OnError};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

/// Stops printing the panics of other crates: the engine converts those of the `parquet` crate to errors. The hook belongs to
/// the process, so it still prints the panics of this repository, such as failed assertions of other tests. The compiler
/// names files of the workspace relative to its root, and files of other crates by absolute paths.
pub(crate) fn hide_panics_of_dependencies() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let printing = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.location().is_none_or(|location| Path::new(location.file()).is_relative()) {
                printing(panic);
            }
        }));
    });
}

/// Writes a file with row groups of `group` rows.
pub(crate) fn file(batch: &RecordBatch, group: usize) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(7)
        .set_write_batch_size(3)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Opens files under the names `a`, `b` and `c`.
pub(crate) fn open(
    files: impl IntoIterator<Item = Vec<u8>>,
    options: ParquetOptions,
) -> Result<FileSet, FeedError> {
    let names = ["a", "b", "c"].into_iter();
    let sources = files.into_iter().zip(names).map(|(bytes, name)| FileSource::bytes(bytes).with_name(name));
    ParquetFormat::files(sources, options, None)
}

/// Options with a requested schema.
pub(crate) fn promise(schema: Schema) -> ParquetOptions {
    ParquetOptions { schema: Some(Arc::new(schema)), ..ParquetOptions::default() }
}

/// Reads all batches. Also returns the error that ended the reading, if any.
pub(crate) fn read(
    files: FileSet,
    batch_size: usize,
    threads: usize,
    on_error: OnError,
) -> (Vec<RecordBatch>, Option<FeedError>) {
    let threads = threads.try_into().ok();
    let options = ReadOptions { batch_size: Some(batch_size), threads, on_error, ..Default::default() };
    let mut batches = Vec::new();
    for found in files.read_files(options).unwrap() {
        match found {
            Ok(batch) => batches.push(batch),
            Err(error) => return (batches, Some(error)),
        }
    }
    (batches, None)
}

/// Reads all rows as one batch, which has the schema of the files.
pub(crate) fn whole(files: FileSet, batch_size: usize, threads: usize) -> Result<RecordBatch, FeedError> {
    let schema: SchemaRef = files.schema().clone();
    let (batches, error) = read(files, batch_size, threads, OnError::Raise);
    match error {
        Some(error) => Err(error),
        None => Ok(arrow_select::concat::concat_batches(&schema, &batches).unwrap()),
    }
}
