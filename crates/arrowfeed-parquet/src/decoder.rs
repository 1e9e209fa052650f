//! The rows of some row groups as batches.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrowfeed_source::format::{Claim, DecodeOptions, LocatedBatch, RowOrigin, Unit, UnitDecoder};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, OnError, Report, Skipped, thousands};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

use crate::bytes::{SourceBytes, guarded};
use crate::file::{ParquetFile, RowGroup};

/// Rows that are decoded at a time, at most: between two batches, the caller may want to stop.
const MOST_ROWS: u64 = 16_384;

/// Decodes one unit: row group after row group, each in one or two stretches, so that batches end where they should.
pub(crate) struct ParquetDecoder {
    file: Arc<ParquetFile>,
    on_error: OnError,
    batch_size: u64,
    groups: VecDeque<RowGroup>,
    /// Rows of the next row group that are another unit's.
    dropped: u64,
    /// Rows that are still to be kept.
    kept: u64,
    /// Rows until the batch ends, as the footer declares them.
    window_left: u64,
    current: Option<Stretch>,
    claim: Option<Claim>,
    ended: bool,
    report: Report,
}

/// Rows of a row group that are decoded with batches of one size.
struct Stretch {
    group: RowGroup,
    reader: ParquetRecordBatchReader,
    /// Rows of the row group before the next batch, and before the end of the stretch.
    row: u64,
    end: u64,
    /// Rows of the row group that are kept, up to this one.
    last: u64,
}

