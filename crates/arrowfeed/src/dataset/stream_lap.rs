//! The decoded rows of one lap of a stream.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::FeedError;
use arrowfeed_source::run::FileBatch;

use super::chosen_rows::{ChosenRows, compacted};
use super::row_errors::more_rows;
use super::rows::{Gather, WindowPieces};
use super::window::{PlannedWindow, Window};

/// The rows of a stream in one epoch, of which some are decoded.
#[derive(Debug)]
pub(super) struct StreamLap {
    pub(super) number: u64,
    /// Number of rows that the lap yields.
    pub(super) quota: u64,
    /// Number of rows that were yielded or passed, of the quota.
    pub(super) given: u64,
    /// Number of decoded rows to pass before the next row.
    pub(super) skipped: u64,
    /// Number of rows that were decoded, or that come before the first window that is read.
    pub(super) received: u64,
    /// The value of `received` before the current pass over the windows.
    pub(super) received_before: u64,
    /// Whether this pass does not begin with the first window.
    pub(super) starts_late: bool,
    /// Number of streams after this one whose rows are read instead, because none of its own can be read.
    pub(super) substitute: u64,
    /// Number of rows that can be taken.
    available: u64,
    /// What determines the orders of windows; `None`: file order.
    part: Option<(u64, u64, u64)>,
    windows: VecDeque<LapWindow>,
    /// The number of the first window.
    first_window: usize,
}

/// A window of the lap, or the rows of a part in file order.
#[derive(Debug)]
struct LapWindow {
    planned: Arc<PlannedWindow>,
    /// Number of its parts that are not complete.
    parts: usize,
    rows: WindowRows,
}

#[derive(Debug)]
enum WindowRows {
    /// Not decoded yet.
    None,
    InFileOrder(VecDeque<Piece>),
    Shuffled(Box<Window>),
}

/// Rows in file order.
#[derive(Debug)]
struct Piece {
    batch: WindowPieces,
    /// Numbers of the chosen rows. `None`: all.
    chosen: Option<Vec<u32>>,
    /// The rows that were not taken.
    left: Range<usize>,
}

impl StreamLap {
    /// `part` determines the order of the rows in each window; `None`: file order.
    pub(super) fn new(number: u64, quota: u64, part: Option<(u64, u64, u64)>) -> Self {
        Self {
            number,
            quota,
            given: 0,
            skipped: 0,
            received: 0,
            received_before: 0,
            starts_late: false,
            substitute: 0,
            available: 0,
            part,
            windows: VecDeque::new(),
            first_window: 0,
        }
    }

    /// Adds a window with a number of parts. Returns its number.
    pub(super) fn add_window(&mut self, planned: Arc<PlannedWindow>, parts: usize) -> usize {
        self.windows.push_back(LapWindow { planned, parts, rows: WindowRows::None });
        self.first_window + self.windows.len() - 1
    }

    /// Number of rows that can be taken now.
    pub(super) fn available(&self) -> u64 {
        self.available.saturating_sub(self.skipped).min(self.left())
    }

    /// Number of rows of the quota that were not yielded.
    pub(super) fn left(&self) -> u64 {
        self.quota - self.given
    }

    /// Adds decoded rows of a window. Returns their number.
    ///
    /// # Errors
    /// A chunk has more rows than the index says, or is not in the index.
    pub(super) fn add(
        &mut self,
        window: usize,
        piece: FileBatch,
        (chosen, schema): (&mut Option<ChosenRows>, Option<&SchemaRef>),
    ) -> Result<u64, FeedError> {
        let Some(window) = window.checked_sub(self.first_window) else { return Ok(0) };
        let piece = with_schema(piece, schema)?;
        let Some(window) = self.windows.get_mut(window) else { return Ok(0) };
        let added = match self.part {
            Some(part) => {
                let window = window.shuffled(part)?;
                let before = window.found();
                if let Some(piece) = window.add(piece, chosen)? {
                    let error = more_rows(window.rows() as u64);
                    return Err(match piece.origins.first() {
                        Some(origin) => error.in_block(origin.chunk, origin.offset),
                        None => error,
                    });
                }
                (window.found() - before) as u64
            }
            None => {
                let chosen = chosen.as_mut().map(|chosen| chosen.of_piece(&piece)).transpose()?;
                let added = window.push(piece.batch, chosen)?;
                self.available += added;
                added
            }
        };
        self.received += added;
        Ok(added)
    }

