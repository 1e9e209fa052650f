//! Epoch in random order: blocks are shuffled over all files, and rows within a window of blocks.
//!
//! A window consists of as many blocks as are needed for `shuffle_buffer_size` rows. All of its rows come before those
//! of the next window, so a position in the epoch is a window and a number of rows.

use std::collections::VecDeque;
use std::sync::Arc;

use arrowfeed_source::run::{BatchBoundaries, FileBatch, FileSet, PartReader, Workers};
use arrowfeed_source::stats::{Stage, enter};
use arrowfeed_source::{FeedError, FeedErrorKind, OnError, count_decoded, counted};

use super::gather::{Gather, Rows, Step};
use super::order::{Slot, keep_rows, shuffled, window};
use super::window::{PART, PlannedWindow, Window, has_chosen_rows};
use crate::dataset::files::chosen_rows::ChosenRows;
use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::files::row_errors::room;
use crate::dataset::options::{IterationOptions, shard_rows};
use crate::dataset::state::position::WindowPlace;

pub(crate) struct Shuffled {
    pub(crate) reader: PartReader,
    files: Arc<FileSet>,
    on_error: OnError,
    /// The rows to keep, if rows are chosen at random.
    chosen: Option<ChosenRows>,
    batch_size: usize,
    /// Number of rows in the next batch.
    wanted: usize,
    /// The seed, the epoch and the shard.
    part: (u64, u64, u64),
    /// Windows that have not been read yet.
    planned: VecDeque<Arc<PlannedWindow>>,
    /// Decoded windows with remaining rows.
    windows: VecDeque<Window>,
    /// The first piece of the next window, if it has been read.
    next_piece: Option<FileBatch>,
    /// Number of rows of the first window to skip.
    skip: usize,
}

impl Shuffled {
    pub(crate) fn start(
        files: &Arc<FileSet>,
        index: &Arc<ChunkIndex>,
        options: &IterationOptions,
        workers: Workers,
        (seed, epoch): (u64, u64),
        after: Option<WindowPlace>,
    ) -> Result<Self, FeedError> {
        let _shuffling = enter(Stage::Shuffle);
        let slots = own_slots(index, options, (seed, epoch));
        let first = after.as_ref().map_or(0, |after| after.window);
        let mut chosen = ChosenRows::new(index);
        let planned = windows(&slots, options, (index, &mut chosen), first)?;
        let (skip, mut left_out) = after.map_or((0, Vec::new()), |after| (after.passed, after.left_out));
        left_out.sort_unstable();
        let (to_read, index) = (planned.clone(), index.clone());
        let parts = to_read
            .into_iter()
            .flat_map(move |window| window.parts(&index, &left_out, PART))
            .map(|part| part.part);
        // Batches are cut later: chunks that are decoded together stay in one piece.
        let reading = options.reading(usize::MAX, BatchBoundaries::PerPart, workers);
        let reader = PartReader::new(files.clone(), parts, reading)?;
        let (batch_size, wanted) = (options.batch_size, options.batch_size);
        let (windows, next_piece) = (VecDeque::new(), None);
        let (files, on_error) = (files.clone(), options.on_error);
        Ok(Self {
            reader,
            files,
            on_error,
            chosen,
            batch_size,
            wanted,
            part: (seed, epoch, options.shard.0),
            planned,
            windows,
            next_piece,
            skip,
        })
    }

    /// Sets the number of rows in the next batch.
    pub(crate) fn begin_with(&mut self, rows: usize) {
        self.wanted = rows;
    }

