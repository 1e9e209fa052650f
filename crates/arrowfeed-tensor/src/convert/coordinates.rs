//! Coordinates of entries, row by row.
//!
//! Unsafe: the length of a vector is set after its places were written. Rows follow each other from the first place on,
//! and blocks follow each other in a row until it ends, so that no place before the end of the last row is left out.
//! The three functions that are called for a block are those of this file; each writes to all of its places.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use arrow_buffer::ArrowNativeType;

use crate::error::ConversionError;
use crate::gather::{overflow, reserved};
use crate::row_splits::RowSplits;

/// Entries that are written at once, whatever the length of the row: the next row goes over what is too many. A loop
/// that ends with each row is mispredicted once a row where lengths differ: 1,024 rows of up to 10 entries take 3 µs,
/// and not 11; through the safe functions of a vector they take 6.
const BLOCK: usize = 8;

type Places<const RANK: usize> = [MaybeUninit<[i64; RANK]>];

/// `[row, 0, ...]` of each entry, one after the other.
pub(super) fn rows<const RANK: usize>(splits: &RowSplits) -> Result<Vec<i64>, ConversionError> {
    let made = by_rows(splits, |row, _, _, places| {
        let mut entry = [0; RANK];
        entry[0] = row;
        places.iter_mut().for_each(|place| {
            place.write(entry);
        });
    });
    Ok(made?.0)
}

/// `[row, position]` of each entry, and the length of the longest row.
pub(super) fn positions(splits: &RowSplits) -> Result<(Vec<i64>, usize), ConversionError> {
    by_rows(splits, |row, position, _, places| {
        for (i, place) in places.iter_mut().enumerate() {
            place.write([row, (position + i) as i64]);
        }
    })
}

/// `[row, index]` of each entry; -1 for those that have no index.
pub(super) fn pairs<T: Copy>(
    splits: &RowSplits,
    indices: &[T],
    number: impl Fn(T) -> i64,
) -> Result<Vec<i64>, ConversionError> {
    let made = by_rows(splits, |row, _, item, places| {
        let here = indices.get(item..).unwrap_or_default();
        // Two loops, so that the usual one has a known length.
        if let Some(block) = here.first_chunk::<BLOCK>() {
            for (place, index) in places.iter_mut().zip(block) {
                place.write([row, number(*index)]);
            }
        } else {
            for (i, place) in places.iter_mut().enumerate() {
                place.write([row, here.get(i).map_or(-1, |index| number(*index))]);
            }
        }
    });
    Ok(made?.0)
}

/// Entries one after the other, and the length of the longest row. `write(row, position, item, places)` writes those from
/// `position` in a row on, `item` in all; what it writes after the end of the row is gone.
fn by_rows<const RANK: usize>(
    splits: &RowSplits,
    write: impl Fn(i64, usize, usize, &mut Places<RANK>),
) -> Result<(Vec<i64>, usize), ConversionError> {
    // A function for each width: in one that has both, what is called twice is not inlined.
    match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => by_splits(splits, write),
        (None, splits) => by_splits(splits.map_or(&[], |splits| splits), write),
    }
}

fn by_splits<const RANK: usize, T: ArrowNativeType>(
    splits: &[T],
    write: impl Fn(i64, usize, usize, &mut Places<RANK>),
) -> Result<(Vec<i64>, usize), ConversionError> {
    let items = splits.last().map_or(0, |last| last.as_usize());
    let room = reserved(items.saturating_add(BLOCK));
    let mut entries: Vec<[i64; RANK]> = room.map_err(|error| overflow(items, &error))?;
    let places = entries.spare_capacity_mut();
    let (mut end, mut longest) = (0, 0);
    for (row, (start, stop)) in splits.iter().zip(splits.iter().skip(1)).enumerate() {
        let length = stop.as_usize() - start.as_usize();
        let mut position = 0;
        loop {
            let item = end + position;
            write(row as i64, position, item, &mut places[item..item + BLOCK]);
            position += BLOCK;
            if position >= length {
                break;
            }
        }
        end += length;
        longest = longest.max(length);
    }
    // SAFETY: see above. Places that are not there cannot be written to, so that there are `end` of them.
    unsafe { entries.set_len(end) };
    Ok((entries.into_flattened(), longest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_splits::SplitsDType;

    fn expected(splits: &RowSplits, entry: impl Fn(usize, usize, usize) -> Vec<usize>) -> Vec<i64> {
        let rows = (0..splits.rows()).flat_map(|row| {
            let items = splits.range(row).unwrap().enumerate();
            items.map(move |(position, item)| (row, position, item))
        });
        rows.flat_map(|(row, position, item)| entry(row, position, item)).map(|part| part as i64).collect()
    }

    #[test]
    fn every_entry_has_its_row_and_position_and_index() {
        for ends in [&[0, 3, 11, 11, 27, 28, 44, 44][..], &[1], &[0, 0], &[]] {
            for dtype in [SplitsDType::Int32, SplitsDType::Int64] {
                let splits = RowSplits::from_ends(ends.iter().copied(), dtype).unwrap();
                let indices: Vec<u32> = (0..splits.last() as u32).map(|item| item * 5).collect();
                let (found, longest) = positions(&splits).unwrap();
                assert_eq!(found, expected(&splits, |row, position, _| vec![row, position]));
                assert_eq!(longest, crate::convert::lengths(&splits).max().unwrap_or(0));
                let found = pairs(&splits, &indices, i64::from).unwrap();
                assert_eq!(found, expected(&splits, |row, _, item| vec![row, item * 5]));
                assert_eq!(rows::<3>(&splits).unwrap(), expected(&splits, |row, _, _| vec![row, 0, 0]));
            }
        }
    }

    #[test]
    fn entries_without_an_index_are_written_too() {
        let splits = RowSplits::from_ends([2, 12].into_iter(), SplitsDType::Int64).unwrap();
        let found = pairs(&splits, &[7_i64], |index| index).unwrap();
        let (first, rest) = found.split_first_chunk::<2>().unwrap();
        assert_eq!((first, rest.len()), (&[0, 7], 22));
        assert!(rest.chunks(2).all(|entry| entry[1] == -1));
    }
}
