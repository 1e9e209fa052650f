//! A part of a file: some of its rows.

use std::ops::Range;
use std::sync::Arc;

use crate::format::{Chunk, ChunkRun, FormatFile, Unit};

/// A part of a file: some of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub(super) file: usize,
    pub(super) runs: Vec<ChunkRun>,
    pub(super) indivisible: bool,
    pub(super) group: u64,
}

impl Part {
    /// A part with all rows of a file.
    pub fn whole(file: usize) -> Self {
        Self::after(file, 0, 0, 0)
    }

    /// A part with the rows of a file from chunk number `chunk` on, without the first `dropped` rows. The
    /// chunk starts at `offset`.
    pub fn after(file: usize, chunk: u64, offset: u64, dropped: u64) -> Self {
        let runs = vec![ChunkRun { dropped, ..ChunkRun::new(offset..u64::MAX, chunk) }];
        Self { file, runs, indivisible: false, group: 0 }
    }

    /// A part with the rows of a byte range of a file. The range starts and ends at chunk borders. One thread decodes it.
    pub fn range(file: usize, range: Range<u64>) -> Self {
        Self { file, runs: vec![ChunkRun::new(range, 0)], indivisible: true, group: 0 }
    }

    /// Limits the part to its first `kept` rows. Its chunks must lie next to each other.
    pub fn with_kept(mut self, kept: u64) -> Self {
        debug_assert!(self.runs.len() <= 1);
        self.runs.iter_mut().for_each(|run| run.kept = kept);
        self
    }

    /// Removes the chunks from byte `end` on.
    pub fn with_end(mut self, end: u64) -> Self {
        for run in &mut self.runs {
            run.range.end = run.range.end.min(end);
        }
        self
    }

    /// A part with chunks of a file, in this order. One thread decodes them, into one batch if the limits allow.
    pub fn of_chunks(file: usize, chunks: impl IntoIterator<Item = Chunk>) -> Self {
        let mut runs: Vec<ChunkRun> = Vec::new();
        for chunk in chunks {
            let range = chunk.offset..chunk.end;
            match runs.last_mut() {
                Some(run) if run.range.end == range.start => run.range.end = range.end,
                _ => runs.push(ChunkRun::new(range, chunk.number)),
            }
        }
        Self { file, runs, indivisible: true, group: 0 }
    }

    /// Removes the first `dropped` rows of the first chunk.
    pub fn with_dropped(mut self, dropped: u64) -> Self {
        self.runs.iter_mut().take(1).for_each(|run| run.dropped = dropped);
        self
    }

    /// Adds the rows of other parts of the same file. One thread decodes them, in the order of the file, into one batch if the
    /// limits allow.
    pub fn joined_with(mut self, others: impl IntoIterator<Item = Self>) -> Self {
        self.runs.extend(others.into_iter().flat_map(|part| part.runs));
        self.runs.sort_by_key(|run| (run.range.start, run.dropped));
        self.indivisible = true;
        self
    }

    /// Puts the part into a group. A file whose rest is skipped is skipped only in the parts of the same group. By default
    /// all parts are in group 0.
    pub fn with_group(mut self, group: u64) -> Self {
        self.group = group;
        self
    }

    /// The index of the file.
    pub fn file(&self) -> usize {
        self.file
    }

    /// The group, see [`with_group`](Self::with_group).
    pub fn group(&self) -> u64 {
        self.group
    }

    /// The byte ranges of its chunks.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.runs.iter().map(|run| run.range.clone())
    }

    pub(super) fn unit(&self, body: &Range<u64>) -> Unit {
        let runs = self.runs.iter().map(|run| {
            let range = run.range.start.max(body.start)..run.range.end.min(body.end);
            ChunkRun { range: range.start..range.end.max(range.start), ..*run }
        });
        Unit { runs: runs.collect(), rows: None, first_batch: None }
    }
}

/// An open file and its number in the set.
#[derive(Debug, Clone)]
pub(super) struct NumberedFile {
    pub(super) number: usize,
    pub(super) file: Arc<dyn FormatFile>,
}
