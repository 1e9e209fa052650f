//! The rows of a row group as batches.

use std::ops::Range;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrowfeed_source::format::{Chunk, ReadChunks};
use arrowfeed_source::{FeedError, FeedErrorKind};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

use crate::bytes::{SourceBytes, guarded};
use crate::file::ParquetFile;

impl ReadChunks for ParquetFile {
    type Rows = ParquetRecordBatchReader;

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
        row_group(|| {
            ParquetRecordBatchReaderBuilder::new_with_metadata(SourceBytes::new(self.file()), self.metadata())
                .with_row_groups(vec![number(chunk.number)])
                .with_projection(self.mask())
                .with_batch_size(batch_size)
                .with_offset(number(rows.start))
                .with_limit(number(rows.end - rows.start))
                .build()
        })
    }

    fn next(&self, rows: &mut Self::Rows) -> Result<Option<RecordBatch>, FeedError> {
        let Some(batch) = row_group(|| rows.next().transpose())? else { return Ok(None) };
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = self.order.iter().map(|at| batch.column(*at).clone()).collect();
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        batch.map(Some).map_err(|error| {
            let message = format!("expected the types of the schema: {error}");
            FeedError::new(FeedErrorKind::Internal, message)
        })
    }

    fn check_unchanged(&self) -> Result<(), FeedError> {
        self.file().check_unchanged()
    }
}

/// Runs the `parquet` crate on a row group.
fn row_group<T, E: Into<ParquetError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, FeedError> {
    guarded(FeedErrorKind::CorruptBlock, "a row group", work)
}
