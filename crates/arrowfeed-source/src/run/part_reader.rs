//! Reader of parts of files: returns batches in order, decoded by the caller's thread or ahead by worker threads.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::file_batch::{FileBatch, Polled};
use super::file_set::FileSet;
use super::parallel::Parallel;
use super::part::Part;
use super::parts::{BatchBoundaries, OpenPart, Parts, Work};
use super::pipeline::Pipeline;
use super::pool::Pool;
use crate::format::{Claim, FormatFile, UnitDecoder};
use crate::io::remote::OnArrival;
use crate::stats::{Meter, Stage, current_meter, enter_for};
use crate::{Check, FeedError, FeedErrorKind, Interrupt, OnError, Report, caught, interrupt_or};

/// Memory budget, in bytes, for batches that the worker threads of a reader have decoded ahead.
pub const READER_PREFETCH_BYTES: usize = 32 << 20;

/// Options of one reading of a [`FileSet`].
pub struct PartOptions {
    /// Rows per batch. The last batch of a part may be shorter, see [`BatchBoundaries`]. `None`: as
    /// [`ReadOptions::batch_size`](super::ReadOptions::batch_size).
    pub batch_size: Option<usize>,
    /// The rows at which batches end.
    pub boundaries: BatchBoundaries,
    /// The reaction to data that cannot be decoded.
    pub on_error: OnError,
    /// The threads that decode.
    pub workers: Workers,
    /// Memory budget, in bytes, for batches that worker threads have decoded ahead.
    pub prefetch_bytes: usize,
    /// Called before each file and chunk, inside long ones, and while the caller waits. Returning true cancels the reading.
    pub interrupt: Option<Interrupt>,
    /// Called before each chunk of the first part, if the caller's thread decodes.
    pub claim: Option<Claim>,
}

impl fmt::Debug for PartOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartOptions")
            .field("batch_size", &self.batch_size)
            .field("boundaries", &self.boundaries)
            .field("on_error", &self.on_error)
            .field("workers", &self.workers)
            .field("prefetch_bytes", &self.prefetch_bytes)
            .finish_non_exhaustive()
    }
}

/// The threads that decode.
#[derive(Debug, Clone)]
pub enum Workers {
    /// The caller's thread.
    Caller,
    /// A thread pool that is shared with other readers.
    Pool(Arc<Pool>),
    /// A private pool with this many threads, which start when the first batch is requested. With 0 or 1,
    /// the caller's thread decodes.
    Own(usize),
}

/// A reader of parts of files, in the given order. Rows before an error are returned first, then the error. After an
/// error the reader has ended.
pub struct PartReader {
    parts: Parts,
    mode: Mode,
    report: Report,
    interrupt: Option<Interrupt>,
    /// Whether this reader sends its own requests to remote stores.
    owns_requests: bool,
}

enum Mode {
    Inline {
        current: Option<(OpenPart, Box<dyn UnitDecoder>)>,
        claim: Option<Claim>,
    },
    Later {
        threads: usize,
        budget: usize,
    },
    Parallel(Box<Parallel>),
    /// The reader has reached the end, failed, or was closed.
    Ended,
}

impl Mode {
    /// Decodes `files` on a pool. The other arguments are those of [`Pipeline::new`].
    fn parallel(pool: Arc<Pool>, budget: usize, files: &FileSet, listener: Option<Arc<OnArrival>>) -> Self {
        let pipeline = Pipeline::new(pool, budget, files.format().name(), listener);
        Self::Parallel(Box::new(Parallel::new(pipeline)))
    }
}

/// Checks the number of rows of a batch.
///
/// # Errors
/// It is 0.
pub fn check_batch_size(batch_size: Option<usize>) -> Result<(), FeedError> {
    match batch_size {
        Some(0) => {
            let message = "expected a batch_size of 1 or more, found 0";
            Err(FeedError::new(FeedErrorKind::Options, message))
        }
        _ => Ok(()),
    }
}

impl PartReader {
    /// Creates a reader of the parts, in this order. Errors of a file are returned when its turn comes.
    ///
    /// # Errors
    /// An option is invalid, or the files have columns that cannot be read
    /// ([`check_complete`](crate::format::FileFormat::check_complete)).
    pub fn new(
        files: Arc<FileSet>,
        parts: impl IntoIterator<Item = Part, IntoIter: Send + 'static>,
        options: PartOptions,
    ) -> Result<Self, FeedError> {
        let PartOptions { batch_size, boundaries, on_error, workers, prefetch_bytes, interrupt, claim } =
            options;
        check_batch_size(batch_size)?;
        files.format().check_complete()?;
        let owns_requests = files.has_objects() && !files.sends_requests();
        let parts = Box::new(parts.into_iter());
        let parts = Parts::new(files.for_reading(), parts, (batch_size, boundaries, on_error));
        let mode = match workers {
            Workers::Caller | Workers::Own(0 | 1) => Mode::Inline { current: None, claim },
            Workers::Own(threads) => Mode::Later { threads, budget: prefetch_bytes },
            Workers::Pool(pool) => Mode::parallel(pool, prefetch_bytes, &parts.files, None),
        };
        Ok(Self { parts, mode, report: Report::default(), interrupt, owns_requests })
    }

