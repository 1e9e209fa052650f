//! Row splits: the bounds of the rows of a ragged dimension.

use arrow_buffer::ScalarBuffer;

use crate::error::{ConversionError, ConversionErrorKind, count};
use crate::gather::{overflow, reserved};

/// The integer type of row splits.
///
/// [`RowSplits`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SplitsDType {
    /// 32 bits: shared with Arrow's `List`.
    Int32,
    /// 64 bits: shared with Arrow's `LargeList`.
    #[default]
    Int64,
}

impl SplitsDType {
    /// `int32` or `int64`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int32 => "int32",
            Self::Int64 => "int64",
        }
    }
}

/// Row splits, which start at 0 and never decrease. Row `i` has the values from split `i` up to split `i + 1`.
///
/// ```
/// use arrowfeed_tensor::RowSplits;
///
/// let splits = RowSplits::from_i64(vec![0, 2, 2, 5].into())?;
/// assert_eq!((splits.rows(), splits.last()), (3, 5));
/// assert_eq!(splits.range(2), Some(2..5));
/// assert!(RowSplits::from_i64(vec![0, 3, 2].into()).is_err());
/// # Ok::<(), arrowfeed_tensor::ConversionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RowSplits(Splits);

#[derive(Debug, Clone, PartialEq)]
enum Splits {
    Int32(ScalarBuffer<i32>),
    Int64(ScalarBuffer<i64>),
}

impl RowSplits {
    /// Takes splits of 32 bits without a copy. Fails if they do not start at 0 or if they decrease.
    pub fn from_i32(splits: ScalarBuffer<i32>) -> Result<Self, ConversionError> {
        check(splits.iter().map(|&split| i64::from(split)))?;
        Ok(Self(Splits::Int32(splits)))
    }

    /// Takes splits of 64 bits without a copy. Fails if they do not start at 0 or if they decrease.
    pub fn from_i64(splits: ScalarBuffer<i64>) -> Result<Self, ConversionError> {
        check(splits.iter().copied())?;
        Ok(Self(Splits::Int64(splits)))
    }

    /// Takes the offsets of a list, which must start at 0 and never decrease.
    pub(crate) fn of_list32(offsets: ScalarBuffer<i32>) -> Self {
        Self(Splits::Int32(offsets))
    }

    /// Takes the offsets of a large list, which must start at 0 and never decrease.
    pub(crate) fn of_list64(offsets: ScalarBuffer<i64>) -> Self {
        Self(Splits::Int64(offsets))
    }

    /// Builds splits from the ends of the rows, with a 0 in front. Fails if the last end does not fit `dtype`.
    pub(crate) fn from_ends(
        ends: impl Iterator<Item = usize>,
        dtype: SplitsDType,
    ) -> Result<Self, ConversionError> {
        let splits = match dtype {
            SplitsDType::Int64 => Splits::Int64(from_0(ends.map(|end| end as i64))?.into()),
            SplitsDType::Int32 => {
                let mut last = 0;
                let splits = from_0(ends.inspect(|end| last = *end).map(|end| end as i32))?;
                if i32::try_from(last).is_err() {
                    let expected = "at most 2147483647 values for row splits of int32";
                    let kind = ConversionErrorKind::Overflow;
                    return Err(ConversionError::new(kind, expected, count(last, "value")));
                }
                Splits::Int32(splits.into())
            }
        };
        Ok(Self(splits))
    }

    /// Builds splits from a 0 and the ends of the rows. Fails if the last end does not fit `dtype`.
    pub(crate) fn from_sums(sums: Vec<i64>, dtype: SplitsDType) -> Result<Self, ConversionError> {
        match dtype {
            SplitsDType::Int64 => Ok(Self(Splits::Int64(sums.into()))),
            SplitsDType::Int32 => Self::from_ends(sums[1..].iter().map(|end| *end as usize), dtype),
        }
    }

    /// The integer type of the splits.
    pub fn dtype(&self) -> SplitsDType {
        match self.0 {
            Splits::Int32(_) => SplitsDType::Int32,
            Splits::Int64(_) => SplitsDType::Int64,
        }
    }

