//! The rows of the streams of a process, over all epochs, decoded in the order in which the batches need them.
//!
//! ```text
//! StreamLaps ──windows──> SharedSchedule ──parts──> PartReader ──pieces──> StreamLap of each stream ──> Gather
//! ```

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::run::{BatchBoundaries, FileBatch, FileSet, PartReader, Polled, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, OnError, Report, count_decoded, counted};

use super::stream_lap::{StreamLap, with_schema};
use super::stream_laps::StreamLaps;
use super::stream_schedule::{JOINED_PART, JoinedChunk, LapPlan, Member, Segment, SharedSchedule, Taken};
use crate::dataset::files::chosen_rows::{ChosenRows, stretches};
use crate::dataset::files::row_errors::{miscounted, more_rows, other_chunk};
use crate::dataset::options::IterationOptions;
use crate::dataset::rows::gather::Gather;
use crate::dataset::rows::window::{self, PlannedWindow};

/// Number of parts of all streams that are planned ahead: as many as the reader may take ahead of the rows.
const PLANNED_PARTS: usize = 512;

/// Number of rows that the laps of streams yield.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quota {
    /// As many as can be read, at most this number: rows that are lost are missing.
    AtMost(u64),
    /// This number of rows in each lap. Missing rows are repeated from the start of the lap.
    Exactly(u64),
    /// All rows of each lap. Rows that are lost are repeated from the start of the lap.
    All,
}

/// Where the streams of a process start.
#[derive(Debug, Clone)]
pub(crate) struct StreamStart {
    /// The streams of this process.
    pub(crate) streams: Range<u64>,
    /// Number of rows of each of these streams before the start.
    pub(crate) rows: Vec<u64>,
    /// The number of laps. `None`: without end.
    pub(crate) laps: Option<u64>,
    pub(crate) quota: Quota,
    /// Rows of a batch of each stream.
    pub(crate) batch_rows: u64,
}

pub(crate) struct StreamReader {
    files: Arc<FileSet>,
    laps: StreamLaps,
    options: IterationOptions,
    /// The schema of the rows, if it differs from that of the files.
    schema: Option<SchemaRef>,
    workers: Workers,
    schedule: SharedSchedule,
    reader: Option<PartReader>,
    streams: Vec<Stream>,
    end: Option<u64>,
    quota: Quota,
    prefetch_bytes: usize,
    report: Report,
    /// Whether parts of several streams are decoded together. Not if rows are chosen at random, and not if damage is skipped:
    /// the rows that one stream loses must not depend on the other streams of the process.
    joins: bool,
    /// Number of groups of parts so far, see [`Part::with_group`](arrowfeed_source::run::Part::with_group).
    groups: u64,
}

/// The decoded rows of a stream.
struct Stream {
    number: u64,
    /// The current lap, and the next one if it was planned.
    laps: VecDeque<StreamLap>,
    /// The lap that is planned next, and the number of rows to pass at its start.
    next_lap: u64,
    passed: u64,
    chosen: Option<ChosenRows>,
}

impl StreamReader {
    /// `prefetch_bytes`: the limit of decoded bytes that threads prepare ahead.
    pub(crate) fn new(
        files: &Arc<FileSet>,
        laps: StreamLaps,
        (options, prefetch_bytes): (IterationOptions, usize),
        schema: Option<SchemaRef>,
        workers: Workers,
        start: StreamStart,
    ) -> Self {
        let StreamStart { streams, rows, laps: end, quota, batch_rows } = start;
        let joins = options.on_error == OnError::Raise && !laps.index.has_selection();
        let schedule = SharedSchedule::new(rows.len(), batch_rows, joins.then(|| laps.index.clone()));
        let of_stream = |(number, rows): (u64, u64)| {
            let (next_lap, passed) = match laps.lengths.continuous {
                Some(_) => match laps.lengths.lap_of(number, rows) {
                    Some((lap, before)) => (lap, rows - before),
                    None => (0, 0),
                },
                None => (0, rows),
            };
            Stream { number, laps: VecDeque::new(), next_lap, passed, chosen: ChosenRows::new(&laps.index) }
        };
        let streams = streams.zip(rows).map(of_stream).collect();
        let (files, report) = (files.for_reading(), Report::default());
        Self {
            files,
            laps,
            options,
            schema,
            workers,
            schedule,
            reader: None,
            streams,
            end,
            quota,
            prefetch_bytes,
            report,
            joins,
            groups: 0,
        }
    }

