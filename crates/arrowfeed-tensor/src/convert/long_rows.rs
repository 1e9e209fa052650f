//! Entries of long rows: writes, inspects and compares them in one pass over their indices.
//!
//! Unsafe: this code sets the length of a vector after it has written the elements. Filling the memory with zeros first
//! takes 9 % of the time that 1,024 rows of `linkedin` take from a file to tensors.
#![expect(unsafe_code, reason = "the same, for rows of many entries")]

use std::mem::MaybeUninit;

use arrow_buffer::ArrowNativeType;

use crate::aligned::Aligned;
use crate::buffer_pool;
use crate::error::ConversionError;
use crate::gather::overflow;
use crate::row_splits::RowSplits;

/// Average number of entries per row from which one pass by rows is faster than three passes: 180,000 entries in rows of
/// 35 take 208 µs instead of 286, but 25,000 entries in rows of 5 take 41 µs instead of 33.
pub(super) const LEAST: usize = 16;

/// Number of entries that are written at once, without a branch. The next row overwrites the surplus.
const BLOCK: usize = 4;

/// Masks for the last block of a row, by its number of entries minus one: -1 keeps the difference from an entry to the next
/// one of the row, 0 drops the difference to an entry outside the row.
const INSIDE: [[i64; BLOCK]; BLOCK] = [[0, 0, 0, 0], [-1, 0, 0, 0], [-1, -1, 0, 0], [-1, -1, -1, 0]];

/// `[row, index]` of all entries, concatenated, and whether the indices of each row never decrease, which is only valid if
/// no index is negative. Calls `look` with every index, with some more than once.
pub(super) fn pairs<T: Copy>(
    splits: &RowSplits,
    column: &[T],
    index: impl Fn(T) -> i64 + Copy,
    look: impl FnMut(i64),
) -> Result<(Aligned<i64>, bool), ConversionError> {
    let items = splits.last();
    let room = buffer_pool::room(items.saturating_mul(2));
    let mut entries = room.map_err(|error| overflow(items, &error))?;
    entries.items.resize(entries.start, 0);
    let places = entries.items.spare_capacity_mut().as_chunks_mut().0;
    let (written, falls) = match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => fill(splits, column, places, index, look),
        (None, splits) => fill(splits.map_or(&[], |splits| splits), column, places, index, look),
    };
    // SAFETY: the padding before `start` was written above, and `fill` wrote `written` pairs after it.
    unsafe { entries.items.set_len(entries.start + written * 2) };
    Ok((entries, falls >= 0))
}

/// Writes the entries. Returns their number, and a negative number if an index of a row is less than the one before it.
///
/// All elements of `places` before the end of the last row are written: each row starts where the previous row ends, and
/// writes its own elements, maybe with a surplus after them.
fn fill<S: ArrowNativeType, T: Copy>(
    splits: &[S],
    column: &[T],
    places: &mut [[MaybeUninit<i64>; 2]],
    index: impl Fn(T) -> i64 + Copy,
    mut look: impl FnMut(i64),
) -> (usize, i64) {
    let (mut written, mut falls) = (0, 0);
    for (row, (start, end)) in splits.iter().zip(splits.iter().skip(1)).enumerate() {
        let (start, end) = (start.as_usize(), end.as_usize());
        assert!(start == written && start <= end, "rows follow each other");
        written = end;
        let blocks = (end - start).next_multiple_of(BLOCK);
        let (row, mut left) = (row as i64, end - start);
        // Includes the entry after the last block, which the last difference needs.
        let Some(column) = column.get(start..start + blocks + 1) else {
            falls |= fill_row(row, &column[start..end], &mut places[start..end], index, &mut look);
            continue;
        };
        let blocks = places[start..start + blocks].as_chunks_mut::<BLOCK>().0;
        for (nth, places) in blocks.iter_mut().enumerate() {
            let inside = if left > BLOCK { &[-1; BLOCK] } else { &INSIDE[left - 1] };
            let column = &column[nth * BLOCK..][..BLOCK + 1];
            for i in 0..BLOCK {
                let (here, next) = (index(column[i]), index(column[i + 1]));
                look(here);
                falls |= next.wrapping_sub(here) & inside[i];
                places[i] = [row, here].map(MaybeUninit::new);
            }
            left = left.saturating_sub(BLOCK);
        }
    }
    (written, falls)
}

/// Writes a row at the end of the column, entry by entry.
fn fill_row<T: Copy>(
    row: i64,
    column: &[T],
    places: &mut [[MaybeUninit<i64>; 2]],
    index: impl Fn(T) -> i64,
    mut look: impl FnMut(i64),
) -> i64 {
    let (mut falls, mut last) = (0, i64::MIN);
    for (place, here) in places.iter_mut().zip(column.iter().map(|here| index(*here))) {
        look(here);
        falls |= i64::from(here >= last) - 1;
        (*place, last) = ([row, here].map(MaybeUninit::new), here);
    }
    falls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_splits::SplitsDType;

    /// Three rows with up to 5 indices below 3, then a row of 0, 1 or 9, so that every length of a last block occurs.
    #[test]
    fn entries_are_those_of_the_rows_and_a_fall_in_a_row_is_seen() {
        for len in 0..=5_usize {
            for code in 0..3_usize.pow(len as u32) {
                let mut column: Vec<i32> =
                    (0..len).map(|i| (code / 3_usize.pow(i as u32) % 3) as i32).collect();
                for rest in [0, 1, 9] {
                    column.truncate(len);
                    column.extend(0..rest);
                    for (first, second) in (0..=len).flat_map(|i| (i..=len).map(move |j| (i, j))) {
                        check(&column, &[first, second, len, column.len()]);
                    }
                }
            }
        }
    }

    fn check(column: &[i32], ends: &[usize]) {
        for dtype in [SplitsDType::Int32, SplitsDType::Int64] {
            let splits = RowSplits::from_ends(ends.iter().copied(), dtype).unwrap();
            let mut seen = Vec::new();
            let (entries, is_sorted) = pairs(&splits, column, i64::from, |index| seen.push(index)).unwrap();
            let rows = || (0..ends.len()).map(|row| (row, &column[splits.range(row).unwrap()]));
            let expected =
                rows().flat_map(|(row, items)| items.iter().map(move |i| [row as i64, i64::from(*i)]));
            assert_eq!(entries.as_chunks().0, expected.collect::<Vec<[i64; 2]>>());
            assert_eq!(is_sorted, rows().all(|(_, items)| items.is_sorted()), "{column:?} {ends:?}");
            assert!(column.iter().all(|index| seen.contains(&i64::from(*index))));
        }
    }

    #[test]
    fn rows_that_do_not_follow_each_other_are_not_followed() {
        for splits in [&[0, 20, 5][..], &[3, 20], &[0, 9, 30]] {
            let mut places = [[MaybeUninit::uninit(); 2]; 24];
            let written = std::panic::catch_unwind(move || {
                fill(splits, &[0_i64; 40], &mut places, |index| index, |_| {}).0
            });
            assert!(written.is_err(), "{splits:?}");
        }
    }
}
