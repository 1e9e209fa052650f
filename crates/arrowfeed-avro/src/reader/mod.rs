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
#[derive(Debug)]
pub struct AvroReader(FileReader);

impl AvroReader {
    /// Options, and then `open`.
    pub fn builder() -> AvroReaderBuilder {
        AvroReaderBuilder::default()
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// What has been read and what was left out so far.
    pub fn report(&self) -> Report {
        self.0.report()
    }

    /// Ends the reading, and its threads with it. Dropping the reader does the same.
    pub fn close(&mut self) {
        self.0.close();
    }

    /// The same batches as an Arrow `RecordBatchReader`, its errors as `ArrowError::ExternalError`.
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

/// The same batches, for those who take a reader of any format.
impl From<AvroReader> for FileReader {
    fn from(reader: AvroReader) -> Self {
        reader.0
    }
}
