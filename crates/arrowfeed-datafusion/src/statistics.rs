//! Statistics of tables: the number of rows, and the bounds of columns.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{FieldRef, Schema};
use arrowfeed::source::run::FileSet;
use arrowfeed::source::{Check, Interrupt, OnError};
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_source::format::ColumnBounds;
use datafusion_common::stats::Precision;
use datafusion_common::{ColumnStatistics, ScalarValue, Statistics};

/// What finding the number of rows of files costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Opening a file reads the row counts of all its chunks: Parquet, Arrow IPC.
    Opening,
    /// A scan reads the headers of blocks: Avro files of this machine.
    Scanning,
    /// The files would be read whole.
    Reading,
}

impl Counting {
    pub(crate) fn of(files: &FileSet) -> Self {
        if files.is_filtered() {
            Self::Reading
        } else if files.format().opening_finds_chunks() {
            Self::Opening
        } else if files.format().name() == "avro" && !files.has_objects() {
            Self::Scanning
        } else {
            Self::Reading
        }
    }
}

/// Finds the statistics of files that no filter selects from, in the footers of Parquet files, and otherwise from the row counts of
/// chunks. The columns are those of the set.
///
/// # Errors
/// A file cannot be opened or scanned; the caller cancels.
pub(crate) fn of_files(files: &Arc<FileSet>, interrupt: &Interrupt) -> Result<Statistics, FeedError> {
    let of_file = |files: &FileSet, file: usize, check: &Check<'_>| {
        let open = files.open(file, check)?;
        let (chunks, _) = files.chunks_of(file, &*open, OnError::Raise, check)?;
        let rows = chunks.iter().fold(0_u64, |rows, chunk| rows.saturating_add(chunk.rows));
        Ok::<_, FeedError>((rows, open.column_bounds()))
    };
    let mut all: Option<Statistics> = None;
    files.for_each_file(Some(interrupt), of_file, |_, found| {
        let (rows, bounds) = found?;
        if rows == 0 {
            // No row of the table has the values that would be added to the rows of the file.
            return Ok(());
        }
        let mut statistics = Statistics::new_unknown(files.schema()).with_num_rows(exact(Some(rows)));
        for (column, bounds) in statistics.column_statistics.iter_mut().zip(&bounds) {
            *column = bounds.as_ref().map_or_else(ColumnStatistics::new_unknown, of_column);
        }
        let merged = Statistics::try_merge_iter(all.iter().chain([&statistics]), files.schema());
        all = Some(merged.map_err(|error| FeedError::new(FeedErrorKind::Internal, error.to_string()))?);
        Ok(())
    })?;
    let without_rows = || Statistics::new_unknown(files.schema()).with_num_rows(Precision::Exact(0));
    Ok(all.unwrap_or_else(without_rows))
}

fn exact(count: Option<u64>) -> Precision<usize> {
    count.and_then(|count| usize::try_from(count).ok()).map_or(Precision::Absent, Precision::Exact)
}

/// DataFusion orders NaN after all numbers, and bounds leave it out. So the bounds of floats are unknown.
fn of_column(bounds: &ColumnBounds) -> ColumnStatistics {
    let value = |bound: &ArrayRef| {
        let value = ScalarValue::try_from_array(bound, 0).ok();
        let value = value.filter(|value| !value.is_null() && !value.data_type().is_floating());
        match value {
            Some(value) if bounds.is_exact => Precision::Exact(value),
            Some(value) => Precision::Inexact(value),
            None => Precision::Absent,
        }
    };
    ColumnStatistics {
        null_count: exact(bounds.nulls),
        min_value: value(&bounds.min),
        max_value: value(&bounds.max),
        ..ColumnStatistics::new_unknown()
    }
}

/// The statistics of one file for the columns of a table. A column that the file has with another type is unknown.
pub(crate) fn for_table(file: &Statistics, stored: &Schema, table: &Schema) -> Statistics {
    let column = |field: &FieldRef| match stored.index_of(field.name()) {
        Ok(found) if stored.field(found).data_type() == field.data_type() => {
            file.column_statistics[found].clone()
        }
        Ok(_) => ColumnStatistics::new_unknown(),
        // It is null in all rows.
        Err(_) => ColumnStatistics { null_count: file.num_rows, ..ColumnStatistics::new_unknown() },
    };
    let columns = table.fields().iter().map(column).collect();
    Statistics { num_rows: file.num_rows, total_byte_size: Precision::Absent, column_statistics: columns }
}