    /// Takes the counts of what has been read and skipped since the last call.
    pub(crate) fn take_report(&mut self) -> Report {
        if let Some(reader) = &mut self.reader {
            self.report.add(reader.take_report());
        }
        std::mem::take(&mut self.report)
    }

    /// Decodes until a stream has `count` rows, or until its lap has ended if laps are separate. Returns false if `wait` is not
    /// set and rows are still being decoded.
    pub(crate) fn prepare(&mut self, stream: usize, count: u64, wait: bool) -> Result<bool, FeedError> {
        loop {
            let found = self.available(stream);
            if found >= count || self.has_ended(stream)? {
                return Ok(true);
            }
            if !self.read(wait)? {
                return Ok(false);
            }
        }
    }

    /// Takes up to `count` rows of a stream, of those that are prepared. `None` passes over them. Returns their number.
    ///
    /// # Errors
    /// Fewer rows were taken than are prepared: a defect of this library.
    pub(crate) fn take(
        &mut self,
        stream: usize,
        count: u64,
        mut gather: Option<&mut Gather>,
    ) -> Result<u64, FeedError> {
        let prepared = self.available(stream).min(count);
        let mut taken = 0;
        while let Some(lap) = self.streams[stream].laps.front_mut() {
            taken += lap.take(count - taken, gather.as_deref_mut())?;
            let is_over = lap.available() == 0 && self.is_decoded(stream, 0)?;
            if taken == count || !self.is_continuous() || !is_over {
                break;
            }
            self.end_lap_of(stream)?;
        }
        if taken < prepared {
            return Err(miscounted(prepared, "that a stream has prepared", taken));
        }
        Ok(taken)
    }

    /// Moves all streams to their next lap.
    pub(crate) fn end_lap(&mut self) -> Result<(), FeedError> {
        (0..self.streams.len()).try_for_each(|stream| self.end_lap_of(stream))
    }

    /// # Errors
    /// The stream has not yielded all rows of its lap, although none was skipped: a defect of this library.
    fn end_lap_of(&mut self, stream: usize) -> Result<(), FeedError> {
        if self.streams[stream].laps.is_empty() {
            self.plan()?;
        }
        if let Some(lap) = self.streams[stream].laps.pop_front() {
            if lap.left() > 0 && self.options.on_error == OnError::Raise {
                return Err(miscounted(lap.quota, "of a stream in an epoch", lap.given));
            }
            self.schedule.with(|schedule| schedule.streams[stream].retain(|plan| plan.lap != lap.number))?;
        }
        Ok(())
    }

    fn is_continuous(&self) -> bool {
        self.laps.lengths.continuous.is_some()
    }

    /// Number of rows of a stream that can be taken.
    fn available(&self, stream: usize) -> u64 {
        let laps = &self.streams[stream].laps;
        if !self.is_continuous() {
            return laps.front().map_or(0, StreamLap::available);
        }
        let mut sum = 0;
        for lap in laps {
            sum += lap.available();
            if lap.available() < lap.left() {
                break;
            }
        }
        sum
    }

    /// Whether no more rows can be prepared, of the current lap or, if laps are continuous, of any lap.
    fn has_ended(&mut self, stream: usize) -> Result<bool, FeedError> {
        self.plan()?;
        let laps = self.streams[stream].laps.len();
        let current = if self.is_continuous() { laps } else { laps.min(1) };
        for nth in 0..current {
            if !self.is_decoded(stream, nth)? {
                return Ok(false);
            }
        }
        Ok(current > 0 && !self.is_continuous() || !self.has_next_lap(stream))
    }

    /// Whether a stream has a lap that was not planned.
    fn has_next_lap(&self, stream: usize) -> bool {
        let next = self.streams[stream].next_lap;
        self.laps.lengths.rows > 0 && self.end.is_none_or(|end| next < end)
    }

