//! The public reader: files in, batches out, in order.
//!
//! ```text
//! AvroSource ──files──> FileReading ──planner──> Unit ──unit──> batches ──engine──> AvroReader
//! ```
//! With one thread, a file is one [`unit`] and the caller's thread decodes it; with several, [`planner`] cuts it
//! into units and [`parallel`] decodes them ahead. The decoding is the same.

use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::error::AvroError;
use engine::{Inline, Threads};
use files::Files;
use report::Report;

mod builder;
mod engine;
pub(crate) mod file;
mod files;
mod parallel;
mod planner;
pub(crate) mod report;
mod unit;

pub use builder::AvroReaderBuilder;

/// Asked now and then while a reader works; true stops it.
pub type Interrupt = Arc<dyn Fn() -> bool + Send + Sync>;

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
    files: Files,
    engine: Engine,
    report: Report,
    interrupt: Option<Interrupt>,
}

enum Engine {
    Inline(Box<Inline>),
    /// Threads that start when the first batch is asked for.
    Later(usize),
    Threads(Box<Threads>),
    /// Nothing comes any more: the end, an error, or closed.
    Ended,
}

impl AvroReader {
    /// Options, and then `open`.
    pub fn builder() -> AvroReaderBuilder {
        AvroReaderBuilder::default()
    }

    fn new(files: Files, engine: Engine, report: Report, interrupt: Option<Interrupt>) -> Self {
        Self { schema: files.schema().clone(), files, engine, report, interrupt }
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// What has been read and what was left out so far.
    pub fn report(&self) -> Report {
        let mut report = self.report.clone();
        if let Engine::Inline(inline) = &self.engine {
            report.add(inline.open_report());
        }
        report
    }

    /// Ends the reading, and its threads with it. Dropping the reader does the same.
    pub fn close(&mut self) {
        self.report = self.report();
        self.engine = Engine::Ended;
    }

    fn read(&mut self) -> Result<Option<RecordBatch>, AvroError> {
        if let Engine::Later(threads) = self.engine {
            self.engine = Engine::Threads(Box::new(Threads::start(threads)?));
        }
        let (files, report, interrupt) = (&mut self.files, &mut self.report, self.interrupt.as_ref());
        match &mut self.engine {
            Engine::Inline(inline) => inline.next(files, report, interrupt),
            Engine::Threads(threads) => threads.next(files, report, interrupt),
            Engine::Later(_) | Engine::Ended => Ok(None),
        }
    }
}

impl Iterator for AvroReader {
    type Item = Result<RecordBatch, AvroError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read() {
            Ok(Some(batch)) => {
                self.report.rows += batch.num_rows() as u64;
                Some(Ok(batch))
            }
            Ok(None) => {
                self.close();
                None
            }
            Err(error) => {
                self.close();
                Some(Err(error))
            }
        }
    }
}

impl fmt::Debug for AvroReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroReader")
            .field("schema", &self.schema)
            .field("report", &self.report)
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
