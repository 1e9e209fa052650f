//! The public reader: files in, batches out, in order.
//!
//! ```text
//! AvroSource ─┬─files──┬─supply──> Work ──planner──> Unit ──unit──> batches ──engine──> driver ─┬─> AvroReader
//!             └─parts──┘                                                                         └─> PartReader
//! ```
//! With one thread, a file is one [`unit`] and the caller's thread decodes it; with several, [`planner`] cuts it
//! into units and [`parallel`] decodes them ahead. The decoding is the same. Files that are read more than once are a
//! [`set`]; [`parts`] of them can be read in any order.

use std::fmt;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use driver::Driver;

mod builder;
mod driver;
mod engine;
pub(crate) mod file;
mod files;
pub(crate) mod identity;
mod parallel;
mod part_reader;
mod parts;
mod planner;
mod prepare;
mod set;
mod supply;
mod unit;

use arrowfeed_source::{FeedError, Report};
pub use builder::AvroReaderBuilder;
pub use identity::FileIdentity;
pub use part_reader::{PartOptions, PartReader};
pub use parts::Part;
pub use prepare::{Prepare, Prepared};
pub use set::{AvroFiles, BlockInfo};
pub use supply::FileBatch;

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
    driver: Driver,
}

impl AvroReader {
    /// Options, and then `open`.
    pub fn builder() -> AvroReaderBuilder {
        AvroReaderBuilder::default()
    }

    fn new(schema: SchemaRef, driver: Driver) -> Self {
        Self { schema, driver }
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// What has been read and what was left out so far.
    pub fn report(&self) -> Report {
        self.driver.report()
    }

    /// Ends the reading, and its threads with it. Dropping the reader does the same.
    pub fn close(&mut self) {
        self.driver.close();
    }
}

impl Iterator for AvroReader {
    type Item = Result<RecordBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.driver.next()?.map(|found| found.batch))
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
