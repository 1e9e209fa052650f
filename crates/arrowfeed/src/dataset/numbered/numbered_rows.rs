//! Rows that are asked for by number: their places in the chunks, and the batch that is made of them.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_source::run::FileBatch;
use arrowfeed_source::{FeedError, FeedErrorKind, copy_error, count_decoded, counted};

use super::chunk_cache::ChunkKey;
use crate::dataset::files::chosen_rows::{ChosenRows, compacted, stretches};
use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::files::row_errors::{more_rows, other_chunk};
use crate::dataset::joined::interleaved;
use crate::error::DatasetError;

/// Bytes of pieces that are kept whole until the batch is made. Of further pieces, the rows are copied.
const WHOLE_BYTES: usize = 16 << 20;

/// The number of rows before each chunk of an index.
#[derive(Debug)]
pub(crate) struct RowPlaces {
    pub(crate) index: Arc<ChunkIndex>,
    /// Number of rows before each chunk of all files.
    rows_before: Vec<u64>,
    /// Number of chunks before each file.
    chunks_before: Vec<usize>,
    /// The rows of the dataset, by their numbers in the index.
    rows: Range<u64>,
}

impl RowPlaces {
    pub(crate) fn new(index: Arc<ChunkIndex>, files: usize, rows: Range<u64>) -> Self {
        let (mut rows_before, mut chunks_before, mut before) = (Vec::new(), Vec::new(), 0);
        for file in 0..files {
            chunks_before.push(rows_before.len());
            for nth_chunk in 0..index.chunks(file).len() {
                rows_before.push(before);
                before += index.chunk_rows(file, nth_chunk);
            }
        }
        Self { index, rows_before, chunks_before, rows }
    }

    /// The rows of the dataset, by their numbers in the index.
    pub(crate) fn rows(&self) -> Range<u64> {
        self.rows.clone()
    }

    /// The number in the index of a row of the dataset, which is negative if it counts from the end.
    fn row(&self, number: i64) -> Result<u64, DatasetError> {
        let Range { start, end } = self.rows;
        let found = match u64::try_from(number) {
            Ok(number) => start.checked_add(number).filter(|row| *row < end),
            Err(_) => end.checked_sub(number.unsigned_abs()).filter(|row| *row >= start),
        };
        found.ok_or(DatasetError::RowNumber { number: number.into(), rows: end - start })
    }

    /// The chunk of a row, and its number among the chosen rows of the chunk. The row is one of the index.
    fn place(&self, row: u64) -> (ChunkKey, u64) {
        let chunk = self.rows_before.partition_point(|before| *before <= row) - 1;
        let file = self.chunks_before.partition_point(|before| *before <= chunk) - 1;
        ((file, chunk - self.chunks_before[file]), row - self.rows_before[chunk])
    }
}

/// A row that is asked for.
#[derive(Debug)]
struct Pick {
    /// Its number in its chunk.
    row: u64,
    /// Its place in the batch.
    place: usize,
}

/// Rows that are asked for, and those that have been found.
#[derive(Debug)]
pub(crate) struct NumberedRows {
    /// In file order.
    picks: Vec<Pick>,
    /// The chunks of these rows, and their picks.
    chunks: Vec<(ChunkKey, Range<usize>)>,
    pieces: Vec<RecordBatch>,
    /// Bytes of the pieces that are kept whole.
    whole_bytes: usize,
    /// Piece number and row of each row of the batch.
    found: Vec<Option<(usize, usize)>>,
}

impl NumberedRows {
    /// # Errors
    /// A number is out of range; or a chunk has too many rows for a split.
    pub(crate) fn new(numbers: &[i64], places: &RowPlaces) -> Result<Self, DatasetError> {
        let rows = numbers.iter().map(|number| places.row(*number));
        let rows = rows.collect::<Result<Vec<u64>, DatasetError>>()?;
        let mut in_order: Vec<usize> = (0..rows.len()).collect();
        in_order.sort_by_key(|place| rows[*place]);
        let mut chosen = ChosenRows::new(&places.index);
        let mut picks = Vec::with_capacity(rows.len());
        let mut chunks: Vec<(ChunkKey, Range<usize>)> = Vec::new();
        for place in in_order {
            let (key, row) = places.place(rows[place]);
            let row = match &mut chosen {
                Some(chosen) => chosen.number(key.0, key.1, row)?,
                None => row,
            };
            match chunks.last_mut() {
                Some((last, range)) if *last == key => range.end += 1,
                _ => chunks.push((key, picks.len()..picks.len() + 1)),
            }
            picks.push(Pick { row, place });
        }
        let found = vec![None; picks.len()];
        Ok(Self { picks, chunks, pieces: Vec::new(), whole_bytes: 0, found })
    }

