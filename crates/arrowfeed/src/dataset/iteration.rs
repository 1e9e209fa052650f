//! Iteration over the batches of a dataset: conversion of each batch, and batches that are started ahead of the caller.
//!
//! ```text
//! BatchRows ──rows──> MapStage ──> next
//!     (started position)   (yielded position)
//! ```
//! With several threads, batches are started before the caller requests them. The state and the report that the caller
//! sees are those of the last batch yielded.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::run::{MapStage, Pool};
use arrowfeed_source::{Check, FeedError, Report, return_free_memory};

use super::conversion::Conversion;
use super::options::{FileMatch, IterationOptions};
use super::reported::Counted;
use super::rows::Rows;
use crate::error::DatasetError;

/// The rows of one batch after another, of files or of mixed datasets. Keeps the positions after the batches that were
/// started, and after the last batch that was yielded.
pub(super) trait BatchRows: Send {
    /// The schema of every batch.
    fn schema(&self) -> SchemaRef;

    fn options(&self) -> &IterationOptions;

    /// The names of the formats of the files.
    fn formats(&self) -> Vec<&'static str>;

    /// Epoch of the last batch that was yielded. Mixed datasets have none in common.
    fn epoch(&self) -> Option<u64>;

    /// The seed of the order, once it is known: set by the caller, by a loaded state, or drawn with the first batch.
    fn seed(&self) -> Option<u64>;

    /// Number of rows of a full batch, as far as it is known.
    fn batch_rows(&self) -> usize {
        self.options().batch_size
    }

    /// Whether making a batch of its rows takes enough work to run on a worker.
    fn gathers(&self) -> bool;

    /// The worker threads.
    fn pool(&mut self) -> Result<Arc<Pool>, FeedError>;

    /// Starts the next batch, if its rows are available or if `wait` is set.
    fn start(&mut self, wait: bool) -> Result<Started, DatasetError>;

    /// Moves the yielded position to the next started batch.
    fn yield_started(&mut self);

    /// Ends the rows, after the last batch or after an error.
    fn end(&mut self, is_over: bool);

    /// Ends the threads that read.
    fn close(&mut self);

    /// Counts of what was read and skipped up to the last batch that was yielded.
    fn report(&self) -> Report;

    /// The report without the parts that are `counted`, which are updated, but with all rows.
    fn uncounted(&self, counted: &mut Vec<Counted>) -> Report;

    /// The position after the last batch that was yielded, as JSON.
    fn state(&mut self) -> Result<String, DatasetError>;

    /// Resumes after the last batch before the state was taken. An error changes nothing. Keeps no threads: the next batch
    /// may be requested much later.
    fn load_state(&mut self, state: &str, how: FileMatch) -> Result<(), DatasetError>;

    /// Starts at the first row of an epoch. Keeps no threads.
    fn start_at_epoch(&mut self, epoch: u64);
}

/// Result of starting the next batch.
pub(super) enum Started {
    Batch(Rows),
    /// Its rows are not available yet.
    Pending,
    /// There are no more batches.
    Over,
}

/// Iterator over converted batches.
///
/// After an error the iteration ends, and its state is that of the last batch.
pub(super) struct Iteration<R: BatchRows + ?Sized, C: Conversion> {
    pub(super) rows: Box<R>,
    conversion: Arc<C>,
    /// Batches that were started but not yielded yet, and the number of rows of each.
    in_flight: Option<MapStage<Result<C::Output, DatasetError>>>,
    started_rows: VecDeque<usize>,
    /// Set when no more batches can be started: the error, if there was one.
    end: Option<Result<(), DatasetError>>,
    /// Estimated bytes of a full converted batch, from the last one yielded.
    batch_bytes: usize,
    closed: bool,
}

impl<R: BatchRows + ?Sized, C: Conversion> Iteration<R, C> {
    pub(super) fn new(rows: Box<R>, conversion: C) -> Self {
        Self {
            rows,
            conversion: Arc::new(conversion),
            in_flight: None,
            started_rows: VecDeque::new(),
            end: None,
            batch_bytes: 0,
            closed: false,
        }
    }

    /// Ends the iteration and its threads.
    pub(super) fn close(&mut self) {
        self.rows.close();
        self.discard();
        self.closed = true;
        if self.rows.gathers() {
            return_free_memory();
        }
    }

