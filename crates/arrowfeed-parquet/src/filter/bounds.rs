//! The bounds of the columns of row groups and of pages, and which of them are trusted.
//!
//! Statistics are trusted only if `pyarrow` trusts them as well, so that false ones lose no row that `pyarrow` keeps. The column
//! index is trusted as the statistics of the same column are, if it does not contradict them.

use std::cmp::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, UInt32Array, new_null_array};
use arrow_buffer::BooleanBuffer;
use arrow_ord::ord::make_comparator;
use arrow_schema::{DataType, FieldRef, Schema, SortOptions};
use arrow_select::take::take;
use arrowfeed_source::FeedErrorKind;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, SortOrder, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::file::statistics::Statistics;

use super::null_counts;
use crate::bytes::guarded;
use crate::columns::leaves;
use crate::conversion::ColumnConversion;
use crate::file_columns::FileColumns;
use crate::old_writers::orders_bytes_wrong;

/// The place in a file of a column of a predicate.
#[derive(Debug)]
pub(crate) enum Place {
    Leaf(Leaf),
    /// The file does not have the column, so it is null.
    Missing,
    /// It has no bounds.
    Unknown,
}

/// A leaf column, with its type in the file, and its conversion.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) number: usize,
    pub(crate) field: FieldRef,
    pub(crate) conversion: ColumnConversion,
}

/// The bounds of a column for some groups of rows. They have the type of the schema, and are null where they are unknown.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) min: ArrayRef,
    pub(super) max: ArrayRef,
    /// Whether a row may be null.
    pub(super) has_null: BooleanBuffer,
    /// Whether a row may have a value.
    pub(super) has_value: BooleanBuffer,
}

impl FileColumns {
    /// The place of a column, from the indices of the column and of the fields of structs in it. `read` has the columns that are
    /// read.
    pub(super) fn place(&self, read: &Schema, fields: &[usize]) -> Place {
        let Some((at, mut conversion)) = self.column(fields[0]) else { return Place::Missing };
        let mut field = &read.fields()[at];
        let mut leaf: usize = read.fields()[..at].iter().map(|field| leaves(field.data_type())).sum();
        for index in &fields[1..] {
            let DataType::Struct(found) = field.data_type() else { return Place::Unknown };
            let at = match conversion {
                ColumnConversion::Same => *index,
                ColumnConversion::Struct { fields, .. } => {
                    let Some((Some(at), inner)) = fields.get(*index) else { return Place::Missing };
                    conversion = inner;
                    *at
                }
                _ => return Place::Unknown,
            };
            leaf += found[..at].iter().map(|field| leaves(field.data_type())).sum::<usize>();
            field = &found[at];
        }
        match conversion {
            ColumnConversion::Same | ColumnConversion::Values(_) if !field.data_type().is_nested() => {
                let (field, conversion) = (field.clone(), conversion.clone());
                Place::Leaf(Leaf { number: self.leaves[leaf], field, conversion })
            }
            _ => Place::Unknown,
        }
    }
}

