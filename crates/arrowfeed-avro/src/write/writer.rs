//! The writer, which takes batches and writes a file.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::io::{NewFile, Target};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, Limits, quoted};

use super::append::Appended;
use super::blocks::{BlockEncoder, BoundRows, Encoded};
use super::encode::bind;
use super::locked::Locked;
use super::options::WriteOptions;
use super::plan::{self, Node};
use super::runner::Runner;
use super::{container, derive};
use crate::AvroSchema;
use crate::container::framing::SYNC;

/// Encoded bytes of a job, the unit of work of a thread, and the minimum number of blocks in it. A block ends with its job,
/// so about one block in sixteen may end early.
const JOB_BYTES: usize = 1 << 20;
const JOB_BLOCKS: usize = 16;

/// Maximum number of batches in a job.
const JOB_PIECES: usize = 1024;

/// Number of rows that are sampled to estimate the rows of a job, and number of rows after which the next sample is taken.
const SAMPLED_ROWS: usize = 32;
const SAMPLE_EVERY: u64 = 4096;

/// Writes batches to an Avro object container file, on disk or elsewhere.
///
/// A file appears under its name when [`finish`](Self::finish) has completed it, and replaces an existing file. A writer
/// that is dropped before that leaves nothing. The blocks do not depend on the number of threads.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrowfeed_avro::{AvroWriter, WriteOptions};
/// # let path = std::env::temp_dir().join(format!("arrowfeed-writer-{}.avro", std::process::id()));
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _)])?;
/// let mut writer = AvroWriter::create(&path, batch.schema(), WriteOptions::default())?;
/// writer.write(&batch)?;
/// writer.write(&batch.slice(0, 1))?;
/// assert_eq!(writer.finish()?.rows, 4);
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
pub struct AvroWriter {
    schema: SchemaRef,
    options: WriteOptions,
    interrupt: Option<Interrupt>,
    /// The path of the file, for messages.
    name: Option<String>,
    output: Output,
    /// `None` before the first batch with rows, which determines the enums, and after the end or an error.
    open: Option<StartedFile>,
    /// Set when appending to a file.
    lock: Option<Locked>,
    /// The process that created the writer. A forked child shares the file and its position.
    process: u32,
    /// Whether an error has ended writing.
    failed: bool,
    written: Written,
}

/// The amount of written data. When appending, the previous content of the file does not count.
///
/// [`AvroWriter`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Written {
    /// Rows.
    pub rows: u64,
    /// Blocks of the container.
    pub blocks: u64,
    /// Bytes, including the header of a new file.
    pub bytes: u64,
}

enum Output {
    File(Box<dyn NewFile>),
    Sink(Box<dyn Write + Send>),
}

impl Output {
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::File(target) => target.write_all(bytes),
            Self::Sink(sink) => sink.write_all(bytes),
        }
    }
}

/// State of a file whose schema is determined.
struct StartedFile {
    plan: Node,
    runner: Runner,
    /// Encodes rows to estimate their size.
    sampler: BlockEncoder,
    job: Vec<BoundRows>,
    /// Rows in `job`.
    job_rows: usize,
    /// Number of rows of a full job.
    rows_per_job: usize,
    /// Rows bound so far, and their number at the last sample.
    rows: u64,
    sampled_at: Option<u64>,
}