    /// Discards the batches in flight.
    fn discard(&mut self) {
        (self.in_flight, self.end) = (None, None);
        self.started_rows.clear();
    }

    pub(super) fn load_state(&mut self, state: &str, how: FileMatch) -> Result<(), DatasetError> {
        self.rows.load_state(state, how)?;
        self.discard();
        self.closed = false;
        Ok(())
    }

    pub(super) fn start_at_epoch(&mut self, epoch: u64) {
        self.rows.start_at_epoch(epoch);
        self.discard();
        self.closed = false;
    }

    /// The next batch, converted.
    pub(super) fn next(&mut self) -> Option<Result<C::Output, DatasetError>> {
        if self.closed {
            return None;
        }
        let next = self.step();
        if !matches!(next, Ok(Some(_))) {
            self.rows.end(next.is_ok());
            self.close();
        }
        next.transpose()
    }

    fn step(&mut self) -> Result<Option<C::Output>, DatasetError> {
        if self.rows.options().thread_count() == 1 {
            let Started::Batch(rows) = self.rows.start(true)? else { return Ok(None) };
            let output = self.conversion.convert(rows.into_batch()?)?;
            self.rows.yield_started();
            return Ok(Some(output));
        }
        loop {
            while self.has_room() && self.start(false) {}
            let next = match &mut self.in_flight {
                Some(in_flight) => in_flight.next(&Check::of(self.rows.options().interrupt.as_ref()))?,
                None => None,
            };
            if let (Some(output), Some(rows)) = (next, self.started_rows.pop_front()) {
                let output = output?;
                let batch_size = self.rows.batch_rows().max(rows);
                let bytes = C::bytes(&output);
                let whole = bytes as u128 * batch_size as u128 / rows.max(1) as u128;
                self.batch_bytes = usize::try_from(whole).unwrap_or(usize::MAX);
                self.rows.yield_started();
                return Ok(Some(output));
            }
            match self.end.take() {
                Some(end) => return end.map(|()| None),
                None => _ = self.start(true),
            }
        }
    }

    /// Number of batches that were started ahead of the caller, and their bytes.
    pub(super) fn started(&self) -> (usize, usize) {
        let batches = self.started_rows.len();
        (batches, batches.saturating_mul(self.batch_bytes))
    }

    /// Whether another batch may be started. One batch may always be in flight, further ones only within the memory
    /// limits.
    fn has_room(&self) -> bool {
        let (waiting, options) = (self.started_rows.len(), self.rows.options());
        let bytes = (waiting + 1).saturating_mul(self.batch_bytes);
        let converts = C::TAKES_WORK || self.rows.gathers();
        let may_wait = converts && self.batch_bytes > 0 && bytes <= options.in_flight_bytes();
        self.end.is_none() && (waiting == 0 || (waiting < 2 * options.thread_count() && may_wait))
    }

    /// Starts the next batch, if its rows are available or if `wait` is set. Returns whether it is useful to start
    /// another one: false if there was no batch to start, or if the batch needs no work.
    fn start(&mut self, wait: bool) -> bool {
        match self.try_start(wait) {
            Ok(Some(takes_work)) => return takes_work,
            Ok(None) => {}
            Err(error) => self.end = Some(Err(error)),
        }
        false
    }

    /// Starts the next batch. Returns whether it needs work; `None` if there was no batch to start.
    fn try_start(&mut self, wait: bool) -> Result<Option<bool>, DatasetError> {
        let rows = match self.rows.start(wait)? {
            Started::Batch(rows) => rows,
            Started::Pending => return Ok(None),
            Started::Over => {
                self.end = Some(Ok(()));
                return Ok(None);
            }
        };
        let in_flight = match &mut self.in_flight {
            Some(in_flight) => in_flight,
            None => self.in_flight.insert(MapStage::new(self.rows.pool()?)),
        };
        self.started_rows.push_back(rows.len());
        let takes_work = C::TAKES_WORK || rows.takes_work();
        let conversion = self.conversion.clone();
        let work = move || conversion.convert(rows.into_batch()?);
        if takes_work {
            in_flight.add(work);
        } else {
            in_flight.add_done(work());
        }
        Ok(Some(takes_work))
    }
}

impl<R: BatchRows + ?Sized, C: Conversion> Drop for Iteration<R, C> {
    fn drop(&mut self) {
        self.close();
    }
}