    /// Creates a share of the threads of all streams, of as many threads as the reader would start.
    ///
    /// # Errors
    /// The reader has begun, or has a claim; the system cannot start more threads.
    pub(super) fn shared_pool(&self) -> Result<Arc<Pool>, FeedError> {
        let threads = match self.mode {
            Mode::Later { threads, .. } => threads,
            Mode::Inline { current: None, claim: None } => 1,
            Mode::Inline { .. } | Mode::Parallel(_) | Mode::Ended => {
                let message = "expected a reader that has not begun and claims no chunks";
                return Err(FeedError::new(FeedErrorKind::Options, message));
            }
        };
        Ok(Arc::new(Pool::shared(threads)?))
    }

    /// Decodes on the threads of `pool`. From now on, a poll must not wait: `listener` is called when there may be a result.
    pub(super) fn listened_to_by(&mut self, pool: Arc<Pool>, listener: Arc<OnArrival>) {
        let budget = if let Mode::Later { budget, .. } = self.mode { budget } else { READER_PREFETCH_BYTES };
        self.mode = Mode::parallel(pool, budget, &self.parts.files, Some(listener));
    }

    /// Also cancels the reading when `closed` is set.
    pub(super) fn cancelled_by(&mut self, closed: Arc<AtomicBool>) {
        self.interrupt = Some(interrupt_or(closed, self.interrupt.take()));
    }

    /// Creates the meter of a reading that consists of this reader alone.
    pub(super) fn new_meter(&self) -> Meter {
        let (threads, budget) = match self.mode {
            Mode::Later { threads, budget } => (threads, budget),
            Mode::Inline { .. } | Mode::Parallel(_) | Mode::Ended => (1, 0),
        };
        Meter::new(threads, (0, 1), [self.parts.files.format().name()]).with_budget(budget)
    }

    /// Passes a file that is already open to the first part that uses it. If this reader sends its own requests, a
    /// remote file is ignored and opened again.
    pub fn with_open(mut self, number: usize, file: Arc<dyn FormatFile>) -> Self {
        if self.owns_requests && self.parts.files.is_object(number) {
            return self;
        }
        self.parts.add_open(number, file);
        self
    }

    pub(super) fn files(&self) -> &FileSet {
        &self.parts.files
    }

    /// Sets the initial counts, for example of files that were skipped before this reading.
    pub fn with_report(mut self, report: Report) -> Self {
        self.report = report;
        self
    }

    /// The counts of the data that was read and skipped so far. `rows` counts the rows of the returned batches.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns and resets the counts of the data that was read and skipped since the last call.
    pub fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    /// Indices of the files whose rest was skipped, in order. All parts must be in one group.
    pub fn left_out(&self) -> Vec<usize> {
        self.left_out_of_groups().map(|(_, file)| file).collect()
    }

    /// Groups of parts, and the indices of the files whose rest was skipped for them, in order.
    pub fn left_out_of_groups(&self) -> impl Iterator<Item = (u64, usize)> {
        self.parts.skipped_files()
    }

    /// Whether all remaining work has been submitted to worker threads.
    pub fn is_planned(&self) -> bool {
        match &self.mode {
            Mode::Parallel(parallel) => self.parts.ended && parallel.planner.is_none(),
            Mode::Inline { .. } | Mode::Later { .. } | Mode::Ended => false,
        }
    }

    /// Number of rows in the last planned batch if it is incomplete; otherwise 0.
    pub fn carried(&self) -> u64 {
        self.parts.carried()
    }

    /// Ends the reading and stops its private threads. Dropping the reader does the same.
    pub fn close(&mut self) {
        if self.owns_requests {
            // Otherwise dropping the pool would wait for threads that wait for a response.
            self.parts.files.cancel_requests();
        }
        self.mode = Mode::Ended;
    }

    /// Whether the rows are filtered.
    pub(super) fn is_filtered(&self) -> bool {
        self.parts.files.is_filtered()
    }

    /// Number of rows of a batch. It is final after the first batch.
    pub(super) fn batch_size(&self) -> usize {
        self.parts.batch_size()
    }

