//! Rows that [`Dataset::split`](super::Dataset::split) chooses at random.
//!
//! Whether a row is chosen depends on the seed, the number of its file, the offset of its chunk and its number in the
//! chunk, so that a chunk that cannot be read does not move rows from one part to the other.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_source::format::{Chunk, RowOrigin};
use arrowfeed_source::run::{FileBatch, FileSet};
use arrowfeed_source::{FeedError, FeedErrorKind, thousands};
use rand_chacha::ChaCha8Rng;

use super::chunk_index::ChunkIndex;
use super::joined::interleaved;
use super::options::{ALL_ROWS, shown_rows};
use super::order::{DRAWS, draw, random_of, skip_draws};
use super::window::{more_rows, no_room, other_chunk, room};

/// One division of the rows of a dataset into two parts, and the part that is read.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSplit {
    /// The rows that were divided, by their numbers in file order. `0..u64::MAX`: all rows.
    pub rows: Range<u64>,
    /// Probability that a row belongs to the first part.
    pub fraction: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Whether the second part is read instead of the first one.
    pub is_rest: bool,
}

impl RowSplit {
    pub(super) fn check(&self) -> Result<(), FeedError> {
        if (0.0..=1.0).contains(&self.fraction) {
            return Ok(());
        }
        let message = format!("fraction: expected a number from 0 to 1, found {}", self.fraction);
        Err(FeedError::new(FeedErrorKind::Options, message))
    }

    /// The random numbers of a chunk, one for each row. `level` is the number of earlier divisions.
    fn random(&self, level: usize, file: usize, offset: u64) -> ChaCha8Rng {
        random_of([self.seed, level as u64, file as u64, offset])
    }
}

/// As it is written in Python: `split(0.9, seed=1)[0]`.
impl fmt::Display for RowSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows != ALL_ROWS {
            write!(f, "{}, ", shown_rows(&self.rows))?;
        }
        write!(f, "split({:?}, seed={})[{}]", self.fraction, self.seed, u8::from(self.is_rest))
    }
}

