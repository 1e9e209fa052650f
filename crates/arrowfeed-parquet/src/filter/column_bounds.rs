//! The bounds of the columns of a whole file, from the statistics of its row groups.

use std::cmp::Ordering;

use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_ord::ord::make_comparator;
use arrow_schema::{DataType, SortOptions};
use arrowfeed_source::format::ColumnBounds;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;

use super::bounds::{Bounds, Place};
use crate::file::ParquetFile;

impl ParquetFile {
    /// The bounds of each column of batches. `None`: the column is nested, or its statistics cannot be read.
    pub(crate) fn bounds_of_columns(&self) -> Vec<Option<ColumnBounds>> {
        let fields = self.columns.schema().fields().iter().enumerate();
        fields.map(|(number, field)| self.bounds_of_column(number, field.data_type())).collect()
    }

    fn bounds_of_column(&self, number: usize, data_type: &DataType) -> Option<ColumnBounds> {
        let metadata = self.metadata().metadata();
        let place = self.columns.place(self.read.schema(), &[number]);
        let groups = Bounds::of_groups(&place, data_type, metadata)?;
        let all = || metadata.row_groups().iter();
        Some(ColumnBounds {
            min: extreme(&groups.min, &groups, Ordering::Less),
            max: extreme(&groups.max, &groups, Ordering::Greater),
            is_exact: all().all(|group| is_exact(&place, data_type, group)),
            nulls: all().map(|group| nulls(&place, group)).sum(),
        })
    }
}

fn statistics<'a>(place: &Place, group: &'a RowGroupMetaData) -> Option<&'a Statistics> {
    let Place::Leaf(leaf) = place else { return None };
    group.columns().get(leaf.number)?.statistics()
}

fn nulls(place: &Place, group: &RowGroupMetaData) -> Option<u64> {
    match place {
        Place::Missing => u64::try_from(group.num_rows()).ok(),
        _ => statistics(place, group)?.null_count_opt(),
    }
}

/// Whether the bounds in a row group are values. Those of floats leave out NaN, and the sign of zero. Other numbers are whole, also
/// where the writer does not say so.
fn is_exact(place: &Place, data_type: &DataType, group: &RowGroupMetaData) -> bool {
    if data_type.is_floating() {
        return false;
    }
    let is_whole = data_type.is_primitive() || *data_type == DataType::Boolean;
    is_whole || statistics(place, group).is_some_and(|found| found.min_is_exact() && found.max_is_exact())
}

/// The least or the greatest bound of the row groups that have values; null if one of them is unknown.
fn extreme(bounds: &ArrayRef, groups: &Bounds, wanted: Ordering) -> ArrayRef {
    let unknown = || new_null_array(bounds.data_type(), 1);
    let Ok(compare) = make_comparator(bounds, bounds, SortOptions::default()) else { return unknown() };
    let mut best = None;
    for group in groups.has_value.set_indices() {
        if bounds.is_null(group) {
            return unknown();
        }
        if best.is_none_or(|best| compare(group, best) == wanted) {
            best = Some(group);
        }
    }
    best.map_or_else(unknown, |group| bounds.slice(group, 1))
}
