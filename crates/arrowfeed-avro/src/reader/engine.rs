//! Who decodes: the caller's thread, or threads ahead of it.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;

use super::Interrupt;
use super::file::FileReading;
use super::files::{Files, may_skip_file, note};
use super::parallel::{Next, Pipeline};
use super::planner::UnitPlanner;
use super::report::Report;
use super::unit::{Claim, Unit, UnitReader};
use crate::error::{AvroError, AvroErrorKind};

/// Decodes in the caller's thread: one unit a file.
#[derive(Default)]
pub(crate) struct Inline {
    current: Option<(Arc<FileReading>, UnitReader)>,
    claim: Option<Claim>,
    /// The part of the only file to read; none: all of all files.
    part: Option<Unit>,
}

impl Inline {
    pub(crate) fn of_part(part: Unit, claim: Option<Claim>) -> Self {
        Self { current: None, claim, part: Some(part) }
    }

    pub(crate) fn next(
        &mut self,
        files: &mut Files,
        report: &mut Report,
        interrupt: Option<&Interrupt>,
    ) -> Result<Option<RecordBatch>, AvroError> {
        loop {
            let Some((reading, unit)) = &mut self.current else {
                let Some(reading) = files.next(report)? else {
                    return Ok(None);
                };
                let part = self.part.clone().unwrap_or_else(|| Unit::whole(reading.file.body()));
                let unit = UnitReader::new(reading.clone(), files.options.clone(), part, self.claim.take())?;
                self.current = Some((reading, unit));
                continue;
            };
            let next = unit.next(&mut || ask(interrupt));
            if let Ok(Some(batch)) = next {
                return Ok(Some(batch));
            }
            let name = reading.file.name.clone();
            if let Some((_, unit)) = self.current.take() {
                report.add(unit.recycle());
            }
            match next {
                Err(error) if may_skip_file(&files.options, &error) => note(report, &name, &error),
                Err(error) => return Err(error),
                Ok(_) => {}
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
    most: usize,
    /// A file that failed and is left out: its units in flight are thrown away.
    left_out: Option<Arc<FileReading>>,
    /// A file that could not be opened: told when all before it has been given out.
    failure: Option<AvroError>,
}

/// Units of one file.
enum Planner {
    Whole(Option<Unit>),
    Blocks(UnitPlanner),
}

impl Threads {
    pub(crate) fn start(threads: usize) -> Result<Self, AvroError> {
        Ok(Self {
            pipeline: Pipeline::start(threads)?,
            planner: None,
            units: VecDeque::new(),
            // One for each thread, and some that the next idle thread finds.
            most: 2 * threads,
            left_out: None,
            failure: None,
        })
    }

    pub(crate) fn next(
        &mut self,
        files: &mut Files,
        report: &mut Report,
        interrupt: Option<&Interrupt>,
    ) -> Result<Option<RecordBatch>, AvroError> {
        if self.pipeline.is_forked() {
            let message = "this reader was started in another process: make a new one after a fork";
            return Err(AvroError::new(AvroErrorKind::Internal, message));
        }
        loop {
            self.top_up(files, report);
            let Some(oldest) = self.units.front() else {
                return self.failure.take().map_or(Ok(None), Err);
            };
            let left_out = self.left_out.as_ref().is_some_and(|file| Arc::ptr_eq(file, oldest));
            match self.pipeline.next() {
                Next::Batch(batch) if !left_out => return Ok(Some(batch)),
                Next::Batch(_) => {}
                Next::Waiting => ask(interrupt)?,
                Next::End(counted, error) => {
                    let reading = self.units.pop_front();
                    if left_out {
                        continue;
                    }
                    report.add(counted);
                    if let (Some(error), Some(reading)) = (error, reading) {
                        self.leave_out(reading, error, files, report)?;
                    }
                }
            }
        }
    }

    fn leave_out(
        &mut self,
        reading: Arc<FileReading>,
        error: AvroError,
        files: &Files,
        report: &mut Report,
    ) -> Result<(), AvroError> {
        if !may_skip_file(&files.options, &error) {
            return Err(error);
        }
        note(report, &reading.file.name, &error);
        self.planner.take_if(|(planned, _)| Arc::ptr_eq(planned, &reading));
        self.left_out = Some(reading);
        Ok(())
    }

    /// Keeps the threads busy.
    fn top_up(&mut self, files: &mut Files, report: &mut Report) {
        while self.units.len() < self.most && self.failure.is_none() {
            let Some((reading, planner)) = &mut self.planner else {
                match files.next(report) {
                    Ok(Some(reading)) => {
                        let planner = Planner::of(&reading, files);
                        self.planner = Some((reading, planner));
                    }
                    Ok(None) => return,
                    Err(error) => self.failure = Some(error),
                }
                continue;
            };
            match planner.next() {
                Some(unit) => {
                    let (reading, options) = (reading.clone(), files.options.clone());
                    self.units.push_back(reading.clone());
                    self.pipeline.submit(move || UnitReader::new(reading, options, unit, None));
                }
                None => self.planner = None,
            }
        }
    }
}

impl Planner {
    fn of(reading: &FileReading, files: &Files) -> Self {
        let range = reading.file.body();
        match reading.file.scanner(&files.options) {
            Some(scanner) => Planner::Blocks(UnitPlanner::new(scanner, range, files.options.batch_size)),
            None => Planner::Whole(Some(Unit::whole(range))),
        }
    }

    fn next(&mut self) -> Option<Unit> {
        match self {
            Planner::Whole(unit) => unit.take(),
            Planner::Blocks(planner) => planner.next(),
        }
    }
}

fn ask(interrupt: Option<&Interrupt>) -> Result<(), AvroError> {
    match interrupt {
        Some(interrupt) if interrupt() => {
            Err(AvroError::new(AvroErrorKind::Interrupted, "the caller asked to stop"))
        }
        _ => Ok(()),
    }
}
