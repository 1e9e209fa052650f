//! Decoding on the threads of a pool: plans units, keeps the threads busy, and returns the batches in order.

use std::collections::VecDeque;
use std::sync::Arc;

use super::file_batch::{FileBatch, Polled};
use super::file_set::FileSet;
use super::parts::{OpenPart, Parts, Work};
use super::pipeline::{Next, Pipeline};
use super::planner::{Planned, UnitPlanner};
use crate::format::{DecodeOptions, Unit};
use crate::io::remote::{OnArrival, without_waiting};
use crate::{Check, FeedError, Report};

/// Maximum number of parts in flight that may not be cut. These are the parts of a shuffle: they are small, and a whole
/// window of them is requested at a time, while threads decode the next ones.
const MAX_PARTS: usize = 64;

/// State of decoding on worker threads.
pub(super) struct Parallel {
    pub(super) pipeline: Pipeline,
    pub(super) planner: Option<(OpenPart, Planner)>,
    /// The part of each unit in flight, oldest first.
    units: VecDeque<OpenPart>,
    /// Error of a file that could not be opened. It is returned after all earlier batches.
    failure: Option<FeedError>,
    /// Whether the next unit could not be submitted because its bytes have not arrived.
    is_waiting_for_store: bool,
    /// Wakes the consumer when bytes arrive.
    on_arrival: Option<Arc<OnArrival>>,
    /// A unit whose bytes are arriving, if the consumer does not wait. Otherwise its thread would wait for them.
    arriving: Option<(OpenPart, Unit)>,
}

/// The source of the next units.
pub(super) enum Planner {
    Whole(Option<Unit>),
    Part(Option<Unit>),
    Chunks(UnitPlanner),
}

impl Parallel {
    pub(super) fn new(pipeline: Pipeline) -> Self {
        Self {
            pipeline,
            planner: None,
            units: VecDeque::new(),
            failure: None,
            is_waiting_for_store: false,
            on_arrival: None,
            arriving: None,
        }
    }

    /// Makes responses of remote stores wake the consumer.
    pub(super) fn listen(&mut self, files: &FileSet) {
        if files.sends_requests() && self.on_arrival.is_none() {
            let listener = self.pipeline.waker();
            files.notify(&listener);
            self.on_arrival = Some(listener);
        }
    }

    pub(super) fn next(
        &mut self,
        parts: &mut Parts,
        report: &mut Report,
        check: &Check<'_>,
        wait: bool,
    ) -> Result<Polled, FeedError> {
        self.pipeline.pool().check_not_forked()?;
        loop {
            let wait_for_store = wait && self.units.is_empty();
            self.top_up(parts, report, check, wait_for_store)?;
            let Some(oldest) = self.units.front() else {
                if self.is_waiting_for_store {
                    return Ok(Polled::Pending);
                }
                return self.failure.take().map_or(Ok(Polled::End), Err);
            };
            let is_skipped = parts.is_skipped(oldest);
            match self.pipeline.next(wait) {
                Next::Batch(batch, counted) if !is_skipped => {
                    report.add(counted);
                    return Ok(Polled::Batch(FileBatch::new(oldest, batch)));
                }
                Next::Batch(..) => {}
                Next::Pending if wait => check.now()?,
                Next::Pending => return Ok(Polled::Pending),
                Next::End(counted, error) => {
                    let part = self.units.pop_front();
                    if is_skipped {
                        continue;
                    }
                    report.add(counted);
                    if let (Some(error), Some(part)) = (error, part) {
                        parts.skip_or_fail((part.group, part.numbered.number), error, report)?;
                        self.planner.take_if(|(planned, _)| parts.is_skipped(planned));
                    }
                }
            }
        }
    }

    /// Submits units until the worker threads are busy. Only cancellation is returned as an error; other errors are
    /// deferred until their turn. With `wait`, blocks until the bytes of the next unit have arrived, so that at least
    /// one unit is in flight if any remains.
    pub(super) fn top_up(
        &mut self,
        parts: &mut Parts,
        report: &mut Report,
        check: &Check<'_>,
        mut wait: bool,
    ) -> Result<(), FeedError> {
        let most = self.pipeline.pool().most_units();
        self.is_waiting_for_store = false;
        while self.failure.is_none() {
            if let Some((part, unit)) = self.arriving.take() {
                if parts.files.is_arriving(&part.numbered, &unit, check)? {
                    self.arriving = Some((part, unit));
                    self.is_waiting_for_store = true;
                    return Ok(());
                }
                self.submit(part, unit, parts.decoding());
                wait = false;
            }
            let Some((part, planner)) = &mut self.planner else {
                if self.units.len() >= MAX_PARTS.max(most) || parts.ended {
                    return Ok(());
                }
                match parts.is_ready(check) {
                    Ok(true) => {}
                    // If no response can arrive, the file sends a request when it is opened.
                    Ok(false)
                        if wait
                            || (self.pipeline.has_listener() && !parts.files.has_requests_in_flight()) => {}
                    Ok(_) => {
                        self.is_waiting_for_store = true;
                        return Ok(());
                    }
                    // The error is returned when the part is opened.
                    Err(_) => {}
                }
                match parts.next(report, check) {
                    Ok(Some(work)) => self.planner = Some(Planner::of(work, parts.unit_rows())),
                    Ok(None) => return Ok(()),
                    Err(error) if check.has_stopped() => return Err(error),
                    Err(error) => self.failure = Some(error),
                }
                continue;
            };
            if self.units.len() >= planner.most(most) {
                return Ok(());
            }
            let planned = if wait { planner.next(check) } else { without_waiting(|| planner.next(check)) };
            match planned? {
                Planned::Unit(unit) => {
                    parts.count(unit.rows.unwrap_or(0));
                    let part = part.clone();
                    if self.pipeline.has_listener() {
                        self.arriving = Some((part, unit));
                        continue;
                    }
                    self.submit(part, unit, parts.decoding());
                    wait = false;
                }
                Planned::Pending => {
                    self.is_waiting_for_store = true;
                    return Ok(());
                }
                Planned::End => self.planner = None,
            }
        }
        Ok(())
    }

    fn submit(&mut self, part: OpenPart, unit: Unit, options: DecodeOptions) {
        self.pipeline.submit(part.numbered.file.clone(), unit, options);
        self.units.push_back(part);
    }
}

impl Planner {
    /// `unit_rows`: the number of rows at whose multiples a unit may end.
    fn of(work: Work, unit_rows: usize) -> (OpenPart, Self) {
        let Work { part, unit, may_be_cut } = work;
        let file = &part.numbered.file;
        let planner = if !may_be_cut {
            Self::Part(Some(unit))
        } else {
            match file.chunks().filter(|_| !file.is_one_chunk()) {
                Some(scan) => Self::Chunks(UnitPlanner::new(scan, unit, unit_rows)),
                None => Self::Whole(Some(unit)),
            }
        };
        (part, planner)
    }

    /// Maximum number of units in flight: `most`, and more for the small parts of a shuffle.
    fn most(&self, most: usize) -> usize {
        match self {
            Self::Part(_) => MAX_PARTS.max(most),
            Self::Whole(_) | Self::Chunks(_) => most,
        }
    }

    fn next(&mut self, check: &Check<'_>) -> Result<Planned, FeedError> {
        match self {
            Self::Whole(unit) | Self::Part(unit) => Ok(unit.take().map_or(Planned::End, Planned::Unit)),
            Self::Chunks(planner) => planner.next(check),
        }
    }
}
