//! Functions over the batches of a dataset, which the thread that requests batches calls.
//!
//! ```text
//! RowSource ──rows──> MapCalls ──batches of the new schema──> Conversion
//! ```
//! The position of a mapped batch is that of the batch before the function. So states, shuffles and shards are those of the
//! dataset without the function.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use arrowfeed_source::run::Pool;
use arrowfeed_source::{FeedError, FeedErrorKind, Report, printable};

use super::files::counted_files::CountedFiles;
use super::options::IterationOptions;
use super::rows::gather::Rows;
use super::rows::source::{RowSource, Started};
use super::state::checkpoint::Checkpoint;
use super::state::reported::Counted;
use crate::error::DatasetError;

/// A function over the batches of a dataset, see [`Dataset::map`](super::Dataset::map).
pub trait BatchMap: fmt::Debug + Send + Sync {
    /// Begins the calls of an iteration.
    fn start(&self) -> Box<dyn MapCalls>;
}

/// The calls of a function in one iteration, by the thread that requests batches.
///
/// [`Dataset::map`](crate::Dataset::map) has an example.
pub trait MapCalls: Send {
    /// Maximum number of calls that have begun and are not finished. With 1, a call begins when its batch is requested.
    fn most(&self) -> usize {
        1
    }

    /// Begins the call for the next batch.
    ///
    /// # Errors
    /// The call cannot begin.
    fn begin(&mut self, batch: RecordBatch) -> Result<(), FeedError>;

    /// Whether [`finish`](Self::finish) returns without waiting for other processes.
    fn is_ready(&mut self) -> bool {
        true
    }

    /// Finishes the oldest call, and returns its batch.
    ///
    /// # Errors
    /// The function failed.
    fn finish(&mut self) -> Result<RecordBatch, FeedError>;

    /// Ends the calls. Nothing is called after it.
    fn close(&mut self) {}
}

/// A function, and the schema of the batches that it returns.
#[derive(Debug, Clone)]
pub(crate) struct Mapped {
    pub(crate) function: Arc<dyn BatchMap>,
    pub(crate) schema: SchemaRef,
}

impl Mapped {
    /// The batch with the schema of all batches.
    fn checked(&self, batch: &RecordBatch) -> Result<RecordBatch, FeedError> {
        check_columns(&self.schema, batch.schema_ref())?;
        let other = |error| {
            wrong(format!("map: expected a batch of the schema, found one that does not fit: {error}"))
        };
        let typed = |(column, field): (&ArrayRef, &FieldRef)| match column.data_type() == field.data_type() {
            true => Ok(column.clone()),
            // Its values of other types are nulls.
            false => arrow_cast::cast(column, field.data_type()),
        };
        let columns = batch.columns().iter().zip(self.schema.fields()).map(typed);
        let columns = columns.collect::<Result<_, _>>().map_err(other)?;
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &rows).map_err(other)
    }
}

/// Whether the columns have the same names and types. Some may have nulls in only one of them.
pub(crate) fn has_columns_of(schema: &Schema, other: &Schema) -> bool {
    let columns = |schema: &Schema| {
        let column = |field: &FieldRef| (field.name().clone(), field.data_type().clone());
        schema.fields().iter().map(column).collect::<Vec<_>>()
    };
    columns(schema) == columns(other)
}

/// Checks the names and the types of the columns that a function returns.
fn check_columns(schema: &Schema, found: &Schema) -> Result<(), FeedError> {
    let names = |schema: &Schema| {
        let names: Vec<String> = schema.fields().iter().map(|field| printable(field.name())).collect();
        if names.is_empty() { "no columns".to_owned() } else { names.join(", ") }
    };
    if !schema.fields().iter().map(|field| field.name()).eq(found.fields().iter().map(|field| field.name())) {
        let (expected, found) = (names(schema), names(found));
        return Err(wrong(format!("map: expected a batch with the columns {expected}, found {found}")));
    }
    for (expected, found) in schema.fields().iter().zip(found.fields()) {
        if !fits(found.data_type(), expected.data_type()) {
            let name = printable(expected.name());
            let (expected, found) = (expected.data_type(), found.data_type());
            let error = wrong(format!("map: column {name}: expected {expected}, found {found}"));
            return Err(match fits(expected, found) {
                true => error.with_advice("the first rows have only nulls: pass the schema"),
                false => error,
            });
        }
    }
    Ok(())
}

