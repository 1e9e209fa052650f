//! The rows of a batch that is still to be put together.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_source::FeedError;

use super::joined::{concatenated, interleaved};
use super::window::room;

/// What a batch is made of.
#[derive(Debug)]
pub(super) enum Rows {
    /// A piece as it was decoded.
    Whole(RecordBatch),
    /// Pieces, one after the other.
    Joined(Vec<RecordBatch>),
    /// Rows of windows.
    Gathered(Gather),
}

/// Which rows, of which pieces.
#[derive(Debug)]
pub(super) struct Gather {
    /// Pieces of each window.
    pub(super) windows: Vec<Arc<Vec<RecordBatch>>>,
    /// Piece, counted from the first window on, and row.
    pub(super) picks: Vec<Pick>,
}

/// A piece, and a row of it.
type Pick = (usize, usize);

impl Rows {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Whole(batch) => batch.num_rows(),
            Self::Joined(pieces) => pieces.iter().map(RecordBatch::num_rows).sum(),
            Self::Gathered(gather) => gather.picks.len(),
        }
    }

    /// Whether it takes work to put the batch together.
    pub(super) fn takes_work(&self) -> bool {
        !matches!(self, Self::Whole(_))
    }

    /// The batch.
    pub(super) fn into_batch(self) -> Result<RecordBatch, FeedError> {
        let rows = self.len();
        let batch = match self {
            Self::Whole(batch) => Ok(batch),
            Self::Joined(pieces) => concatenated(&pieces.iter().collect::<Vec<_>>()),
            Self::Gathered(gather) => {
                let (pieces, picks) = gather.picked()?;
                interleaved(&pieces, &picks)
            }
        };
        batch.map_err(|error| not_joined(rows).with_source(error))
    }

    /// The same behind rows that were held.
    pub(super) fn after(self, held: Option<RecordBatch>) -> Result<Self, FeedError> {
        let Some(held) = held else { return Ok(self) };
        Ok(Self::Joined(match self {
            Self::Joined(pieces) => [held].into_iter().chain(pieces).collect(),
            Self::Whole(_) | Self::Gathered(_) => vec![held, self.into_batch()?],
        }))
    }
}

impl Gather {
    /// The pieces that have rows of the batch, and the rows by these. A window may have thousands of pieces, and a small
    /// batch rows of a few of them: joining looks at each column of each piece that it is given.
    ///
    /// # Errors
    /// There is no memory for the rows.
    fn picked(&self) -> Result<(Vec<&RecordBatch>, Vec<Pick>), FeedError> {
        let mut numbers = vec![None; self.windows.iter().map(|pieces| pieces.len()).sum()];
        let mut pieces = Vec::new();
        let mut picks = room(self.picks.len())?;
        picks.extend(self.picks.iter().map(|&(piece, row)| {
            let number = *numbers[piece].get_or_insert_with(|| {
                pieces.push(self.piece(piece));
                pieces.len() - 1
            });
            (number, row)
        }));
        Ok((pieces, picks))
    }

    fn piece(&self, mut number: usize) -> &RecordBatch {
        for pieces in &self.windows {
            match pieces.get(number) {
                Some(piece) => return piece,
                None => number -= pieces.len(),
            }
        }
        unreachable!("a pick is of a piece of these windows")
    }
}

/// Rows that each fit into a batch and together do not: text of more than 2 GiB in a column.
#[cold]
fn not_joined(rows: usize) -> FeedError {
    let message = format!("expected {rows} rows to fit into one batch, found columns that cannot be joined");
    FeedError::limit_reached("batch_bytes", message)
}
