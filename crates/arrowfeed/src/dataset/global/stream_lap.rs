//! The decoded rows of one lap of a stream: those of one epoch.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::FeedError;
use arrowfeed_source::run::FileBatch;

use crate::dataset::files::chosen_rows::{ChosenRows, compacted};
use crate::dataset::files::row_errors::{miscounted, more_rows};
use crate::dataset::rows::gather::{Gather, WindowPieces};
use crate::dataset::rows::window::{PlannedWindow, Window};

/// The rows of a stream in one epoch, of which some are decoded.
#[derive(Debug)]
pub(crate) struct StreamLap {
    pub(crate) number: u64,
    /// Number of rows that the lap yields.
    pub(crate) quota: u64,
    /// Number of rows that were yielded or passed, of the quota.
    pub(crate) given: u64,
    /// Number of decoded rows to pass before the next row.
    pub(crate) skipped: u64,
    /// Number of rows that were decoded, or that come before the first window that is read.
    pub(crate) received: u64,
    /// The value of `received` before the current pass over the windows.
    pub(crate) received_before: u64,
    /// Whether this pass does not begin with the first window.
    pub(crate) starts_late: bool,
    /// Number of streams after this one whose rows are read instead, because none of its own can be read.
    pub(crate) substitute: u64,
    /// Number of decoded rows that can be taken.
    available: u64,
    /// Number of windows that were added.
    windows: usize,
    rows: LapRows,
}

/// The decoded rows that were not taken.
#[derive(Debug)]
enum LapRows {
    /// Pieces in the order of the lap, in which the parts are read. Their windows have no effect on the order.
    InFileOrder(VecDeque<Piece>),
    Shuffled(ShuffledWindows),
}

/// The windows of a shuffle that have rows to take, or that will have some.
#[derive(Debug)]
struct ShuffledWindows {
    /// The seed, the epoch and the stream, which determine the orders of the windows.
    part: (u64, u64, u64),
    windows: VecDeque<LapWindow>,
    /// The number of the first window.
    first: usize,
    /// Number of windows, from the first one on, whose parts are all complete.
    complete: usize,
}

#[derive(Debug)]
struct LapWindow {
    planned: Arc<PlannedWindow>,
    /// Number of its parts that are not complete.
    parts: usize,
    /// `None` until the first row is decoded.
    rows: Option<Box<Window>>,
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
    pub(crate) fn new(number: u64, quota: u64, part: Option<(u64, u64, u64)>) -> Self {
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
            windows: 0,
            rows: match part {
                Some(part) => {
                    let windows = VecDeque::new();
                    LapRows::Shuffled(ShuffledWindows { part, windows, first: 0, complete: 0 })
                }
                None => LapRows::InFileOrder(VecDeque::new()),
            },
        }
    }

    /// Adds a window with a number of parts. Returns its number.
    pub(crate) fn add_window(&mut self, planned: Arc<PlannedWindow>, parts: usize) -> usize {
        if let LapRows::Shuffled(shuffled) = &mut self.rows {
            shuffled.windows.push_back(LapWindow { planned, parts, rows: None });
        }
        self.windows += 1;
        self.windows - 1
    }

    /// Number of rows that can be taken now.
    pub(crate) fn available(&self) -> u64 {
        self.available.saturating_sub(self.skipped).min(self.left())
    }

    /// Number of rows of the quota that were not yielded.
    pub(crate) fn left(&self) -> u64 {
        self.quota - self.given
    }

    /// Adds decoded rows of a window, which come after the rows that were added before. Returns their number.
    ///
    /// # Errors
    /// A chunk has more rows than the index says, or is not in the index.
    pub(crate) fn add(
        &mut self,
        window: usize,
        piece: FileBatch,
        (chosen, schema): (&mut Option<ChosenRows>, Option<&SchemaRef>),
    ) -> Result<u64, FeedError> {
        let piece = with_schema(piece, schema)?;
        let added = match &mut self.rows {
            LapRows::InFileOrder(pieces) => {
                let chosen = chosen.as_mut().map(|chosen| chosen.of_piece(&piece)).transpose()?;
                let added = push(pieces, piece.batch, chosen)?;
                self.available += added;
                added
            }
            LapRows::Shuffled(shuffled) => {
                let Some(window) = shuffled.rows_of(window) else { return Ok(0) };
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
        };
        self.received += added;
        Ok(added)
    }

    /// Adds rows of a piece that other laps share. `place`: the slot of the window, and the number of rows of this slot before
    /// them. Returns the number of rows.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(crate) fn add_shared(
        &mut self,
        window: usize,
        piece: &WindowPieces,
        place: (usize, u64),
        rows: Range<usize>,
    ) -> Result<u64, FeedError> {
        let added = rows.len() as u64;
        match &mut self.rows {
            LapRows::InFileOrder(pieces) => {
                push_shared(pieces, piece, rows);
                self.available += added;
            }
            LapRows::Shuffled(shuffled) => {
                let Some(window) = shuffled.rows_of(window) else { return Ok(0) };
                window.add_shared(&piece[0], place, rows);
            }
        }
        self.received += added;
        Ok(added)
    }

    /// Counts a part of a window as complete. The rows of a shuffle window can be taken when all parts of it, and of the
    /// windows before it, are complete.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(crate) fn complete(&mut self, window: usize) -> Result<(), FeedError> {
        if let LapRows::Shuffled(shuffled) = &mut self.rows {
            self.available += shuffled.complete(window)?;
        }
        Ok(())
    }

    /// Takes up to `count` rows, in the order of the stream, and passes their locations to `gather` unless they are passed
    /// over. Returns the number of rows.
    ///
    /// # Errors
    /// Fewer rows could be taken than are available: a defect of this library.
    pub(crate) fn take(&mut self, count: u64, gather: Option<&mut Gather>) -> Result<u64, FeedError> {
        let skipped = self.skipped.min(self.available);
        self.take_decoded(skipped, None)?;
        self.skipped -= skipped;
        let count = count.min(self.available());
        self.take_decoded(count, gather)?;
        self.given += count;
        Ok(count)
    }

    /// Takes `count` of the available rows.
    fn take_decoded(&mut self, count: u64, gather: Option<&mut Gather>) -> Result<(), FeedError> {
        let wanted = usize::try_from(count).unwrap_or(usize::MAX);
        let taken = match &mut self.rows {
            LapRows::InFileOrder(pieces) => take_in_file_order(pieces, wanted, gather),
            LapRows::Shuffled(shuffled) => shuffled.take(wanted, gather),
        };
        if taken as u64 != count {
            return Err(miscounted(count, "that a stream has prepared", taken as u64));
        }
        self.available -= count;
        Ok(())
    }
}