impl AvroWriter {
    /// Writes to a new file.
    ///
    /// # Errors
    /// A column has a type without a form in Avro or does not fit the schema of the options; an option is invalid; the codec
    /// is not compiled in; the file cannot be created, or the path leads to something other than a regular file.
    pub fn create(
        path: impl AsRef<Path>,
        schema: SchemaRef,
        options: WriteOptions,
    ) -> Result<Self, FeedError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let create = || Ok(Box::new(Target::create(path).map_err(FeedError::io)?) as Box<dyn NewFile>);
        Self::create_file(name, create, schema, options)
    }

    /// Writes to a new file or object that `create` creates once the schema and the options have been checked. `name` is used
    /// in messages.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_file(
        name: impl Into<String>,
        create: impl FnOnce() -> Result<Box<dyn NewFile>, FeedError>,
        schema: SchemaRef,
        options: WriteOptions,
    ) -> Result<Self, FeedError> {
        let name = name.into();
        let created = settle(&schema, None, &options).and_then(|_| create());
        let output = Output::File(created.map_err(|error| error.in_file(&name))?);
        Ok(Self::new(Some(name), output, schema, options))
    }

    /// Appends rows to an existing file, with its schema, codec and sync marker; the codec of the options is ignored. The file
    /// does not change until [`finish`](Self::finish) replaces it by a longer copy, which shares the old blocks if the file
    /// system supports that.
    ///
    /// # Errors
    /// The file does not exist, is not an Avro file, or ends inside a block; its codec is not compiled in; another writer
    /// appends to it; a column does not fit its schema; the options specify another schema or metadata.
    pub fn append(
        path: impl AsRef<Path>,
        schema: SchemaRef,
        options: WriteOptions,
    ) -> Result<Self, FeedError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let open = || {
            let Appended { target, schema: avro, codec, sync, lock } = Appended::open(path, &options)?;
            let options = WriteOptions { codec, schema: Some(avro), ..options };
            let (_, plan) = settle(&schema, None, &options)?;
            let open = Some(StartedFile::new(plan, &options, sync)?);
            let mut writer = Self::new(None, Output::File(Box::new(target)), schema, options);
            (writer.open, writer.lock) = (open, Some(lock));
            Ok(writer)
        };
        let mut writer = open().map_err(|error: FeedError| error.in_file(&name))?;
        writer.name = Some(name);
        Ok(writer)
    }

    /// Writes to any byte sink. Bytes that were written before an error remain in the sink.
    ///
    /// # Errors
    /// As [`create`](Self::create), except those about the file.
    pub fn to_sink(
        sink: impl Write + Send + 'static,
        schema: SchemaRef,
        options: WriteOptions,
    ) -> Result<Self, FeedError> {
        settle(&schema, None, &options)?;
        Ok(Self::new(None, Output::Sink(Box::new(sink)), schema, options))
    }

    fn new(name: Option<String>, output: Output, schema: SchemaRef, options: WriteOptions) -> Self {
        let (interrupt, open, lock, failed, written) = (None, None, None, false, Written::default());
        let process = std::process::id();
        Self { schema, options, interrupt, name, output, open, lock, process, failed, written }
    }

    /// Polls `interrupt` while writing, at least once for each block: returning true stops the writer with an error.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// The Arrow schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The amount of data written so far.
    pub fn written(&self) -> Written {
        self.written
    }

    /// Writes the rows of a batch, or buffers them until there are enough for a job.
    ///
    /// # Errors
    /// The batch has other columns than the schema; a value cannot be written as its Avro type; the file cannot be
    /// written. After an error, the writer accepts no more batches.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), FeedError> {
        self.guarded(|writer| writer.push(batch))
    }

    /// Writes the remaining rows, and makes the file appear under its name.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(mut self) -> Result<Written, FeedError> {
        self.guarded(|writer| {
            if writer.open.is_none() {
                writer.begin(None)?;
            }
            writer.run_job()?;
            let (open, interrupt) = (writer.open.as_mut(), writer.interrupt.as_ref());
            let Some(open) = open else { return Ok(()) };
            let encoded =
                open.runner.finish(&mut sink(&mut writer.output, &mut writer.written.bytes), interrupt)?;
            writer.count(encoded);
            Ok(())
        })?;
        let Self { output, written, name, open, lock, .. } = self;
        drop(open);
        let committed = match output {
            Output::File(target) => target.commit(),
            Output::Sink(mut sink) => sink.flush(),
        };
        drop(lock);
        committed.map_err(|error| named(FeedError::io(error), name.as_deref()))?;
        Ok(written)
    }

    /// Adds the name of the file to errors, and rejects every call after an error or a fork.
    fn guarded(&mut self, work: impl FnOnce(&mut Self) -> Result<(), FeedError>) -> Result<(), FeedError> {
        if self.process != std::process::id() {
            let message = "this writer was made in another process: make a new one after a fork";
            return Err(named(FeedError::new(FeedErrorKind::Internal, message), self.name.as_deref()));
        }
        if self.failed {
            let message = "this writer cannot continue after an earlier error";
            return Err(named(FeedError::new(FeedErrorKind::Options, message), self.name.as_deref()));
        }
        work(self).map_err(|error| {
            self.failed = true;
            self.open = None;
            named(error, self.name.as_deref())
        })
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<(), FeedError> {
        check_schema(&self.schema, batch)?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        if self.open.is_none() {
            self.begin(Some(batch.columns()))?;
        }
        let rows: ArrayRef = Arc::new(StructArray::from(batch.clone()));
        let Some(open) = &mut self.open else { return Ok(()) };
        let piece =
            BoundRows { body: Arc::new(bind(&open.plan, &rows)?), rows: 0..rows.len(), first_row: open.rows };
        open.sample(&piece, self.options.block_bytes);
        let mut start = 0;
        while start < rows.len() {
            let Some(open) = &mut self.open else { return Ok(()) };
            let end =
                rows.len().min(start.saturating_add(open.rows_per_job.saturating_sub(open.job_rows).max(1)));
            open.job.push(BoundRows {
                body: piece.body.clone(),
                rows: start..end,
                first_row: piece.first_row + start as u64,
            });
            open.job_rows += end - start;
            open.rows += (end - start) as u64;
            start = end;
            if open.job_rows >= open.rows_per_job || open.job.len() >= JOB_PIECES {
                self.run_job()?;
            }
        }
        Ok(())
    }

    /// Determines the schema and writes the header.
    fn begin(&mut self, first: Option<&[ArrayRef]>) -> Result<(), FeedError> {
        let (avro, plan) = settle(&self.schema, first, &self.options)?;
        let sync = container::new_sync_marker();
        let header = container::header(avro.json(), self.options.codec, &self.options.metadata, &sync);
        let most = Limits::default().header_bytes;
        if header.len() > most {
            let (most, found) =
                (arrowfeed_source::thousands(most as u64), arrowfeed_source::thousands(header.len() as u64));
            let message = format!(
                "expected a header of at most {most} bytes, found {found}, which readers would refuse"
            );
            return Err(FeedError::limit_reached("header_bytes", message));
        }
        sink(&mut self.output, &mut self.written.bytes)(&header)?;
        self.open = Some(StartedFile::new(plan, &self.options, sync)?);
        Ok(())
    }

    fn run_job(&mut self) -> Result<(), FeedError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if open.job.is_empty() {
            return Ok(());
        }
        let job = std::mem::take(&mut open.job);
        open.job_rows = 0;
        let mut sink = sink(&mut self.output, &mut self.written.bytes);
        let encoded = open.runner.run(job, &mut sink, self.interrupt.as_ref())?;
        drop(sink);
        self.count(encoded);
        Ok(())
    }

    fn count(&mut self, encoded: Encoded) {
        self.written.rows += encoded.rows;
        self.written.blocks += encoded.blocks;
    }
}

