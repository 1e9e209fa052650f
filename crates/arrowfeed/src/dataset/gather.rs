//! A batch that is still to be put together from rows of windows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_avro::Prepare;
use arrowfeed_source::FeedError;

use super::joined::interleaved;
use super::pieces::{Rows, not_joined};

/// Which rows, of which pieces.
#[derive(Debug)]
pub(super) struct Gather {
    /// Pieces of each window.
    pub(super) windows: Vec<Arc<Vec<RecordBatch>>>,
    /// Piece, counted from the first window on, and row.
    pub(super) picks: Vec<(usize, usize)>,
}

impl Gather {
    /// The batch, and what `prepare` makes of it.
    pub(super) fn run(&self, prepare: Option<&Prepare>) -> Result<Rows, FeedError> {
        let (pieces, picks) = self.picked();
        let batch = interleaved(&pieces, &picks);
        let batch = batch.map_err(|error| not_joined(picks.len()).with_source(error))?;
        let prepared = prepare.map(|prepare| prepare(&batch));
        Ok(Rows { batch, prepared })
    }

    /// The pieces that have rows of the batch, and the rows by these. A window may have thousands of pieces, and a small
    /// batch rows of a few of them: joining looks at each column of each piece that it is given.
    fn picked(&self) -> (Vec<&RecordBatch>, Vec<(usize, usize)>) {
        let mut numbers = vec![None; self.windows.iter().map(|pieces| pieces.len()).sum()];
        let mut pieces = Vec::new();
        let picks = self.picks.iter().map(|&(piece, row)| {
            let number = *numbers[piece].get_or_insert_with(|| {
                pieces.push(self.piece(piece));
                pieces.len() - 1
            });
            (number, row)
        });
        let picks = picks.collect();
        (pieces, picks)
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