    /// Whether all rows of a lap are decoded that it yields.
    fn is_decoded(&self, stream: usize, nth: usize) -> Result<bool, FeedError> {
        let lap = &self.streams[stream].laps[nth];
        if lap.available() == lap.left() {
            return Ok(true);
        }
        let number = lap.number;
        Ok(self.quota_is_at_most() && self.schedule.with(|schedule| schedule.is_complete(stream, number))?)
    }

    fn quota_is_at_most(&self) -> bool {
        matches!(self.quota, Quota::AtMost(_))
    }

    /// Plans the next laps of all streams, and more passes over laps that have lost rows.
    fn plan(&mut self) -> Result<(), FeedError> {
        let few = PLANNED_PARTS / self.streams.len().max(1) + 16;
        for stream in 0..self.streams.len() {
            loop {
                let planned = self.schedule.with(|schedule| {
                    schedule.streams[stream].iter().map(|lap| lap.segments.len()).sum::<usize>()
                })?;
                let count = self.streams[stream].laps.len();
                // Many short laps may be needed for one batch.
                let is_enough = count > 2 && !self.is_decoded(stream, count - 1)?;
                if !self.has_next_lap(stream) || is_enough || count > 0 && planned >= few {
                    break;
                }
                self.plan_lap(stream)?;
            }
            if self.quota_is_at_most() {
                continue;
            }
            for nth in 0..self.streams[stream].laps.len() {
                let lap = &self.streams[stream].laps[nth];
                let (number, needs_more) = (lap.number, lap.received < lap.quota);
                if needs_more && self.schedule.with(|schedule| schedule.is_complete(stream, number))? {
                    self.repeat_lap(stream, nth)?;
                }
            }
        }
        Ok(())
    }

    fn plan_lap(&mut self, stream: usize) -> Result<(), FeedError> {
        let own = &mut self.streams[stream];
        let (number, lap, passed) = (own.number, own.next_lap, std::mem::take(&mut own.passed));
        own.next_lap += 1;
        let range = self.laps.lengths.range(number, lap);
        let all = range.end - range.start;
        let quota = match self.quota {
            Quota::AtMost(most) => most.min(all),
            Quota::Exactly(rows) => rows,
            Quota::All => all,
        };
        let windows = self.laps.windows(number, lap, quota > 0 && !self.quota_is_at_most())?;
        let before = match self.is_continuous() {
            true => self.laps.lengths.rows_of(number, lap),
            false => lap.saturating_mul(quota),
        };
        let part = self.options.shuffles().then(|| self.laps.part(number, lap));
        let mut made = StreamLap::new(lap, quota, part);
        // Without lost rows, the windows before the first row that is yielded are not read.
        let mut rows_before = 0;
        let mut first = 0;
        if self.options.on_error == OnError::Raise {
            for window in &windows {
                let end = rows_before + window.rows() as u64;
                if end > passed {
                    break;
                }
                (rows_before, first) = (end, first + 1);
            }
        }
        (made.received, made.received_before) = (rows_before, rows_before);
        (made.given, made.skipped) = (passed.min(quota), passed - rows_before);
        made.starts_late = rows_before > 0;
        let segments = self.segments(&mut made, &windows[first..], rows_before);
        let plan = LapPlan { lap, before, quota, segments, lost: 0 };
        self.schedule.with(|schedule| schedule.streams[stream].push_back(plan))?;
        self.streams[stream].laps.push_back(made);
        Ok(())
    }

