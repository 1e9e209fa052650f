//! Parts of files, in any order: what a dataset reads.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::{Check, FeedError, Report};

use super::file::{Decoders, FileReading};
use super::files::{may_skip_file, note};
use super::set::{AvroFiles, BlockInfo, MOST_PLANS};
use super::supply::Work;
use super::unit::{BlockRun, Unit};
use crate::options::ReadOptions;

/// Files that stay open, the last used ones: parts of one file often follow each other.
const MOST_OPEN: usize = 64;

/// Rows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    file: usize,
    runs: Vec<BlockRun>,
    dropped: u64,
    kept: u64,
    together: bool,
}

impl Part {
    /// All rows of a file.
    pub fn whole(file: usize) -> Self {
        Self::after(file, 0, 0, 0)
    }

    /// The rows of a file from the block number `block`, which starts at `offset`, on, without the first `dropped`.
    pub fn after(file: usize, block: u64, offset: u64, dropped: u64) -> Self {
        let runs = vec![BlockRun { range: offset..u64::MAX, first_index: block }];
        Self { file, runs, dropped, kept: u64::MAX, together: false }
    }

    /// The same without rows after the first `kept`.
    pub fn with_kept(mut self, kept: u64) -> Self {
        self.kept = kept;
        self
    }

    /// Blocks of a file, in this order. They are decoded by one thread, and into one batch where
    /// limits allow.
    pub fn together(file: usize, blocks: impl IntoIterator<Item = BlockInfo>) -> Self {
        let mut runs: Vec<BlockRun> = Vec::new();
        for block in blocks {
            let range = block.offset..block.end;
            match runs.last_mut() {
                Some(run) if run.range.end == range.start => run.range.end = range.end,
                _ => runs.push(BlockRun { range, first_index: block.number }),
            }
        }
        Self { file, runs, dropped: 0, kept: u64::MAX, together: true }
    }

    /// The same without the first `dropped` rows.
    pub fn with_dropped(mut self, dropped: u64) -> Self {
        self.dropped = dropped;
        self
    }

    /// Number of the file.
    pub fn file(&self) -> usize {
        self.file
    }

    fn unit(&self, body: &Range<u64>) -> Unit {
        let runs = self.runs.iter().map(|run| {
            let range = run.range.start.max(body.start)..run.range.end.min(body.end);
            BlockRun { range: range.start..range.end.max(range.start), first_index: run.first_index }
        });
        let (dropped, kept) = (self.dropped, self.kept);
        Unit { runs: runs.collect(), dropped, kept, rows: None, first_batch: None }
    }
}

/// Gives parts as work: opens their files, and lets batches end where those of one long file would.
pub(crate) struct Parts {
    files: Arc<AvroFiles>,
    options: Arc<ReadOptions>,
    parts: Box<dyn Iterator<Item = Part> + Send>,
    /// The last used one at the back.
    open: VecDeque<Arc<FileReading>>,
    /// The decoders of the last plans, the newest at the back.
    decoders: VecDeque<Arc<Decoders>>,
    left_out: BTreeSet<usize>,
    /// Rows of the batch that the last part did not fill.
    carried: u64,
}

impl Parts {
    pub(crate) fn new(
        files: Arc<AvroFiles>,
        options: Arc<ReadOptions>,
        parts: Box<dyn Iterator<Item = Part> + Send>,
    ) -> Self {
        let (open, decoders) = (VecDeque::new(), VecDeque::new());
        Self { files, options, parts, open, decoders, left_out: BTreeSet::new(), carried: 0 }
    }

    pub(crate) fn options(&self) -> &Arc<ReadOptions> {
        &self.options
    }

    pub(crate) fn next(&mut self, report: &mut Report, check: &Check<'_>) -> Result<Option<Work>, FeedError> {
        while let Some(part) = self.parts.next() {
            check.now()?;
            if self.left_out.contains(&part.file) {
                continue;
            }
            match self.reading(part.file, check) {
                Ok(reading) => return Ok(Some(self.work(&part, reading))),
                Err(error) if may_skip_file(&self.options, &error) => {
                    note(report, self.files.name(part.file), &error);
                    self.left_out.insert(part.file);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn work(&self, part: &Part, reading: Arc<FileReading>) -> Work {
        let mut unit = part.unit(&reading.file.body());
        if !part.together && self.carried > 0 {
            unit.first_batch = Some(self.options.batch_size as u64 - self.carried);
        }
        Work { reading, unit, may_be_cut: !part.together }
    }

    fn reading(&mut self, number: usize, check: &Check<'_>) -> Result<Arc<FileReading>, FeedError> {
        if let Some(at) = self.open.iter().position(|reading| reading.number == number)
            && let Some(reading) = self.open.remove(at)
        {
            self.open.push_back(reading.clone());
            return Ok(reading);
        }
        let file = self.files.open_file(number, check)?;
        let plan = self.files.plan(&file)?;
        let known = self.decoders.iter().find(|decoders| Arc::ptr_eq(&decoders.plan, &plan)).cloned();
        let decoders = known.unwrap_or_else(|| {
            if self.decoders.len() >= MOST_PLANS {
                self.decoders.pop_front();
            }
            let decoders = Arc::new(Decoders::new(plan));
            self.decoders.push_back(decoders.clone());
            decoders
        });
        let reading = Arc::new(FileReading::new(number, file, decoders));
        if self.open.len() >= MOST_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(reading.clone());
        Ok(reading)
    }

    pub(crate) fn count(&mut self, rows: u64) {
        self.carried = (self.carried + rows) % self.options.batch_size as u64;
    }

    pub(crate) fn leave_out(&mut self, file: usize) {
        self.left_out.insert(file);
    }

    pub(crate) fn is_left_out(&self, file: usize) -> bool {
        self.left_out.contains(&file)
    }

    pub(crate) fn left_out(&self) -> Vec<usize> {
        self.left_out.iter().copied().collect()
    }
}
