//! Reads the columns of a row group: lists of numbers with [`number_lists`](crate::number_lists), all others with the
//! Arrow reader of the `parquet` crate.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use crate::bytes::{SourceBytes, guarded};
use crate::columns::{leaves, projected};
use crate::number_lists::{NumberListReader, NumberLists};

/// The columns that are read from a file.
#[derive(Debug)]
pub(crate) struct GroupColumns {
    /// All columns that are read, in the order of the file.
    schema: SchemaRef,
    /// Each column of lists of numbers, with its index in the schema.
    lists: Vec<(usize, NumberLists)>,
    /// The leaves of the other columns, which the Arrow reader of the `parquet` crate reads.
    others: ProjectionMask,
}

impl GroupColumns {
    /// The columns of a file with the schema `whole` that contain some of the leaves `read`, which ascend.
    pub(crate) fn new(whole: &Schema, read: &[usize], metadata: &ArrowReaderMetadata) -> Self {
        let file = metadata.parquet_schema();
        let (mut lists, mut others) = (Vec::new(), Vec::new());
        let (mut column, mut leaf) = (0, 0);
        for field in whole.fields() {
            let first = leaf;
            leaf += leaves(field.data_type());
            let end = |leaf| read.partition_point(|wanted| *wanted < leaf);
            let wanted = &read[end(first)..end(leaf)];
            if wanted.is_empty() {
                continue;
            }
            let of_numbers = (leaf - first == 1).then(|| NumberLists::new(field, first, &file.column(first)));
            match of_numbers.flatten() {
                Some(of_numbers) => lists.push((column, of_numbers)),
                None => others.extend_from_slice(wanted),
            }
            column += 1;
        }
        let schema = Arc::new(Schema::new(projected(whole.fields(), read, 0)));
        Self { schema, lists, others: ProjectionMask::leaves(file, others) }
    }

    /// Starts reading rows of a row group.
    ///
    /// # Errors
    /// The row group cannot be read.
    pub(crate) fn begin(
        &self,
        bytes: SourceBytes,
        metadata: &ArrowReaderMetadata,
        group: usize,
        rows: Range<usize>,
        batch_size: usize,
    ) -> Result<GroupReader, FeedError> {
        let others = match self.lists.len() < self.schema.fields().len() || self.lists.is_empty() {
            true => Some(row_group(|| {
                ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone())
                    .with_row_groups(vec![group])
                    .with_projection(self.others.clone())
                    .with_batch_size(batch_size)
                    .with_offset(rows.start)
                    .with_limit(rows.len())
                    .build()
            })?),
            false => None,
        };
        let bytes = Arc::new(bytes);
        let lists = self.lists.iter().map(|(column, lists)| {
            let reader = row_group(|| lists.begin(&bytes, metadata.metadata(), group, rows.start));
            reader.map_err(|error| error.in_field(self.schema.field(*column).name()))
        });
        let lists = lists.collect::<Result<_, _>>()?;
        Ok(GroupReader { others, lists, batch_size, left: rows.len() })
    }

    /// The next batch; `None` after the last row.
    ///
    /// # Errors
    /// The row group cannot be read.
    pub(crate) fn next(&self, reader: &mut GroupReader) -> Result<Option<RecordBatch>, FeedError> {
        let others = match &mut reader.others {
            Some(others) => match row_group(|| others.next().transpose())? {
                Some(others) if self.lists.is_empty() => return Ok(Some(others)),
                Some(others) => Some(others),
                None => return Ok(None),
            },
            None => None,
        };
        let rows = others.as_ref().map_or(reader.batch_size.min(reader.left), RecordBatch::num_rows);
        if rows == 0 {
            return Ok(None);
        }
        let mut others = others.iter().flat_map(RecordBatch::columns).cloned();
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        for ((column, _), reader) in self.lists.iter().zip(&mut reader.lists) {
            columns.extend(others.by_ref().take(*column - columns.len()));
            let made = row_group(|| reader.next(rows));
            columns.push(made.map_err(|error| error.in_field(self.schema.field(*column).name()))?);
        }
        columns.extend(others);
        reader.left -= rows;
        let batch = row_group(|| RecordBatch::try_new(self.schema.clone(), columns))?;
        Ok(Some(batch))
    }
}

/// The rows of a row group that are being read.
pub(crate) struct GroupReader {
    /// `None`: all columns are lists of numbers.
    others: Option<ParquetRecordBatchReader>,
    lists: Vec<NumberListReader>,
    batch_size: usize,
    /// Number of remaining rows.
    left: usize,
}

/// Runs the `parquet` crate on a row group.
pub(crate) fn row_group<T, E: Into<ParquetError>>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, FeedError> {
    guarded(FeedErrorKind::CorruptBlock, "a row group", work)
}