    /// Reads a lap again from its start. For a lap without a row that can be read, reads that of the next stream.
    fn repeat_lap(&mut self, stream: usize, nth: usize) -> Result<(), FeedError> {
        let (number, streams) = (self.streams[stream].number, self.laps.lengths.streams);
        let lap = &mut self.streams[stream].laps[nth];
        if lap.received == lap.received_before && !lap.starts_late {
            lap.substitute += 1;
            if lap.substitute == streams {
                return Err(no_rows(self.laps.part(number, lap.number).1));
            }
        }
        let read = (number + lap.substitute) % streams;
        let windows = self.laps.windows(read, lap.number, true)?;
        let Some(mut lap) = self.streams[stream].laps.remove(nth) else { return Ok(()) };
        (lap.received_before, lap.starts_late) = (lap.received, false);
        let start = lap.received;
        let segments = self.segments(&mut lap, &windows, start);
        let at = lap.number;
        self.streams[stream].laps.insert(nth, lap);
        self.schedule.with(|schedule| {
            if let Some(plan) = schedule.lap_mut(stream, at) {
                (plan.segments, plan.lost) = (segments, 0);
            }
        })
    }

    /// File bytes of a part, if its window has that many.
    fn part_bytes(&self) -> u64 {
        if self.joins && !self.options.shuffles() { JOINED_PART } else { window::PART }
    }

    /// The parts of windows, of which the first one starts at row `start` of the lap.
    fn segments(
        &mut self,
        lap: &mut StreamLap,
        windows: &[Arc<PlannedWindow>],
        mut start: u64,
    ) -> VecDeque<Segment> {
        self.groups += 1;
        let mut segments = VecDeque::new();
        for window in windows {
            let parts = window.parts(&self.laps.index, &[], self.part_bytes());
            let number = lap.add_window(window.clone(), parts.len());
            let mut next = start;
            for mut part in parts {
                part.part = part.part.with_group(self.groups);
                let rows = part.rows;
                segments.push_back(Segment { part, start: next, planned: window.clone(), window: number });
                // The rows of a shuffle window are needed together.
                next += if self.options.shuffles() { 0 } else { rows };
            }
            start += window.rows() as u64;
        }
        segments
    }

    /// Reads the next piece. Returns false if `wait` is not set and none is ready.
    fn read(&mut self, wait: bool) -> Result<bool, FeedError> {
        if self.reader.is_none() {
            if !self.schedule.with(|schedule| schedule.is_needed())? {
                return Err(ended());
            }
            // Parts are cut into batches later.
            let boundaries = BatchBoundaries::PerPart;
            let reading = self.options.reading(usize::MAX, boundaries, self.workers.clone());
            let reader = PartReader::new(self.files.clone(), self.schedule.parts()?, reading)?;
            self.reader.insert(reader).set_prefetch_bytes(self.prefetch_bytes);
        }
        let Some(reader) = &mut self.reader else { return Ok(false) };
        match reader.poll(wait)? {
            Polled::Batch(piece) => self.accept(piece)?,
            Polled::Pending => return Ok(false),
            Polled::End => {
                let left_out: Vec<(u64, usize)> = reader.left_out_of_groups().collect();
                self.report.add(reader.take_report());
                self.reader = None;
                self.complete_before(u64::MAX)?;
                // The next reader does not know these files.
                self.leave_out(&left_out)?;
            }
        }
        Ok(true)
    }

    /// Removes the parts of files whose rest is skipped. `left_out`: groups of parts, and files.
    fn leave_out(&mut self, left_out: &[(u64, usize)]) -> Result<(), FeedError> {
        if left_out.is_empty() {
            return Ok(());
        }
        for (stream, own) in self.streams.iter_mut().enumerate() {
            for lap in &mut own.laps {
                let windows = self.schedule.with(|schedule| {
                    schedule
                        .lap_mut(stream, lap.number)
                        .map(|plan| plan.leave_out(left_out))
                        .unwrap_or_default()
                })?;
                windows.into_iter().try_for_each(|window| lap.complete(window))?;
            }
        }
        Ok(())
    }

    /// Adds a piece to its stream.
    fn accept(&mut self, piece: FileBatch) -> Result<(), FeedError> {
        count_decoded(piece.batch.get_array_memory_size());
        self.complete_before(piece.part)?;
        let Some(mut taken) = self.schedule.with(|schedule| schedule.taken.pop_front())? else {
            return Ok(());
        };
        let file = piece.file;
        let added = match &mut taken.members[..] {
            [member] => self.add(piece, member),
            _ => self.add_joined(piece, &mut taken),
        };
        self.schedule.with(|schedule| schedule.taken.push_front(taken))?;
        added.map_err(|error| error.in_file(self.files.name(file)))
    }