    /// The splits, if they have 32 bits.
    pub fn as_i32(&self) -> Option<&ScalarBuffer<i32>> {
        match &self.0 {
            Splits::Int32(splits) => Some(splits),
            Splits::Int64(_) => None,
        }
    }

    /// The splits, if they have 64 bits.
    pub fn as_i64(&self) -> Option<&ScalarBuffer<i64>> {
        match &self.0 {
            Splits::Int32(_) => None,
            Splits::Int64(splits) => Some(splits),
        }
    }

    /// Number of rows: one less than the number of splits.
    pub fn rows(&self) -> usize {
        let splits = match &self.0 {
            Splits::Int32(splits) => splits.len(),
            Splits::Int64(splits) => splits.len(),
        };
        splits.saturating_sub(1)
    }

    /// Number of values: the last split.
    pub fn last(&self) -> usize {
        self.split(self.rows())
    }

    /// The range of the values of row `row`, `None` if there is no such row.
    pub fn range(&self, row: usize) -> Option<std::ops::Range<usize>> {
        (row < self.rows()).then(|| self.split(row)..self.split(row + 1))
    }

    /// All splits, as `usize`.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        (0..self.rows() + 1).map(|i| self.split(i))
    }

    /// Calls `each` with every row and its number of values.
    pub(crate) fn for_each_row(&self, mut each: impl FnMut(usize, usize)) {
        // One loop for each width, so that no row checks the width.
        match &self.0 {
            Splits::Int32(splits) => {
                let rows = splits.iter().zip(splits.iter().skip(1)).enumerate();
                rows.for_each(|(row, (start, end))| each(row, (end - start) as usize));
            }
            Splits::Int64(splits) => {
                let rows = splits.iter().zip(splits.iter().skip(1)).enumerate();
                rows.for_each(|(row, (start, end))| each(row, (end - start) as usize));
            }
        }
    }

    /// The row that contains value `value`.
    pub(crate) fn row_of(&self, value: usize) -> usize {
        let after = match &self.0 {
            Splits::Int32(splits) => splits.partition_point(|&split| split as usize <= value),
            Splits::Int64(splits) => splits.partition_point(|&split| split as usize <= value),
        };
        after.saturating_sub(1)
    }

    /// Converts the splits to `dtype`, without a copy if they already have it.
    pub(crate) fn with_dtype(self, dtype: SplitsDType) -> Result<Self, ConversionError> {
        if self.dtype() == dtype {
            return Ok(self);
        }
        Self::from_ends(self.iter().skip(1), dtype)
    }

    /// Split `i`, which must exist.
    fn split(&self, i: usize) -> usize {
        match &self.0 {
            Splits::Int32(splits) => splits[i] as usize,
            Splits::Int64(splits) => splits[i] as usize,
        }
    }
}

/// Collects a 0 and the ends of rows. Fails without memory: rows without values need none in a batch, so there may be
/// more rows than splits that fit in memory.
fn from_0<T: From<bool>>(ends: impl Iterator<Item = T>) -> Result<Vec<T>, ConversionError> {
    let rows = ends.size_hint().0;
    let mut splits = reserved(rows.saturating_add(1)).map_err(|error| overflow(rows, &error))?;
    splits.push(T::from(false));
    splits.extend(ends);
    Ok(splits)
}

fn check(splits: impl Iterator<Item = i64>) -> Result<(), ConversionError> {
    let error = |expected: &str, found: String| {
        Err(ConversionError::new(ConversionErrorKind::Tensor, expected, found))
    };
    let mut previous = None;
    for split in splits {
        match previous {
            None if split != 0 => return error("row splits that start at 0", split.to_string()),
            Some(before) if split < before => {
                return error("row splits that never decrease", format!("{split} after {before}"));
            }
            _ => previous = Some(split),
        }
    }
    if previous.is_none() { error("at least one row split", "none".to_owned()) } else { Ok(()) }
}
