//! All arithmetic on the offsets of lists: slices, null lists over stored values, list views in any order.
//!
//! [`Lists`] is one level of lists as stored, over child values that are sliced to the range that the lists cover.
//! [`Rows`] is the same level in normal form: splits that start at 0 and never decrease, over exactly their values.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, FieldRef};

use crate::error::ConversionError;
use crate::gather::{ArraySlices, gather};
use crate::row_splits::{RowSplits, SplitsDType};

/// One level of lists as stored. A null list may cover stored values, which do not belong to it.
#[derive(Debug)]
pub(crate) struct Lists {
    windows: Windows,
    nulls: Option<NullBuffer>,
    /// The child values, sliced to the range that the lists cover.
    pub(crate) values: ArrayRef,
}

/// The position of each list. Offsets refer to the values before slicing.
#[derive(Debug)]
enum Windows {
    Offsets32(OffsetBuffer<i32>),
    Offsets64(OffsetBuffer<i64>),
    /// Consecutive lists of one size.
    Fixed {
        size: usize,
        rows: usize,
    },
    /// List views, relative to the sliced values.
    Views(Vec<Range<usize>>),
}

/// The items of a list type, `None` for other types.
pub(crate) fn items(data_type: &DataType) -> Option<&FieldRef> {
    use DataType::*;
    match data_type {
        List(items) | LargeList(items) | ListView(items) | LargeListView(items) => Some(items),
        FixedSizeList(items, _) | Map(items, _) => Some(items),
        _ => None,
    }
}

/// The width of the offsets of a list type, `None` if it has no offsets that can serve as row splits.
pub(crate) fn offsets(data_type: &DataType) -> Option<SplitsDType> {
    match data_type {
        DataType::List(_) | DataType::Map(..) => Some(SplitsDType::Int32),
        DataType::LargeList(_) => Some(SplitsDType::Int64),
        _ => None,
    }
}

/// The union of the parents' nulls and those of the array, `None` if there are no nulls.
pub(crate) fn with_parents(parents: Option<&NullBuffer>, array: &ArrayRef) -> Option<NullBuffer> {
    NullBuffer::union(parents, array.nulls()).filter(|nulls| nulls.null_count() > 0)
}

