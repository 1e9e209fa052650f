//! Parts of files, in any order.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use super::file_set::FileSet;
use super::look_ahead::{LookAhead, Upcoming};
use crate::format::{Chunk, ChunkRun, DecodeOptions, FormatFile, Unit};
use crate::{Check, FeedError, OnError, Report, Skipped};

/// Files that stay open, the last used ones: parts of one file often follow each other.
const MOST_OPEN: usize = 64;

/// The same of objects of stores, which take no handle of the system, and a request to open.
const MOST_OPEN_OBJECTS: usize = 4096;

/// Rows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    file: usize,
    runs: Vec<ChunkRun>,
    dropped: u64,
    kept: u64,
    together: bool,
}

impl Part {
    /// All rows of a file.
    pub fn whole(file: usize) -> Self {
        Self::after(file, 0, 0, 0)
    }

    /// The rows of a file from the chunk number `chunk`, which starts at `offset`, on, without the first `dropped`.
    pub fn after(file: usize, chunk: u64, offset: u64, dropped: u64) -> Self {
        let runs = vec![ChunkRun { range: offset..u64::MAX, first_number: chunk }];
        Self { file, runs, dropped, kept: u64::MAX, together: false }
    }

    /// The rows of a range of a file, which starts and ends at the border of a chunk. One thread decodes them.
    pub fn range(file: usize, range: Range<u64>) -> Self {
        let runs = vec![ChunkRun { range, first_number: 0 }];
        Self { file, runs, dropped: 0, kept: u64::MAX, together: true }
    }

    /// The same without rows after the first `kept`.
    pub fn with_kept(mut self, kept: u64) -> Self {
        self.kept = kept;
        self
    }

    /// The same without the chunks from the byte `end` on.
    pub fn with_end(mut self, end: u64) -> Self {
        for run in &mut self.runs {
            run.range.end = run.range.end.min(end);
        }
        self
    }

    /// Chunks of a file, in this order. They are decoded by one thread, and into one batch where limits allow.
    pub fn together(file: usize, chunks: impl IntoIterator<Item = Chunk>) -> Self {
        let mut runs: Vec<ChunkRun> = Vec::new();
        for chunk in chunks {
            let range = chunk.offset..chunk.end;
            match runs.last_mut() {
                Some(run) if run.range.end == range.start => run.range.end = range.end,
                _ => runs.push(ChunkRun { range, first_number: chunk.number }),
            }
        }
        Self { file, runs, dropped: 0, kept: u64::MAX, together: true }
    }

    /// The same without the first `dropped` rows.
    pub fn with_dropped(mut self, dropped: u64) -> Self {
        self.dropped = dropped;
        self
    }

    /// The number of its file.
    pub(super) fn file(&self) -> usize {
        self.file
    }

    /// The ranges of its chunks.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.runs.iter().map(|run| run.range.clone())
    }

    pub(super) fn unit(&self, body: &Range<u64>) -> Unit {
        let runs = self.runs.iter().map(|run| {
            let range = run.range.start.max(body.start)..run.range.end.min(body.end);
            ChunkRun { range: range.start..range.end.max(range.start), first_number: run.first_number }
        });
        let (dropped, kept) = (self.dropped, self.kept);
        Unit { runs: runs.collect(), dropped, kept, rows: None, first_batch: None }
    }
}

/// An open file, and its number.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) number: usize,
    pub(super) file: Arc<dyn FormatFile>,
}

/// The next rows of a file.
pub(super) struct Work {
    pub(super) reading: Reading,
    pub(super) unit: Unit,
    /// Whether threads may share it: it has one run.
    pub(super) may_be_cut: bool,
}

/// Where the batches of several parts end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Borders {
    /// The batches of each part begin anew.
    EachPart,
    /// Where those of one long file would end, which has so many rows before the first part.
    After(u64),
}

/// Gives parts as work: opens their files, and lets batches end where they should.
pub(super) struct Parts {
    pub(super) files: Arc<FileSet>,
    pub(super) batch_size: usize,
    pub(super) on_error: OnError,
    parts: LookAhead,
    /// The last used one at the back.
    open: VecDeque<Reading>,
    /// The file that was opened last. While it is open, its format keeps the memory of decoders for the next file.
    last: Option<Reading>,
    left_out: BTreeSet<usize>,
    /// Rows of the batch that the last part did not fill; none where each part begins anew.
    carried: Option<u64>,
    /// There are no more parts.
    pub(super) ended: bool,
}

