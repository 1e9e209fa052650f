//! Entries of long rows: written, looked at and compared in one pass over their indices.

use arrow_buffer::ArrowNativeType;

use crate::aligned::Aligned;
use crate::error::ConversionError;
use crate::gather::overflow;
use crate::row_splits::RowSplits;
use crate::spare;

/// Entries of a row, on average, from which a pass by rows pays: 35 a row take 208 µs for 180,000 entries, and not 286
/// in three passes; 5 a row take 41 µs for 25,000, and not 33.
pub(super) const LEAST: usize = 16;

/// Entries that are written at once, without a branch: the next row goes over what is too many.
const BLOCK: usize = 4;

/// Of the last block of a row, by its entries less one: the bits of differences to the next entry of the row.
const INSIDE: [[i64; BLOCK]; BLOCK] = [[0, 0, 0, 0], [-1, 0, 0, 0], [-1, -1, 0, 0], [-1, -1, -1, 0]];

/// `[row, index]` of each entry, one after the other, and whether the indices of each row never fall, where none is
/// below 0. `look` is called with every index, some more than once.
pub(super) fn pairs<T: Copy>(
    splits: &RowSplits,
    column: &[T],
    index: impl Fn(T) -> i64 + Copy,
    look: impl FnMut(i64),
) -> Result<(Aligned<i64>, bool), ConversionError> {
    let mut entries = memory(splits.last())?;
    let places = entries.as_chunks_mut().0;
    let falls = match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => fill(splits, column, places, index, look),
        (None, splits) => fill(splits.map_or(&[], |splits| splits), column, places, index, look),
    };
    Ok((entries, falls >= 0))
}

/// Below 0 where an index of a row is below the one before it.
fn fill<S: ArrowNativeType, T: Copy>(
    splits: &[S],
    column: &[T],
    places: &mut [[i64; 2]],
    index: impl Fn(T) -> i64 + Copy,
    mut look: impl FnMut(i64),
) -> i64 {
    let mut falls = 0;
    for (row, (start, end)) in splits.iter().zip(splits.iter().skip(1)).enumerate() {
        let (start, end) = (start.as_usize(), end.as_usize());
        let blocks = (end - start).next_multiple_of(BLOCK);
        let (row, mut left) = (row as i64, end - start);
        // With the entry after the last block, which the last difference asks for.
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
                places[i] = [row, here];
            }
            left = left.saturating_sub(BLOCK);
        }
    }
    falls
}

/// A row at the end of the column, one entry after the other.
fn fill_row<T: Copy>(
    row: i64,
    column: &[T],
    places: &mut [[i64; 2]],
    index: impl Fn(T) -> i64,
    mut look: impl FnMut(i64),
) -> i64 {
    let (mut falls, mut last) = (0, i64::MIN);
    for (place, here) in places.iter_mut().zip(column.iter().map(|here| index(*here))) {
        look(here);
        falls |= i64::from(here >= last) - 1;
        (*place, last) = ([row, here], here);
    }
    falls
}

/// Room for the coordinates of so many entries.
fn memory(entries: usize) -> Result<Aligned<i64>, ConversionError> {
    let mut room = spare::room(2 * entries).map_err(|error| overflow(entries, &error))?;
    room.items.resize(room.start + 2 * entries, 0);
    Ok(room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_splits::SplitsDType;

    /// Indices below 3 in three rows, of up to 5 in front of many, so that all lengths of a last block are met.
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
}
