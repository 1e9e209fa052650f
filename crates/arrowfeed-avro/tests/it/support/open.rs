//! Readers of one source, and options with some columns.

use arrowfeed_avro::{AvroFormat, AvroOptions, FeedError, FileReader, FileSource, ReadOptions};

/// Reads a source with the default options.
pub(crate) fn open(source: impl Into<FileSource>) -> Result<FileReader, FeedError> {
    open_as(source, AvroOptions::default())
}

/// Reads a source with options of the format.
pub(crate) fn open_as(source: impl Into<FileSource>, options: AvroOptions) -> Result<FileReader, FeedError> {
    AvroFormat::read([source], options, ReadOptions::default())
}

/// Reads a source with options of reading.
pub(crate) fn open_with(
    source: impl Into<FileSource>,
    reading: ReadOptions,
) -> Result<FileReader, FeedError> {
    AvroFormat::read([source], AvroOptions::default(), reading)
}

/// Options that select columns.
pub(crate) fn columns<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> AvroOptions {
    let columns = columns.into_iter().map(Into::into).collect();
    AvroOptions { columns: Some(columns), ..AvroOptions::default() }
}