    /// Returns the rows of the next batch. Reads another window only if the decoded ones have too few rows and `wait`
    /// is set: batches in flight keep the earlier windows in memory, so this bounds memory.
    pub(crate) fn next(&mut self, wait: bool) -> Result<Step<WindowPlace>, FeedError> {
        while self.windows.iter().map(Window::left).sum::<usize>() < self.wanted {
            if !wait {
                return Ok(Step::Pending);
            }
            if !self.load()? {
                break;
            }
        }
        let _shuffling = enter(Stage::Shuffle);
        let rows = std::mem::replace(&mut self.wanted, self.batch_size);
        let left = self.windows.iter().map(Window::left).sum::<usize>();
        let mut picks = room(rows.min(left))?;
        let (mut pieces, mut at) = (0, 0);
        while picks.len() < rows && at < self.windows.len() {
            let wanted = rows - picks.len();
            let window = &mut self.windows[at];
            window.take(wanted, |piece, row| picks.push((pieces + piece, row)));
            if window.is_given() {
                (pieces, at) = (pieces + window.pieces.len(), at + 1);
            }
        }
        let Some(last) = self.windows.get(at).or_else(|| self.windows.back()) else {
            return Ok(Step::End);
        };
        let after =
            WindowPlace { window: last.number(), passed: last.passed, left_out: last.left_out.clone() };
        let windows = self.windows.iter().map(|window| window.pieces.clone()).collect();
        self.windows.drain(..at);
        if picks.is_empty() {
            return Ok(Step::End);
        }
        Ok(Step::Rows(Rows::Gathered(Gather::new(windows, picks)), after))
    }

    /// Reads the next window. Returns false if there is none.
    fn load(&mut self) -> Result<bool, FeedError> {
        let Some(planned) = self.planned.pop_front() else {
            // Workers deliver their remaining counts when the reader is polled past the end.
            while let Some(piece) = self.next_piece.take().map(Ok).or_else(|| self.reader.next()) {
                let piece = piece?;
                let error = |error: FeedError| error.in_file(self.files.name(piece.file));
                if has_chosen_rows(&piece, &mut self.chosen).map_err(error)? {
                    return Err(error(no_window()));
                }
            }
            return Ok(false);
        };
        let mut window = Window::new(planned, self.part);
        while !window.is_complete() {
            let next = self.next_piece.take().map(Ok).or_else(|| self.reader.next());
            let Some(piece) = next.transpose()? else { break };
            count_decoded(piece.batch.get_array_memory_size());
            // The files that had been skipped before the first piece that stays.
            if window.pieces.is_empty() {
                window.left_out = self.reader.left_out();
            }
            let file = piece.file;
            self.next_piece =
                window.add(piece, &mut self.chosen).map_err(|error| error.in_file(self.files.name(file)))?;
            if self.next_piece.is_some() {
                break;
            }
        }
        if self.on_error == OnError::Raise && !window.is_complete() {
            return Err(fewer_rows(&window));
        }
        window.shuffle()?;
        window.skip(std::mem::take(&mut self.skip));
        self.windows.push_back(window);
        Ok(true)
    }
}

/// The chunks of a shard in the order of an epoch.
fn own_slots(index: &ChunkIndex, options: &IterationOptions, order: (u64, u64)) -> Vec<Slot> {
    let selected = options.selected_rows(index.rows());
    let mut slots = shuffled(index, &selected, order);
    keep_rows(&mut slots, &shard_rows(selected.end - selected.start, options.shard));
    slots
}

/// The number of rows of each window of an epoch. `order`: the seed and the epoch.
pub(crate) fn window_sizes(index: &ChunkIndex, options: &IterationOptions, order: (u64, u64)) -> Vec<u64> {
    let slots = own_slots(index, options, order);
    let (mut rest, mut sizes) = (slots.as_slice(), Vec::new());
    while !rest.is_empty() {
        let (own, after) = rest.split_at(window(rest, options.shuffle_buffer_size));
        sizes.push(own.iter().map(|slot| slot.rows).sum());
        rest = after;
    }
    sizes
}

fn windows(
    mut slots: &[Slot],
    options: &IterationOptions,
    (index, chosen): (&ChunkIndex, &mut Option<ChosenRows>),
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
            planned.push_back(Arc::new(PlannedWindow::new(number, own, index, chosen)?));
        }
        slots = rest;
    }
    Ok(planned)
}

#[cold]
fn no_window() -> FeedError {
    let message = "expected rows of the chunks in the index, found rows of different chunks";
    FeedError::new(FeedErrorKind::Changed, message)
}

/// Without skipped blocks, only an index with wrong numbers causes this error.
#[cold]
fn fewer_rows(window: &Window) -> FeedError {
    let (expected, found) = (counted(window.rows() as u64, "row"), window.left());
    let message = format!("expected {expected} in a window of the shuffle, as in the index, found {found}");
    FeedError::new(FeedErrorKind::Changed, message)
}
