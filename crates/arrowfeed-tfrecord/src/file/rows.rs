//! Records into columns.

use std::sync::Arc;

use arrow_array::{LargeBinaryArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::FeedError;

use crate::example::ExampleDecoder;
use crate::sequence_example::SequenceExampleDecoder;

/// Bytes of columns that a byte of a record may become, at most: an integer has 8, and a byte on the wire.
const GROWTH: usize = 8;

/// Bytes that a row takes in a column without values: where its values end, and whether it is null.
const BYTES_A_ROW: usize = 9;

/// The rows of a batch that is being filled.
#[derive(Debug)]
pub(super) enum Rows {
    /// A record is a value.
    Raw(Records),
    /// A record is a message of `tf.Example`.
    Example(ExampleDecoder),
    /// A record is a message of `tf.SequenceExample`. Columns come in the order of the schema.
    SequenceExample(Box<SequenceExampleDecoder>, SchemaRef),
}

/// Records one behind the other.
#[derive(Debug)]
pub(super) struct Records {
    schema: SchemaRef,
    ends: Vec<i64>,
    data: Vec<u8>,
}

/// The schema of records in a column of this name.
pub(super) fn raw_schema(column: &str) -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new(column, DataType::LargeBinary, false)]))
}

impl Records {
    pub(super) fn new(schema: SchemaRef) -> Self {
        Self { schema, ends: vec![0], data: Vec::new() }
    }

    fn push(&mut self, record: &[u8]) {
        self.data.extend_from_slice(record);
        self.ends.push(self.data.len() as i64);
    }

    fn finish(&mut self) -> RecordBatch {
        // The next batch is likely to have as much.
        let next = Self { data: Vec::with_capacity(self.data.len()), ..Self::new(self.schema.clone()) };
        let Self { schema, ends, data } = std::mem::replace(self, next);
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
        let values = LargeBinaryArray::new(ends, Buffer::from_vec(data), None);
        RecordBatch::try_new(schema, vec![Arc::new(values)]).expect("the column has the type of the schema")
    }
}

impl Rows {
    /// Rows so far.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Raw(records) => records.ends.len() - 1,
            Self::Example(decoder) => decoder.rows(),
            Self::SequenceExample(decoder, _) => decoder.rows(),
        }
    }

    /// Adds a record. After an error, the rows are as they were before.
    ///
    /// # Errors
    /// The record is no message of its kind.
    #[inline]
    pub(super) fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        match self {
            Self::Raw(records) => {
                records.push(record);
                Ok(())
            }
            Self::Example(decoder) => decoder.push(record),
            Self::SequenceExample(decoder, _) => decoder.push(record),
        }
    }

    /// The rows as a batch. The next ones begin an empty one.
    pub(super) fn finish(&mut self) -> RecordBatch {
        match self {
            Self::Raw(records) => records.finish(),
            Self::Example(decoder) => decoder.finish(),
            Self::SequenceExample(decoder, schema) => in_order(&decoder.finish(), schema),
        }
    }

    /// Bytes of memory that a record may take, at most.
    #[inline]
    pub(super) fn most_bytes(&self, record: usize) -> usize {
        match self {
            Self::Raw(_) => record + BYTES_A_ROW,
            Self::Example(decoder) => bytes_of(record, decoder.schema().fields().len()),
            Self::SequenceExample(decoder, _) => bytes_of(record, decoder.columns()),
        }
    }
}

/// Bytes of memory that a record of messages may take in so many columns, at most.
fn bytes_of(record: usize, columns: usize) -> usize {
    record.saturating_mul(GROWTH).saturating_add(columns * BYTES_A_ROW)
}

/// The columns of a batch in the order of a schema.
fn in_order(batch: &RecordBatch, schema: &SchemaRef) -> RecordBatch {
    let columns = schema.fields().iter().filter_map(|field| batch.column_by_name(field.name()).cloned());
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns.collect(), &options)
        .expect("the schema has the columns of the decoder")
}