impl ParquetDecoder {
    pub(crate) fn new(
        file: Arc<ParquetFile>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Self {
        let groups = unit.runs.iter().flat_map(|run| file.groups_in(&run.range)).collect();
        let batch_size = options.batch_size as u64;
        Self {
            file,
            on_error: options.on_error,
            batch_size,
            groups,
            dropped: unit.dropped,
            kept: unit.kept,
            window_left: unit.first_batch.unwrap_or(batch_size).max(1),
            current: None,
            claim,
            ended: false,
            report: Report::default(),
        }
    }

    /// Begins the next row group. False: there is none.
    fn begin_group(&mut self, check: &Check<'_>) -> Result<bool, FeedError> {
        while self.kept > 0 {
            let Some(group) = self.groups.pop_front() else { break };
            if !self.claimed(&group)? {
                break;
            }
            let dropped = std::mem::take(&mut self.dropped).min(group.chunk.rows);
            let kept = (group.chunk.rows - dropped).min(self.kept);
            self.kept -= kept;
            // Which rows are left out must not depend on who reads which rows of a row group: all or none are.
            if self.on_error != OnError::Raise
                && let Err(error) = self.check_group(&group, check)
            {
                self.leave_out(&group, dropped, kept, error)?;
                continue;
            }
            if dropped == 0 {
                self.report.blocks += 1;
                self.report.bytes += group.bytes;
            }
            if kept > 0 {
                self.begin_stretch(group, dropped, dropped + kept)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn claimed(&mut self, group: &RowGroup) -> Result<bool, FeedError> {
        let Some(claim) = &mut self.claim else { return Ok(true) };
        claim(group.chunk.offset).map_err(|failure| {
            let message = format!("expected an answer to the claim of a block, found a failure: {failure}");
            FeedError::new(FeedErrorKind::Interrupted, message).with_source(failure)
        })
    }

    /// Decodes all rows of a row group to nowhere.
    fn check_group(&self, group: &RowGroup, check: &Check<'_>) -> Result<(), FeedError> {
        let mut stretch = self.stretch(*group, 0, group.chunk.rows, group.chunk.rows)?;
        while self.next_of(&mut stretch)?.is_some() {
            check.now()?;
        }
        Ok(())
    }

    /// Decodes the rows from `row` up to `last`: first up to the end of the batch that is not full, then whole batches.
    fn begin_stretch(&mut self, group: RowGroup, row: u64, last: u64) -> Result<(), FeedError> {
        let whole = self.window_left == self.batch_size;
        let end = if whole { last } else { last.min(row + self.window_left) };
        self.current = Some(self.stretch(group, row, end, last)?);
        self.pass(end - row);
        Ok(())
    }

    /// Moves the window by rows that were decoded, or left out.
    fn pass(&mut self, rows: u64) {
        if rows < self.window_left {
            self.window_left -= rows;
            return;
        }
        self.window_left = self.batch_size - (rows - self.window_left) % self.batch_size;
    }

    fn stretch(&self, group: RowGroup, row: u64, end: u64, last: u64) -> Result<Stretch, FeedError> {
        let size = self.batch_size.min(end - row).min(MOST_ROWS);
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let reader = self.guarded(&group, |file| {
            ParquetRecordBatchReaderBuilder::new_with_metadata(SourceBytes::new(file.file()), file.metadata())
                .with_row_groups(vec![number(group.chunk.number)])
                .with_projection(file.mask())
                .with_batch_size(number(size))
                .with_offset(number(row))
                .with_limit(number(end - row))
                .build()
        })?;
        Ok(Stretch { group, reader, row, end, last })
    }

    /// The next batch of the stretch; `None` at its end.
    fn next_of(&self, stretch: &mut Stretch) -> Result<Option<LocatedBatch>, FeedError> {
        let found = self.guarded(&stretch.group, |_| stretch.reader.next().transpose())?;
        let Some(batch) = found else {
            if stretch.row < stretch.end {
                let (expected, found) = (thousands(stretch.end), thousands(stretch.row));
                let message = format!("expected {expected} rows, as the footer says, found {found}");
                return Err(
                    self.located(&stretch.group, FeedError::new(FeedErrorKind::CorruptBlock, message))
                );
            }
            return Ok(None);
        };
        let (rows, before) = (batch.num_rows(), stretch.row);
        stretch.row += rows as u64;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let columns = self.file.order.iter().map(|at| batch.column(*at).clone()).collect();
        let batch = RecordBatch::try_new_with_options(self.file.schema.clone(), columns, &options);
        let batch = batch.map_err(|error| {
            let message = format!("expected the types of the schema: {error}");
            FeedError::new(FeedErrorKind::Internal, message)
        })?;
        let bytes = batch.get_array_memory_size();
        if bytes > self.file.limits.batch_bytes {
            let (most, found) = (thousands(self.file.limits.batch_bytes as u64), thousands(bytes as u64));
            let message =
                format!("expected {rows} rows to take at most {most} bytes, found {found}: ask for fewer");
            return Err(self.located(&stretch.group, FeedError::limit_reached("batch_bytes", message)));
        }
        let (chunk, offset) = (stretch.group.chunk.number, stretch.group.chunk.offset);
        Ok(Some(LocatedBatch { batch, origins: vec![RowOrigin { row: 0, chunk, offset, before }] }))
    }

    /// Runs the `parquet` crate on a row group.
    fn guarded<T, E: Into<ParquetError>>(
        &self,
        group: &RowGroup,
        work: impl FnOnce(&ParquetFile) -> Result<T, E>,
    ) -> Result<T, FeedError> {
        let found = guarded(FeedErrorKind::CorruptBlock, "a row group", || work(&self.file));
        found.map_err(|error| self.located(group, error))
    }

    fn located(&self, group: &RowGroup, error: FeedError) -> FeedError {
        let error = self.file.file().check_unchanged().err().unwrap_or(error);
        error.in_block(group.chunk.number, group.chunk.offset).in_file(self.file.name())
    }

    /// Leaves out a row group, of which this unit has `kept` rows after the first `dropped`. The unit that has its first row
    /// notes it.
    fn leave_out(
        &mut self,
        group: &RowGroup,
        dropped: u64,
        kept: u64,
        error: FeedError,
    ) -> Result<(), FeedError> {
        let system = matches!(error.kind(), FeedErrorKind::Io | FeedErrorKind::Changed);
        if self.on_error != OnError::SkipBlock || !error.is_of_the_file() || system {
            self.ended = true;
            return Err(error);
        }
        if dropped == 0 {
            self.report.skipped.push(Skipped {
                path: self.file.name().to_owned(),
                block: Some(group.chunk.number),
                offset: Some(group.chunk.offset),
                rows: Some(group.chunk.rows),
                error: error.to_string(),
            });
        }
        self.pass(kept);
        Ok(())
    }
}

impl UnitDecoder for ParquetDecoder {
    fn next(&mut self, check: &Check<'_>) -> Result<Option<LocatedBatch>, FeedError> {
        while !self.ended {
            check.now()?;
            let Some(mut stretch) = self.current.take() else {
                if !self.begin_group(check)? {
                    self.ended = true;
                    self.file.file().check_unchanged()?;
                }
                continue;
            };
            match self.next_of(&mut stretch) {
                Ok(Some(batch)) => {
                    self.current = Some(stretch);
                    return Ok(Some(batch));
                }
                Ok(None) if stretch.end < stretch.last => {
                    self.begin_stretch(stretch.group, stretch.end, stretch.last)?;
                }
                Ok(None) => {}
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    fn recycle(self: Box<Self>) {}
}
