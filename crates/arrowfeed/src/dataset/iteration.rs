//! Iteration over the batches of a dataset: conversion of each batch, and batches that are started ahead of the caller.
//!
//! ```text
//! RowSource ──rows──> MapStage ──> next
//!     (started position)   (yielded position)
//! ```
//! With several threads, batches are started before the caller requests them. The state and the report that the caller
//! sees are those of the last batch yielded.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_source::run::MapStage;
use arrowfeed_source::{Check, return_free_memory};

use super::conversion::Conversion;
use super::options::{FileMatch, IterationOptions};
use super::rows::source::{RowSource, Started};
use super::state::checkpoint::Checkpoint;
use crate::error::DatasetError;

/// Iterator over converted batches.
///
/// After an error the iteration ends, and its state is that of the last batch.
pub(crate) struct Iteration<R: RowSource + ?Sized, C: Conversion> {
    pub(crate) rows: Box<R>,
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

impl<R: RowSource + ?Sized, C: Conversion> Iteration<R, C> {
    pub(crate) fn new(rows: Box<R>, conversion: C) -> Self {
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
    pub(crate) fn close(&mut self) {
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

    pub(crate) fn load_state(&mut self, state: &str, how: FileMatch) -> Result<(), DatasetError> {
        let found = Checkpoint::from_json(state)?;
        let own = self.rows.checkpoint(how == FileMatch::Contents)?;
        let options = IterationOptions { file_match: how, ..self.rows.options().clone() };
        found.check(&own, &options, &self.rows.files())?;
        self.rows.resume(&found)?;
        self.discard();
        self.closed = false;
        Ok(())
    }

    pub(crate) fn start_at_epoch(&mut self, epoch: u64) {
        self.rows.start_at_epoch(epoch);
        self.discard();
        self.closed = false;
    }

    /// The next batch, converted.
    pub(crate) fn next(&mut self) -> Option<Result<C::Output, DatasetError>> {
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
    pub(crate) fn started(&self) -> (usize, usize) {
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

impl<R: RowSource + ?Sized, C: Conversion> Drop for Iteration<R, C> {
    fn drop(&mut self) {
        self.close();
    }
}