impl Parts {
    pub(super) fn new(
        files: Arc<FileSet>,
        parts: Box<dyn Iterator<Item = Part> + Send>,
        (batch_size, borders, on_error): (usize, Borders, OnError),
    ) -> Self {
        let carried = match borders {
            Borders::EachPart => None,
            Borders::After(rows) => Some(rows % batch_size as u64),
        };
        let (open, last, left_out) = (VecDeque::new(), None, BTreeSet::new());
        let parts = LookAhead::new(parts);
        Self { files, batch_size, on_error, parts, open, last, left_out, carried, ended: false }
    }

    /// Gives a file that is open already to the first part of it.
    pub(super) fn add_open(&mut self, number: usize, file: Arc<dyn FormatFile>) {
        self.open.push_back(Reading { number, file });
    }

    pub(super) fn next(&mut self, report: &mut Report, check: &Check<'_>) -> Result<Option<Work>, FeedError> {
        while let Some(next) = self.parts.next(&self.files, check)? {
            check.now()?;
            if self.left_out.contains(&next.part.file) {
                continue;
            }
            match self.reading(&next, check) {
                Ok(reading) => {
                    next.announce_in(&*reading.file);
                    return Ok(Some(self.work(&next.part, reading)));
                }
                Err(error) => self.leave_out(next.part.file, error, report)?,
            }
        }
        self.ended = true;
        Ok(None)
    }

    /// Whether [`next`](Self::next) would not wait for a store.
    pub(super) fn is_ready(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        let is_open = |file| self.open.iter().chain(&self.last).any(|reading| reading.number == file);
        self.parts.is_ready(&self.files, is_open, check)
    }

    fn work(&self, part: &Part, reading: Reading) -> Work {
        let mut unit = part.unit(&reading.file.body());
        if let Some(carried) = self.carried.filter(|carried| !part.together && *carried > 0) {
            unit.first_batch = Some(self.batch_size as u64 - carried);
        }
        Work { reading, unit, may_be_cut: !part.together }
    }

    /// The file of a part. One whose parts are together has more of them, as a rule, and stays open.
    fn reading(&mut self, next: &Upcoming, check: &Check<'_>) -> Result<Reading, FeedError> {
        let part = &next.part;
        let known = self.open.iter().position(|reading| reading.number == part.file);
        let reading = match known.and_then(|at| self.open.remove(at)) {
            Some(reading) => reading,
            None => match self.last.take_if(|last| last.number == part.file) {
                Some(last) => last,
                None => {
                    let file = match &next.open {
                        Some(file) => file.clone(),
                        None => self.files.open(part.file, check)?,
                    };
                    Reading { number: part.file, file }
                }
            },
        };
        self.last = Some(reading.clone());
        if part.together {
            let most = if self.files.sends_requests() { MOST_OPEN_OBJECTS } else { MOST_OPEN };
            if self.open.len() >= most {
                self.open.pop_front();
            }
            self.open.push_back(reading.clone());
            if let Some(at) = self.open.len().checked_sub(MOST_OPEN + 1) {
                self.open[at].file.free_spare_memory();
            }
        }
        Ok(reading)
    }

    /// Counts rows that are on their way to the caller.
    pub(super) fn count(&mut self, rows: u64) {
        if let Some(carried) = &mut self.carried {
            *carried = (*carried + rows) % self.batch_size as u64;
        }
    }

    /// How units are decoded.
    pub(super) fn decoding(&self) -> DecodeOptions {
        DecodeOptions { batch_size: self.batch_size, on_error: self.on_error }
    }

    /// Rows of the last batch, which is not full.
    pub(super) fn carried(&self) -> u64 {
        self.carried.unwrap_or(0)
    }

    /// Leaves out what is left of a file, where the caller wants that for such an error.
    pub(super) fn leave_out(
        &mut self,
        file: usize,
        error: FeedError,
        report: &mut Report,
    ) -> Result<(), FeedError> {
        if self.on_error != OnError::SkipFile || !error.is_of_the_file() {
            return Err(error);
        }
        report.skipped.push(Skipped::file(self.files.name(file), &error));
        self.left_out.insert(file);
        Ok(())
    }

    /// Whether nothing of a file is wanted any more.
    pub(super) fn is_left_out(&self, file: usize) -> bool {
        self.left_out.contains(&file)
    }

    /// Files of which nothing is wanted any more.
    pub(super) fn left_out(&self) -> Vec<usize> {
        self.left_out.iter().copied().collect()
    }
}