    /// The chunks of the rows, in file order.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = ChunkKey> {
        self.chunks.iter().map(|(key, _)| *key)
    }

    fn picks_of(&self, key: ChunkKey) -> &[Pick] {
        match self.chunks.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => &self.picks[self.chunks[at].1.clone()],
            Err(_) => &[],
        }
    }

    /// The rows of a chunk from the first wanted one to the last.
    pub(crate) fn range_of(&self, key: ChunkKey) -> Range<u64> {
        match self.picks_of(key) {
            [first, .., last] => first.row..last.row + 1,
            [only] => only.row..only.row + 1,
            [] => 0..0,
        }
    }

    /// Finds rows in a decoded piece.
    ///
    /// # Errors
    /// A chunk has more rows than the index says, or is not in the index.
    pub(crate) fn add(&mut self, piece: &FileBatch, index: &ChunkIndex) -> Result<(), FeedError> {
        // The wanted rows of the piece, each once; and for each pick its place in the batch and its number among these rows.
        let (mut rows, mut places): (Vec<u32>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        for (origin, in_piece) in stretches(piece) {
            let nth_chunk = index.nth_chunk(piece.file, origin.offset).ok_or_else(|| other_chunk(origin))?;
            let all = index.chunks(piece.file)[nth_chunk].rows;
            let end = origin.before.saturating_add(in_piece.len() as u64);
            if end > all {
                return Err(more_rows(all).in_block(origin.chunk, origin.offset));
            }
            let picks = self.picks_of((piece.file, nth_chunk));
            let first = picks.partition_point(|pick| pick.row < origin.before);
            let picks = &picks[first..];
            for pick in picks.iter().take_while(|pick| pick.row < end) {
                let row = (origin.row + (pick.row - origin.before) as usize) as u32;
                if rows.last() != Some(&row) {
                    rows.push(row);
                }
                places.push((pick.place, rows.len() - 1));
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let bytes = piece.batch.get_array_memory_size();
        count_decoded(bytes);
        let compact = match self.whole_bytes.saturating_add(bytes) {
            sum if sum <= WHOLE_BYTES => {
                self.whole_bytes = sum;
                None
            }
            _ => compacted(&piece.batch, &rows)?,
        };
        let number = self.pieces.len();
        for (place, nth) in places {
            let row = if compact.is_some() { nth } else { rows[nth] as usize };
            self.found[place] = Some((number, row));
        }
        self.pieces.push(compact.unwrap_or_else(|| piece.batch.clone()));
        Ok(())
    }

    /// Makes the batch of all rows.
    ///
    /// # Errors
    /// A chunk has fewer rows than the index says, or the rows do not fit into one batch.
    pub(crate) fn into_batch<'a>(
        self,
        schema: &SchemaRef,
        index: &ChunkIndex,
        name: impl Fn(usize) -> &'a str,
    ) -> Result<RecordBatch, FeedError> {
        if self.found.is_empty() {
            return Ok(RecordBatch::new_empty(schema.clone()));
        }
        let Some(found) = self.found.iter().copied().collect::<Option<Vec<(usize, usize)>>>() else {
            let is_missing = |pick: &Pick| self.found[pick.place].is_none();
            let chunk = self.chunks().find(|key| self.picks_of(*key).iter().any(is_missing));
            let (file, nth_chunk) = chunk.unwrap_or_default();
            let chunk = index.chunks(file)[nth_chunk];
            let message = format!("expected {}, as in the index, found fewer", counted(chunk.rows, "row"));
            let error = FeedError::new(FeedErrorKind::Changed, message);
            return Err(error.in_block(chunk.number, chunk.offset).in_file(name(file)));
        };
        interleaved(&self.pieces.iter().collect::<Vec<_>>(), &found).map_err(|error| {
            copy_error(error, || {
                let rows = counted(found.len() as u64, "row");
                let message = format!(
                    "expected {rows} to fit into one batch, found more than a column can hold: ask for fewer rows"
                );
                FeedError::limit_reached("batch_bytes", message)
            })
        })
    }
}
