//! A batch that is still to be put together from rows of windows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroError, Prepare};

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
    pub(super) fn run(&self, prepare: Option<&Prepare>) -> Result<Rows, AvroError> {
        let pieces: Vec<&RecordBatch> = self.windows.iter().flat_map(|pieces| pieces.iter()).collect();
        let batch = interleaved(&pieces, &self.picks);
        let batch = batch.map_err(|error| not_joined(self.picks.len()).with_source(error))?;
        let prepared = prepare.map(|prepare| prepare(&batch));
        Ok(Rows { batch, prepared })
    }
}
