//! A stream of the batches of a reader, for any executor.
//!
//! ```text
//!  decoding threads, responses of stores ──notify──> driver (a job) ──batches──> BatchStream ──> executor
//! ```
//! The driver polls the reader on a thread of the pool until it has no result. It is a job that ends then, and starts again when a
//! batch is decoded, when bytes arrive, or when the consumer has taken batches. So a stream that waits has no thread.

#![expect(
    clippy::disallowed_types,
    reason = "the reader and its batches; in a child, `poll_next` and the destructor return before they lock"
)]

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use futures_core::Stream;

use super::file_batch::Polled;
use super::file_reader::FileReader;
use super::pool::Pool;
use crate::stats::{Meter, Stats, measured};
use crate::{FeedError, Report};

/// Maximum number of batches that wait for the consumer in addition to those that the reader has decoded ahead.
const MAX_WAITING: usize = 4;

/// The batches of a [`FileReader`], without a thread that waits. Created by [`FileReader::into_stream`].
///
/// The executor may be any: a poll takes a batch, or registers to be woken. Files are opened, read and decoded on threads that all
/// streams of the process share, one for each core; at most [`threads`](super::ReadOptions::threads) of them work for this stream at a
/// time. Nothing is read before the first poll. Dropping the stream cancels the reading, and does not wait for it.
///
/// The batches are those of the reader. After an error the stream ends.
///
/// Bytes of remote objects are decoded when they have arrived. A thread waits for them only if they are fewer than the decoder needs:
/// in a file that is not divided into chunks, and at a header that is longer than most. It also waits for a pipe or a standard input.
///
/// [`ChunkSource`](crate::format::ChunkSource) has an example.
pub struct BatchStream {
    driver: Arc<Driver>,
    schema: SchemaRef,
    meter: Arc<Meter>,
    has_begun: bool,
    /// The start of the wait for the next batch.
    waits_since: Option<u64>,
    /// Whether a forked child has polled the stream.
    was_refused: bool,
}

/// When the driver runs.
mod turn {
    pub(super) const IDLE: u8 = 0;
    pub(super) const SUBMITTED: u8 = 1;
    pub(super) const RUNS: u8 = 2;
    /// It runs, and has to look again before it ends.
    pub(super) const RUNS_AGAIN: u8 = 3;
}

struct Driver {
    turn: AtomicU8,
    /// `None` after the end of the reading. Only the driver locks it while it works.
    reader: Mutex<Option<FileReader>>,
    found: Mutex<Found>,
    /// Whether the stream was dropped.
    closed: Arc<AtomicBool>,
    meter: Arc<Meter>,
    pool: Arc<Pool>,
}

/// What the driver has found.
#[derive(Default)]
struct Found {
    batches: VecDeque<Result<RecordBatch, FeedError>>,
    has_ended: bool,
    report: Report,
    waker: Option<Waker>,
}

/// What the driver does next.
enum Next {
    Look,
    Rest,
    /// The reading has ended, with this error if any.
    End(Option<FeedError>),
}

impl FileReader {
    /// Converts the reader into a stream for any executor. The module `asynchronous` of the crate `arrowfeed` has an example.
    ///
    /// # Errors
    /// A batch was requested before, or the reader claims chunks; the system cannot start more threads.
    pub fn into_stream(mut self) -> Result<BatchStream, FeedError> {
        let (schema, meter, closed) = (self.schema(), self.meter().clone(), Arc::<AtomicBool>::default());
        let pool = measured(&meter, || self.parts().shared_pool())?;
        self.parts().cancelled_by(closed.clone());
        let driver = Arc::new_cyclic(|driver: &Weak<Driver>| {
            let weak = driver.clone();
            let notify = move || {
                if let Some(driver) = weak.upgrade() {
                    driver.notify();
                }
            };
            self.parts().listened_to_by(pool.clone(), Arc::new(notify));
            let (turn, found) = (AtomicU8::new(turn::IDLE), Mutex::default());
            Driver { turn, reader: Mutex::new(Some(self)), found, closed, meter: meter.clone(), pool }
        });
        Ok(BatchStream { driver, schema, meter, has_begun: false, waits_since: None, was_refused: false })
    }
}

impl BatchStream {
    /// The schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The counts of the data that was read and skipped so far, also for batches that wait.
    pub fn report(&self) -> Report {
        if self.driver.pool.is_forked() { Report::default() } else { self.driver.found().report.clone() }
    }

    /// The figures of the reading so far.
    pub fn stats(&self) -> Stats {
        self.meter.stats()
    }

