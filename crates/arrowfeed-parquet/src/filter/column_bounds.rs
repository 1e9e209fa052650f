//! The bounds of the columns of a whole file, from the statistics of its row groups.

use std::cmp::Ordering;

use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_ord::ord::make_comparator;
use arrow_schema::{DataType, SortOptions};
use arrowfeed_source::format::ColumnBounds;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;

use super::bounds::{Bounds, Place};
use super::null_counts;
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
            nulls: nulls(&place, metadata.row_groups()),
        })
    }
}

fn statistics<'a>(place: &Place, group: &'a RowGroupMetaData) -> Option<&'a Statistics> {
    let Place::Leaf(leaf) = place else { return None };
    group.columns().get(leaf.number)?.statistics()
}

/// The number of nulls. `None`: it is unknown, or larger than the number of rows of a group.
fn nulls(place: &Place, groups: &[RowGroupMetaData]) -> Option<u64> {
    groups.iter().try_fold(0_u64, |sum, group| {
        let nulls = match place {
            Place::Missing => u64::try_from(group.num_rows()).ok()?,
            Place::Leaf(leaf) => null_counts::of_group(leaf.number, group)?,
            Place::Unknown => return None,
        };
        sum.checked_add(nulls)
    })
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::Field;
    use parquet::file::metadata::ColumnChunkMetaData;
    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;

    use super::*;
    use crate::conversion::ColumnConversion;
    use crate::filter::bounds::Leaf;

    #[test]
    fn counts_of_nulls_that_cannot_be_are_unknown() {
        let schema = parse_message_type("message m { optional int64 a; }").unwrap();
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
        let group = |nulls, rows| {
            let statistics = Statistics::int64(Some(1), Some(2), None, Some(nulls), false);
            let column = ColumnChunkMetaData::builder(schema.column(0)).set_statistics(statistics);
            let group = RowGroupMetaData::builder(schema.clone()).set_num_rows(rows);
            group.add_column_metadata(column.build().unwrap()).build().unwrap()
        };
        let field = Arc::new(Field::new("a", DataType::Int64, true));
        let place = Place::Leaf(Leaf { number: 0, field, conversion: ColumnConversion::Same });
        let most = i64::MAX;
        assert_eq!(nulls(&place, &[group(2, 3), group(3, 3)]), Some(5));
        assert_eq!(nulls(&place, &[group(2, 3), group(4, 3)]), None);
        assert_eq!(nulls(&place, &[group(1, -1)]), None);
        assert_eq!(nulls(&place, &[(); 3].map(|()| group(most as u64, most))), None);
        assert_eq!(nulls(&Place::Missing, &[(); 3].map(|()| group(0, most))), None);
    }
}
