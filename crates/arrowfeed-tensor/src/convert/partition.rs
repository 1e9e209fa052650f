//! Partitions of the innermost lists of a ragged tensor, applied from the innermost one outwards.

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, PrimitiveArray, RecordBatch, downcast_integer_array};

use crate::column::{Column, Leaves, row_of};
use crate::error::{
    ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind, count,
};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::null_error;
use crate::representation;
use crate::row_splits::{RowSplits, SplitsDType};

/// A compiled partition.
#[derive(Debug, Clone)]
pub(super) enum Partition {
    Uniform(usize),
    RowLength(Column),
}

impl Partition {
    /// Compiles a partition. `values` is the column that it divides.
    pub(super) fn compile(
        schema: &IndexedSchema,
        partition: &representation::Partition,
        values: &Column,
    ) -> Result<Self, RepresentationError> {
        let name = match partition {
            representation::Partition::Uniform(length) => return Ok(Self::Uniform(*length)),
            representation::Partition::RowLength(name) => name,
        };
        let column = Column::compile(schema, &values.path.sibling(name))?;
        let wrong = |expected: String, found: String| {
            let kind = RepresentationErrorKind::Partition;
            Err(RepresentationError::new(kind, expected, found).in_column(&column.label))
        };
        if !column.leaf.is_integer() {
            return wrong("integers as row lengths".to_owned(), column.leaf.to_string());
        }
        let depth = values.depth() - values.fixed_tail().len();
        if column.depth() != depth {
            let expected = format!("lists of depth {depth}, as {:?} has", values.label);
            return wrong(expected, format!("depth {}", column.depth()));
        }
        Ok(Self::RowLength(column))
    }

    /// Divides the innermost lists, which are inside `outer`. Returns these lists over the new rows, and the new rows.
    pub(super) fn divide(
        &self,
        batch: &RecordBatch,
        outer: &[RowSplits],
        lists: &RowSplits,
        dtype: SplitsDType,
    ) -> Result<(RowSplits, RowSplits), ConversionError> {
        match self {
            Self::Uniform(length) => {
                let divided = in_blocks(outer, lists, *length, dtype)?;
                let rows = RowSplits::from_ends((1..=divided.last()).map(|row| row * length), dtype)?;
                Ok((divided, rows))
            }
            Self::RowLength(column) => {
                let lengths = column.rows(batch, 0, Some(dtype))?;
                by_lengths(outer, lists, lengths, dtype).map_err(|error| error.in_column(&column.label))
            }
        }
    }
}

/// Returns the same lists over blocks of `size` values. Fails if a list does not consist of whole blocks.
pub(crate) fn in_blocks(
    outer: &[RowSplits],
    lists: &RowSplits,
    size: usize,
    dtype: SplitsDType,
) -> Result<RowSplits, ConversionError> {
    let odd = lists.iter().zip(lists.iter().skip(1)).position(|(start, end)| (end - start) % size != 0);
    if let Some(list) = odd {
        let found = lists.range(list).unwrap_or_default().len();
        let expected = format!("a multiple of {}", count(size, "value"));
        let error = ConversionError::new(ConversionErrorKind::Partition, expected, found.to_string());
        return Err(error.in_row(row_of(outer, list)));
    }
    RowSplits::from_ends(lists.iter().skip(1).map(|end| end / size), dtype)
}

