//! One shuffle window: row locations and their permutation.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_source::FeedError;
use arrowfeed_source::format::RowOrigin;
use arrowfeed_source::run::{FileBatch, Part};

use super::gather::WindowPieces;
use super::order::{Slot, permutation};
use crate::dataset::files::chosen_rows::{self, ChosenRows, compacted, stretches};
use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::files::row_errors::{more_rows, other_chunk, room};

/// Minimum file bytes of the blocks that are decoded together, if one file has that many in a window.
pub(crate) const PART: u64 = 512 << 10;

/// Blocks of a window that are decoded together.
#[derive(Debug)]
pub(crate) struct WindowPart {
    pub(crate) part: Part,
    /// Number of its rows that are in the window.
    pub(crate) rows: u64,
    /// File bytes of its blocks.
    pub(crate) bytes: u64,
    /// The slots of the window with its blocks.
    pub(crate) slots: Range<usize>,
}

/// The blocks of a window before decoding, in file order.
#[derive(Debug)]
pub(crate) struct PlannedWindow {
    pub(crate) number: u64,
    slots: Vec<Slot>,
    /// The rows of each slot's block to read, if they are not all.
    cuts: Vec<Option<Range<u64>>>,
    /// File and offset of each slot's block.
    starts: Vec<(usize, u64)>,
    /// Number of rows before each slot, followed by the total.
    rows_before: Vec<usize>,
}

impl PlannedWindow {
    /// `chosen` finds the rows of the index, if not all rows are read.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(crate) fn new(
        number: u64,
        slots: &[Slot],
        index: &ChunkIndex,
        chosen: &mut Option<ChosenRows>,
    ) -> Result<Self, FeedError> {
        let mut slots = slots.to_vec();
        slots.sort_by_key(|slot| (slot.file, slot.nth_chunk));
        let start = |slot: &Slot| (slot.file, index.chunks(slot.file)[slot.nth_chunk].offset);
        let starts = slots.iter().map(start).collect();
        let mut rows_before = vec![0];
        for slot in &slots {
            let before = rows_before.last().copied().unwrap_or(0);
            rows_before.push(usize::try_from(slot.rows).unwrap_or(usize::MAX).saturating_add(before));
        }
        let cut = |slot: &Slot| {
            let Slot { file, nth_chunk, dropped, rows } = *slot;
            if dropped == 0 && rows == index.chunk_rows(file, nth_chunk) {
                return Ok(None);
            }
            let mut number = |row| match chosen {
                Some(chosen) => chosen.number(file, nth_chunk, row),
                None => Ok(row),
            };
            Ok(Some(number(dropped)?..number(dropped + rows)?))
        };
        let cuts = slots.iter().map(cut).collect::<Result<_, FeedError>>()?;
        Ok(Self { number, slots, cuts, starts, rows_before })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows_before.last().copied().unwrap_or(0)
    }

    /// The parts to read, in file order, each of `least` bytes or more if one file has that many. `left_out` is the sorted
    /// list of files to skip. A part of chosen rows also has the rows between them.
    pub(crate) fn parts(&self, index: &ChunkIndex, left_out: &[usize], least: u64) -> Vec<WindowPart> {
        let block = |slot: &Slot| index.chunks(slot.file)[slot.nth_chunk];
        let (mut parts, mut start) = (Vec::new(), 0);
        while let Some(Slot { file, .. }) = self.slots.get(start) {
            let (mut end, mut bytes) = (start, 0);
            while let Some(slot) = self.slots.get(end).filter(|slot| slot.file == *file) {
                let is_cut = self.cuts[end].is_some();
                if end > start && (is_cut || bytes >= least) {
                    break;
                }
                (end, bytes) = (end + 1, bytes + block(slot).end - block(slot).offset);
                if is_cut {
                    break;
                }
            }
            let slots = start..end;
            start = end;
            if left_out.binary_search(file).is_ok() {
                continue;
            }
            let own = &self.slots[slots.clone()];
            let part = Part::of_chunks(*file, own.iter().map(block));
            let part = match &self.cuts[slots.start] {
                Some(cut) => part.with_dropped(cut.start).with_kept(cut.end - cut.start),
                None => part,
            };
            parts.push(WindowPart { part, rows: own.iter().map(|slot| slot.rows).sum(), bytes, slots });
        }
        parts
    }

    /// The rows of a slot's block that are in the window, if rows are not chosen at random.
    pub(crate) fn rows_of(&self, slot: usize) -> Range<u64> {
        let Slot { dropped, rows, .. } = self.slots[slot];
        dropped..dropped + rows
    }

    pub(crate) fn nth_chunk(&self, slot: usize) -> usize {
        self.slots[slot].nth_chunk
    }
}

