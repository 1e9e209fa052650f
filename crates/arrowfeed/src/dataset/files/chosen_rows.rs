//! The rows of decoded pieces that a split chooses.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::run::FileBatch;
use arrowfeed_source::{FeedError, copy_error};

use super::chunk_index::ChunkIndex;
use super::row_errors::{more_rows, other_chunk, room};
use crate::dataset::joined::interleaved;

/// The chosen rows of pieces, which lie in one chunk after another.
#[derive(Debug)]
pub(crate) struct ChosenRows {
    index: Arc<ChunkIndex>,
    /// File and chunk of the rows.
    chunk: Option<(usize, usize)>,
    rows: Vec<u32>,
}

impl ChosenRows {
    /// `None`: all rows of the index are read.
    pub(crate) fn new(index: &Arc<ChunkIndex>) -> Option<Self> {
        index.has_selection().then(|| Self { index: index.clone(), chunk: None, rows: Vec::new() })
    }

    /// The numbers of the chosen rows of a chunk.
    pub(crate) fn of_chunk(&mut self, file: usize, nth_chunk: usize) -> Result<&[u32], FeedError> {
        if self.chunk != Some((file, nth_chunk)) {
            self.chunk = None;
            self.index.chosen_rows(file, nth_chunk, &mut self.rows)?;
            self.chunk = Some((file, nth_chunk));
        }
        Ok(&self.rows)
    }

    /// Number of chosen rows before row number `row` of a chunk.
    pub(crate) fn before(&mut self, file: usize, nth_chunk: usize, row: u64) -> Result<u64, FeedError> {
        Ok(before(self.of_chunk(file, nth_chunk)?, row) as u64)
    }

    /// The number in its chunk of the chosen row number `row`. For the number after the last one: the number of rows.
    pub(crate) fn number(&mut self, file: usize, nth_chunk: usize, row: u64) -> Result<u64, FeedError> {
        let all = self.index.chunks(file)[nth_chunk].rows;
        let rows = self.of_chunk(file, nth_chunk)?;
        let found = usize::try_from(row).ok().and_then(|row| rows.get(row));
        Ok(found.map_or(all, |row| u64::from(*row)))
    }

    /// The chosen rows of a chunk among the rows of a piece that are of this chunk: their numbers in the chunk, and the
    /// number of chosen rows of the chunk before them.
    ///
    /// # Errors
    /// The chunk has more rows than the index says.
    pub(crate) fn of_origin(
        &mut self,
        file: usize,
        nth_chunk: usize,
        origin: &RowOrigin,
        in_piece: &Range<usize>,
    ) -> Result<(usize, &[u32]), FeedError> {
        let all = self.index.chunks(file)[nth_chunk].rows;
        let end = origin.before.saturating_add(in_piece.len() as u64);
        if end > all {
            return Err(more_rows(all).in_block(origin.chunk, origin.offset));
        }
        let rows = self.of_chunk(file, nth_chunk)?;
        let (first, end) = (before(rows, origin.before), before(rows, end));
        Ok((first, &rows[first..end]))
    }

    /// The chosen rows of a piece, by their numbers in the piece.
    pub(crate) fn of_piece(&mut self, piece: &FileBatch) -> Result<Vec<u32>, FeedError> {
        let mut chosen = room(piece.batch.num_rows())?;
        for (origin, rows) in stretches(piece) {
            let nth_chunk = self.index.nth_chunk(piece.file, origin.offset);
            let nth_chunk = nth_chunk.ok_or_else(|| other_chunk(origin))?;
            let (_, found) = self.of_origin(piece.file, nth_chunk, origin, &rows)?;
            chosen.extend(found.iter().map(|row| in_piece(*row, origin)));
        }
        Ok(chosen)
    }
}

/// Number of chosen rows before a row.
fn before(rows: &[u32], row: u64) -> usize {
    rows.partition_point(|chosen| u64::from(*chosen) < row)
}

/// The number in its piece of a row of a chunk.
pub(crate) fn in_piece(row: u32, origin: &RowOrigin) -> u32 {
    (u64::from(row) - origin.before) as u32 + origin.row as u32
}

/// The rows of a piece by their chunk.
pub(crate) fn stretches(piece: &FileBatch) -> impl Iterator<Item = (&RowOrigin, Range<usize>)> {
    arrowfeed_source::format::stretches(&piece.origins, piece.batch.num_rows())
}

/// Copies the chosen rows of a piece if they are less than half of it, so that the others do not stay in memory.
pub(crate) fn compacted(batch: &RecordBatch, rows: &[u32]) -> Result<Option<RecordBatch>, FeedError> {
    if rows.len() > batch.num_rows() / 2 {
        return Ok(None);
    }
    let mut picks = room(rows.len())?;
    picks.extend(rows.iter().map(|row| (0, *row as usize)));
    let copied = interleaved(&[batch], &picks).map_err(|error| {
        copy_error(error, || {
            let message = "expected the selected rows to fit into one batch, found more than a column can hold: use a smaller batch_size";
            FeedError::limit_reached("batch_bytes", message.to_owned())
        })
    })?;
    Ok(Some(copied))
}
