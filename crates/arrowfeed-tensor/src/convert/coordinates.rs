//! Coordinates of the entries of sparse tensors, row by row.
//!
//! Unsafe: this code sets the length of a vector after it has written the elements. It writes the padding before `start`
//! first. From there, each row begins where the previous row ends, and each block of a row where the previous block ends,
//! until the row ends. So every element before the end of the last row is written.
#![expect(unsafe_code, reason = "writes the reserved memory of a vector in blocks, and then sets its length")]

use std::mem::MaybeUninit;

use arrow_buffer::ArrowNativeType;

use crate::aligned::Aligned;
use crate::buffer_pool;
use crate::error::ConversionError;
use crate::gather::{overflow, reserved};
use crate::row_splits::RowSplits;

/// The row of each entry.
pub(super) fn rows(splits: &RowSplits) -> Result<Aligned<i64>, ConversionError> {
    Ok(integers(splits, |row, _| [row as i64])?.0)
}

/// `[row, position]` of all entries, concatenated, and the length of the longest row.
pub(super) fn positions(splits: &RowSplits) -> Result<(Aligned<i64>, usize), ConversionError> {
    integers(splits, |row, position| [row as i64, position as i64])
}

/// `[row, index]` of all entries, concatenated.
pub(super) fn pairs(
    splits: &RowSplits,
    indices: impl Iterator<Item = i64>,
) -> Result<Aligned<i64>, ConversionError> {
    // Writes the rows as narrow integers first, then all entries in one loop: 1,024 rows of up to 10 entries take 4 µs
    // instead of 6.
    match u32::try_from(splits.rows()) {
        Ok(_) => beside(&narrow_rows(splits)?, indices),
        Err(_) => beside(&rows(splits)?, indices),
    }
}

fn beside<R: Copy + Into<i64>>(
    rows: &[R],
    indices: impl Iterator<Item = i64>,
) -> Result<Aligned<i64>, ConversionError> {
    let room = buffer_pool::room(rows.len().saturating_mul(2));
    let mut entries = room.map_err(|error| overflow(rows.len(), &error))?;
    entries.items.resize(entries.start, 0);
    let places = entries.items.spare_capacity_mut().as_chunks_mut::<2>().0;
    let mut written = 0;
    for ((row, index), place) in rows.iter().zip(indices).zip(places) {
        *place = [MaybeUninit::new((*row).into()), MaybeUninit::new(index)];
        written += 2;
    }
    // SAFETY: `written` elements were written after the padding before `start`.
    unsafe { entries.items.set_len(entries.start + written) };
    Ok(entries)
}

/// `entry(row, position)` of all entries, concatenated, and the length of the longest row.
fn integers<const N: usize>(
    splits: &RowSplits,
    entry: impl Fn(usize, usize) -> [i64; N],
) -> Result<(Aligned<i64>, usize), ConversionError> {
    const BLOCK: usize = 8;
    let items = splits.last();
    let room = buffer_pool::room(items.saturating_add(BLOCK).saturating_mul(N));
    let mut entries = room.map_err(|error| overflow(items, &error))?;
    entries.items.resize(entries.start, 0);
    let places = entries.items.spare_capacity_mut().as_chunks_mut::<N>().0;
    let (written, longest) =
        by_rows::<_, BLOCK>(splits, places, |row, position| entry(row, position).map(MaybeUninit::new));
    // SAFETY: the padding and `written` entries of `N` elements were written, as the module documentation explains.
    unsafe { entries.items.set_len(entries.start + written * N) };
    Ok((entries, longest))
}

/// The row of each entry, as `u32`.
fn narrow_rows(splits: &RowSplits) -> Result<Vec<u32>, ConversionError> {
    const BLOCK: usize = 16;
    let items = splits.last();
    let mut rows: Vec<u32> =
        reserved(items.saturating_add(BLOCK)).map_err(|error| overflow(items, &error))?;
    let (written, _) =
        by_rows::<_, BLOCK>(splits, rows.spare_capacity_mut(), |row, _| MaybeUninit::new(row as u32));
    // SAFETY: `written` elements were written, as the module documentation explains.
    unsafe { rows.set_len(written) };
    Ok(rows)
}