impl Bounds {
    /// The bounds in the row groups of a file, by their statistics. `None`: there are none.
    pub(super) fn of_groups(place: &Place, to: &DataType, metadata: &ParquetMetaData) -> Option<Self> {
        let groups = metadata.row_groups();
        let leaf = match place {
            Place::Leaf(leaf) => leaf,
            Place::Missing => return Some(Self::of_nulls(to, groups.len())),
            Place::Unknown => return None,
        };
        let file = metadata.file_metadata();
        let statistics = || groups.iter().map(|group| group.columns().get(leaf.number)?.statistics());
        let is_trusted: Vec<bool> = statistics()
            .map(|statistics| statistics.is_some_and(|statistics| is_trusted(statistics, leaf.number, file)))
            .collect();
        let rows: Vec<u64> =
            groups.iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect();
        let found = |converter: &StatisticsConverter<'_>| {
            Ok((converter.row_group_mins(groups)?, converter.row_group_maxes(groups)?))
        };
        let nulls: Vec<_> = groups.iter().map(|group| null_counts::of_group(leaf.number, group)).collect();
        Self::new(leaf, to, file, found, &nulls, &is_trusted, &rows)
    }

    /// The bounds that `found` takes from a file. `nulls` are the numbers of nulls that are known, `rows` those of rows.
    pub(super) fn new(
        leaf: &Leaf,
        to: &DataType,
        file: &FileMetaData,
        found: impl FnOnce(&StatisticsConverter<'_>) -> Result<(ArrayRef, ArrayRef), ParquetError>,
        nulls: &[Option<u64>],
        is_trusted: &[bool],
        rows: &[u64],
    ) -> Option<Self> {
        let find = || {
            let converter =
                StatisticsConverter::from_column_index(leaf.number, &leaf.field, file.schema_descr())?;
            found(&converter)
        };
        let (min, max) = guarded(FeedErrorKind::Format, "statistics", find).ok()?;
        let all = [min.len(), max.len(), nulls.len(), is_trusted.len()];
        if all.iter().any(|len| *len != rows.len()) {
            return None;
        }
        let compare = make_comparator(&min, &max, SortOptions::default()).ok()?;
        let is_contradictory = |row| min.is_valid(row) && max.is_valid(row) && compare(row, row).is_gt();
        let is_known = |row: usize| {
            is_trusted[row] && !is_nan(&min, row) && !is_nan(&max, row) && !is_contradictory(row)
        };
        let known: UInt32Array =
            (0..rows.len()).map(|row| u32::try_from(row).ok().filter(|_| is_known(row))).collect();
        let converted = |bound: &ArrayRef| {
            let known = take(bound, &known, None).ok();
            let converted = known.and_then(|known| leaf.conversion.apply(&known).ok());
            // A bound that cannot be converted is the value of a row that cannot be read.
            converted
                .filter(|bound| bound.data_type() == to)
                .unwrap_or_else(|| new_null_array(to, rows.len()))
        };
        Some(Self {
            min: converted(&min),
            max: converted(&max),
            has_null: BooleanBuffer::collect_bool(rows.len(), |row| nulls[row] != Some(0)),
            has_value: BooleanBuffer::collect_bool(rows.len(), |row| nulls[row] != Some(rows[row])),
        })
    }

    /// Whether the bounds together reach as far as those of the row group, if these are known.
    pub(super) fn reach(&self, groups: &Self, group: usize) -> bool {
        let reach = |own: &ArrayRef, of_group: &ArrayRef, too_short: Ordering| {
            let Ok(compare) = make_comparator(own, of_group, SortOptions::default()) else { return false };
            let mut reaching =
                (0..own.len()).filter(|nth| own.is_valid(*nth) && compare(*nth, group) != too_short);
            of_group.is_null(group) || reaching.next().is_some()
        };
        reach(&self.min, &groups.min, Ordering::Greater) && reach(&self.max, &groups.max, Ordering::Less)
    }

    /// The bounds of groups of rows that are null.
    pub(super) fn of_nulls(to: &DataType, count: usize) -> Self {
        let bound = new_null_array(to, count);
        let (has_null, has_value) = (BooleanBuffer::new_set(count), BooleanBuffer::new_unset(count));
        Self { min: bound.clone(), max: bound, has_null, has_value }
    }

    /// The bounds of the groups of rows with these numbers.
    pub(super) fn take(&self, numbers: &UInt32Array) -> Option<Self> {
        let bits = |bits: &BooleanBuffer| numbers.values().iter().map(|n| bits.value(*n as usize)).collect();
        let (min, max) = (take(&self.min, numbers, None).ok()?, take(&self.max, numbers, None).ok()?);
        Some(Self { min, max, has_null: bits(&self.has_null), has_value: bits(&self.has_value) })
    }
}

/// Whether the bounds of the statistics of a column have an order that is known. The others are ignored.
fn is_trusted(statistics: &Statistics, leaf: usize, file: &FileMetaData) -> bool {
    let column = file.schema_descr().column(leaf);
    match statistics.is_min_max_deprecated() {
        // Old statistics of all types have the order of signed numbers.
        true => {
            let is_number =
                matches!(column.physical_type(), Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE);
            let (logical, converted) = (column.logical_type_ref(), column.converted_type());
            let order = ColumnOrder::sort_order_for_type(logical, converted, column.physical_type());
            is_number && order == SortOrder::SIGNED
        }
        false => has_known_order(leaf, file),
    }
}

/// Whether the file declares the order of a column, and its writer followed it.
pub(super) fn has_known_order(leaf: usize, file: &FileMetaData) -> bool {
    let physical = file.schema_descr().column(leaf).physical_type();
    let is_bytes = matches!(physical, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
    let old = || file.created_by().is_some_and(orders_bytes_wrong);
    match file.column_order(leaf) {
        ColumnOrder::TYPE_DEFINED_ORDER(order) => match order {
            SortOrder::SIGNED => physical != Type::INT96 && !(is_bytes && old()),
            SortOrder::UNSIGNED => physical != Type::INT96 && !old(),
            SortOrder::UNDEFINED => false,
        },
        ColumnOrder::UNDEFINED | ColumnOrder::UNKNOWN => false,
    }
}

fn is_nan(bound: &ArrayRef, row: usize) -> bool {
    if bound.is_null(row) {
        return false;
    }
    match bound.data_type() {
        DataType::Float16 => bound.as_primitive::<Float16Type>().value(row).is_nan(),
        DataType::Float32 => bound.as_primitive::<Float32Type>().value(row).is_nan(),
        DataType::Float64 => bound.as_primitive::<Float64Type>().value(row).is_nan(),
        _ => false,
    }
}