    /// Adds rows of a piece that other laps share. `place`: the slot of the window, and the number of rows of this slot before
    /// them. Returns the number of rows.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(super) fn add_shared(
        &mut self,
        window: usize,
        piece: &WindowPieces,
        place: (usize, u64),
        rows: Range<usize>,
    ) -> Result<u64, FeedError> {
        let window = window.checked_sub(self.first_window).and_then(|window| self.windows.get_mut(window));
        let (Some(window), added) = (window, rows.len() as u64) else { return Ok(0) };
        match self.part {
            Some(part) => window.shuffled(part)?.add_shared(&piece[0], place, rows),
            None => {
                window.push_shared(piece, rows);
                self.available += added;
            }
        }
        self.received += added;
        Ok(added)
    }

    /// Counts a part of a window as complete. The rows of a shuffle window can be taken when all its parts are complete.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(super) fn complete(&mut self, window: usize) -> Result<(), FeedError> {
        let Some(window) =
            window.checked_sub(self.first_window).and_then(|window| self.windows.get_mut(window))
        else {
            return Ok(());
        };
        window.parts = window.parts.saturating_sub(1);
        if let (0, Some(part)) = (window.parts, self.part) {
            self.available += window.shuffled(part)?.left() as u64;
        }
        Ok(())
    }

    /// Takes up to `count` rows, in the order of the stream, and passes their locations to `gather` unless they are passed
    /// over. Returns the number of rows.
    pub(super) fn take(&mut self, count: u64, gather: Option<&mut Gather>) -> u64 {
        while self.skipped > 0 && self.available > 0 {
            let skipped = self.skipped.min(self.available);
            let taken = self.take_decoded(skipped, None);
            if taken == 0 {
                break;
            }
            self.skipped -= taken;
        }
        let count = count.min(self.available());
        let taken = self.take_decoded(count, gather);
        self.given += taken;
        taken
    }

    fn take_decoded(&mut self, count: u64, mut gather: Option<&mut Gather>) -> u64 {
        let mut left = usize::try_from(count).unwrap_or(usize::MAX);
        let wanted = left;
        while left > 0
            && let Some(window) = self.windows.front_mut()
        {
            if self.part.is_some() && window.parts > 0 {
                break;
            }
            left -= window.take(left, gather.as_deref_mut());
            if !window.is_given() {
                break;
            }
            self.windows.pop_front();
            self.first_window += 1;
        }
        let taken = (wanted - left) as u64;
        self.available -= taken;
        taken
    }
}

impl LapWindow {
    fn shuffled(&mut self, part: (u64, u64, u64)) -> Result<&mut Window, FeedError> {
        if let WindowRows::None = self.rows {
            self.rows = WindowRows::Shuffled(Box::new(Window::new(self.planned.clone(), part)?));
        }
        match &mut self.rows {
            WindowRows::Shuffled(window) => Ok(window),
            WindowRows::None | WindowRows::InFileOrder(_) => {
                unreachable!("the windows of a shuffle are of one kind")
            }
        }
    }

    fn push(&mut self, batch: RecordBatch, chosen: Option<Vec<u32>>) -> Result<u64, FeedError> {
        if let WindowRows::None = self.rows {
            self.rows = WindowRows::InFileOrder(VecDeque::new());
        }
        let WindowRows::InFileOrder(pieces) = &mut self.rows else { return Ok(0) };
        let rows = chosen.as_ref().map_or(batch.num_rows(), Vec::len);
        if rows > 0 {
            let compact = chosen.as_ref().map(|chosen| compacted(&batch, chosen)).transpose()?.flatten();
            let (batch, chosen) = match compact {
                Some(batch) => (batch, None),
                None => (batch, chosen),
            };
            pieces.push_back(Piece { batch: Arc::new(vec![Arc::new(batch)]), chosen, left: 0..rows });
        }
        Ok(rows as u64)
    }

    /// Adds rows of a piece in file order.
    fn push_shared(&mut self, batch: &WindowPieces, rows: Range<usize>) {
        if let WindowRows::None = self.rows {
            self.rows = WindowRows::InFileOrder(VecDeque::new());
        }
        let WindowRows::InFileOrder(pieces) = &mut self.rows else { return };
        match pieces.back_mut() {
            Some(last) if Arc::ptr_eq(&last.batch, batch) && last.left.end == rows.start => {
                last.left.end = rows.end;
            }
            _ => pieces.push_back(Piece { batch: batch.clone(), chosen: None, left: rows }),
        }
    }

    /// Takes up to `count` rows. Returns their number.
    fn take(&mut self, count: usize, gather: Option<&mut Gather>) -> usize {
        match &mut self.rows {
            WindowRows::None => 0,
            WindowRows::Shuffled(window) => match gather {
                Some(gather) => {
                    let first = gather.add_pieces(&window.pieces);
                    window.take(count, |piece, row| gather.picks.push((first + piece, row)))
                }
                None => window.take(count, |_, _| {}),
            },
            WindowRows::InFileOrder(pieces) => {
                let mut left = count;
                let mut gather = gather;
                while left > 0
                    && let Some(piece) = pieces.front_mut()
                {
                    let taken = left.min(piece.left.len());
                    let rows = piece.left.start..piece.left.start + taken;
                    if let Some(gather) = gather.as_deref_mut() {
                        let number = gather.add_pieces(&piece.batch);
                        let rows = rows.clone();
                        match &piece.chosen {
                            Some(chosen) => {
                                gather.picks.extend(chosen[rows].iter().map(|row| (number, *row as usize)));
                            }
                            None => gather.picks.extend(rows.map(|row| (number, row))),
                        }
                    }
                    (piece.left.start, left) = (rows.end, left - taken);
                    if piece.left.is_empty() {
                        pieces.pop_front();
                    }
                }
                count - left
            }
        }
    }

    /// Whether all its rows were taken, and no more will come.
    fn is_given(&self) -> bool {
        self.parts == 0
            && match &self.rows {
                WindowRows::None => true,
                WindowRows::InFileOrder(pieces) => pieces.is_empty(),
                WindowRows::Shuffled(window) => window.left() == 0,
            }
    }
}

/// Gives a piece the schema of a mixture.
pub(super) fn with_schema(piece: FileBatch, schema: Option<&SchemaRef>) -> Result<FileBatch, FeedError> {
    let Some(schema) = schema else { return Ok(piece) };
    Ok(FileBatch { batch: super::mixed::with_schema(&piece.batch, schema)?, ..piece })
}