/// Writes `entry(row, position)` of each entry to `places`. Returns the number of entries, and the length of the longest
/// row. `places` must have at least `BLOCK` more elements than there are entries.
///
/// Writes `BLOCK` entries at once, whatever the length of the row; the next row overwrites the surplus. If lengths differ,
/// a loop that ends with each row costs one branch misprediction per row: positions of 1,024 rows of up to 10 entries take
/// 3 µs instead of 11. With the safe functions of a vector they take 6 µs.
fn by_rows<P, const BLOCK: usize>(
    splits: &RowSplits,
    places: &mut [P],
    entry: impl Fn(usize, usize) -> P,
) -> (usize, usize) {
    // One function for each width: with both widths in one function, its callees have two call sites and are not inlined.
    match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => by_splits::<P, _, BLOCK>(splits, places, entry),
        (None, splits) => by_splits::<P, _, BLOCK>(splits.map_or(&[], |splits| splits), places, entry),
    }
}

fn by_splits<P, T: ArrowNativeType, const BLOCK: usize>(
    splits: &[T],
    places: &mut [P],
    entry: impl Fn(usize, usize) -> P,
) -> (usize, usize) {
    let (mut end, mut longest) = (0, 0);
    for (row, (start, stop)) in splits.iter().zip(splits.iter().skip(1)).enumerate() {
        let length = stop.as_usize() - start.as_usize();
        let mut position = 0;
        loop {
            let block = &mut places[end + position..][..BLOCK];
            for (i, place) in block.iter_mut().enumerate() {
                *place = entry(row, position + i);
            }
            position += BLOCK;
            if position >= length {
                break;
            }
        }
        end += length;
        longest = longest.max(length);
    }
    (end, longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_splits::SplitsDType;

    fn expected<E>(splits: &RowSplits, entry: impl Fn(i64, i64, i64) -> E) -> Vec<E> {
        let rows = (0..splits.rows()).flat_map(|row| {
            let items = splits.range(row).unwrap().enumerate();
            items.map(move |(position, item)| (row as i64, position as i64, item as i64))
        });
        rows.map(|(row, position, item)| entry(row, position, item)).collect()
    }

    #[test]
    fn every_entry_has_its_row_and_position_and_index() {
        for ends in [&[0, 3, 11, 11, 27, 28, 44, 44][..], &[1], &[16, 32], &[0, 0], &[]] {
            for dtype in [SplitsDType::Int32, SplitsDType::Int64] {
                let splits = RowSplits::from_ends(ends.iter().copied(), dtype).unwrap();
                let (found, longest) = positions(&splits).unwrap();
                let wanted = expected(&splits, |row, position, _| [row, position]);
                assert_eq!(*found, *wanted.into_flattened());
                assert_eq!(longest, crate::convert::lengths(&splits).max().unwrap_or(0));
                assert_eq!(*rows(&splits).unwrap(), *expected(&splits, |row, _, _| row));
                let wanted = expected(&splits, |row, _, item| [row, 5 * item]).into_flattened();
                let indices = || (0..).map(|item| 5 * item);
                assert_eq!(*pairs(&splits, indices()).unwrap(), *wanted);
                let beside = beside(&rows(&splits).unwrap(), indices()).unwrap();
                assert_eq!(*beside, *wanted);
                assert_eq!([found.as_ptr().addr() % 64, beside.as_ptr().addr() % 64], [0, 0]);
            }
        }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn splits_that_go_back_are_not_followed_out_of_the_vector() {
        let _ = by_splits::<_, _, 8>(&[0, 20, 5], &mut [0; 13], |row, _| row);
    }
}
