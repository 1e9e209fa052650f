//! Batches of files, one after the other: what a caller who wants no more than that gets.

use std::fmt;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::part_reader::PartReader;
use crate::{FeedError, Report};

/// RecordBatches of one schema, in file order.
///
/// Rows before a fault are given first, then the error; after an error the reader gives `None`.
pub struct FileReader {
    schema: SchemaRef,
    parts: PartReader,
}

impl FileReader {
    /// A reader of these parts, whose batches have this schema.
    pub fn new(schema: SchemaRef, parts: PartReader) -> Self {
        Self { schema, parts }
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// What has been read and what was left out so far.
    pub fn report(&self) -> Report {
        self.parts.report().clone()
    }

    /// Ends the reading, and its threads with it. Dropping the reader does the same.
    pub fn close(&mut self) {
        self.parts.close();
    }

    /// The same batches as an Arrow [`RecordBatchReader`], its errors as [`ArrowError::ExternalError`].
    pub fn into_arrow(self) -> ArrowReader {
        ArrowReader(self)
    }
}

impl Iterator for FileReader {
    type Item = Result<RecordBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.parts.next()?.map(|found| found.batch))
    }
}

impl fmt::Debug for FileReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileReader")
            .field("schema", &self.schema)
            .field("report", &self.report())
            .finish_non_exhaustive()
    }
}

/// The reader for those who ask for Arrow's own trait.
#[derive(Debug)]
pub struct ArrowReader(FileReader);

impl Iterator for ArrowReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|batch| batch.map_err(Into::into))
    }
}

impl RecordBatchReader for ArrowReader {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}
