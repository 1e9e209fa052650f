//! Conversion of records to columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeBinaryArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::FeedError;
use arrowfeed_source::format::records::RowBuilder;

use crate::FeatureEncoding;
use crate::example::ExampleDecoder;
use crate::frame::{FOOTER, HEADER};
use crate::sequence_example::SequenceExampleDecoder;

/// Maximum number of column bytes per byte of a record: an integer has 8 bytes, and may have 1 byte on the wire.
const GROWTH: usize = 8;

/// Bytes of a row in a column without values: its offset and its validity.
const ROW_OVERHEAD: usize = 9;

/// The rows of the batch that is being built.
#[derive(Debug)]
pub struct RecordRows {
    columns: RecordColumns,
    encoding: FeatureEncoding,
    /// Upper bound of the memory that the batch takes, in bytes.
    bytes: usize,
}

/// The columns of the batch that is being built.
#[derive(Debug)]
pub(super) enum RecordColumns {
    /// Each record is a value.
    Raw(RawRecords),
    /// Each record is a `tf.Example` message.
    Example(ExampleDecoder),
    /// Each record is a `tf.SequenceExample` message. The schema has the order of the columns.
    SequenceExample(Box<SequenceExampleDecoder>, SchemaRef),
}

/// Concatenated raw records, or only their number.
#[derive(Debug)]
pub(super) struct RawRecords {
    /// The column of the records, or none.
    schema: SchemaRef,
    ends: Vec<i64>,
    data: Vec<u8>,
}

/// The schema of raw records, in a column of this name.
pub(super) fn raw_schema(column: &str) -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new(column, DataType::LargeBinary, false)]))
}

impl RawRecords {
    pub(super) fn new(schema: SchemaRef) -> Self {
        Self { schema, ends: vec![0], data: Vec::new() }
    }

    fn push(&mut self, record: &[u8]) {
        if !self.schema.fields().is_empty() {
            self.data.extend_from_slice(record);
        }
        self.ends.push(self.data.len() as i64);
    }

    fn finish(&mut self) -> RecordBatch {
        // The next batch probably needs the same capacity.
        let next = Self { data: Vec::with_capacity(self.data.len()), ..Self::new(self.schema.clone()) };
        let Self { schema, ends, data } = std::mem::replace(self, next);
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
        let values = LargeBinaryArray::new(ends, Buffer::from_vec(data), None);
        let options = RecordBatchOptions::new().with_row_count(Some(values.len()));
        let values: ArrayRef = Arc::new(values);
        let columns = schema.fields().iter().map(|_| values.clone()).collect();
        RecordBatch::try_new_with_options(schema, columns, &options)
            .expect("the column has the type of the schema")
    }
}

impl RecordColumns {
    /// Number of rows so far.
    fn len(&self) -> usize {
        match self {
            Self::Raw(records) => records.ends.len() - 1,
            Self::Example(decoder) => decoder.rows(),
            Self::SequenceExample(decoder, _) => decoder.rows(),
        }
    }

    /// Adds a record. After an error, the rows are unchanged.
    ///
    /// # Errors
    /// The record is not a valid message of its kind.
    #[inline]
    fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        match self {
            Self::Raw(records) => {
                records.push(record);
                Ok(())
            }
            Self::Example(decoder) => decoder.push(record),
            Self::SequenceExample(decoder, _) => decoder.push(record),
        }
    }

    /// Takes the rows as a batch, and starts an empty one.
    fn finish(&mut self) -> RecordBatch {
        match self {
            Self::Raw(records) => records.finish(),
            Self::Example(decoder) => decoder.finish(),
            Self::SequenceExample(decoder, schema) => in_order(&decoder.finish(), schema),
        }
    }

    /// Upper bound of the memory that a record takes, in bytes. `record` is its length with its frame.
    #[inline]
    fn most_bytes(&self, record: usize) -> usize {
        match self {
            Self::Raw(_) => record + ROW_OVERHEAD,
            Self::Example(decoder) => bytes_of(record, decoder.schema().fields().len()),
            Self::SequenceExample(decoder, _) => bytes_of(record, decoder.columns()),
        }
    }
}

impl RecordRows {
    pub(super) fn new(columns: RecordColumns, encoding: FeatureEncoding) -> Self {
        Self { columns, encoding, bytes: 0 }
    }
}

impl RowBuilder for RecordRows {
    #[inline]
    fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        self.columns.push(record)?;
        let bytes = self.columns.most_bytes(record.len() + HEADER + FOOTER);
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }

    #[inline]
    fn rows(&self) -> usize {
        self.columns.len()
    }

    #[inline]
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn finish(&mut self) -> Result<Option<RecordBatch>, FeedError> {
        self.bytes = 0;
        if self.columns.len() == 0 {
            return Ok(None);
        }
        self.encoding.encoded(self.columns.finish()).map(Some)
    }
}

/// Upper bound of the memory that a message takes in this number of columns, in bytes.
fn bytes_of(record: usize, columns: usize) -> usize {
    record.saturating_mul(GROWTH).saturating_add(columns * ROW_OVERHEAD)
}

/// Puts the columns of a batch in the order of a schema.
fn in_order(batch: &RecordBatch, schema: &SchemaRef) -> RecordBatch {
    let decoded = batch.schema_ref().fields().iter();
    let by_name: HashMap<&String, &ArrayRef> =
        decoded.map(|field| field.name()).zip(batch.columns()).collect();
    let columns = schema.fields().iter().filter_map(|field| by_name.get(field.name()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns.copied().cloned().collect(), &options)
        .expect("the schema has the columns of the decoder")
}
