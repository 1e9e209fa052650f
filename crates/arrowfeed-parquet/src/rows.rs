//! Reading of the rows of a row group as batches.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrowfeed_source::format::{Chunk, ReadChunks, check_values};
use arrowfeed_source::{FeedError, FeedErrorKind};
use parquet::arrow::arrow_reader::RowSelection;
use parquet::errors::ParquetError;

use crate::bytes::{ReadFailure, SourceBytes};
use crate::file::ParquetFile;
use crate::group_columns::{GroupReader, row_group};
use crate::row_size::{divided, fewer_rows, first_step};

/// The rows of a row group that are being read.
pub(crate) struct GroupRows {
    group: usize,
    reader: GroupReader,
    failure: ReadFailure,
    /// `None`: all rows of the row group.
    selected: Option<RowSelection>,
    /// The rows that are not read yet, by their numbers in the row group, or among the selected ones.
    unread: Range<usize>,
    /// Number of rows that are read at a time: at most `batch_size`, and fewer if rows are long.
    step: usize,
    batch_size: usize,
    /// Number of rows until the current batch ends.
    window_left: usize,
    /// Rows that were read and belong to later batches.
    rest: Option<RecordBatch>,
    /// The error of the row after those that were read, which ends the reading.
    fault: Option<FeedError>,
}

/// The result of one read.
enum Read {
    Rows(RecordBatch, Option<FeedError>),
    /// The rows take more than `batch_bytes`. At most so many should be read at a time.
    TooLarge(usize),
    End,
}

impl ParquetFile {
    /// Starts reading rows of a row group, or of the selected ones, `step` at a time.
    fn reader(
        &self,
        group: usize,
        selected: Option<&RowSelection>,
        rows: Range<usize>,
        step: usize,
        failure: &ReadFailure,
    ) -> Result<GroupReader, FeedError> {
        let bytes = SourceBytes::new(self.file(), failure.clone());
        let reader = self.read.begin((bytes, self.metadata()), group, selected, rows, step);
        reader.map_err(|error| self.cause(error, failure))
    }

    /// Like [`begin`](ReadChunks::begin), for rows of those that are selected.
    pub(crate) fn begin_selected(
        &self,
        chunk: &Chunk,
        selected: Option<&RowSelection>,
        rows: Range<u64>,
        batch_size: usize,
    ) -> Result<GroupRows, FeedError> {
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (group, unread) = (number(chunk.number), number(rows.start)..number(rows.end));
        let metadata = self.metadata().metadata().row_group(group);
        let most = first_step(metadata, &self.columns.leaves, self.file().len(), self.limits.batch_bytes);
        let (step, failure) = (divided(batch_size, most), ReadFailure::default());
        let reader = self.reader(group, selected, unread.clone(), step, &failure)?;
        Ok(GroupRows {
            group,
            reader,
            failure,
            selected: selected.cloned(),
            unread,
            step,
            batch_size,
            window_left: batch_size,
            rest: None,
            fault: None,
        })
    }

    /// Returns the cause of an error: a failed read, a change of the file, or the error itself.
    pub(crate) fn cause(&self, error: FeedError, failure: &ReadFailure) -> FeedError {
        if let Some(failed) = failure.take() {
            return failed;
        }
        match error.kind() {
            FeedErrorKind::CorruptBlock | FeedErrorKind::Truncated => {
                self.check_footer().err().unwrap_or(error)
            }
            _ => error,
        }
    }

    /// Reads the next rows, and fewer of them as long as they take more than `batch_bytes`.
    fn read_rows(&self, rows: &mut GroupRows) -> Result<Option<RecordBatch>, FeedError> {
        loop {
            let step = match self.read_step(rows) {
                Ok(Read::Rows(batch, fault)) => {
                    rows.unread.start += batch.num_rows();
                    rows.fault = fault;
                    return Ok(Some(batch));
                }
                Ok(Read::End) => return Ok(None),
                Ok(Read::TooLarge(step)) => step,
                Err(error) if error.limit().is_some() && rows.step > 1 => rows.step / 2,
                Err(error) => return Err(self.cause(error, &rows.failure)),
            };
            rows.step = divided(rows.batch_size, step);
            let (selected, unread) = (rows.selected.as_ref(), rows.unread.clone());
            rows.reader = self.reader(rows.group, selected, unread, rows.step, &rows.failure)?;
        }
    }

    fn read_step(&self, rows: &mut GroupRows) -> Result<Read, FeedError> {
        let Some(read) = self.read.next(&mut rows.reader)? else { return Ok(Read::End) };
        if let Some(step) = fewer_rows(&read, self.limits.batch_bytes) {
            return Ok(Read::TooLarge(step));
        }
        for (field, column) in read.schema_ref().fields().iter().zip(read.columns()) {
            check_values(column, field.name())?;
        }
        let number = |row| match &rows.selected {
            None => rows.unread.start + row,
            Some(selected) => selected_row(selected, rows.unread.start + row),
        };
        let made = row_group(|| Ok::<_, ParquetError>(self.columns.batch(&read, number)))?;
        let (batch, fault) = made?;
        Ok(match (fewer_rows(&batch, self.limits.batch_bytes), fault) {
            (Some(step), _) => Read::TooLarge(step),
            (None, Some(fault)) if batch.num_rows() == 0 => return Err(fault),
            (None, fault) => Read::Rows(batch, fault),
        })
    }
}

/// The number in its row group of the selected row with this number.
fn selected_row(selected: &RowSelection, number: usize) -> usize {
    let (mut row, mut left) = (0, number);
    for run in selected.iter() {
        if !run.skip && left < run.row_count {
            return row + left;
        }
        row += run.row_count;
        left -= if run.skip { 0 } else { run.row_count };
    }
    row
}

impl ReadChunks for ParquetFile {
    type Rows = GroupRows;

    fn name(&self) -> &str {
        self.file().name()
    }

    fn chunks_in(&self, range: &Range<u64>) -> Vec<Chunk> {
        self.groups.starting_in(range).to_vec()
    }

    fn chunk_bytes(&self, chunk: &Chunk) -> u64 {
        usize::try_from(chunk.number).ok().and_then(|at| self.group_bytes.get(at)).copied().unwrap_or(0)
    }

    fn batch_bytes(&self) -> usize {
        self.limits.batch_bytes
    }

    fn begin(&self, chunk: &Chunk, rows: Range<u64>, batch_size: usize) -> Result<Self::Rows, FeedError> {
        self.begin_selected(chunk, None, rows, batch_size)
    }

    fn next(&self, rows: &mut Self::Rows) -> Result<Option<RecordBatch>, FeedError> {
        let read = match (rows.rest.take(), rows.fault.take()) {
            (Some(rest), fault) => {
                rows.fault = fault;
                Some(rest)
            }
            (None, Some(fault)) => return Err(fault),
            (None, None) => self.read_rows(rows)?,
        };
        let Some(read) = read else { return Ok(None) };
        let (found, n) = (read.num_rows(), read.num_rows().min(rows.window_left));
        rows.window_left = if n < rows.window_left { rows.window_left - n } else { rows.batch_size };
        rows.rest = (n < found).then(|| read.slice(n, found - n));
        Ok(Some(if n < found { read.slice(0, n) } else { read }))
    }

    fn check_unchanged(&self) -> Result<(), FeedError> {
        self.file().check_unchanged()
    }
}
