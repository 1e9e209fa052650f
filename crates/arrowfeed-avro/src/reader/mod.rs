//! The public reader, and Avro as a format for the engine of [`arrowfeed_source::run`].
//!
//! | file | what |
//! |---|---|
//! | `builder` | options of a reader, and what it opens |
//! | `format` | the traits of a format: schemas, plans, files |
//! | `unit` | some blocks of one file into batches |
//! | `file` | an open file: header, blocks |
//! | `decoders` | decoders that are used again |
//!
//! Each file uses those below it alone.

use std::fmt;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed_source::run::PartReader;
use arrowfeed_source::{FeedError, Report};

mod builder;
mod decoders;
pub(crate) mod file;
mod format;
mod unit;

pub use builder::AvroReaderBuilder;
pub use format::AvroFormat;

/// RecordBatches of Avro files, in file order. Made by [`AvroReader::builder`].
///
/// Rows before a fault are given first, then the error; after an error the reader gives `None`.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed_avro::AvroReader;
/// let mut rows = 0;
/// for batch in AvroReader::builder().with_batch_size(1024).open(&path)? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 3);
/// # Ok(())
/// # }
/// ```
pub struct AvroReader {
    schema: SchemaRef,
    parts: PartReader,
}

impl AvroReader {
    /// Options, and then `open`.
    pub fn builder() -> AvroReaderBuilder {
        AvroReaderBuilder::default()
    }

    fn new(schema: SchemaRef, parts: PartReader) -> Self {
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
}

impl Iterator for AvroReader {
    type Item = Result<RecordBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.parts.next()?.map(|found| found.batch))
    }
}

impl fmt::Debug for AvroReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroReader")
            .field("schema", &self.schema)
            .field("report", &self.report())
            .finish_non_exhaustive()
    }
}

/// The reader for those who ask for Arrow's own trait.
#[derive(Debug)]
pub struct ArrowReader(AvroReader);

impl AvroReader {
    /// The same batches as an Arrow [`RecordBatchReader`], its errors as [`ArrowError::ExternalError`].
    pub fn into_arrow(self) -> ArrowReader {
        ArrowReader(self)
    }
}

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