/// Whether a type is another one, except that it may be null inside: libraries of frames find no type where a batch has only
/// nulls. The items of lists may have other names.
fn fits(found: &DataType, expected: &DataType) -> bool {
    use DataType::{LargeList, List, Null, Struct};

    match (found, expected) {
        (Null, _) => true,
        (List(found), List(expected)) | (LargeList(found), LargeList(expected)) => {
            found == expected || fits(found.data_type(), expected.data_type())
        }
        (Struct(found), Struct(expected)) if found.len() == expected.len() => {
            let fits = |(found, expected): (&FieldRef, &FieldRef)| {
                found.name() == expected.name() && fits(found.data_type(), expected.data_type())
            };
            found.iter().zip(expected).all(fits)
        }
        _ => found == expected,
    }
}

#[cold]
fn wrong(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Schema, message)
}

/// The rows of the batches of a function.
pub(crate) struct MappedRows {
    rows: Box<dyn RowSource>,
    mapped: Mapped,
    /// Started with the first batch.
    calls: Option<Box<dyn MapCalls>>,
    /// Number of calls that have begun and are not finished.
    begun: usize,
    /// Set when no more calls can begin: the error, if there was one.
    end: Option<Result<(), DatasetError>>,
}

impl MappedRows {
    pub(crate) fn new(rows: Box<dyn RowSource>, mapped: Mapped) -> Self {
        Self { rows, mapped, calls: None, begun: 0, end: None }
    }

    /// Begins the call for the next batch. Returns false if there is none yet.
    fn begin(rows: &mut dyn RowSource, calls: &mut dyn MapCalls, wait: bool) -> Result<Begun, DatasetError> {
        Ok(match rows.start(wait)? {
            Started::Batch(rows) => {
                calls.begin(rows.into_batch()?)?;
                Begun::Call
            }
            Started::Pending => Begun::Pending,
            Started::Over => Begun::Over,
        })
    }

    fn discard(&mut self) {
        if let Some(mut calls) = self.calls.take() {
            calls.close();
        }
        (self.begun, self.end) = (0, None);
    }
}

enum Begun {
    Call,
    Pending,
    Over,
}

impl RowSource for MappedRows {
    fn schema(&self) -> SchemaRef {
        self.mapped.schema.clone()
    }

    fn options(&self) -> &IterationOptions {
        self.rows.options()
    }

    fn formats(&self) -> Vec<&'static str> {
        self.rows.formats()
    }

    fn epoch(&self) -> Option<u64> {
        self.rows.epoch()
    }

    fn batch_rows(&self) -> usize {
        self.rows.batch_rows()
    }

    fn seed(&self) -> Option<u64> {
        self.rows.seed()
    }

    fn gathers(&self) -> bool {
        self.rows.gathers()
    }

    fn pool(&mut self) -> Result<Arc<Pool>, FeedError> {
        self.rows.pool()
    }

    fn start(&mut self, wait: bool) -> Result<Started, DatasetError> {
        let calls = self.calls.get_or_insert_with(|| self.mapped.function.start());
        if calls.most() == 1 && !wait {
            return Ok(Started::Pending);
        }
        while self.begun < calls.most() && self.end.is_none() {
            match Self::begin(&mut *self.rows, &mut **calls, wait && self.begun == 0) {
                Ok(Begun::Call) => self.begun += 1,
                Ok(Begun::Pending) => break,
                Ok(Begun::Over) => self.end = Some(Ok(())),
                // The batches before it come first.
                Err(error) => self.end = Some(Err(error)),
            }
        }
        if self.begun == 0 {
            return match self.end.take() {
                None => Ok(Started::Pending),
                Some(end) => end.map(|()| Started::Over),
            };
        }
        if !wait && !calls.is_ready() {
            return Ok(Started::Pending);
        }
        self.begun -= 1;
        Ok(Started::Batch(Rows::Whole(self.mapped.checked(&calls.finish()?)?)))
    }

    fn yield_started(&mut self) {
        self.rows.yield_started();
    }

    fn end(&mut self, is_over: bool) {
        self.rows.end(is_over);
    }

    fn close(&mut self) {
        self.rows.close();
        self.discard();
    }

    fn report(&self) -> Report {
        self.rows.report()
    }

    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report {
        self.rows.uncounted(counted)
    }

    fn files(&self) -> Vec<CountedFiles<'_>> {
        self.rows.files()
    }

    fn checkpoint(&mut self, reads_contents: bool) -> Result<Checkpoint, DatasetError> {
        self.rows.checkpoint(reads_contents)
    }

    fn resume(&mut self, at: &Checkpoint) -> Result<(), DatasetError> {
        self.rows.resume(at)?;
        self.discard();
        Ok(())
    }

    fn start_at_epoch(&mut self, epoch: u64) {
        self.rows.start_at_epoch(epoch);
        self.discard();
    }
}
