//! The order of an epoch: a function of the chunks, the seed, the epoch and the shard.

use std::ops::Range;

use rand::seq::SliceRandom;

use crate::dataset::files::chunk_index::{ChunkIndex, RowLocation};
use crate::dataset::random::{random, random_of_window};

/// The rows of one chunk that belong to a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) file: usize,
    pub(crate) nth_chunk: usize,
    /// Rows to skip at the start of the chunk.
    pub(crate) dropped: u64,
    pub(crate) rows: u64,
}

/// The chunks with the selected rows in the random order of an epoch, which is the same for all shards and streams.
pub(crate) fn shuffled(index: &ChunkIndex, selected: &Range<u64>, (seed, epoch): (u64, u64)) -> Vec<Slot> {
    let of_file = |file: usize| {
        let slot = move |nth_chunk| {
            let rows = index.chunk_rows(file, nth_chunk);
            Slot { file, nth_chunk, dropped: 0, rows }
        };
        (0..index.chunks(file).len()).map(slot)
    };
    let mut slots: Vec<Slot> = (0..index.files()).flat_map(of_file).collect();
    keep_rows(&mut slots, selected);
    slots.shuffle(&mut random(seed, epoch, None));
    slots
}

/// The chunks with a range of the rows in file order.
pub(crate) fn in_file_order(index: &ChunkIndex, rows: Range<u64>) -> Vec<Slot> {
    let (mut slots, mut left) = (Vec::new(), rows.end.saturating_sub(rows.start));
    let Some(RowLocation { mut file, mut nth_chunk, row: mut dropped }) = index.place(rows.start) else {
        return slots;
    };
    while left > 0 && file < index.files() {
        if nth_chunk == index.chunks(file).len() {
            (file, nth_chunk) = (file + 1, 0);
            continue;
        }
        let rows = (index.chunk_rows(file, nth_chunk) - dropped).min(left);
        if rows > 0 {
            slots.push(Slot { file, nth_chunk, dropped, rows });
        }
        (left, dropped, nth_chunk) = (left - rows, 0, nth_chunk + 1);
    }
    slots
}

/// Keeps a range of the rows of all slots, which are numbered in the order of the slots.
pub(crate) fn keep_rows(slots: &mut Vec<Slot>, kept: &Range<u64>) {
    let mut before = 0;
    slots.retain_mut(|slot| {
        let (start, end) = (before, before + slot.rows);
        before = end;
        let (from, to) = (start.max(kept.start), end.min(kept.end));
        if from >= to {
            return false;
        }
        (slot.dropped, slot.rows) = (slot.dropped + from - start, to - from);
        true
    });
}

/// Number of leading slots that together have at least `rows` rows, or all slots.
pub(crate) fn window(slots: &[Slot], rows: usize) -> usize {
    let mut found = 0_u64;
    let enough = slots.iter().position(|slot| {
        found = found.saturating_add(slot.rows);
        found >= rows as u64
    });
    enough.map_or(slots.len(), |last| last + 1)
}

/// Random permutation of `0..n` for a window of a part: a shard or a stream. `order` is an empty vector with the capacity for
/// it.
pub(crate) fn permutation(mut order: Vec<u32>, n: usize, part: (u64, u64, u64), window: u64) -> Vec<u32> {
    order.extend(0..u32::try_from(n).unwrap_or(u32::MAX));
    order.shuffle(&mut random_of_window(part, window));
    order
}
