//! An epoch in random order: blocks in a random order of all, rows in a random order of a window of blocks.
//!
//! A window has as many blocks as it takes for `shuffle_buffer_size` rows. Its rows come before all rows of the next
//! one, so a place in the epoch is a window and a number of rows.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_avro::{AvroFiles, FileBatch, PartReader, Prepare};
use arrowfeed_source::{FeedError, Report};

use super::ahead::Ahead;
use super::gather::Gather;
use super::index::BlockIndex;
use super::options::IterationOptions;
use super::order::{shuffled, window};
use super::pieces::Rows;
use super::window::{PlannedWindow, Window};

pub(super) struct Shuffled {
    /// Batches that are to be put together. Dropped before the reader, whose threads would do all of it before they end.
    ahead: Ahead<Rows>,
    /// The places after these.
    places: VecDeque<AfterShuffled>,
    reader: PartReader,
    options: IterationOptions,
    prepare: Option<Prepare>,
    /// Rows of the next batch.
    wanted: usize,
    seed: u64,
    epoch: u64,
    /// Windows that are not read yet.
    planned: VecDeque<Arc<PlannedWindow>>,
    /// Windows with rows to give.
    windows: VecDeque<Window>,
    /// A piece of the next window.
    next_piece: Option<FileBatch>,
    /// What is passed of the first window.
    skip: usize,
    /// An error that waits until the batches before it are given.
    failure: Option<FeedError>,
    /// Bytes of a whole batch, and of what is made of it, by the last one.
    bytes: usize,
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
        prepare: Option<Prepare>,
    ) -> Result<Self, FeedError> {
        let slots = shuffled(index, files.len(), seed, epoch, options.shard);
        let first = after.as_ref().map_or(0, |after| after.window);
        let planned = windows(&slots, options, index, first)?;
        let (skip, mut left_out) = after.map_or((0, Vec::new()), |after| (after.passed, after.left_out));
        left_out.sort_unstable();
        let (to_read, index) = (planned.clone(), index.clone());
        let parts = to_read.into_iter().flat_map(move |window| window.parts(&index, &left_out));
        // The borders of batches come later: what is decoded together stays together.
        let reader = files.read(parts, options.reading(usize::MAX))?;
        Ok(Self {
            reader,
            options: options.clone(),
            prepare,
            wanted,
            seed,
            epoch,
            planned,
            windows: VecDeque::new(),
            next_piece: None,
            skip,
            ahead: Ahead::new(),
            places: VecDeque::new(),
            failure: None,
            bytes: 0,
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<(Rows, AfterShuffled)>, FeedError> {
        if self.options.thread_count() == 1 {
            let Some((gather, after)) = self.plan()? else { return Ok(None) };
            return Ok(Some((gather.run(None)?, after)));
        }
        while self.has_room() {
            match self.plan() {
                Ok(Some((gather, after))) => self.submit(gather, after),
                Ok(None) => break,
                Err(error) => self.failure = Some(error),
            }
        }
        let rows = self.ahead.next(|| self.options.ask()).transpose()?;
        let Some((rows, after)) = rows.zip(self.places.pop_front()) else {
            return self.failure.take().map_or(Ok(None), Err);
        };
        let bytes = rows.batch.get_array_memory_size() + rows.prepared.as_ref().map_or(0, |it| it.bytes);
        let whole = bytes as u128 * self.options.batch_size as u128 / rows.batch.num_rows().max(1) as u128;
        self.bytes = usize::try_from(whole).unwrap_or(usize::MAX);
        Ok(Some((rows, after)))
    }

    fn submit(&mut self, gather: Gather, after: AfterShuffled) {
        self.places.push_back(after);
        let prepare = self.prepare.clone();
        let work = self.ahead.add(move || gather.run(prepare.as_ref()));
        self.reader.spawn(work);
    }

    /// Whether one more batch may be begun: the one that is asked for, and then as many as may wait, while no window
    /// has to be read for them.
    fn has_room(&self) -> bool {
        let waiting = self.ahead.len();
        let left: usize = self.windows.iter().map(Window::left).sum();
        let most = 2 * self.options.thread_count();
        let bytes = (waiting + 1).saturating_mul(self.bytes);
        let may_wait = waiting < most && self.bytes > 0 && bytes <= self.options.prefetch_bytes;
        self.failure.is_none() && (waiting == 0 || (may_wait && left >= self.wanted))
    }

    /// The rows of the next batch.
    fn plan(&mut self) -> Result<Option<(Gather, AfterShuffled)>, FeedError> {
        let mut picks = Vec::new();
        let rows = std::mem::replace(&mut self.wanted, self.options.batch_size);
        let mut pieces = 0;
        let mut at = 0;
        while picks.len() < rows {
            if at == self.windows.len() && !self.load()? {
                break;
            }
            let wanted = rows - picks.len();
            let window = &mut self.windows[at];
            picks
                .try_reserve(wanted.min(window.left()))
                .map_err(std::io::Error::from)
                .map_err(FeedError::io)?;
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
        let windows = self.windows.iter().map(|window| window.pieces.clone()).collect();
        self.windows.drain(..at);
        Ok((!picks.is_empty()).then_some((Gather { windows, picks }, after)))
    }

    /// Reads one more window. False: there is none.
    fn load(&mut self) -> Result<bool, FeedError> {
        let Some(planned) = self.planned.pop_front() else {
            // Threads tell what they have counted when they are asked for more than there is.
            return self.reader.next().transpose().map(|_| false);
        };
        let mut window = Window::new(planned, self.seed, self.epoch);
        let mut first = true;
        while !window.is_complete() {
            let Some(piece) = self.next_piece.take().map(Ok).or_else(|| self.reader.next()).transpose()?
            else {
                break;
            };
            if std::mem::take(&mut first) {
                window.left_out = self.reader.left_out();
            }
            self.next_piece = window.add(piece);
            if self.next_piece.is_some() {
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
    options: &IterationOptions,
    index: &BlockIndex,
    first: u64,
) -> Result<VecDeque<Arc<PlannedWindow>>, FeedError> {
    let mut planned = VecDeque::new();
    for number in 0.. {
        if slots.is_empty() {
            break;
        }
        options.ask()?;
        let (own, rest) = slots.split_at(window(slots, options.shuffle_buffer_size));
        if number >= first {
            planned.push_back(Arc::new(PlannedWindow::new(number, own, index)));
        }
        slots = rest;
    }
    Ok(planned)
}
