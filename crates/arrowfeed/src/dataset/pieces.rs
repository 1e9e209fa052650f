//! Decoded rows into batches of exactly the size that was asked for.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrowfeed_avro::{FileBatch, Prepared, RowOrigin};
use arrowfeed_source::FeedError;

use super::joined::concatenated;

/// Rows in the order in which they were decoded. A batch that is a piece as it came is not copied.
#[derive(Debug)]
pub(super) struct Pieces {
    batch_size: usize,
    /// Rows of the next batch.
    wanted: usize,
    /// Pieces, and how many rows have been taken of the first.
    held: VecDeque<FileBatch>,
    taken: usize,
    rows: usize,
    bytes: usize,
    /// Most bytes that may be held.
    most: usize,
}

/// The row after the last one of a batch, by what comes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct After {
    pub(super) file: usize,
    pub(super) block: u64,
    pub(super) offset: u64,
    /// Rows of the block that have been given.
    pub(super) row: u64,
}

/// A batch, and what the thread that decoded it has made of it.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) batch: RecordBatch,
    pub(super) prepared: Option<Prepared>,
}

impl From<RecordBatch> for Rows {
    fn from(batch: RecordBatch) -> Self {
        Self { batch, prepared: None }
    }
}

impl Pieces {
    /// `first`: rows of the first batch.
    pub(super) fn new(first: usize, batch_size: usize, most: usize) -> Self {
        Self { batch_size, wanted: first, held: VecDeque::new(), taken: 0, rows: 0, bytes: 0, most }
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

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The next batch, of fewer rows where there are no more.
    pub(super) fn take(&mut self) -> Result<Option<(Rows, After)>, FeedError> {
        let mut wanted = self.wanted.min(self.rows);
        self.wanted = self.batch_size;
        self.rows -= wanted;
        let mut slices = Vec::new();
        let (mut after, mut prepared) = (None, None);
        while wanted > 0 {
            let Some(piece) = self.held.front_mut() else { break };
            let left = piece.batch.num_rows() - self.taken;
            let n = wanted.min(left);
            slices.push(piece.batch.slice(self.taken, n));
            prepared = piece.prepared.take().filter(|_| self.taken == 0 && n == left);
            after = place_after(piece, self.taken + n);
            wanted -= n;
            self.taken += n;
            if n == left {
                self.bytes -= piece.batch.get_array_memory_size();
                self.held.pop_front();
                self.taken = 0;
            }
        }
        let Some(after) = after else { return Ok(None) };
        let rows = match slices.len() {
            1 => Rows { batch: slices.remove(0), prepared },
            _ => Rows::from(
                concatenated(&slices.iter().collect::<Vec<_>>())
                    .map_err(|error| not_joined(self.batch_size).with_source(error))?,
            ),
        };
        Ok(Some((rows, after)))
    }
}

fn place_after(piece: &FileBatch, row: usize) -> Option<After> {
    let origin = piece.origins.iter().rfind(|origin| origin.row < row)?;
    let RowOrigin { row: first, block, offset, before } = *origin;
    Some(After { file: piece.file, block, offset, row: before + (row - first) as u64 })
}

#[cold]
pub(super) fn too_large(most: usize, wanted: usize, found: usize) -> FeedError {
    let message = format!(
        "expected {wanted} rows to take at most {most} bytes, found that {found} rows take more: ask for fewer"
    );
    FeedError::limit_reached("batch_bytes", message)
}

/// Rows that each fit into a batch and together do not: text of more than 2 GiB in a column.
#[cold]
pub(super) fn not_joined(rows: usize) -> FeedError {
    let message = format!("expected {rows} rows to fit into one batch, found columns that cannot be joined");
    FeedError::limit_reached("batch_bytes", message)
}