/// Divides the lists into rows whose lengths are in another column, in the same lists.
fn by_lengths(
    outer: &[RowSplits],
    lists: &RowSplits,
    mut lengths: Leaves,
    dtype: SplitsDType,
) -> Result<(RowSplits, RowSplits), ConversionError> {
    if let Some(nulls) = &lengths.nulls {
        let null = (0..nulls.len()).find(|i| nulls.is_null(*i)).unwrap_or(0);
        return Err(null_error().in_row(lengths.row_of(null)));
    }
    let array: &dyn Array = &lengths.array;
    let sums = downcast_integer_array!(
        array => sums(array, &lengths),
        _ => Ok(vec![0])
    )?;
    let Some(inner) = lengths.splits.pop() else { return Ok((lists.clone(), lists.clone())) };
    let own_outer = lengths.splits.iter().map(RowSplits::iter);
    if let Some(level) = own_outer.zip(outer).position(|(own, outer)| !own.eq(outer.iter())) {
        return Err(lists_differ(&outer[..=level], &lengths.splits[level]));
    }
    if inner.rows() != lists.rows() {
        return Err(lists_differ(outer, &inner));
    }
    // Checks the widths once, not for each list.
    let wrong = match (lists.as_i64(), inner.as_i64()) {
        (Some(lists), Some(inner)) => first_wrong(lists.iter().copied(), inner.iter().copied(), &sums),
        _ => first_wrong(lists.iter().map(|end| end as i64), inner.iter().map(|last| last as i64), &sums),
    };
    if let Some(list) = wrong {
        let sum = |list| inner.range(list).map_or(0, |range| sums[range.end] - sums[range.start]);
        let values = lists.range(list).unwrap_or_default();
        let kind = ConversionErrorKind::Partition;
        let expected = format!("row lengths with the sum {}", values.len());
        return Err(ConversionError::new(kind, expected, sum(list).to_string()).in_row(row_of(outer, list)));
    }
    Ok((inner, RowSplits::from_sums(sums, dtype)?))
}

/// The first list whose end is not the sum of the lengths up to its last row.
fn first_wrong(
    ends: impl Iterator<Item = i64>,
    lasts: impl Iterator<Item = i64>,
    sums: &[i64],
) -> Option<usize> {
    let wrong = ends.zip(lasts).position(|(end, last)| sums.get(last as usize) != Some(&end));
    wrong.map(|split| split.saturating_sub(1))
}

/// Prefix sums of the lengths, from 0 to the total. Fails if a length is negative or a sum overflows.
fn sums<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    lengths: &Leaves,
) -> Result<Vec<i64>, ConversionError>
where
    T::Native: TryInto<i64> + std::fmt::Display,
{
    let lengths_of = || array.values().iter().map(|length| (*length).try_into().unwrap_or(-1));
    // No length is above the bitwise OR of all lengths, which is negative if one of them is. This bound suffices mostly.
    let all = lengths_of().fold(0, |all, length| all | length);
    let fits = all >= 0 && i64::try_from(i128::from(all) * array.len() as i128).is_ok();
    if !fits
        && lengths_of()
            .try_fold(0_i64, |sum, length| sum.checked_add(length).filter(|_| length >= 0))
            .is_none()
    {
        return Err(first_wrong_length(array, lengths));
    }
    let mut sum = 0;
    let mut sums = Vec::with_capacity(array.len() + 1);
    sums.push(sum);
    sums.extend(lengths_of().map(|length| {
        sum += length;
        sum
    }));
    Ok(sums)
}

#[cold]
fn first_wrong_length<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, lengths: &Leaves) -> ConversionError
where
    T::Native: TryInto<i64> + std::fmt::Display,
{
    let mut sum = 0_i64;
    let wrong = array.values().iter().enumerate().find(|(_, length)| {
        let length = (**length).try_into().ok().filter(|length: &i64| *length >= 0);
        length.and_then(|length| sum.checked_add(length)).inspect(|next| sum = *next).is_none()
    });
    let (item, found) = wrong.map_or((0, String::new()), |(item, length)| (item, length.to_string()));
    let expected = "a row length of 0 or more";
    ConversionError::new(ConversionErrorKind::Partition, expected, found).in_row(lengths.row_of(item))
}

/// The error for row lengths that are in other lists than the values. Names the first row in which they differ.
#[cold]
fn lists_differ(outer: &[RowSplits], found: &RowSplits) -> ConversionError {
    let expected = outer.last();
    let differ = expected.and_then(|expected| {
        let pairs = expected.iter().zip(found.iter());
        pairs.skip(1).position(|(expected, found)| expected != found)
    });
    let row = differ.map_or(0, |list| row_of(&outer[..outer.len() - 1], list));
    let expected = "row lengths in the same lists as the values";
    ConversionError::new(ConversionErrorKind::Partition, expected, "different lists").in_row(row)
}
