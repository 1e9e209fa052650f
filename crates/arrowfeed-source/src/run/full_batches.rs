//! Batches of one size, made of batches that a filter has made shorter.

use std::collections::VecDeque;

use arrow_array::RecordBatch;

use super::file_batch::Polled;
use super::part_reader::PartReader;
use crate::stats::{Stage, enter};
use crate::{FeedError, not_joined};

/// Joins the batches of a reader so that each but the last one has the rows of a batch.
#[derive(Debug, Default)]
pub(super) struct FullBatches {
    pieces: VecDeque<RecordBatch>,
    rows: usize,
    bytes: usize,
    /// An error or the end, which comes after the rows before it.
    after: Option<Result<(), FeedError>>,
}

impl FullBatches {
    /// Returns the next batch of `reader`, which is polled with `wait`.
    ///
    /// # Errors
    /// As [`PartReader::poll`].
    pub(super) fn poll(
        &mut self,
        reader: &mut PartReader,
        wait: bool,
    ) -> Result<Polled<RecordBatch>, FeedError> {
        let most = reader.batch_bytes();
        while self.after.is_none() && self.rows < reader.batch_size() && self.bytes < most {
            match reader.poll(wait) {
                Ok(Polled::Batch(found)) => {
                    self.rows += found.batch.num_rows();
                    self.bytes += found.batch.get_array_memory_size();
                    self.pieces.push_back(found.batch);
                }
                Ok(Polled::Pending) => return Ok(Polled::Pending),
                Ok(Polled::End) => self.after = Some(Ok(())),
                Err(error) => self.after = Some(Err(error)),
            }
        }
        match self.rows {
            0 => self.after.replace(Ok(())).unwrap_or(Ok(())).map(|()| Polled::End),
            rows => self.joined(rows.min(reader.batch_size())).map(Polled::Batch),
        }
    }

    /// Joins the first `rows` rows.
    fn joined(&mut self, rows: usize) -> Result<RecordBatch, FeedError> {
        let (mut taken, mut left) = (Vec::with_capacity(self.pieces.len()), rows);
        while left > 0 {
            let Some(piece) = self.pieces.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(piece.get_array_memory_size());
            let (count, all) = (piece.num_rows().min(left), piece.num_rows());
            taken.push(piece.slice(0, count));
            left -= count;
            if count < all {
                let rest = piece.slice(count, all - count);
                self.bytes += rest.get_array_memory_size();
                self.pieces.push_front(rest);
            }
        }
        self.rows -= rows;
        if taken.len() == 1 {
            return Ok(taken.swap_remove(0));
        }
        let _copying = enter(Stage::Copy);
        let schema = taken[0].schema();
        arrowfeed_select::concat_batches(&schema, &taken.iter().collect::<Vec<_>>())
            .map_err(|error| not_joined(rows, error))
    }
}
