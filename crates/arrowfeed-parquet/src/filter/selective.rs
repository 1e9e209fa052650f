//! The rows of a row group that pass.
//!
//! If few rows pass, the columns of the predicate are decoded first, and then all columns of the rows that pass. Otherwise all
//! columns are decoded at once, which also finds damage in rows that do not pass. The first rows of a row group decide: so the
//! result depends on the file only.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_buffer::BooleanBufferBuilder;
use arrowfeed_predicate::CompiledPredicate;
use arrowfeed_source::format::{Chunk, ReadChunks, Selection, predicate_error};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, copy_error};
use parquet::arrow::arrow_reader::RowSelection;

use super::FileFilter;
use crate::bytes::{ReadFailure, SourceBytes};
use crate::file::ParquetFile;
use crate::rows::GroupRows;

/// Rows that are decoded at a time to evaluate the predicate.
const STEP: usize = 8192;

/// All columns are decoded at once if at least one of so many rows passes.
const FEW: usize = 5;

/// A file with a filter, of which only the rows that pass are read.
pub(crate) struct SelectiveFile(Arc<ParquetFile>);

/// The rows of a row group that are being read.
pub(crate) struct SelectiveRows {
    rows: GroupRows,
    kind: Kind,
}

enum Kind {
    /// All rows, whether they pass or not.
    All,
    /// All rows that may pass, which are filtered.
    Filtered,
    /// The rows that pass, before the row with this error.
    Passing(Option<FeedError>),
}

impl SelectiveFile {
    /// Returns `None` if the file has no filter.
    pub(crate) fn new(file: Arc<ParquetFile>) -> Option<Self> {
        file.filter.is_some().then_some(Self(file))
    }
}

impl FileFilter {
    /// The pages of a row group that may have a row that passes. `None`: statistics, bloom filters or the page index tell that
    /// there are none. `Some(None)`: all.
    fn pages(&self, chunk: &Chunk) -> Result<Option<Option<RowSelection>>, FeedError> {
        if !self.may_pass(chunk) {
            return Ok(None);
        }
        let group = usize::try_from(chunk.number).unwrap_or(usize::MAX);
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
        let any = may_pass && pages.as_ref().is_none_or(RowSelection::selects_any);
        Ok(any.then_some(pages))
    }

    /// Decodes the columns of the predicate. Returns the rows that pass, and the error of the row after them. `None`: many of the
    /// first rows pass.
    fn passing(
        &self,
        chunk: &Chunk,
        pages: Option<&RowSelection>,
        check: &Check<'_>,
    ) -> Result<Option<(RowSelection, Option<FeedError>)>, FeedError> {
        let count = count(chunk, pages);
        let total = usize::try_from(count).unwrap_or(usize::MAX);
        let mut rows = self.file.begin_selected(chunk, pages, 0..count, STEP.min(total))?;
        let (mut passing, mut passed) = (BooleanBufferBuilder::new(total), 0);
        let fault = loop {
            check.now()?;
            match self.file.next(&mut rows) {
                Ok(Some(batch)) => {
                    let keeps = keeps(&self.filter.of_columns, &batch)?;
                    passed += keeps.true_count();
                    let is_first = passing.is_empty();
                    passing.append_buffer(keeps.values());
                    if is_first && passed * FEW > passing.len() {
                        return Ok(None);
                    }
                }
                Ok(None) => break None,
                Err(fault) => break Some(fault),
            }
        };
        if fault.is_none() && passing.len() != total {
            let message = format!("expected {total} rows, as the file declares, found {}", passing.len());
            return Err(FeedError::new(FeedErrorKind::CorruptBlock, message));
        }
        passing.append_n(total.saturating_sub(passing.len()), false);
        let passing = RowSelection::from_boolean_buffer(passing.finish());
        Ok(Some((pages.map_or(passing.clone(), |pages| pages.and_then(&passing)), fault)))
    }
}

/// The number of rows of a row group, or of some pages of it.
fn count(chunk: &Chunk, pages: Option<&RowSelection>) -> u64 {
    pages.map_or(chunk.rows, |pages| pages.row_count() as u64)
}

/// The rows that pass.
fn keeps(predicate: &CompiledPredicate, batch: &RecordBatch) -> Result<BooleanArray, FeedError> {
    predicate.keeps(batch).map_err(|error| predicate_error(FeedErrorKind::Internal, &error))
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

    fn select(
        &self,
        chunk: &Chunk,
        batch_size: usize,
        check: &Check<'_>,
    ) -> Result<Selection<Self::Rows>, FeedError> {
        let Some(filter) = &self.0.filter else { return Ok(Selection::All) };
        let Some(pages) = filter.pages(chunk)? else { return Ok(Selection::Nothing) };
        let begin = |selected: Option<&RowSelection>| {
            if selected.is_none_or(RowSelection::selects_any) {
                self.0.file().source().announce(&self.0.ranges(chunk));
            }
            let count = count(chunk, selected);
            let size = batch_size.min(usize::try_from(count).unwrap_or(usize::MAX)).max(1);
            self.0.begin_selected(chunk, selected, 0..count, size)
        };
        let has_others = filter.file.columns.leaves.len() < self.0.columns.leaves.len();
        let passing = if has_others { filter.passing(chunk, pages.as_ref(), check)? } else { None };
        let (rows, kind) = match passing {
            Some((passing, fault)) => (begin(Some(&passing))?, Kind::Passing(fault)),
            None => (begin(pages.as_ref())?, Kind::Filtered),
        };
        Ok(Selection::Passing(SelectiveRows { rows, kind }))
    }

    /// Starts reading rows, whether they pass or not.
    fn begin(&self, chunk: &Chunk, rows: Range<u64>, batch_size: usize) -> Result<Self::Rows, FeedError> {
        self.0.file().source().announce(&self.0.ranges(chunk));
        Ok(SelectiveRows { rows: self.0.begin(chunk, rows, batch_size)?, kind: Kind::All })
    }

    fn next(&self, rows: &mut Self::Rows) -> Result<Option<RecordBatch>, FeedError> {
        let found = self.0.next(&mut rows.rows)?;
        match (&mut rows.kind, found, &self.0.filter) {
            (Kind::Passing(fault), None, _) => fault.take().map_or(Ok(None), Err),
            (Kind::Filtered, Some(batch), Some(filter)) => {
                let keeps = keeps(&filter.filter.of_all, &batch)?;
                let passing = arrowfeed_select::filter_batch(&batch, &keeps);
                passing.map(Some).map_err(|error| {
                    let message = error.to_string();
                    copy_error(error, || FeedError::new(FeedErrorKind::Internal, message))
                })
            }
            (_, found, _) => Ok(found),
        }
    }

    fn check_unchanged(&self) -> Result<(), FeedError> {
        self.0.check_unchanged()
    }
}
