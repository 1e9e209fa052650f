//! Regrouping of decoded rows into batches of exactly the requested size.

use std::collections::VecDeque;

use arrowfeed_source::FeedError;
use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::run::FileBatch;

use super::rows::Rows;

/// Decoded rows in order. A batch that lies within one piece is a slice of it, without a copy.
#[derive(Debug)]
pub(super) struct Pieces {
    batch_size: usize,
    /// Number of rows in the next batch.
    wanted: usize,
    /// Pieces, and the number of rows already taken from the first one.
    held: VecDeque<FileBatch>,
    taken: usize,
    rows: usize,
    bytes: usize,
    /// Maximum bytes of the pieces of an incomplete batch.
    most: usize,
}

/// Position after the last row of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowPosition {
    pub(super) file: usize,
    pub(super) chunk: u64,
    pub(super) offset: u64,
    /// Number of rows of the chunk before the position.
    pub(super) row: u64,
}

impl Pieces {
    pub(super) fn new(batch_size: usize, most: usize) -> Self {
        let (held, wanted) = (VecDeque::new(), batch_size);
        Self { batch_size, wanted, held, taken: 0, rows: 0, bytes: 0, most }
    }

    /// Sets the number of rows in the next batch.
    pub(super) fn begin_with(&mut self, rows: usize) {
        self.wanted = rows;
    }

    pub(super) fn add(&mut self, piece: FileBatch) -> Result<(), FeedError> {
        self.rows += piece.batch.num_rows();
        self.bytes += piece.batch.get_array_memory_size();
        self.held.push_back(piece);
        if self.bytes > self.most && self.rows < self.wanted {
            return Err(too_large(self.most, self.wanted, self.rows));
        }
        Ok(())
    }

    pub(super) fn is_enough(&self) -> bool {
        self.rows >= self.wanted
    }

    /// Takes the next batch. It has fewer rows if there are no more.
    pub(super) fn take(&mut self) -> Option<(Rows, RowPosition)> {
        let mut wanted = self.wanted.min(self.rows);
        self.wanted = self.batch_size;
        self.rows -= wanted;
        let mut slices = Vec::new();
        let mut after = None;
        while wanted > 0 {
            let Some(piece) = self.held.front() else { break };
            let left = piece.batch.num_rows() - self.taken;
            let n = wanted.min(left);
            slices.push(piece.batch.slice(self.taken, n));
            after = place_after(piece, self.taken + n);
            wanted -= n;
            self.taken += n;
            if n == left {
                self.bytes -= piece.batch.get_array_memory_size();
                self.held.pop_front();
                self.taken = 0;
            }
        }
        let after = after?;
        let rows = if slices.len() == 1 { Rows::Whole(slices.remove(0)) } else { Rows::Joined(slices) };
        Some((rows, after))
    }
}

fn place_after(piece: &FileBatch, row: usize) -> Option<RowPosition> {
    let origin = piece.origins.iter().rfind(|origin| origin.row < row)?;
    let RowOrigin { row: first, chunk, offset, before } = *origin;
    Some(RowPosition { file: piece.file, chunk, offset, row: before + (row - first) as u64 })
}

#[cold]
fn too_large(most: usize, wanted: usize, found: usize) -> FeedError {
    let message = format!(
        "expected {wanted} rows to take at most {most} bytes, found that {found} rows take more: ask for fewer"
    );
    FeedError::limit_reached("batch_bytes", message)
}
