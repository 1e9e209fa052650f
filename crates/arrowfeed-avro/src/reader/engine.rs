//! Who decodes: the caller's thread, or threads ahead of it.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_source::{Check, FeedError, FeedErrorKind, Report, caught};

use super::file::FileReading;
use super::parallel::{Next, Pipeline};
use super::planner::UnitPlanner;
use super::prepare::Prepare;
use super::supply::{FileBatch, Supply, Work};
use super::unit::{Claim, Unit, UnitReader};
use crate::ReadOptions;

/// Decodes in the caller's thread.
#[derive(Default)]
pub(crate) struct Inline {
    current: Option<(Arc<FileReading>, UnitReader)>,
    claim: Option<Claim>,
}

impl Inline {
    pub(crate) fn with_claim(claim: Option<Claim>) -> Self {
        Self { current: None, claim }
    }

    pub(crate) fn next(
        &mut self,
        supply: &mut Supply,
        report: &mut Report,
        check: &Check<'_>,
    ) -> Result<Option<FileBatch>, FeedError> {
        loop {
            let Some((reading, unit)) = &mut self.current else {
                let Some(Work { reading, unit, .. }) = supply.next(report, check)? else {
                    return Ok(None);
                };
                let options = supply.options().clone();
                let claim = self.claim.take();
                let unit = caught(|| UnitReader::new(reading.clone(), options, unit, claim))?;
                self.current = Some((reading, unit));
                continue;
            };
            let next = caught(|| unit.next(check));
            if let Ok(Some(batch)) = next {
                supply.count(batch.batch.num_rows() as u64);
                return Ok(Some(FileBatch::new(reading, batch, None)));
            }
            let reading = reading.clone();
            if let Some((_, unit)) = self.current.take() {
                report.add(unit.recycle());
            }
            if let Err(error) = next {
                supply.leave_out(&reading, error, report)?;
            }
        }
    }

    /// What has been counted and not yet added to the reader's report.
    pub(crate) fn open_report(&self) -> Report {
        self.current.as_ref().map(|(_, unit)| unit.report.clone()).unwrap_or_default()
    }
}

/// Decodes in threads of its own.
pub(crate) struct Threads {
    pipeline: Pipeline,
    planner: Option<(Arc<FileReading>, Planner)>,
    /// The file of each unit in flight, the oldest first.
    units: VecDeque<Arc<FileReading>>,
    threads: usize,
    /// A file that could not be opened: told when all before it has been given out.
    failure: Option<FeedError>,
}

/// Parts in flight that must not be cut: those of a shuffle, which are small, and asked for a window at a time. Meanwhile
/// threads decode the next ones.
const MOST_PARTS: usize = 64;

/// Units of what is read next.
enum Planner {
    Whole(Option<Unit>),
    Part(Option<Unit>),
    Blocks(UnitPlanner),
}

impl Threads {
    /// `ahead`: bytes of batches that may wait.
    pub(crate) fn start(threads: usize, ahead: usize, prepare: Option<Prepare>) -> Result<Self, FeedError> {
        Ok(Self {
            pipeline: Pipeline::start(threads, ahead, prepare)?,
            planner: None,
            units: VecDeque::new(),
            threads,
            failure: None,
        })
    }

    pub(crate) fn next(
        &mut self,
        supply: &mut Supply,
        report: &mut Report,
        check: &Check<'_>,
    ) -> Result<Option<FileBatch>, FeedError> {
        if self.pipeline.is_forked() {
            let message = "this reader was started in another process: make a new one after a fork";
            return Err(FeedError::new(FeedErrorKind::Internal, message));
        }
        loop {
            self.top_up(supply, report, check)?;
            let Some(oldest) = self.units.front() else {
                return self.failure.take().map_or(Ok(None), Err);
            };
            let left_out = supply.is_left_out(oldest);
            match self.pipeline.next() {
                Next::Batch(batch, prepared) if !left_out => {
                    return Ok(Some(FileBatch::new(oldest, batch, prepared)));
                }
                Next::Batch(..) => {}
                Next::Waiting => check.now()?,
                Next::End(counted, error) => {
                    let reading = self.units.pop_front();
                    if left_out {
                        continue;
                    }
                    report.add(counted);
                    if let (Some(error), Some(reading)) = (error, reading) {
                        supply.leave_out(&reading, error, report)?;
                        self.planner.take_if(|(planned, _)| planned.number == reading.number);
                    }
                }
            }
        }
    }

    /// See [`Pipeline::spawn`].
    pub(crate) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.pipeline.spawn(work);
    }

    /// Keeps the threads busy. Only the wish to stop is an error; others wait for their turn.
    fn top_up(
        &mut self,
        supply: &mut Supply,
        report: &mut Report,
        check: &Check<'_>,
    ) -> Result<(), FeedError> {
        while self.failure.is_none() {
            let Some((reading, planner)) = &mut self.planner else {
                if self.units.len() >= most_parts(self.threads) {
                    return Ok(());
                }
                match supply.next(report, check) {
                    Ok(Some(work)) => self.planner = Some(Planner::of(work, supply.options())),
                    Ok(None) => return Ok(()),
                    Err(error) if check.has_stopped() => return Err(error),
                    Err(error) => self.failure = Some(error),
                }
                continue;
            };
            if self.units.len() >= planner.most(self.threads) {
                return Ok(());
            }
            match planner.next(check)? {
                Some(unit) => {
                    let (reading, options) = (reading.clone(), supply.options().clone());
                    supply.count(unit.rows.unwrap_or(0));
                    self.units.push_back(reading.clone());
                    self.pipeline.submit(move || UnitReader::new(reading, options, unit, None));
                }
                None => self.planner = None,
            }
        }
        Ok(())
    }
}

impl Planner {
    fn of(work: Work, options: &ReadOptions) -> (Arc<FileReading>, Self) {
        let Work { reading, unit, may_be_cut } = work;
        let planner = match (reading.file.scanner(options), unit.runs.front()) {
            _ if !may_be_cut => Self::Part(Some(unit)),
            (Some(scanner), Some(run)) => {
                let scanner = scanner.at(run.range.start);
                Self::Blocks(UnitPlanner::new(scanner, unit, options.batch_size))
            }
            _ => Self::Whole(Some(unit)),
        };
        (reading, planner)
    }

    /// Units in flight: one for each thread, and as many that the next idle thread finds.
    fn most(&self, threads: usize) -> usize {
        match self {
            Self::Part(_) => most_parts(threads),
            Self::Whole(_) | Self::Blocks(_) => 2 * threads,
        }
    }

    fn next(&mut self, check: &Check<'_>) -> Result<Option<Unit>, FeedError> {
        match self {
            Self::Whole(unit) | Self::Part(unit) => Ok(unit.take()),
            Self::Blocks(planner) => planner.next(check),
        }
    }
}

/// Most units in flight of any kind.
fn most_parts(threads: usize) -> usize {
    MOST_PARTS.max(2 * threads)
}
