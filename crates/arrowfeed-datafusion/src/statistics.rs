//! Row counts of tables.

use std::sync::Arc;

use arrow_schema::Schema;
use arrowfeed::FeedError;
use arrowfeed::source::Interrupt;
use arrowfeed::source::OnError;
use arrowfeed::source::run::FileSet;
use datafusion_common::Statistics;
use datafusion_common::stats::Precision;

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

/// Counts the rows of all files by their chunks.
///
/// # Errors
/// A file cannot be opened or scanned; the caller cancels.
pub(crate) fn count_rows(files: &Arc<FileSet>, interrupt: Option<&Interrupt>) -> Result<u64, FeedError> {
    let mut rows = 0_u64;
    files.scan_all(OnError::Raise, interrupt, |_, chunks| {
        let (chunks, _) = chunks?;
        rows = chunks.iter().fold(rows, |rows, chunk| rows.saturating_add(chunk.rows));
        Ok(())
    })?;
    Ok(rows)
}

/// Statistics of a scan: the number of rows, and nothing about columns.
pub(crate) fn statistics(schema: &Schema, rows: Option<u64>, is_filtered: bool) -> Statistics {
    let rows = rows.and_then(|rows| usize::try_from(rows).ok());
    let statistics = Statistics::new_unknown(schema);
    match rows {
        Some(rows) if is_filtered => statistics.with_num_rows(Precision::Inexact(rows)),
        Some(rows) => statistics.with_num_rows(Precision::Exact(rows)),
        None => statistics,
    }
}
