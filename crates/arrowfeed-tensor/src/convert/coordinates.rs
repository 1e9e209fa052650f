//! Coordinates of entries, row by row.
//!
//! Unsafe: the length of a vector is set after its places were written. Those before the start are written first. Rows
//! follow each other from there on, and blocks follow each other in a row until it ends, so that no place before the end
//! of the last row is left out.
#![allow(unsafe_code)]

use arrow_buffer::ArrowNativeType;

use crate::aligned::Aligned;
use crate::error::ConversionError;
use crate::gather::overflow;
use crate::row_splits::RowSplits;
use crate::spare;

/// The row of each entry.
pub(super) fn rows(splits: &RowSplits) -> Result<Aligned<i64>, ConversionError> {
    Ok(by_rows::<_, 8>(splits, |row, _| row as i64)?.0)
}

/// `[row, position]` of each entry, one after the other, and the length of the longest row.
pub(super) fn positions(splits: &RowSplits) -> Result<(Aligned<i64>, usize), ConversionError> {
    let (entries, longest) = by_rows::<_, 8>(splits, |row, position| [row as i64, position as i64])?;
    Ok((entries.into_flattened(), longest))
}

/// `[row, index]` of each entry, one after the other.
pub(super) fn pairs(
    splits: &RowSplits,
    indices: impl Iterator<Item = i64>,
) -> Result<Aligned<i64>, ConversionError> {
    // Rows first, in narrow integers, then all entries in one loop: 1,024 rows of up to 10 entries take 4 µs, and not 6.
    match u32::try_from(splits.rows()) {
        Ok(_) => beside(&by_rows::<_, 16>(splits, |row, _| row as u32)?.0, indices),
        Err(_) => beside(&rows(splits)?, indices),
    }
}

fn beside<R: Copy + Into<i64>>(
    rows: &[R],
    indices: impl Iterator<Item = i64>,
) -> Result<Aligned<i64>, ConversionError> {
    let pairs = rows.iter().zip(indices).map(|(row, index)| [(*row).into(), index]);
    if let Some(mut entries) = spare::take(2 * rows.len()) {
        let places = entries.as_chunks_mut::<2>().0.iter_mut();
        places.zip(pairs).for_each(|(place, pair)| *place = pair);
        return Ok(entries);
    }
    let room = Aligned::<[i64; 2]>::reserved(rows.len());
    let mut entries = room.map_err(|error| overflow(rows.len(), &error))?;
    entries.items.resize(entries.start, [0; 2]);
    entries.items.extend(pairs);
    Ok(entries.into_flattened())
}

/// `entry(row, position)` of each entry, and the length of the longest row.
///
/// `BLOCK` of them are written at once, whatever the length of the row: the next row goes over what is too many. A loop
/// that ends with each row is mispredicted once a row where lengths differ: positions of 1,024 rows of up to 10 entries
/// take 3 µs, and not 11; through the safe functions of a vector they take 6.
fn by_rows<E, const BLOCK: usize>(
    splits: &RowSplits,
    entry: impl Fn(usize, usize) -> E,
) -> Result<(Aligned<E>, usize), ConversionError> {
    // A function for each width: in one that has both, what is called twice is not inlined.
    match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => by_splits::<E, _, BLOCK>(splits, entry),
        (None, splits) => by_splits::<E, _, BLOCK>(splits.map_or(&[], |splits| splits), entry),
    }
}

fn by_splits<E, T: ArrowNativeType, const BLOCK: usize>(
    splits: &[T],
    entry: impl Fn(usize, usize) -> E,
) -> Result<(Aligned<E>, usize), ConversionError> {
    let items = splits.last().map_or(0, |last| last.as_usize());
    let room = Aligned::<E>::reserved(items.saturating_add(BLOCK));
    let mut entries = room.map_err(|error| overflow(items, &error))?;
    let (mut end, mut longest) = (entries.start, 0);
    let places = entries.items.spare_capacity_mut();
    places[..end].iter_mut().for_each(|place| {
        place.write(entry(0, 0));
    });
    for (row, (start, stop)) in splits.iter().zip(splits.iter().skip(1)).enumerate() {
        let length = stop.as_usize() - start.as_usize();
        let mut position = 0;
        loop {
            let block = &mut places[end + position..][..BLOCK];
            for (i, place) in block.iter_mut().enumerate() {
                place.write(entry(row, position + i));
            }
            position += BLOCK;
            if position >= length {
                break;
            }
        }
        end += length;
        longest = longest.max(length);
    }
    // SAFETY: see above. Places that are not there cannot be written to, so that there are `end` of them.
    unsafe { entries.items.set_len(end) };
    Ok((entries, longest))
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
        let _ = by_splits::<_, _, 8>(&[0, 20, 5], |row, _| row);
    }
}
