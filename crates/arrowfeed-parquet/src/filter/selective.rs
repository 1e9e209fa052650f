//! The rows of a row group that pass. The columns of the predicate are decoded first, and then all columns of these rows.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::BooleanBufferBuilder;
use arrowfeed_source::format::{Chunk, ReadChunks, Selection};
use arrowfeed_source::{Check, FeedError, FeedErrorKind};
use parquet::arrow::arrow_reader::RowSelection;

use super::FileFilter;
use crate::bytes::{ReadFailure, SourceBytes};
use crate::file::ParquetFile;
use crate::rows::GroupRows;

/// Rows of a row group that are decoded at a time to evaluate the predicate.
const STEP: usize = 8192;

/// A file with a filter, of which only the rows that pass are read.
pub(crate) struct SelectiveFile(Arc<ParquetFile>);

/// The rows of a row group that are read: all, or those that pass.
pub(crate) struct SelectiveRows {
    selected: Option<Passing>,
    rows: Option<GroupRows>,
    /// Whether the last row that passes is read.
    reads_last: bool,
}

/// The rows that pass.
struct Passing {
    rows: RowSelection,
    count: u64,
    /// The error of the row after them.
    fault: Option<FeedError>,
}

impl SelectiveFile {
    /// Returns `None` if the file has no filter.
    pub(crate) fn new(file: Arc<ParquetFile>) -> Option<Self> {
        file.filter.is_some().then_some(Self(file))
    }
}

impl FileFilter {
    /// The rows of a row group that pass. `None`: statistics or bloom filters tell that there are none.
    fn select(&self, chunk: &Chunk, check: &Check<'_>) -> Result<Option<Passing>, FeedError> {
        let group = usize::try_from(chunk.number).unwrap_or(usize::MAX);
        if !self.may_pass(group) {
            return Ok(None);
        }
        let failure = ReadFailure::default();
        let bytes = SourceBytes::new(self.file.file(), failure.clone());
        let may_pass = self.may_pass_bloom_filters(&bytes, group);
        let pages = may_pass.then(|| self.rows_of_pages(&bytes, group)).flatten();
        // A damaged index is ignored, but not a failed read.
        if let Some(failed) = failure.take() {
            return Err(failed);
        }
        let rows = usize::try_from(chunk.rows).unwrap_or(usize::MAX);
        let pages = pages.map(|ranges| RowSelection::from_consecutive_ranges(ranges.into_iter(), rows));
        if !may_pass || pages.as_ref().is_some_and(|pages| !pages.selects_any()) {
            return Ok(None);
        }
        self.evaluate(chunk, pages, check).map(Some)
    }

    /// Decodes the columns of the predicate for all rows, or for those of some pages.
    fn evaluate(
        &self,
        chunk: &Chunk,
        pages: Option<RowSelection>,
        check: &Check<'_>,
    ) -> Result<Passing, FeedError> {
        let count = pages.as_ref().map_or(chunk.rows, |pages| pages.row_count() as u64);
        let total = usize::try_from(count).unwrap_or(usize::MAX);
        let mut rows = self.file.begin_selected(chunk, pages.as_ref(), 0..count, STEP.min(total))?;
        let mut passing = BooleanBufferBuilder::new(total);
        let fault = loop {
            check.now()?;
            match self.file.next(&mut rows) {
                Ok(Some(batch)) => {
                    let keeps = self.filter.predicate.keeps(&batch);
                    let keeps =
                        keeps.map_err(|error| FeedError::new(FeedErrorKind::Internal, error.to_string()))?;
                    passing.append_buffer(keeps.values());
                }
                Ok(None) => break None,
                Err(fault) => break Some(fault),
            }
        };
        if fault.is_none() && passing.len() != total {
            let (expected, found) = (total, passing.len());
            let message = format!("expected {expected} rows, as the file declares, found {found}");
            return Err(FeedError::new(FeedErrorKind::CorruptBlock, message));
        }
        passing.append_n(total.saturating_sub(passing.len()), false);
        let passing = passing.finish();
        let count = passing.count_set_bits() as u64;
        let passing = RowSelection::from_boolean_buffer(passing);
        let rows = pages.map_or(passing.clone(), |pages| pages.and_then(&passing));
        match fault {
            Some(fault) if count == 0 => Err(fault),
            fault => Ok(Passing { rows, count, fault }),
        }
    }
}

impl ReadChunks for SelectiveFile {
    type Rows = SelectiveRows;

    fn name(&self) -> &str {
        self.0.name()
    }

    fn chunks_in(&self, range: &Range<u64>) -> Vec<Chunk> {
        self.0.chunks_in(range)
    }

    fn chunk_bytes(&self, chunk: &Chunk) -> u64 {
        self.0.chunk_bytes(chunk)
    }

    fn batch_bytes(&self) -> usize {
        self.0.batch_bytes()
    }

    fn select(&self, chunk: &Chunk, check: &Check<'_>) -> Result<Option<Selection<Self::Rows>>, FeedError> {
        let Some(filter) = &self.0.filter else { return Ok(None) };
        let selected = filter.select(chunk, check)?;
        let rows = selected.as_ref().map_or(0, |selected| selected.count);
        let state = selected.map(|selected| SelectiveRows {
            selected: Some(selected),
            rows: None,
            reads_last: false,
        });
        Ok(Some(Selection { rows, state }))
    }

    /// Starts reading all rows.
    fn begin(&self, chunk: &Chunk, rows: Range<u64>, batch_size: usize) -> Result<Self::Rows, FeedError> {
        let rows = Some(self.0.begin(chunk, rows, batch_size)?);
        Ok(SelectiveRows { selected: None, rows, reads_last: false })
    }

    fn begin_reusing(
        &self,
        before: Self::Rows,
        chunk: &Chunk,
        rows: Range<u64>,
        batch_size: usize,
    ) -> Result<Self::Rows, FeedError> {
        let Some(selected) = before.selected else { return self.begin(chunk, rows, batch_size) };
        let reads_last = rows.end == selected.count;
        let rows = Some(self.0.begin_selected(chunk, Some(&selected.rows), rows, batch_size)?);
        Ok(SelectiveRows { selected: Some(selected), rows, reads_last })
    }

    fn next(&self, rows: &mut Self::Rows) -> Result<Option<RecordBatch>, FeedError> {
        let Some(reading) = &mut rows.rows else { return Ok(None) };
        let found = self.0.next(reading)?;
        let fault = rows.selected.as_mut().filter(|_| found.is_none() && rows.reads_last);
        match fault.and_then(|selected| selected.fault.take()) {
            Some(fault) => Err(fault),
            None => Ok(found),
        }
    }

    fn check_unchanged(&self) -> Result<(), FeedError> {
        self.0.check_unchanged()
    }
}