impl StartedFile {
    fn new(plan: Node, options: &WriteOptions, sync: [u8; SYNC]) -> Result<Self, FeedError> {
        let plain = WriteOptions { codec: crate::Codec::Null, level: None, ..options.clone() };
        Ok(Self {
            plan,
            runner: Runner::new(options, sync)?,
            sampler: BlockEncoder::new(&plain, sync)?,
            job: Vec::new(),
            job_rows: 0,
            rows_per_job: 1,
            rows: 0,
            sampled_at: None,
        })
    }

    /// Encodes some rows from time to time, to estimate how many make up a job.
    fn sample(&mut self, piece: &BoundRows, block_bytes: usize) {
        if self.sampled_at.is_some_and(|at| self.rows < at + SAMPLE_EVERY) {
            return;
        }
        self.sampled_at = Some(self.rows);
        if let Some(bytes) = self.sampler.sample(piece, SAMPLED_ROWS) {
            let job_bytes = JOB_BYTES.max(JOB_BLOCKS.saturating_mul(block_bytes));
            self.rows_per_job = (job_bytes / bytes).max(1);
        }
    }
}

/// Writes bytes and counts them.
fn sink<'a>(output: &'a mut Output, written: &'a mut u64) -> impl FnMut(&[u8]) -> Result<(), FeedError> + 'a {
    |bytes| {
        output.write_all(bytes).map_err(FeedError::io)?;
        *written += bytes.len() as u64;
        Ok(())
    }
}

/// Determines the Avro schema of a file, and compiles the plan for it.
pub(super) fn settle(
    schema: &Schema,
    first: Option<&[ArrayRef]>,
    options: &WriteOptions,
) -> Result<(AvroSchema, Node), FeedError> {
    options.check()?;
    match &options.schema {
        Some(avro) => Ok((avro.clone(), plan::compile(schema, avro.graph(), plan::Match::Name)?)),
        None => {
            let avro = AvroSchema::parse(&derive::derive(schema, first, options.unsigned)?)?;
            let plan = plan::compile(schema, avro.graph(), plan::Match::Position)?;
            Ok((avro, plan))
        }
    }
}

/// Checks that a batch has the columns of the schema; metadata and nullability may differ.
fn check_schema(schema: &SchemaRef, batch: &RecordBatch) -> Result<(), FeedError> {
    if Arc::ptr_eq(schema, batch.schema_ref()) {
        return Ok(());
    }
    let (expected, found) = (schema.fields(), batch.schema_ref().fields());
    let refuse = |message: String| Err(FeedError::new(FeedErrorKind::Schema, message));
    if expected.len() != found.len() {
        return refuse(format!("expected a batch of {} columns, found {}", expected.len(), found.len()));
    }
    for (expected, found) in expected.iter().zip(found) {
        if expected.name() != found.name() || !expected.data_type().equals_datatype(found.data_type()) {
            let (name, other) = (quoted(expected.name()), quoted(found.name()));
            let (ty, found) = (expected.data_type(), found.data_type());
            return refuse(format!(
                "expected a batch with the column {name} of {ty}, found {other} of {found}"
            ));
        }
    }
    Ok(())
}

fn named(error: FeedError, name: Option<&str>) -> FeedError {
    match name {
        Some(name) => error.in_file(name),
        None => error,
    }
}

impl fmt::Debug for AvroWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroWriter")
            .field("name", &self.name)
            .field("schema", &self.schema)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}
