//! The calls that restrict a dataset to some of its rows, and the rows that [`Dataset::split`](crate::Dataset::split) chooses at
//! random.
//!
//! Whether a row is chosen depends on the seed, the number of its file, the offset of its chunk and its number in the
//! chunk, so that a chunk that cannot be read does not move rows from one part to the other.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_predicate::Predicate;
use arrowfeed_source::format::Chunk;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, FeedErrorKind, thousands};
use rand_chacha::ChaCha8Rng;

use super::row_errors::{no_room, room};
use crate::dataset::options::{ALL_ROWS, shown_rows};
use crate::dataset::random::{DRAWS, draw, random_of, skip_draws};

/// One division of the rows of a dataset into two parts, and the part that is read.
///
/// [`Dataset::split`](crate::Dataset::split) has an example.
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
    pub(crate) fn check(&self) -> Result<(), FeedError> {
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

/// A call that restricts a dataset to some of its rows.
///
/// [`Dataset::filter`](crate::Dataset::filter) has an example.
#[derive(Debug, Clone, PartialEq)]
pub enum RowRestriction {
    /// [`Dataset::filter`](crate::Dataset::filter)
    Filter(Predicate),
    /// [`Dataset::split`](crate::Dataset::split), of the rows with these numbers.
    Split(RowSplit),
    /// [`Dataset::skip`](crate::Dataset::skip) and [`Dataset::take`](crate::Dataset::take): the rows with these numbers.
    Rows(Range<u64>),
}

/// As it is written in Python, but for rows.
impl fmt::Display for RowRestriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(predicate) => write!(f, "filter({predicate})"),
            Self::Split(split) => write!(f, "{split}"),
            Self::Rows(rows) => f.write_str(&shown_rows(rows)),
        }
    }
}

/// The chosen rows of all chunks of an index.
#[derive(Debug)]
pub(crate) struct Selection {
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
    pub(crate) fn new(
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
    pub(crate) fn count(&self, file: usize, nth_chunk: usize) -> u64 {
        self.counts[file][nth_chunk]
    }

    /// Writes the numbers of the chosen rows of a chunk to `rows`.
    pub(crate) fn rows(
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

#[cold]
fn too_many_rows(chunk: &Chunk) -> FeedError {
    let (most, found) = (thousands(u64::from(u32::MAX)), thousands(chunk.rows));
    let message = format!("expected a chunk of at most {most} rows, which a split can divide, found {found}");
    FeedError::limit_reached("decoded_block_bytes", message).in_block(chunk.number, chunk.offset)
}
