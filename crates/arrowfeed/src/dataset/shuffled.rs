//! An epoch in random order: blocks in a random order of all, rows in a random order of a window of blocks.
//!
//! A window has as many blocks as it takes for `shuffle_buffer_size` rows. Its rows come before all rows of the next
//! one, so a place in the epoch is a window and a number of rows.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroError, AvroFiles, FileBatch, PartReader, Report};

use super::index::BlockIndex;
use super::joined::interleaved;
use super::options::IterationOptions;
use super::order::{shuffled, window};
use super::pieces::not_joined;
use super::window::{PlannedWindow, Window};

pub(super) struct Shuffled {
    reader: PartReader,
    batch_size: usize,
    /// Rows of the next batch.
    wanted: usize,
    seed: u64,
    epoch: u64,
    /// Windows that are not read yet.
    planned: VecDeque<Arc<PlannedWindow>>,
    /// Windows with rows to give.
    windows: VecDeque<Window>,
    /// A piece of the next window.
    ahead: Option<FileBatch>,
    /// What is passed of the first window.
    skip: usize,
}

/// A place in a shuffled epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AfterShuffled {
    pub(super) window: u64,
    /// Places of its order that have been passed.
    pub(super) passed: usize,
    /// Files that had been left out when it began.
    pub(super) left_out: Vec<usize>,
}

impl Shuffled {
    pub(super) fn start(
        files: &Arc<AvroFiles>,
        index: &Arc<BlockIndex>,
        options: &IterationOptions,
        (seed, epoch): (u64, u64),
        wanted: usize,
        after: Option<AfterShuffled>,
    ) -> Result<Self, AvroError> {
        let slots = shuffled(index, files.len(), seed, epoch, options.shard);
        let first = after.as_ref().map_or(0, |after| after.window);
        let planned = windows(&slots, options.shuffle_buffer_size, index, first);
        let (skip, left_out) = after.map_or((0, Vec::new()), |after| (after.passed, after.left_out));
        let (to_read, index) = (planned.clone(), index.clone());
        let parts = to_read.into_iter().flat_map(move |window| window.parts(&index, &left_out));
        // The borders of batches come later: what is decoded together stays together.
        let reader = files.read(parts, options.reading(usize::MAX))?;
        let batch_size = options.batch_size;
        let (windows, ahead) = (VecDeque::new(), None);
        Ok(Self { reader, batch_size, wanted, seed, epoch, planned, windows, ahead, skip })
    }

    pub(super) fn next(&mut self) -> Result<Option<(RecordBatch, AfterShuffled)>, AvroError> {
        let mut picks = Vec::new();
        let rows = std::mem::replace(&mut self.wanted, self.batch_size);
        let mut pieces = 0;
        let mut at = 0;
        while picks.len() < rows {
            if at == self.windows.len() && !self.load()? {
                break;
            }
            let wanted = rows - picks.len();
            let window = &mut self.windows[at];
            window.take(wanted, |piece, row| picks.push((pieces + piece, row)));
            if window.is_given() {
                (pieces, at) = (pieces + window.pieces.len(), at + 1);
            }
        }
        let Some(last) = self.windows.get(at).or_else(|| self.windows.back()) else {
            return Ok(None);
        };
        let after =
            AfterShuffled { window: last.number(), passed: last.passed, left_out: last.left_out.clone() };
        let pieces: Vec<&RecordBatch> = self.windows.iter().flat_map(|window| &window.pieces).collect();
        let batch = (!picks.is_empty()).then(|| interleaved(&pieces, &picks)).transpose();
        let batch = batch.map_err(|error| not_joined(picks.len()).with_source(error))?;
        self.windows.drain(..at);
        Ok(batch.map(|batch| (batch, after)))
    }

    /// Reads one more window. False: there is none.
    fn load(&mut self) -> Result<bool, AvroError> {
        let Some(planned) = self.planned.pop_front() else {
            // Threads tell what they have counted when they are asked for more than there is.
            return self.reader.next().transpose().map(|_| false);
        };
        let mut window = Window::new(planned, self.seed, self.epoch);
        let mut first = true;
        while !window.is_complete() {
            let Some(piece) = self.ahead.take().map(Ok).or_else(|| self.reader.next()).transpose()? else {
                break;
            };
            if std::mem::take(&mut first) {
                window.left_out = self.reader.left_out();
            }
            self.ahead = window.add(piece);
            if self.ahead.is_some() {
                break;
            }
        }
        window.passed = std::mem::take(&mut self.skip).min(window.rows());
        self.windows.push_back(window);
        Ok(true)
    }

    pub(super) fn report(&self) -> Report {
        self.reader.report()
    }
}

fn windows(
    mut slots: &[super::order::Slot],
    rows: usize,
    index: &BlockIndex,
    first: u64,
) -> VecDeque<Arc<PlannedWindow>> {
    let mut planned = VecDeque::new();
    for number in 0.. {
        if slots.is_empty() {
            break;
        }
        let (own, rest) = slots.split_at(window(slots, rows));
        if number >= first {
            planned.push_back(Arc::new(PlannedWindow::new(number, own, index)));
        }
        slots = rest;
    }
    planned
}