    /// Maximum size of a batch in bytes.
    pub(super) fn batch_bytes(&self) -> usize {
        self.parts.files.format().limits().batch_bytes
    }

    /// Changes the memory budget for decoded batches, if a thread pool decodes.
    pub fn set_prefetch_bytes(&mut self, bytes: usize) {
        if let Mode::Parallel(parallel) = &self.mode
            && !parallel.pipeline.pool().is_forked()
        {
            parallel.pipeline.set_budget(bytes);
        }
    }

    /// Starts decoding on the thread pool before the first batch is requested.
    ///
    /// # Errors
    /// The caller cancels. Errors of a file are returned when its turn comes.
    pub fn start(&mut self) -> Result<(), FeedError> {
        let check = Check::of(self.interrupt.as_ref());
        if let Mode::Parallel(parallel) = &mut self.mode
            && !parallel.pipeline.pool().is_forked()
        {
            parallel.top_up(&mut self.parts, &mut self.report, &check, false)?;
        }
        Ok(())
    }

    /// Returns the next result. With `wait`, blocks until there is one, so that it is not [`Polled::Pending`].
    ///
    /// # Errors
    /// A file or a chunk cannot be read and may not be skipped, or the caller cancels. The reading has then ended.
    pub fn poll(&mut self, wait: bool) -> Result<Polled, FeedError> {
        let (blocks, bytes) = (self.report.blocks, self.report.bytes);
        let polled = self.read(wait);
        if let Some(meter) = current_meter() {
            let rows = if let Ok(Polled::Batch(found)) = &polled { found.batch.num_rows() as u64 } else { 0 };
            let (blocks, bytes) = (self.report.blocks - blocks, self.report.bytes - bytes);
            meter.add_read(self.parts.files.format().name(), rows, blocks, bytes);
        }
        self.report.requests.add(self.parts.files.take_requests());
        match &polled {
            Ok(Polled::Batch(found)) => self.report.rows += found.batch.num_rows() as u64,
            Ok(Polled::Pending) => {}
            Ok(Polled::End) | Err(_) => self.close(),
        }
        polled
    }

    fn read(&mut self, wait: bool) -> Result<Polled, FeedError> {
        if let Mode::Later { threads, budget } = self.mode {
            self.mode = Mode::parallel(Arc::new(Pool::start(threads)?), budget, &self.parts.files, None);
        }
        let (parts, report, check) = (&mut self.parts, &mut self.report, Check::of(self.interrupt.as_ref()));
        match &mut self.mode {
            Mode::Inline { current, claim } => {
                let found = inline(current, claim, parts, report, &check)?;
                Ok(found.map_or(Polled::End, Polled::Batch))
            }
            Mode::Parallel(parallel) => {
                parallel.listen(&parts.files);
                parallel.next(parts, report, &check, wait)
            }
            Mode::Later { .. } | Mode::Ended => Ok(Polled::End),
        }
    }
}

impl Iterator for PartReader {
    type Item = Result<FileBatch, FeedError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.poll(true) {
                Ok(Polled::Batch(found)) => return Some(Ok(found)),
                Ok(Polled::Pending) => {}
                Ok(Polled::End) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Drop for PartReader {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for PartReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartReader").field("report", &self.report).finish_non_exhaustive()
    }
}

/// Returns the next batch, decoded by the caller's thread.
fn inline(
    current: &mut Option<(OpenPart, Box<dyn UnitDecoder>)>,
    claim: &mut Option<Claim>,
    parts: &mut Parts,
    report: &mut Report,
    check: &Check<'_>,
) -> Result<Option<FileBatch>, FeedError> {
    loop {
        let Some((part, decoder)) = current else {
            let Some(Work { part, unit, .. }) = parts.next(report, check)? else { return Ok(None) };
            let (options, claim) = (parts.decoding(), claim.take());
            let _decoding = enter_for(Stage::Decode, parts.files.format().name());
            let decoder = caught(|| part.numbered.file.clone().decoder(unit, &options, claim))?;
            *current = Some((part, decoder));
            continue;
        };
        let decoding = enter_for(Stage::Decode, parts.files.format().name());
        let next = caught(|| decoder.next(check));
        drop(decoding);
        report.add(decoder.take_report());
        if let Ok(Some(batch)) = next {
            parts.count(batch.batch.num_rows() as u64);
            return Ok(Some(FileBatch::new(part, batch)));
        }
        let file = (part.group, part.numbered.number);
        if let (Some((_, decoder)), Ok(_)) = (current.take(), &next) {
            decoder.recycle();
        }
        if let Err(error) = next {
            parts.skip_or_fail(file, error, report)?;
        }
    }
}