/// Writes divisions one after another. `None`: all rows.
pub(super) fn shown_splits(splits: &[RowSplit]) -> Option<String> {
    let shown: Vec<String> = splits.iter().map(ToString::to_string).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// The chosen rows of all chunks of an index.
#[derive(Debug)]
pub(super) struct Selection {
    /// The divisions, each one of the rows that the previous one has left.
    splits: Arc<[RowSplit]>,
    /// Number of chosen rows of each chunk of each file.
    counts: Vec<Vec<u64>>,
    /// Number of rows before each chunk of each file, for each division: the rows that the previous division has left.
    before: Vec<Vec<u64>>,
}

impl Selection {
    /// Chooses rows of `chunks`, the chunks of each file. `ask` is called for each slice of a chunk, and can stop it. Time
    /// is in proportion to the numbers of rows that the files declare, memory is not.
    pub(super) fn new(
        splits: &Arc<[RowSplit]>,
        files: &FileSet,
        chunks: &[Vec<Chunk>],
        ask: impl Fn() -> Result<(), FeedError>,
    ) -> Result<Self, FeedError> {
        let mut selection = Self { splits: splits.clone(), counts: Vec::new(), before: Vec::new() };
        let mut before = vec![0; splits.len()];
        let mut rows = Vec::new();
        for (file, chunks) in chunks.iter().enumerate() {
            let (mut counts, mut starts) = (room(chunks.len())?, Vec::new());
            for chunk in chunks {
                starts.extend_from_slice(&before);
                let mut count = 0;
                for slice in slices(chunk).map_err(|error| error.in_file(files.name(file)))? {
                    ask()?;
                    rows.clear();
                    choose(splits, &mut before, (file, chunk.offset), slice, &mut rows)?;
                    count += rows.len() as u64;
                }
                counts.push(count);
            }
            selection.counts.push(counts);
            selection.before.push(starts);
        }
        Ok(selection)
    }

    /// Number of chosen rows of a chunk.
    pub(super) fn count(&self, file: usize, nth_chunk: usize) -> u64 {
        self.counts[file][nth_chunk]
    }

    /// Writes the numbers of the chosen rows of a chunk to `rows`.
    pub(super) fn rows(
        &self,
        file: usize,
        nth_chunk: usize,
        chunk: &Chunk,
        rows: &mut Vec<u32>,
    ) -> Result<(), FeedError> {
        let levels = self.splits.len();
        let mut before = self.before[file][levels * nth_chunk..][..levels].to_vec();
        rows.clear();
        for slice in slices(chunk)? {
            choose(&self.splits, &mut before, (file, chunk.offset), slice, rows)?;
        }
        Ok(())
    }
}

/// Number of rows that are chosen at a time.
const SLICE: usize = 1 << 20;

/// Divides the rows of a chunk into slices of their numbers.
fn slices(chunk: &Chunk) -> Result<impl Iterator<Item = Range<u32>>, FeedError> {
    let count = u32::try_from(chunk.rows).map_err(|_| too_many_rows(chunk))?;
    Ok((0..count).step_by(SLICE).map(move |start| start..count.min(start.saturating_add(SLICE as u32))))
}

/// Appends the numbers of the chosen rows of a slice of a chunk to `rows`. `before` has the number of rows before the slice
/// for each division, and then those before the next slice.
fn choose(
    splits: &[RowSplit],
    before: &mut [u64],
    (file, offset): (usize, u64),
    slice: Range<u32>,
    rows: &mut Vec<u32>,
) -> Result<(), FeedError> {
    let mut chosen = room(slice.len())?;
    chosen.extend(slice);
    for (level, (split, before)) in splits.iter().zip(before).enumerate() {
        let mut random = split.random(level, file, offset);
        let threshold = (split.fraction * DRAWS).round() as u64;
        let mut next = 0;
        chosen.retain(|row| {
            let number = *before;
            *before += 1;
            // One draw belongs to each row of the chunk, also to those that were left out before.
            if *row != next {
                skip_draws(&mut random, u64::from(*row));
            }
            next = row + 1;
            let is_first = draw(&mut random) < threshold;
            is_first != split.is_rest && split.rows.contains(&number)
        });
    }
    rows.try_reserve(chosen.len()).map_err(|_| no_room::<u32>(rows.len() + chosen.len()))?;
    rows.append(&mut chosen);
    Ok(())
}

/// The chosen rows of pieces, which lie in one chunk after another.
#[derive(Debug)]
pub(super) struct ChosenRows {
    index: Arc<ChunkIndex>,
    /// File and chunk of the rows.
    chunk: Option<(usize, usize)>,
    rows: Vec<u32>,
}

impl ChosenRows {
    /// `None`: all rows of the index are read.
    pub(super) fn new(index: &Arc<ChunkIndex>) -> Option<Self> {
        index.has_selection().then(|| Self { index: index.clone(), chunk: None, rows: Vec::new() })
    }

    /// The numbers of the chosen rows of a chunk.
    pub(super) fn of_chunk(&mut self, file: usize, nth_chunk: usize) -> Result<&[u32], FeedError> {
        if self.chunk != Some((file, nth_chunk)) {
            self.chunk = None;
            self.index.chosen_rows(file, nth_chunk, &mut self.rows)?;
            self.chunk = Some((file, nth_chunk));
        }
        Ok(&self.rows)
    }

    /// Number of chosen rows before row number `row` of a chunk.
    pub(super) fn before(&mut self, file: usize, nth_chunk: usize, row: u64) -> Result<u64, FeedError> {
        Ok(before(self.of_chunk(file, nth_chunk)?, row) as u64)
    }

    /// The number in its chunk of the chosen row number `row`. For the number after the last one: the number of rows.
    pub(super) fn number(&mut self, file: usize, nth_chunk: usize, row: u64) -> Result<u64, FeedError> {
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
    pub(super) fn of_origin(
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
    pub(super) fn of_piece(&mut self, piece: &FileBatch) -> Result<Vec<u32>, FeedError> {
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
pub(super) fn in_piece(row: u32, origin: &RowOrigin) -> u32 {
    (u64::from(row) - origin.before) as u32 + origin.row as u32
}

/// The rows of a piece by their chunk.
pub(super) fn stretches(piece: &FileBatch) -> impl Iterator<Item = (&RowOrigin, Range<usize>)> {
    let ends = piece.origins.iter().skip(1).map(|next| next.row);
    let ends = ends.chain([piece.batch.num_rows()]);
    piece.origins.iter().zip(ends).map(|(origin, end)| (origin, origin.row..end))
}

/// Copies the chosen rows of a piece if they are less than half of it, so that the others do not stay in memory.
pub(super) fn compacted(batch: &RecordBatch, rows: &[u32]) -> Result<Option<RecordBatch>, FeedError> {
    if rows.len() > batch.num_rows() / 2 {
        return Ok(None);
    }
    let mut picks = room(rows.len())?;
    picks.extend(rows.iter().map(|row| (0, *row as usize)));
    let copied = interleaved(&[batch], &picks).map_err(|error| {
        let message = "expected the selected rows to fit into one batch, found more than a column can hold: use a smaller batch_size";
        FeedError::limit_reached("batch_bytes", message.to_owned()).with_source(error)
    })?;
    Ok(Some(copied))
}

#[cold]
fn too_many_rows(chunk: &Chunk) -> FeedError {
    let (most, found) = (thousands(u64::from(u32::MAX)), thousands(chunk.rows));
    let message = format!("expected a chunk of at most {most} rows, which a split can divide, found {found}");
    FeedError::limit_reached("decoded_block_bytes", message).in_block(chunk.number, chunk.offset)
}
