//! The public reader, and Avro as a format for the engine of [`arrowfeed_source::run`].
//!
//! | file | contents |
//! |---|---|
//! | `builder` | reader options and the `open` functions |
//! | `format` | implementation of the format traits: schemas, plans, files |
//! | `unit` | decoding of some blocks of one file into batches |
//! | `file` | an open file: header, blocks |
//! | `decoders` | reusable decoders |
//!
//! Each file depends only on those below it.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::{ArrowReader, FileReader};
use arrowfeed_source::{FeedError, Report};

mod builder;
mod decoders;
pub(crate) mod file;
mod format;
mod unit;

pub use builder::AvroReaderBuilder;
pub use format::AvroFormat;

/// Iterator over the RecordBatches of Avro files, in file order. Created with [`AvroReader::builder`].
///
/// Before an error, the reader returns all rows that precede it; after an error, it returns `None`.
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
#[derive(Debug)]
pub struct AvroReader(FileReader);

impl AvroReader {
    /// Creates a builder, which takes the options and opens files.
    pub fn builder() -> AvroReaderBuilder {
        AvroReaderBuilder::default()
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// Counts of data read and skipped so far.
    pub fn report(&self) -> Report {
        self.0.report()
    }

    /// Stops reading and ends the threads. Dropping the reader does the same.
    pub fn close(&mut self) {
        self.0.close();
    }

    /// Converts the reader to an Arrow `RecordBatchReader`, whose errors are `ArrowError::ExternalError`.
    pub fn into_arrow(self) -> ArrowReader {
        self.0.into_arrow()
    }
}

impl Iterator for AvroReader {
    type Item = Result<RecordBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// The same batches, for code that accepts a reader of any format.
impl From<AvroReader> for FileReader {
    fn from(reader: AvroReader) -> Self {
        reader.0
    }
}
