//! Rows of one shape from lists of any depth. Missing values are filled or are errors.

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use arrowfeed_select::concat;

use crate::column::{Leaves, row_of};
use crate::convert::lengths;
use crate::error::{ConversionError, ConversionErrorKind, count};
use crate::gather::{ArraySlices, gather, overflow};
use crate::leaf::Leaf;
use crate::row_splits::RowSplits;
use crate::values::Values;

/// Limit on the values of a tensor: no allocation can hold more values of the widest types.
const MOST_VALUES: usize = isize::MAX as usize / 16;

/// The default that replaces missing values.
#[derive(Debug, Clone)]
pub(super) enum Fill {
    /// No default: missing values are errors.
    None,
    /// An array of one value.
    Scalar(ArrayRef),
    /// An array of one row. Its value at the same position replaces a missing value.
    Row(ArrayRef),
}

/// Returns the values of all rows, with missing ones filled, so that each list of level `n` has `sizes[n]` elements.
pub(super) fn filled(
    leaf: &Leaf,
    fill: &Fill,
    leaves: Leaves,
    sizes: &[usize],
) -> Result<Values, ConversionError> {
    let Leaves { rows, splits, array, nulls } = leaves;
    let size = sizes.iter().try_fold(1_usize, |size, own| size.checked_mul(*own));
    let values = size.and_then(|size| size.checked_mul(rows)).filter(|values| *values <= MOST_VALUES);
    if values.is_none() {
        let expected = format!("at most {MOST_VALUES} values in a tensor");
        let found = format!("{rows} rows of the shape {sizes:?}");
        return Err(ConversionError::new(ConversionErrorKind::Overflow, expected, found));
    }
    let row_of = |item| row_of(&splits, item);
    let (array, nulls) = leaf.plain(array, nulls).map_err(|unfit| unfit.in_row(row_of))?;
    let full = splits.iter().zip(sizes).all(|(splits, size)| lengths(splits).all(|length| length == *size));
    if full && nulls.is_none() {
        return Values::try_new(array);
    }
    let nulls = nulls.as_ref();
    let mut filler =
        Filler { splits: &splits, sizes, nulls, fill, stored: array.len(), pieces: ArraySlices::default() };
    (0..rows).try_for_each(|row| filler.list(0, row, 0).map_err(|error| error.in_row(row)))?;
    let pieces = filler.pieces;
    let array = match fill {
        Fill::None => gather(&array, &pieces, None),
        Fill::Scalar(one) => gather(&array, &pieces, Some(one)),
        Fill::Row(row) => {
            let both = concat(&[array.as_ref(), row.as_ref()]);
            gather(&both.map_err(|error| overflow(array.len() + row.len(), &error))?, &pieces, None)
        }
    };
    Values::try_new(array?)
}

struct Filler<'a> {
    splits: &'a [RowSplits],
    sizes: &'a [usize],
    nulls: Option<&'a NullBuffer>,
    fill: &'a Fill,
    /// Number of stored values. The values of a default row come after them.
    stored: usize,
    pieces: ArraySlices,
}

impl Filler<'_> {
    /// Adds list `i` of a level, whose values begin at the position `place` of their row. Below the last level, adds value `i`.
    fn list(&mut self, level: usize, i: usize, place: usize) -> Result<(), ConversionError> {
        let Some((size, below)) = self.sizes.get(level..).and_then(<[_]>::split_first) else {
            return self.value(i, place);
        };
        let range = self.splits[level].range(i).unwrap_or_default();
        if range.len() > *size {
            return Err(length_error(*size, range.len()));
        }
        let stride: usize = below.iter().product();
        let found = range.len();
        if below.is_empty() && self.nulls.is_none() {
            self.pieces.copy(range);
        } else {
            let mut items = range.enumerate();
            items.try_for_each(|(nth, item)| self.list(level + 1, item, place + nth * stride))?;
        }
        match self.missing(place + found * stride, (size - found) * stride) {
            true => Ok(()),
            false => Err(length_error(*size, found)),
        }
    }

    fn value(&mut self, i: usize, place: usize) -> Result<(), ConversionError> {
        if self.nulls.is_none_or(|nulls| nulls.is_valid(i)) {
            self.pieces.copy(i..i + 1);
            return Ok(());
        }
        match self.missing(place, 1) {
            true => Ok(()),
            false => {
                let expected = "a value, as there is no default";
                Err(ConversionError::new(ConversionErrorKind::Null, expected, "a null"))
            }
        }
    }

    /// Fills `count` values from the position `place` of the row. Returns false if there is no default for missing values.
    fn missing(&mut self, place: usize, count: usize) -> bool {
        match self.fill {
            Fill::None => return count == 0,
            Fill::Scalar(_) => self.pieces.fill(count),
            Fill::Row(_) => self.pieces.copy(self.stored + place..self.stored + place + count),
        }
        true
    }
}

#[cold]
fn length_error(expected: usize, found: usize) -> ConversionError {
    ConversionError::new(ConversionErrorKind::Length, count(expected, "value"), found.to_string())
}
