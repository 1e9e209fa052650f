//! Lists that are cut to the sizes of a shape.

use arrow_buffer::{BooleanBufferBuilder, NullBuffer};

use crate::column::Leaves;
use crate::convert::lengths;
use crate::error::ConversionError;
use crate::gather::{ArraySlice, ArraySlices, gather};
use crate::row_splits::{RowSplits, SplitsDType};

/// Condition that copies the values of a feature whose lists are cut.
pub(super) const CUT: &str = "a list is too long and truncated";

/// Cuts the lists of level `n` to `sizes[n]` elements, those of level 0 first. `None` keeps the lists of a level. The values
/// stay shared if no list is too long.
pub(super) fn truncated(leaves: Leaves, sizes: &[Option<usize>]) -> Result<Leaves, ConversionError> {
    let is_long = |(splits, size): (&RowSplits, &Option<usize>)| {
        size.is_some_and(|size| lengths(splits).any(|length| length > size))
    };
    if !leaves.splits.iter().zip(sizes).any(is_long) {
        return Ok(leaves);
    }
    let outermost = leaves.splits.first().map_or(leaves.array.len(), RowSplits::rows);
    let mut kept = ArraySlices::whole(outermost);
    let mut levels = Vec::with_capacity(leaves.splits.len());
    for (level, splits) in leaves.splits.iter().enumerate() {
        let size = sizes.get(level).copied().flatten().unwrap_or(usize::MAX);
        let (cut, items) = level_of(splits, &kept, size)?;
        levels.push(cut);
        kept = items;
    }
    let array = gather(&leaves.array, &kept, None)?;
    let nulls = leaves.nulls.map(|nulls| at(&nulls, &kept)).filter(|nulls| nulls.null_count() > 0);
    Ok(Leaves { rows: leaves.rows, splits: levels, array, nulls })
}

/// Cuts the lists at the positions `lists`. Returns their splits, and the positions of the items that they keep.
fn level_of(
    splits: &RowSplits,
    lists: &ArraySlices,
    size: usize,
) -> Result<(RowSplits, ArraySlices), ConversionError> {
    let mut items = ArraySlices::default();
    let mut ends = Vec::with_capacity(lists.len());
    for list in ranges(lists).flatten() {
        let range = splits.range(list).unwrap_or_default();
        items.copy(range.start..range.start + range.len().min(size));
        ends.push(items.len());
    }
    Ok((RowSplits::from_ends(ends.into_iter(), SplitsDType::Int64)?, items))
}

/// The nulls at these positions.
fn at(nulls: &NullBuffer, positions: &ArraySlices) -> NullBuffer {
    let mut kept = BooleanBufferBuilder::new(positions.len());
    for range in ranges(positions) {
        kept.append_buffer(&nulls.inner().slice(range.start, range.len()));
    }
    NullBuffer::new(kept.finish())
}

fn ranges(pieces: &ArraySlices) -> impl Iterator<Item = std::ops::Range<usize>> {
    pieces.iter().map(|piece| match piece {
        ArraySlice::Copy(range) => range.clone(),
        ArraySlice::Fill(_) => 0..0,
    })
}
