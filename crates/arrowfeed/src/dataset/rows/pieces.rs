//! Regrouping of decoded rows into batches of exactly the requested size.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::run::FileBatch;
use arrowfeed_source::{FeedError, count_decoded};

use super::gather::{Gather, Rows};
use crate::dataset::files::chosen_rows::compacted;
use crate::dataset::files::chunk_index::RowPosition;

/// Decoded rows in order. A batch that lies within one piece is a slice of it, without a copy, unless rows are chosen at
/// random.
#[derive(Debug)]
pub(crate) struct Pieces {
    batch_size: usize,
    /// Number of rows in the next batch.
    wanted: usize,
    /// Pieces, and the number of rows already taken from the first one.
    pieces: VecDeque<Piece>,
    taken: usize,
    rows: usize,
    bytes: usize,
    /// Maximum bytes of the pieces of an incomplete batch.
    most: usize,
}

#[derive(Debug)]
struct Piece {
    decoded: FileBatch,
    /// Numbers of the chosen rows among the decoded ones. `None`: all.
    chosen: Option<Vec<u32>>,
    /// Whether the batch has only the chosen rows.
    is_compact: bool,
    /// Bytes of the chosen rows that are not taken yet, if all rows have the same size.
    bytes: usize,
}

impl Pieces {
    pub(crate) fn new(batch_size: usize, most: usize) -> Self {
        let (pieces, wanted) = (VecDeque::new(), batch_size);
        Self { batch_size, wanted, pieces, taken: 0, rows: 0, bytes: 0, most }
    }

    /// Sets the number of rows in the next batch.
    pub(crate) fn begin_with(&mut self, rows: usize) {
        self.wanted = rows;
    }

    /// Adds a piece. `chosen` has the numbers of the chosen rows, if not all rows are to be read.
    pub(crate) fn add(&mut self, decoded: FileBatch, chosen: Option<Vec<u32>>) -> Result<(), FeedError> {
        let mut piece = Piece { decoded, chosen, is_compact: false, bytes: 0 };
        if let Some(chosen) = &piece.chosen {
            if chosen.is_empty() {
                return Ok(());
            }
            if let Some(compact) = compacted(&piece.decoded.batch, chosen)? {
                (piece.decoded.batch, piece.is_compact) = (compact, true);
            }
        }
        piece.bytes = piece.chosen_bytes();
        self.rows += piece.rows();
        self.bytes += piece.bytes;
        count_decoded(piece.bytes);
        self.pieces.push_back(piece);
        if self.bytes > self.most && self.rows < self.wanted {
            return Err(too_large(self.most, self.wanted, self.rows));
        }
        Ok(())
    }

    pub(crate) fn is_enough(&self) -> bool {
        self.rows >= self.wanted
    }

    /// Takes the next batch. It has fewer rows if there are no more.
    pub(crate) fn take(&mut self) -> Option<(Rows, RowPosition)> {
        let mut wanted = self.wanted.min(self.rows);
        self.wanted = self.batch_size;
        self.rows -= wanted;
        let mut taken = Vec::new();
        let mut after = None;
        while wanted > 0 {
            let Some(piece) = self.pieces.front_mut() else { break };
            let left = piece.rows() - self.taken;
            let n = wanted.min(left);
            taken.push(piece.taken(self.taken, n));
            after = place_after(&piece.decoded, piece.number(self.taken + n - 1) + 1);
            wanted -= n;
            self.taken += n;
            let bytes = share(piece.bytes, n, left);
            piece.bytes -= bytes;
            self.bytes -= bytes;
            if n == left {
                self.pieces.pop_front();
                self.taken = 0;
            }
        }
        Some((joined(taken), after?))
    }
}

/// The bytes of `n` of `rows` rows.
fn share(bytes: usize, n: usize, rows: usize) -> usize {
    (bytes as u128 * n as u128 / rows.max(1) as u128) as usize
}

/// Rows of one piece.
enum Taken {
    Slice(RecordBatch),
    Picks(RecordBatch, Vec<u32>),
}

impl Piece {
    fn rows(&self) -> usize {
        self.chosen.as_ref().map_or(self.decoded.batch.num_rows(), Vec::len)
    }

    fn chosen_bytes(&self) -> usize {
        let batch = &self.decoded.batch;
        let bytes = batch.get_array_memory_size();
        match &self.chosen {
            Some(chosen) if !self.is_compact => share(bytes, chosen.len(), batch.num_rows()),
            _ => bytes,
        }
    }

    /// The number of a row among the decoded ones.
    fn number(&self, row: usize) -> usize {
        self.chosen.as_ref().map_or(row, |chosen| chosen[row] as usize)
    }

    fn taken(&self, start: usize, n: usize) -> Taken {
        let batch = &self.decoded.batch;
        match &self.chosen {
            Some(chosen) if !self.is_compact => {
                Taken::Picks(batch.clone(), chosen[start..start + n].to_vec())
            }
            _ => Taken::Slice(batch.slice(start, n)),
        }
    }
}

fn joined(mut taken: Vec<Taken>) -> Rows {
    if taken.len() == 1
        && let Some(Taken::Slice(slice)) = taken.pop_if(|taken| matches!(taken, Taken::Slice(_)))
    {
        return Rows::Whole(slice);
    }
    let (mut pieces, mut picks) = (Vec::with_capacity(taken.len()), Vec::new());
    let has_picks = taken.iter().any(|taken| matches!(taken, Taken::Picks(..)));
    for taken in taken {
        let piece = pieces.len();
        match taken {
            Taken::Slice(slice) => {
                if has_picks {
                    picks.extend((0..slice.num_rows()).map(|row| (piece, row)));
                }
                pieces.push(slice);
            }
            Taken::Picks(batch, rows) => {
                picks.extend(rows.into_iter().map(|row| (piece, row as usize)));
                pieces.push(batch);
            }
        }
    }
    match has_picks {
        true => Rows::Gathered(Gather::of_pieces(pieces, picks)),
        false => Rows::Joined(pieces),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Int64Array;
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    #[test]
    fn rows_that_are_not_chosen_do_not_count_towards_the_size_of_a_batch() {
        let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::Int64, false)]));
        let column = Arc::new(Int64Array::from_iter_values(0..1000));
        let batch = RecordBatch::try_new(schema, vec![column]).unwrap();
        let bytes = batch.get_array_memory_size();
        let origins = vec![RowOrigin { row: 0, chunk: 0, offset: 0, before: 0 }];
        let piece = || FileBatch { batch: batch.clone(), file: 0, part: 0, origins: origins.clone() };
        for (chosen, fits) in [(None, 2), (Some(900), 2), (Some(600), 3), (Some(100), 18)] {
            let rows = chosen.map(|count| (0..count).collect::<Vec<u32>>());
            let mut pieces = Pieces::new(1_000_000, 2 * bytes);
            let added = (0..100).take_while(|_| pieces.add(piece(), rows.clone()).is_ok()).count();
            assert_eq!(added, fits, "{chosen:?}");
            assert_eq!(
                pieces.take().unwrap().0.into_batch().unwrap().num_rows(),
                chosen.unwrap_or(1000) as usize * (added + 1)
            );
            assert_eq!(pieces.bytes, 0);
            // Of a piece that is taken in part, the rest counts.
            let mut pieces = Pieces::new(chosen.unwrap_or(1000) as usize / 2, 2 * bytes);
            pieces.add(piece(), rows).unwrap();
            let whole = pieces.bytes;
            pieces.take().unwrap();
            assert_eq!(pieces.bytes, whole - whole / 2, "{chosen:?}");
        }
    }
}
