//! The rows of a batch before they are joined.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_select::Slice;
use arrowfeed_source::stats::{Stage, enter};
use arrowfeed_source::{FeedError, not_joined};

use crate::dataset::files::row_errors::{miscounted, room};
use crate::dataset::joined::{concatenated, interleaved_distinct, sliced};

/// Source of the rows of a batch.
#[derive(Debug)]
pub(crate) enum Rows {
    /// A piece as it was decoded.
    Whole(RecordBatch),
    /// Concatenated pieces.
    Joined(Vec<RecordBatch>),
    /// Selected rows of shuffle windows.
    Gathered(Gather),
}

/// Result of requesting the next batch of an epoch.
#[derive(Debug)]
pub(crate) enum Step<P> {
    /// The rows of a batch, and the position after them.
    Rows(Rows, P),
    /// No batch is ready yet; workers are decoding.
    Pending,
    /// The epoch has ended.
    End,
}

impl<P> Step<P> {
    pub(crate) fn map<Q>(self, place: impl FnOnce(P) -> Q) -> Step<Q> {
        match self {
            Self::Rows(rows, after) => Step::Rows(rows, place(after)),
            Self::Pending => Step::Pending,
            Self::End => Step::End,
        }
    }
}

/// The pieces of a window. Windows of several streams may have rows of one piece.
pub(crate) type WindowPieces = Arc<Vec<Arc<RecordBatch>>>;

/// Rows selected from the pieces of windows.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    /// Pieces of each window.
    windows: Vec<WindowPieces>,
    /// Number of pieces of all windows.
    count: usize,
    /// Piece number, counted from the first window on, and row.
    pub(crate) picks: Vec<Pick>,
}

/// Number of rows next to each other from which on slices are joined instead of single rows.
const RUN: usize = 4;

/// A piece number and a row in that piece.
pub(crate) type Pick = (usize, usize);

impl Rows {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Whole(batch) => batch.num_rows(),
            Self::Joined(pieces) => pieces.iter().map(RecordBatch::num_rows).sum(),
            Self::Gathered(gather) => gather.picks.len(),
        }
    }

    /// Whether rows must be copied to make the batch.
    pub(crate) fn takes_work(&self) -> bool {
        !matches!(self, Self::Whole(_))
    }

    /// Joins the rows into a batch.
    pub(crate) fn into_batch(self) -> Result<RecordBatch, FeedError> {
        let rows = self.len();
        let batch = match self {
            Self::Whole(batch) => Ok(batch),
            Self::Joined(pieces) => {
                let _copying = enter(Stage::Copy);
                concatenated(&pieces.iter().collect::<Vec<_>>())
            }
            Self::Gathered(gather) => {
                let _shuffling = enter(Stage::Shuffle);
                let (pieces, picks) = gather.picked()?;
                match slices(&picks) {
                    Some(slices) => sliced(&pieces, &slices),
                    None => interleaved_distinct(&pieces, &picks),
                }
            }
        };
        let batch = batch.map_err(|error| not_joined(rows, error))?;
        if batch.num_rows() != rows {
            return Err(miscounted(rows as u64, "in a batch", batch.num_rows() as u64));
        }
        Ok(batch)
    }

    /// The pieces that have the rows, and the places of the rows in them.
    pub(crate) fn into_picks(self) -> (WindowPieces, Vec<Pick>) {
        let whole = |pieces: Vec<RecordBatch>| {
            let rows =
                |(piece, batch): (usize, &RecordBatch)| (0..batch.num_rows()).map(move |row| (piece, row));
            let picks = pieces.iter().enumerate().flat_map(rows).collect();
            (Arc::new(pieces.into_iter().map(Arc::new).collect()), picks)
        };
        match self {
            Self::Whole(batch) => whole(vec![batch]),
            Self::Joined(pieces) => whole(pieces),
            Self::Gathered(Gather { windows, picks, .. }) => match windows.as_slice() {
                [pieces] => (pieces.clone(), picks),
                _ => (Arc::new(windows.iter().flat_map(|pieces| pieces.iter().cloned()).collect()), picks),
            },
        }
    }

    /// Puts the `carried` rows of the previous epoch before these rows.
    pub(crate) fn after(self, carried: Option<RecordBatch>) -> Result<Self, FeedError> {
        let Some(carried) = carried else { return Ok(self) };
        Ok(Self::Joined(match self {
            Self::Joined(pieces) => [carried].into_iter().chain(pieces).collect(),
            Self::Whole(_) | Self::Gathered(_) => vec![carried, self.into_batch()?],
        }))
    }
}

impl Gather {
    pub(crate) fn new(windows: Vec<WindowPieces>, picks: Vec<Pick>) -> Self {
        Self { count: windows.iter().map(|pieces| pieces.len()).sum(), windows, picks }
    }

    pub(crate) fn of_pieces(pieces: Vec<RecordBatch>, picks: Vec<Pick>) -> Self {
        Self::new(vec![Arc::new(pieces.into_iter().map(Arc::new).collect())], picks)
    }

    /// Adds pieces, unless they were the last ones that were added. Returns the number of the first one.
    pub(crate) fn add_pieces(&mut self, pieces: &WindowPieces) -> usize {
        if self.windows.last().is_none_or(|last| !Arc::ptr_eq(last, pieces)) {
            self.count += pieces.len();
            self.windows.push(pieces.clone());
        }
        self.count - pieces.len()
    }

    /// The pieces that contain picked rows, and the picks by their numbers. A window may have thousands of pieces and a
    /// small batch may use only a few of them, while joining inspects each column of each piece that it receives.
    ///
    /// # Errors
    /// There is not enough memory for the picks.
    fn picked(&self) -> Result<(Vec<&RecordBatch>, Vec<Pick>), FeedError> {
        let mut numbers = vec![None; self.count];
        let (mut pieces, mut known): (Vec<&RecordBatch>, _) = (Vec::new(), BTreeMap::new());
        let mut picks = room(self.picks.len())?;
        picks.extend(self.picks.iter().map(|&(piece, row)| {
            let number = *numbers[piece].get_or_insert_with(|| {
                let piece = self.piece(piece);
                *known.entry(Arc::as_ptr(piece)).or_insert_with(|| {
                    pieces.push(piece);
                    pieces.len() - 1
                })
            });
            (number, row)
        }));
        Ok((pieces, picks))
    }

    fn piece(&self, mut number: usize) -> &Arc<RecordBatch> {
        for pieces in &self.windows {
            match pieces.get(number) {
                Some(piece) => return piece,
                None => number -= pieces.len(),
            }
        }
        unreachable!("a pick is of a piece of these windows")
    }
}

/// The picked rows as slices of pieces, if on average at least [`RUN`] of them lie next to each other.
fn slices(picks: &[Pick]) -> Option<Vec<Slice>> {
    let is_next = |one: &Pick, next: &Pick| one.0 == next.0 && one.1 + 1 == next.1;
    let runs = 1 + picks.windows(2).filter(|pair| !is_next(&pair[0], &pair[1])).count();
    if picks.len() < RUN * runs {
        return None;
    }
    let runs = picks.chunk_by(is_next);
    Some(runs.map(|run| Slice { array: run[0].0, start: run[0].1, len: run.len() }).collect())
}
