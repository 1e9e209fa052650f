//! A check of row groups that declare many rows in few bytes, before a shuffle or a split draws a number for each row.

use std::sync::Arc;

use arrowfeed_source::io::OpenFile;
use arrowfeed_source::{FeedError, FeedErrorKind, thousands};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use crate::bytes::{ReadFailure, SourceBytes, guarded};

/// Row groups of fewer rows are not checked.
const MANY_ROWS: u64 = 1 << 20;

/// Neither are those of fewer rows for each byte.
const ROWS_OF_BYTE: u64 = 64;

/// Compares the number of rows with the headers of the pages of a column outside of lists, one of `leaves`.
///
/// # Errors
/// The pages have another number of rows, or their headers are damaged; an I/O error.
pub(crate) fn check(
    file: &OpenFile,
    (number, group): (usize, &RowGroupMetaData),
    (rows, bytes): (u64, u64),
    leaves: &[usize],
) -> Result<(), FeedError> {
    if rows <= MANY_ROWS || rows / ROWS_OF_BYTE <= bytes {
        return Ok(());
    }
    let mut columns = leaves.iter().filter_map(|leaf| group.columns().get(*leaf));
    let Some(column) = columns.find(|column| column.column_descr().max_rep_level() == 0) else {
        return Ok(());
    };
    let failure = ReadFailure::default();
    let source = Arc::new(SourceBytes::new(file, failure.clone()));
    let count = || {
        let mut pages =
            SerializedPageReader::new(source, column, usize::try_from(rows).unwrap_or(usize::MAX), None)?;
        let mut found = 0_u64;
        while let Some(page) = pages.peek_next_page()? {
            found += page.num_levels.filter(|_| !page.is_dict).unwrap_or(0) as u64;
            pages.skip_next_page()?;
        }
        Ok::<_, ParquetError>(found)
    };
    let counted = guarded(FeedErrorKind::Format, "the headers of pages", count);
    if let Some(failed) = failure.take() {
        return Err(failed);
    }
    let found = counted?;
    if found == rows {
        return Ok(());
    }
    let (expected, found) = (thousands(rows), thousands(found));
    let message =
        format!("expected {expected} rows in row group {number}, as the footer declares, found {found}");
    Err(FeedError::new(FeedErrorKind::Format, message))
}