impl Lists {
    /// The lists of `array`, with the nulls `nulls`. `None` if the array does not consist of lists.
    pub(crate) fn new(array: &ArrayRef, nulls: Option<NullBuffer>) -> Option<Self> {
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        let (windows, values) = match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (Windows::Offsets32(list.offsets().clone()), covered(list.offsets(), list.values()))
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                (Windows::Offsets64(list.offsets().clone()), covered(list.offsets(), list.values()))
            }
            DataType::Map(..) => {
                let map = array.as_map();
                let entries: ArrayRef = Arc::new(map.entries().clone());
                (Windows::Offsets32(map.offsets().clone()), covered(map.offsets(), &entries))
            }
            DataType::FixedSizeList(_, size) => {
                let windows = Windows::Fixed { size: *size as usize, rows: array.len() };
                (windows, array.as_fixed_size_list().values().clone())
            }
            DataType::ListView(_) => {
                let list = array.as_list_view::<i32>();
                of_views(list.offsets(), list.sizes(), list.values(), nulls.as_ref())
            }
            DataType::LargeListView(_) => {
                let list = array.as_list_view::<i64>();
                of_views(list.offsets(), list.sizes(), list.values(), nulls.as_ref())
            }
            _ => return None,
        };
        Some(Self { windows, nulls, values })
    }

    /// Number of lists.
    pub(crate) fn len(&self) -> usize {
        match &self.windows {
            Windows::Offsets32(offsets) => offsets.len() - 1,
            Windows::Offsets64(offsets) => offsets.len() - 1,
            Windows::Fixed { rows, .. } => *rows,
            Windows::Views(ranges) => ranges.len(),
        }
    }

    pub(crate) fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    pub(crate) fn is_null(&self, i: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(i))
    }

    /// The range that list `i` covers, even if the list is null.
    pub(crate) fn range(&self, i: usize) -> Range<usize> {
        match &self.windows {
            Windows::Offsets32(offsets) => window(offsets, i),
            Windows::Offsets64(offsets) => window(offsets, i),
            Windows::Fixed { size, .. } => i * size..(i + 1) * size,
            Windows::Views(ranges) => ranges[i].clone(),
        }
    }

    /// Whether no list is null and each has `size` values, with the lists in order and without gaps.
    pub(crate) fn all_have(&self, size: usize) -> bool {
        self.nulls.is_none()
            && match &self.windows {
                Windows::Offsets32(offsets) => equal(offsets, size),
                Windows::Offsets64(offsets) => equal(offsets, size),
                Windows::Fixed { size: own, .. } => *own == size,
                Windows::Views(_) => {
                    self.is_contiguous() && (0..self.len()).all(|i| self.range(i).len() == size)
                }
            }
    }

    /// Converts the lists to rows. The splits have the type `dtype`, or the lists' own width if it is `None`.
    pub(crate) fn into_rows(self, dtype: Option<SplitsDType>) -> Result<ListRows, ConversionError> {
        if self.is_contiguous() {
            let (splits, values) = (self.splits(dtype)?, self.values);
            return Ok(ListRows { splits, values });
        }
        let mut pieces = ArraySlices::default();
        let ranges = (0..self.len()).map(|i| if self.is_null(i) { 0..0 } else { self.range(i) });
        let ends = ranges.map(|range| {
            pieces.copy(range);
            pieces.len()
        });
        let splits = RowSplits::from_ends(ends, dtype.unwrap_or(self.width()))?;
        Ok(ListRows { splits, values: gather(&self.values, &pieces, None)? })
    }

    /// Whether the non-null lists cover all values, in order and without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        if self.nulls.is_none() && !matches!(self.windows, Windows::Views(_)) {
            return true;
        }
        let mut end = 0;
        for i in 0..self.len() {
            let range = self.range(i);
            if range.is_empty() || (self.is_null(i) && matches!(self.windows, Windows::Views(_))) {
                continue;
            }
            if self.is_null(i) || range.start != end {
                return false;
            }
            end = range.end;
        }
        end == self.values.len()
    }

    /// Splits of contiguous lists: the offsets themselves if they start at 0 and have the requested width.
    fn splits(&self, dtype: Option<SplitsDType>) -> Result<RowSplits, ConversionError> {
        let dtype = dtype.unwrap_or(self.width());
        match (&self.windows, dtype) {
            (Windows::Offsets32(offsets), SplitsDType::Int32) if offsets[0] == 0 => {
                Ok(RowSplits::of_list32(offsets.inner().clone()))
            }
            (Windows::Offsets64(offsets), SplitsDType::Int64) if offsets[0] == 0 => {
                Ok(RowSplits::of_list64(offsets.inner().clone()))
            }
            (Windows::Offsets32(offsets), _) => RowSplits::from_ends(ends(offsets), dtype),
            (Windows::Offsets64(offsets), _) => RowSplits::from_ends(ends(offsets), dtype),
            (Windows::Fixed { size, rows }, _) => RowSplits::from_ends((1..=*rows).map(|i| i * size), dtype),
            (Windows::Views(ranges), _) => {
                let mut end = 0;
                let rows = ranges.iter().enumerate();
                let ends = rows.map(|(i, range)| {
                    end += if self.is_null(i) { 0 } else { range.len() };
                    end
                });
                RowSplits::from_ends(ends, dtype)
            }
        }
    }

    fn width(&self) -> SplitsDType {
        match self.windows {
            Windows::Offsets32(_) => SplitsDType::Int32,
            _ => SplitsDType::Int64,
        }
    }
}

/// One level of lists as rows: null lists are empty, and `values` are exactly those of the rows, in order.
#[derive(Debug)]
pub(crate) struct ListRows {
    pub(crate) splits: RowSplits,
    pub(crate) values: ArrayRef,
}

/// Slices the values to the range that the offsets cover.
fn covered<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>, values: &ArrayRef) -> ArrayRef {
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    if last - first == values.len() { values.clone() } else { values.slice(first, last - first) }
}

fn of_views<O: OffsetSizeTrait>(
    offsets: &[O],
    sizes: &[O],
    values: &ArrayRef,
    nulls: Option<&NullBuffer>,
) -> (Windows, ArrayRef) {
    let ranges = offsets.iter().zip(sizes).enumerate().map(|(i, (offset, size))| {
        let empty = nulls.is_some_and(|nulls| nulls.is_null(i)) || size.as_usize() == 0;
        if empty { 0..0 } else { offset.as_usize()..offset.as_usize() + size.as_usize() }
    });
    let mut ranges: Vec<Range<usize>> = ranges.collect();
    let covered = ranges.iter().filter(|range| !range.is_empty());
    let first = covered.clone().map(|range| range.start).min().unwrap_or(0);
    let last = covered.map(|range| range.end).max().unwrap_or(first);
    for range in ranges.iter_mut().filter(|range| range.start < range.end) {
        *range = range.start - first..range.end - first;
    }
    (Windows::Views(ranges), values.slice(first, last - first))
}

fn window<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>, i: usize) -> Range<usize> {
    let first = offsets[0].as_usize();
    offsets[i].as_usize() - first..offsets[i + 1].as_usize() - first
}

fn ends<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> impl Iterator<Item = usize> + '_ {
    let first = offsets[0].as_usize();
    offsets[1..].iter().map(move |offset| offset.as_usize() - first)
}

fn equal<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>, size: usize) -> bool {
    let pairs = offsets.iter().zip(&offsets[1..]);
    pairs.fold(true, |equal, (start, end)| equal & (end.as_usize() - start.as_usize() == size))
}

#[cfg(test)]
mod tests;