impl ShuffledWindows {
    /// The rows of a window; `None` if all its rows were taken.
    fn rows_of(&mut self, window: usize) -> Option<&mut Window> {
        let window = window.checked_sub(self.first)?;
        let LapWindow { planned, rows, .. } = self.windows.get_mut(window)?;
        Some(rows.get_or_insert_with(|| Box::new(Window::new(planned.clone(), self.part))))
    }

    /// Counts a part of a window as complete. Returns the number of rows that can be taken in addition.
    ///
    /// # Errors
    /// There is not enough memory.
    fn complete(&mut self, window: usize) -> Result<u64, FeedError> {
        let window = window.checked_sub(self.first).and_then(|window| self.windows.get_mut(window));
        let Some(window) = window else { return Ok(0) };
        window.parts = window.parts.saturating_sub(1);
        let mut left = 0;
        while let Some(window) = self.windows.get_mut(self.complete).filter(|window| window.parts == 0) {
            if let Some(rows) = &mut window.rows {
                rows.shuffle()?;
            }
            left += window.left();
            self.complete += 1;
        }
        Ok(left)
    }

    /// Takes up to `count` rows of complete windows. Returns their number.
    fn take(&mut self, count: usize, mut gather: Option<&mut Gather>) -> usize {
        let mut left = count;
        while left > 0
            && self.complete > 0
            && let Some(window) = self.windows.front_mut()
        {
            if let Some(window) = &mut window.rows {
                left -= match gather.as_deref_mut() {
                    Some(gather) => {
                        let first = gather.add_pieces(&window.pieces);
                        window.take(left, |piece, row| gather.picks.push((first + piece, row)))
                    }
                    None => window.take(left, |_, _| {}),
                };
            }
            if window.left() > 0 {
                break;
            }
            self.windows.pop_front();
            (self.first, self.complete) = (self.first + 1, self.complete - 1);
        }
        count - left
    }
}

impl LapWindow {
    /// Number of decoded rows that were not taken.
    fn left(&self) -> u64 {
        self.rows.as_ref().map_or(0, |window| window.left() as u64)
    }
}

/// Adds a decoded piece in file order. Returns the number of its rows that are chosen.
fn push(
    pieces: &mut VecDeque<Piece>,
    batch: RecordBatch,
    chosen: Option<Vec<u32>>,
) -> Result<u64, FeedError> {
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
fn push_shared(pieces: &mut VecDeque<Piece>, batch: &WindowPieces, rows: Range<usize>) {
    match pieces.back_mut() {
        Some(last) if Arc::ptr_eq(&last.batch, batch) && last.left.end == rows.start => {
            last.left.end = rows.end;
        }
        _ => pieces.push_back(Piece { batch: batch.clone(), chosen: None, left: rows }),
    }
}

/// Takes up to `count` rows of pieces. Returns their number.
fn take_in_file_order(pieces: &mut VecDeque<Piece>, count: usize, mut gather: Option<&mut Gather>) -> usize {
    let mut left = count;
    while left > 0
        && let Some(piece) = pieces.front_mut()
    {
        let taken = left.min(piece.left.len());
        let rows = piece.left.start..piece.left.start + taken;
        (piece.left.start, left) = (rows.end, left - taken);
        if let Some(gather) = gather.as_deref_mut() {
            let number = gather.add_pieces(&piece.batch);
            match &piece.chosen {
                Some(chosen) => gather.picks.extend(chosen[rows].iter().map(|row| (number, *row as usize))),
                None => gather.picks.extend(rows.map(|row| (number, row))),
            }
        }
        if piece.left.is_empty() {
            pieces.pop_front();
        }
    }
    count - left
}

/// Gives a piece the schema of a mixture.
pub(crate) fn with_schema(piece: FileBatch, schema: Option<&SchemaRef>) -> Result<FileBatch, FeedError> {
    let Some(schema) = schema else { return Ok(piece) };
    Ok(FileBatch { batch: crate::dataset::sources::with_schema(&piece.batch, schema)?, ..piece })
}