    fn add(&mut self, piece: FileBatch, member: &mut Member) -> Result<(), FeedError> {
        let Member { stream, lap, segment, received } = member;
        let first = piece.origins.first().map(|origin| (origin.chunk, origin.offset));
        let own = &mut self.streams[*stream];
        let Some(lap) = own.laps.iter_mut().find(|known| known.number == *lap) else { return Ok(()) };
        *received += lap.add(segment.window, piece, (&mut own.chosen, self.schema.as_ref()))?;
        match first {
            Some((chunk, offset)) if *received > segment.part.rows => {
                Err(more_rows(segment.part.rows).in_block(chunk, offset))
            }
            _ => Ok(()),
        }
    }

    /// Adds the rows of a piece with blocks of several parts.
    fn add_joined(&mut self, piece: FileBatch, taken: &mut Taken) -> Result<(), FeedError> {
        let piece = with_schema(piece, self.schema.as_ref())?;
        let shared = Arc::new(vec![Arc::new(piece.batch.clone())]);
        for (origin, mut rows) in stretches(&piece) {
            let nth_chunk = self.laps.index.nth_chunk(piece.file, origin.offset);
            let nth_chunk = nth_chunk.ok_or_else(|| other_chunk(origin))?;
            let mut row = origin.before;
            while !rows.is_empty() {
                let found = JoinedChunk::with_row(&mut taken.chunks, nth_chunk, row);
                let chunk = found.ok_or_else(|| {
                    let expected = self.laps.index.chunk_rows(piece.file, nth_chunk);
                    more_rows(expected).in_block(origin.chunk, origin.offset)
                })?;
                let count = (rows.len() as u64).min(chunk.rows.end - row);
                let own = rows.start..rows.start + count as usize;
                let Member { stream, lap, segment, received } = &mut taken.members[chunk.member];
                let place = (chunk.slot, row - segment.planned.rows_of(chunk.slot).start);
                (rows.start, row, chunk.rows.start) = (own.end, row + count, row + count);
                if let Some(lap) = self.streams[*stream].laps.iter_mut().find(|known| known.number == *lap) {
                    *received += lap.add_shared(segment.window, &shared, place, own)?;
                }
            }
        }
        Ok(())
    }

    /// Completes the parts before a part of the reader.
    fn complete_before(&mut self, part: u64) -> Result<(), FeedError> {
        loop {
            let completed = self.schedule.with(|schedule| {
                schedule.taken.front().filter(|taken| taken.number < part)?;
                let taken = schedule.taken.pop_front()?;
                for member in &taken.members {
                    if let Some(plan) = schedule.lap_mut(member.stream, member.lap) {
                        plan.lost += member.lost();
                    }
                }
                Some(taken)
            })?;
            let Some(Taken { members, .. }) = completed else { return Ok(()) };
            for member in members {
                let mut laps = self.streams[member.stream].laps.iter_mut();
                // A lap that has ended does not count its last pieces.
                let Some(lap) = laps.find(|known| known.number == member.lap) else { continue };
                if member.lost() > 0 && self.options.on_error == OnError::Raise {
                    return Err(fewer_rows(member.segment.part.rows, member.received));
                }
                lap.complete(member.segment.window)?;
            }
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        // Otherwise the shutdown would wait for threads that wait for a response.
        self.files.cancel_requests();
    }
}

#[cold]
fn no_rows(epoch: u64) -> FeedError {
    let message = format!(
        "expected a row that can be read in epoch {epoch}, to repeat it for those that are lost, found none"
    );
    FeedError::new(FeedErrorKind::CorruptBlock, message)
}

#[cold]
fn ended() -> FeedError {
    FeedError::defect("expected more parts of a stream, found none")
}

/// Without skipped blocks, only an index with wrong numbers causes this error.
#[cold]
fn fewer_rows(expected: u64, found: u64) -> FeedError {
    let message = format!("expected {}, as in the index, found {found}", counted(expected, "row"));
    FeedError::new(FeedErrorKind::Changed, message)
}

#[cfg(test)]
mod tests;
