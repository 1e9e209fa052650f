//! The state of an evaluation: an array and a selection vector over it.
//!
//! Values are copied only at the end of a path: `friends[gender='x'].name.first` copies first names, but no friends.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array, new_null_array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use arrowfeed_select::take;

use crate::copy_limit::check;
use crate::error::ConversionError;
use crate::gather::overflow;
use crate::lists::{self, Lists};
use crate::row_splits::{RowSplits, SplitsDType};

/// A selected position that stands for a null.
const NOWHERE: usize = usize::MAX;

/// The values of one level: those of `array` at the positions `picks`, or all of them.
#[derive(Debug, Clone)]
pub(super) struct RowSelection {
    array: ArrayRef,
    /// Nulls of `array`, including those of the structs around it.
    nulls: Option<NullBuffer>,
    picks: Option<Vec<usize>>,
}

/// The result of [`RowSelection::values`]: values, and the nulls among them.
pub(super) type Nullable = (ArrayRef, Option<NullBuffer>);

impl RowSelection {
    pub(super) fn new(array: ArrayRef) -> Self {
        let nulls = lists::with_parents(None, &array);
        Self { array, nulls, picks: None }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.picks.as_ref().map_or(self.array.len(), Vec::len)
    }

    /// The position of each value in the array, `None` for a null.
    fn positions(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let null = |i: usize| self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(i));
        (0..self.len()).map(move |i| {
            let position = self.picks.as_ref().map_or(i, |picks| picks[i]);
            (position != NOWHERE && !null(position)).then_some(position)
        })
    }

    /// Selects child `index` of a struct.
    pub(super) fn field(self, index: usize) -> Self {
        let array = self.array.as_struct().column(index).clone();
        let nulls = lists::with_parents(self.nulls.as_ref(), &array);
        Self { array, nulls, picks: self.picks }
    }

    /// Resolves a dictionary to its values.
    pub(super) fn decoded(self) -> Self {
        let dictionary = self.array.as_any_dictionary();
        let values = dictionary.values().clone();
        let picks = match values.is_empty() {
            true => vec![NOWHERE; self.len()],
            false => {
                let keys = dictionary.normalized_keys();
                self.positions().map(|position| position.map_or(NOWHERE, |i| keys[i])).collect()
            }
        };
        Self { picks: Some(picks), ..Self::new(values) }
    }

    /// Selects all elements of lists, or all values of maps. The splits divide them into the lists.
    pub(super) fn elements(self) -> Result<(RowSplits, Self), ConversionError> {
        let is_map = matches!(self.array.data_type(), DataType::Map(..));
        let (splits, place) = self.items()?;
        Ok((splits, if is_map { place.field(1) } else { place }))
    }

    fn items(self) -> Result<(RowSplits, Self), ConversionError> {
        let Some(lists) = Lists::new(&self.array, self.nulls.clone()) else {
            return Ok((RowSplits::from_ends(1..=self.len(), SplitsDType::Int64)?, self));
        };
        if self.picks.is_none() && lists.is_contiguous() {
            let rows = lists.into_rows(None)?;
            return Ok((rows.splits, Self::new(rows.values)));
        }
        let mut picks = Vec::new();
        let ends = self.positions().map(|position| {
            picks.extend(position.into_iter().flat_map(|i| lists.range(i)));
            picks.len()
        });
        let splits = RowSplits::from_ends(ends, SplitsDType::Int64)?;
        Ok((splits, Self { picks: Some(picks), ..Self::new(lists.values) }))
    }

    /// Selects one element of each list, null if the list has no such element.
    pub(super) fn index(self, index: i64) -> Self {
        let Some(lists) = Lists::new(&self.array, self.nulls.clone()) else { return self };
        let from_end = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        let picked = self.positions().map(|position| {
            let range = lists.range(position?);
            let offset = if index < 0 { range.len().checked_sub(from_end)? } else { from_end };
            (offset < range.len()).then_some(range.start + offset)
        });
        let picks = picked.map(|position| position.unwrap_or(NOWHERE)).collect();
        Self { picks: Some(picks), ..Self::new(lists.values) }
    }

    /// Selects the value of a key in each map: null if there is none, the last one if there are several.
    pub(super) fn key(self, equal: impl Fn(&ArrayRef) -> BooleanBuffer) -> Self {
        let Some(lists) = Lists::new(&self.array, self.nulls.clone()) else { return self };
        let entries = lists.values.as_struct();
        let found = equal(entries.column(0));
        let picked = self.positions().map(|position| lists.range(position?).rev().find(|i| found.value(*i)));
        let picks = picked.map(|position| position.unwrap_or(NOWHERE)).collect();
        Self { picks: Some(picks), ..Self::new(entries.column(1).clone()) }
    }

    /// Selects the values of one branch of a union, null where the value has another branch.
    pub(super) fn branch(self, type_id: i8) -> Self {
        let union = self.array.as_union();
        let (types, offsets) = (union.type_ids(), union.offsets());
        let picked = self.positions().map(|position| {
            let position = position.filter(|i| types[*i] == type_id)?;
            Some(offsets.map_or(position, |offsets| offsets[position] as usize))
        });
        let picks = picked.map(|position| position.unwrap_or(NOWHERE)).collect();
        Self { picks: Some(picks), ..Self::new(union.child(type_id).clone()) }
    }

    /// Selects the values at `positions` of the current ones.
    pub(super) fn at(self, positions: Vec<usize>) -> Self {
        let picks = match &self.picks {
            None => positions,
            Some(picks) => positions.into_iter().map(|i| picks[i]).collect(),
        };
        Self { picks: Some(picks), ..self }
    }

    /// Keeps the values whose bit in `keep` is set. Returns the splits of the shortened lists, and the values.
    pub(super) fn filter(
        self,
        splits: &RowSplits,
        keep: &BooleanBuffer,
    ) -> Result<(RowSplits, Self), ConversionError> {
        if keep.count_set_bits() == keep.len() {
            return Ok((splits.clone(), self));
        }
        let kept: Vec<usize> = keep.set_indices().collect();
        let mut end = 0;
        let ends = splits.iter().skip(1).map(|split| {
            end += kept[end..].iter().take_while(|i| **i < split).count();
            end
        });
        Ok((RowSplits::from_ends(ends, splits.dtype())?, self.at(kept)))
    }

    /// One bit for each value, set if the value is missing. A dictionary may have nulls among its values, a union in a branch.
    pub(super) fn missing(&self) -> BooleanBuffer {
        let logical = NullBuffer::union(self.nulls.as_ref(), self.array.logical_nulls().as_ref());
        let Some(logical) = logical.filter(|_| !self.array.is_empty()) else {
            return self.positions().map(|position| position.is_none()).collect();
        };
        self.positions().map(|position| position.is_none_or(|i| logical.is_null(i))).collect()
    }

    /// The positions as indices for `take`, and the nulls among them.
    fn indices(&self) -> (UInt64Array, Option<NullBuffer>) {
        if let Some(picks) =
            self.picks.as_ref().filter(|picks| self.nulls.is_none() && !picks.contains(&NOWHERE))
        {
            return (picks.iter().map(|i| *i as u64).collect::<Vec<u64>>().into(), None);
        }
        let valid: BooleanBuffer = self.positions().map(|position| position.is_some()).collect();
        let nulls = Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0);
        let indices: Vec<u64> = self.positions().map(|position| position.unwrap_or(0) as u64).collect();
        (UInt64Array::new(indices.into(), nulls.clone()), nulls)
    }

    /// Returns the values, copied if there is a selection vector. Fails if the copies of values that are selected several times
    /// exceed `batch_bytes`.
    pub(super) fn values(self, batch_bytes: usize) -> Result<Nullable, ConversionError> {
        if self.picks.is_none() {
            return Ok((self.array, self.nulls));
        }
        if self.array.is_empty() {
            let nulls = (self.len() > 0).then(|| NullBuffer::new_null(self.len()));
            return Ok((new_null_array(self.array.data_type(), self.len()), nulls));
        }
        check(&self.array, self.len(), || self.positions(), batch_bytes)?;
        let (indices, nulls) = self.indices();
        let values = take(&self.array, &indices).map_err(|error| overflow(indices.len(), &error))?;
        let nulls = lists::with_parents(nulls.as_ref(), &values);
        Ok((values, nulls))
    }
}

/// For each value, the row of the batch that contains it.
pub(super) fn rows_of(levels: &[RowSplits], rows: usize) -> Vec<usize> {
    levels.iter().fold((0..rows).collect(), |outer: Vec<usize>, splits| {
        let ranges = splits.iter().zip(splits.iter().skip(1));
        outer
            .iter()
            .zip(ranges)
            .flat_map(|(row, (start, end))| std::iter::repeat_n(*row, end - start))
            .collect()
    })
}