/// A window of decoded rows. Nothing is allocated for rows that a file declares and does not have.
#[derive(Debug)]
pub(crate) struct Window {
    planned: Arc<PlannedWindow>,
    part: (u64, u64, u64),
    pub(crate) pieces: WindowPieces,
    /// The decoded rows, in the order in which they were added.
    runs: Vec<Run>,
    found: usize,
    /// The order of the rows, once all have been added.
    order: Option<ShuffledRows>,
    /// Number of rows that have been taken or passed over.
    pub(crate) passed: usize,
    /// Files that had been skipped when the window began.
    pub(crate) left_out: Vec<usize>,
}

/// Rows of a piece that follow one another in the window.
#[derive(Debug)]
struct Run {
    /// Number of rows before them in file order, as the index counts them.
    first: usize,
    piece: u32,
    rows: Range<u32>,
}

/// All decoded rows of a window.
#[derive(Debug)]
struct ShuffledRows {
    /// Piece number and row of each row, in file order.
    places: Vec<(u32, u32)>,
    /// Numbers of rows in shuffled order.
    order: Vec<u32>,
}

impl Window {
    /// `part`: the seed, the epoch, and the number of the shard or of the stream.
    pub(crate) fn new(planned: Arc<PlannedWindow>, part: (u64, u64, u64)) -> Self {
        Self {
            planned,
            part,
            pieces: Arc::default(),
            runs: Vec::new(),
            found: 0,
            order: None,
            passed: 0,
            left_out: Vec::new(),
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.planned.number
    }

    /// Number of rows according to the index.
    pub(crate) fn rows(&self) -> usize {
        self.planned.rows()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.found == self.rows()
    }

    /// Number of decoded rows.
    pub(crate) fn found(&self) -> usize {
        self.found
    }

    /// Number of decoded rows that have not been yielded.
    pub(crate) fn left(&self) -> usize {
        self.found - self.passed
    }

    /// Shuffles the rows, all of which have been added. Rows of skipped blocks have no place in the order.
    ///
    /// # Errors
    /// There is not enough memory for the rows.
    pub(crate) fn shuffle(&mut self) -> Result<(), FeedError> {
        self.runs.sort_unstable_by_key(|run| run.first);
        let mut places = room(self.found)?;
        places.extend(self.runs.drain(..).flat_map(|run| run.rows.map(move |row| (run.piece, row))));
        let order = permutation(room(self.found)?, self.found, self.part, self.planned.number);
        self.order = Some(ShuffledRows { places, order });
        Ok(())
    }

    /// Passes over the first `rows` rows.
    pub(crate) fn skip(&mut self, rows: usize) {
        self.passed = rows.min(self.found);
    }

    pub(crate) fn is_given(&self) -> bool {
        self.order.is_some() && self.left() == 0
    }

    fn add_run(&mut self, first: usize, piece: u32, rows: Range<u32>) {
        self.found += rows.len();
        match self.runs.last_mut() {
            Some(last)
                if last.piece == piece
                    && last.rows.end == rows.start
                    && last.first + last.rows.len() == first =>
            {
                last.rows.end = rows.end;
            }
            _ => self.runs.push(Run { first, piece, rows }),
        }
    }

    /// Adds a piece. Returns the piece if its rows belong to another window. `chosen` finds the rows to keep, if not all
    /// rows are to be read. A piece without such rows is dropped, whatever its window: a window is complete after its last
    /// chosen row, so the pieces after it come to the next window.
    ///
    /// # Errors
    /// A chunk has more rows than the index says, or is not in the index.
    pub(crate) fn add(
        &mut self,
        piece: FileBatch,
        chosen: &mut Option<ChosenRows>,
    ) -> Result<Option<FileBatch>, FeedError> {
        let planned = self.planned.clone();
        let slot = |origin: &RowOrigin| planned.starts.binary_search(&(piece.file, origin.offset)).ok();
        // All chunks of a piece belong to one window.
        if piece.origins.first().is_some_and(|first| slot(first).is_none()) {
            let is_chosen = has_chosen_rows(&piece, chosen)?;
            return Ok(is_chosen.then_some(piece));
        }
        let number = self.pieces.len() as u32;
        // The chosen rows of the piece, and the numbers of their places.
        let (mut kept, mut places) = (Vec::new(), Vec::new());
        for (origin, in_piece) in stretches(&piece) {
            let slot = slot(origin).ok_or_else(|| other_chunk(origin))?;
            let Slot { dropped, rows, nth_chunk, .. } = planned.slots[slot];
            // The number of the first row among those that the index counts, and the number of rows.
            let (first, count) = match chosen {
                Some(chosen) => {
                    let (first, found) = chosen.of_origin(piece.file, nth_chunk, origin, &in_piece)?;
                    kept.extend(found.iter().map(|row| chosen_rows::in_piece(*row, origin)));
                    (first as u64, found.len())
                }
                None => (origin.before, in_piece.len()),
            };
            let first = first.checked_sub(dropped);
            let first = first.filter(|first| first.saturating_add(count as u64) <= rows);
            let Some(first) = first else {
                return Err(more_rows(dropped + rows).in_block(origin.chunk, origin.offset));
            };
            let first = planned.rows_before[slot] + first as usize;
            match chosen {
                Some(_) => places.extend(first..first + count),
                None => self.add_run(first, number, in_piece.start as u32..in_piece.end as u32),
            }
        }
        if chosen.is_some() && kept.is_empty() {
            return Ok(None);
        }
        let compact = if chosen.is_some() { compacted(&piece.batch, &kept)? } else { None };
        for (row, (place, kept)) in places.into_iter().zip(kept).enumerate() {
            let row = if compact.is_some() { row as u32 } else { kept };
            self.add_run(place, number, row..row + 1);
        }
        Arc::make_mut(&mut self.pieces).push(Arc::new(compact.unwrap_or(piece.batch)));
        Ok(None)
    }

    /// Adds rows of a piece that other windows share: those of a slot from its row number `first` on.
    pub(crate) fn add_shared(
        &mut self,
        piece: &Arc<RecordBatch>,
        (slot, first): (usize, u64),
        rows: Range<usize>,
    ) {
        if self.pieces.last().is_none_or(|last| !Arc::ptr_eq(last, piece)) {
            Arc::make_mut(&mut self.pieces).push(piece.clone());
        }
        let (number, first) = (self.pieces.len() as u32 - 1, self.planned.rows_before[slot] + first as usize);
        self.add_run(first, number, rows.start as u32..rows.end as u32);
    }

    /// Passes the locations of up to `n` more rows to `give`, in shuffled order. Returns their number.
    pub(crate) fn take(&mut self, n: usize, mut give: impl FnMut(usize, usize)) -> usize {
        let Some(ShuffledRows { places, order }) = &self.order else { return 0 };
        let end = self.passed + n.min(self.left());
        for row in &order[self.passed..end] {
            let (piece, row) = places[*row as usize];
            give(piece as usize, row as usize);
        }
        end - std::mem::replace(&mut self.passed, end)
    }
}

/// Whether a row of the piece is to be read.
pub(crate) fn has_chosen_rows(piece: &FileBatch, chosen: &mut Option<ChosenRows>) -> Result<bool, FeedError> {
    match chosen {
        Some(chosen) => Ok(!chosen.of_piece(piece)?.is_empty()),
        None => Ok(piece.batch.num_rows() > 0),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, Int64Array};

    use super::*;

    #[test]
    fn declared_rows_that_do_not_come_take_no_memory() {
        let slots = [1_u64 << 40, 5, 1 << 40].map(|rows| Slot { file: 0, nth_chunk: 0, dropped: 0, rows });
        let rows_before = vec![0, 1 << 40, (1 << 40) + 5, (1 << 41) + 5];
        let starts = vec![(0, 4), (0, 5), (0, 6)];
        let planned =
            PlannedWindow { number: 0, slots: slots.to_vec(), cuts: vec![None; 3], starts, rows_before };
        let rows: ArrayRef = Arc::new(Int64Array::from_iter_values(0..9));
        let piece = Arc::new(RecordBatch::try_from_iter([("id", rows)]).unwrap());
        let mut window = Window::new(Arc::new(planned), (1, 0, 0));
        window.add_shared(&piece, (2, 1 << 39), 6..9);
        window.add_shared(&piece, (1, 0), 2..4);
        window.add_shared(&piece, (1, 2), 4..6);
        assert_eq!((window.found(), window.is_complete(), window.is_given()), (7, false, false));
        window.shuffle().unwrap();
        let mut found = Vec::new();
        assert_eq!(window.take(3, |piece, row| found.push((piece, row))), 3);
        window.skip(4);
        assert_eq!((window.left(), window.is_given()), (3, false));
        assert_eq!(window.take(10, |piece, row| found.push((piece, row))), 3);
        assert!(window.is_given());
        let ShuffledRows { places, order } = window.order.unwrap();
        assert_eq!(places, (2..9).map(|row| (0, row)).collect::<Vec<_>>());
        let ordered: Vec<_> = order.iter().map(|row| (0, *row as usize + 2)).collect();
        assert_eq!(found, [&ordered[..3], &ordered[4..]].concat());
    }
}
