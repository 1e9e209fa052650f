//! Reads the columns of a row group: lists of numbers with [`number_lists`](crate::number_lists), all others with the
//! Arrow reader of the `parquet` crate.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::errors::ParquetError;

use crate::bytes::{SourceBytes, guarded};
use crate::columns::{leaves, projected};
use crate::int96::joined;
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
    /// Columns with timestamps of INT96, which are read again.
    int96: Option<Int96Columns>,
}

#[derive(Debug)]
struct Int96Columns {
    /// The indexes of the columns in the schema.
    columns: Vec<usize>,
    leaves: ProjectionMask,
    /// The metadata for reading in seconds.
    seconds: ArrowReaderMetadata,
}

impl GroupColumns {
    /// The columns of a file with the schema `whole` that contain some of the leaves `read`, which ascend. `int96`: which of
    /// the leaves have this type, and the metadata for reading in seconds.
    pub(crate) fn new(
        whole: &Schema,
        read: &[usize],
        metadata: &ArrowReaderMetadata,
        int96: Option<(&[bool], &ArrowReaderMetadata)>,
    ) -> Self {
        let file = metadata.parquet_schema();
        let (mut lists, mut others) = (Vec::new(), Vec::new());
        let (mut again, mut leaves_again) = (Vec::new(), Vec::new());
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
            if int96.is_some_and(|(is_int96, _)| wanted.iter().any(|leaf| is_int96.get(*leaf) == Some(&true)))
            {
                again.push(column);
                leaves_again.extend_from_slice(wanted);
            }
            column += 1;
        }
        let schema = Arc::new(Schema::new(projected(whole.fields(), read, 0)));
        let int96 = int96.filter(|_| !again.is_empty()).map(|(_, seconds)| Int96Columns {
            columns: again,
            leaves: ProjectionMask::leaves(file, leaves_again),
            seconds: seconds.clone(),
        });
        Self { schema, lists, others: ProjectionMask::leaves(file, others), int96 }
    }

    /// All columns that are read, in the order of the file.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Starts reading rows of a row group, or of the `selected` ones, by their numbers among these.
    ///
    /// # Errors
    /// The row group cannot be read.
    pub(crate) fn begin(
        &self,
        (bytes, metadata): (SourceBytes, &ArrowReaderMetadata),
        group: usize,
        selected: Option<&RowSelection>,
        rows: Range<usize>,
        batch_size: usize,
    ) -> Result<GroupReader, FeedError> {
        let reader = |metadata: &ArrowReaderMetadata, leaves: &ProjectionMask| {
            row_group(|| {
                let all = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone());
                let selecting = match selected {
                    Some(selected) => all.with_row_selection(selected.clone()),
                    None => all,
                };
                selecting
                    .with_row_groups(vec![group])
                    .with_projection(leaves.clone())
                    .with_batch_size(batch_size)
                    .with_offset(rows.start)
                    .with_limit(rows.len())
                    .build()
            })
        };
        let others = match self.lists.len() < self.schema.fields().len() || self.lists.is_empty() {
            true => Some(reader(metadata, &self.others)?),
            false => None,
        };
        let again = self.int96.as_ref().map(|int96| reader(&int96.seconds, &int96.leaves)).transpose()?;
        let bytes = Arc::new(bytes);
        let lists = self.lists.iter().map(|(column, lists)| {
            let reader = row_group(|| lists.begin(&bytes, metadata.metadata(), group, selected, rows.start));
            reader.map_err(|error| error.in_field(self.schema.field(*column).name()))
        });
        let lists = lists.collect::<Result<_, _>>()?;
        Ok(GroupReader { others, again, lists, batch_size, left: rows.len() })
    }

    /// The next batch; `None` after the last row.
    ///
    /// # Errors
    /// The row group cannot be read.
    pub(crate) fn next(&self, reader: &mut GroupReader) -> Result<Option<RecordBatch>, FeedError> {
        let others = match &mut reader.others {
            Some(others) => match row_group(|| others.next().transpose())? {
                Some(others) if self.lists.is_empty() && self.int96.is_none() => return Ok(Some(others)),
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
        if let (Some(int96), Some(again)) = (&self.int96, &mut reader.again) {
            let again = row_group(|| again.next().transpose())?;
            let again = again.iter().flat_map(RecordBatch::columns);
            for (column, seconds) in int96.columns.iter().zip(again) {
                let field = self.schema.field(*column);
                let made = row_group(|| joined(seconds, &columns[*column], field.data_type()));
                columns[*column] = made.map_err(|error| error.in_field(field.name()))?;
            }
        }
        reader.left -= rows;
        let batch = row_group(|| RecordBatch::try_new(self.schema.clone(), columns))?;
        Ok(Some(batch))
    }
}

/// The rows of a row group that are being read.
pub(crate) struct GroupReader {
    /// `None`: all columns are lists of numbers.
    others: Option<ParquetRecordBatchReader>,
    /// The columns with timestamps of INT96 in seconds.
    again: Option<ParquetRecordBatchReader>,
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
