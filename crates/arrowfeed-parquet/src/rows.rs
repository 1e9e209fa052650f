//! Reading of the rows of a row group as batches.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrowfeed_source::FeedError;
use arrowfeed_source::format::{Chunk, ReadChunks};
use parquet::errors::ParquetError;

use crate::bytes::SourceBytes;
use crate::file::ParquetFile;
use crate::group_columns::{GroupReader, row_group};

/// The rows of a row group that are being read.
pub(crate) struct GroupRows {
    reader: GroupReader,
    /// The number of the next row in its row group.
    row: u64,
    /// The error of the next row, which ends the reading.
    fault: Option<FeedError>,
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
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (group, range) = (number(chunk.number), number(rows.start)..number(rows.end));
        let bytes = SourceBytes::new(self.file(), self.failure.clone());
        let reader = self.read.begin(bytes, self.metadata(), group, range, batch_size)?;
        Ok(GroupRows { reader, row: rows.start, fault: None })
    }

    fn next(&self, rows: &mut Self::Rows) -> Result<Option<RecordBatch>, FeedError> {
        if let Some(fault) = rows.fault.take() {
            return Err(fault);
        }
        let Some(read) = self.read.next(&mut rows.reader)? else { return Ok(None) };
        let made = row_group(|| Ok::<_, ParquetError>(self.columns.batch(&read, rows.row)))?;
        let (batch, fault) = made?;
        rows.row += batch.num_rows() as u64;
        match fault {
            Some(fault) if batch.num_rows() == 0 => Err(fault),
            fault => {
                rows.fault = fault;
                Ok(Some(batch))
            }
        }
    }

    fn check_unchanged(&self) -> Result<(), FeedError> {
        match self.failure.take() {
            Some(error) => Err(error.in_file(self.file().name())),
            None => self.file().check_unchanged(),
        }
    }
}