    /// Returns the next batch, or `None` at the end. A batch is not lost if the future is dropped.
    ///
    /// # Errors
    /// As the reader. The stream has then ended.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, FeedError>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

#[cfg(test)]
impl BatchStream {
    /// The reader and its results, which are there as long as the driver needs them.
    pub(super) fn driver_for_tests(&self) -> Weak<impl Sized + use<>> {
        Arc::downgrade(&self.driver)
    }
}

impl Stream for BatchStream {
    type Item = Result<RecordBatch, FeedError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Err(error) = this.driver.pool.check_not_forked() {
            let is_first = !std::mem::replace(&mut this.was_refused, true);
            return Poll::Ready(is_first.then_some(Err(error)));
        }
        if this.waits_since.is_none() {
            this.waits_since = this.meter.begin_wait();
        }
        let mut found = this.driver.found();
        let batch = found.batches.pop_front();
        if batch.is_none() && !found.has_ended {
            match &mut found.waker {
                Some(waker) => waker.clone_from(context.waker()),
                None => found.waker = Some(context.waker().clone()),
            }
            drop(found);
            if !std::mem::replace(&mut this.has_begun, true) {
                this.driver.notify();
            }
            return Poll::Pending;
        }
        // The driver rests when there is no room.
        let has_room = batch.is_some() && found.batches.len() == MAX_WAITING / 2;
        drop(found);
        if has_room {
            this.driver.notify();
        }
        if let Some(start) = this.waits_since.take() {
            this.meter.end_wait(start, matches!(batch, Some(Ok(_))));
        }
        Poll::Ready(batch)
    }
}

impl Driver {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> MutexGuard<'_, Option<FileReader>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the driver look for results, soon.
    fn notify(self: &Arc<Self>) {
        let next = |turn| match turn {
            turn::IDLE => Some(turn::SUBMITTED),
            turn::RUNS => Some(turn::RUNS_AGAIN),
            _ => None,
        };
        if self.turn.fetch_update(Ordering::AcqRel, Ordering::Acquire, next) == Ok(turn::IDLE) {
            let driver = self.clone();
            self.pool.spawn_urgent(move || driver.run());
        }
    }

    /// Looks for results until there is none. After the end of the reading, it never runs again.
    fn run(&self) {
        self.turn.store(turn::RUNS, Ordering::Release);
        loop {
            let next = catch_unwind(AssertUnwindSafe(|| measured(&self.meter, || self.look())));
            match next.unwrap_or_else(|panic| Next::End(Some(FeedError::from_panic(&*panic)))) {
                Next::Look => {}
                Next::End(error) => return self.end(error),
                Next::Rest => {
                    let (rests, fails) = (Ordering::AcqRel, Ordering::Acquire);
                    if self.turn.compare_exchange(turn::RUNS, turn::IDLE, rests, fails).is_ok() {
                        return;
                    }
                    self.turn.store(turn::RUNS, Ordering::Release);
                }
            }
        }
    }

    fn look(&self) -> Next {
        if self.closed.load(Ordering::Acquire) {
            return Next::End(None);
        }
        if self.found().batches.len() >= MAX_WAITING {
            return Next::Rest;
        }
        let mut reader = self.reader();
        let Some(reader) = &mut *reader else { return Next::End(None) };
        let polled = reader.poll(false);
        let mut found = self.found();
        found.count(reader.counts());
        match polled {
            Ok(Polled::Pending) => return Next::Rest,
            Ok(Polled::End) => return Next::End(None),
            Err(error) => return Next::End(Some(error)),
            Ok(Polled::Batch(batch)) => found.batches.push_back(Ok(batch)),
        }
        let waker = found.waker.take();
        drop(found);
        if let Some(waker) = waker {
            waker.wake();
        }
        Next::Look
    }

    fn end(&self, error: Option<FeedError>) {
        let reader = self.reader().take();
        let mut found = self.found();
        found.batches.extend(error.map(Err));
        found.has_ended = true;
        let waker = found.waker.take();
        drop(found);
        drop(reader);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Found {
    /// Updates the counts to those of the reading so far.
    fn count(&mut self, read: &Report) {
        let Report { rows, rejected, blocks, bytes, requests, skipped } = read;
        let mut known = std::mem::take(&mut self.report.skipped);
        known.extend_from_slice(skipped.get(known.len()..).unwrap_or_default());
        self.report = Report {
            rows: *rows,
            rejected: *rejected,
            blocks: *blocks,
            bytes: *bytes,
            requests: *requests,
            skipped: known,
        };
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        if self.driver.pool.is_forked() {
            // A thread of the parent process may have held a lock, and the reader belongs to it.
            std::mem::forget(self.driver.clone());
            return;
        }
        self.meter.close();
        self.driver.closed.store(true, Ordering::Release);
        self.driver.notify();
    }
}

impl fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchStream").field("schema", &self.schema).finish_non_exhaustive()
    }
}
