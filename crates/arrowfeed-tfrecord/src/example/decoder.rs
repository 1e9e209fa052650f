//! Decoder of records into batches.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::FeedError;

use crate::feature::{Column, Fault, Feature, FeatureColumns, UnknownFeatures};
use crate::wire::{Fields, Value};

/// Decodes `tf.Example` messages into a batch.
///
/// A feature is null if the record does not have it, or has it without a list. An empty list stays an empty list.
///
/// ```
/// use arrowfeed_tfrecord::example::{ExampleDecoder, Feature, FeatureKind, UnknownFeatures};
///
/// let features = [Feature { name: "n".to_owned(), kind: FeatureKind::Int64 }];
/// let mut decoder = ExampleDecoder::new(&features, UnknownFeatures::Check)?;
/// // features { feature { key: "n" value { int64_list { value: 7 } } } }
/// decoder.push(b"\x0a\x0c\x0a\x0a\x0a\x01n\x12\x05\x1a\x03\x0a\x01\x07")?;
/// decoder.push(b"")?;
/// let batch = decoder.finish();
/// assert_eq!((batch.num_rows(), batch.column(0).null_count()), (2, 1));
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug)]
pub struct ExampleDecoder {
    schema: SchemaRef,
    columns: FeatureColumns<Column>,
    rows: usize,
}

impl ExampleDecoder {
    /// Creates a decoder whose batches have these columns.
    ///
    /// # Errors
    /// Two features have the same name.
    pub fn new(features: &[Feature], unknown: UnknownFeatures) -> Result<Self, FeedError> {
        let columns = FeatureColumns::new(features, unknown)?;
        let schema = Arc::new(Schema::new(columns.fields().collect::<Vec<_>>()));
        Ok(Self { schema, columns, rows: 0 })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Number of records in the current batch.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Decodes a record. After an error, the batch is unchanged.
    ///
    /// # Errors
    /// The bytes are not a valid message, or a feature has lists of another kind. The error names the row and the feature.
    pub fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        if let Err(fault) = self.read(record) {
            self.columns.clear(self.rows);
            return Err(self.columns.error(fault).in_record(self.rows as u64));
        }
        self.columns.close(self.rows);
        self.rows += 1;
        Ok(())
    }

    /// Takes all records since the last batch as a batch.
    pub fn finish(&mut self) -> RecordBatch {
        let columns = self.columns.finish().collect();
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .expect("the columns have the types of the schema, and as many rows")
    }

    fn read(&mut self, record: &[u8]) -> Result<(), Fault> {
        let mut fields = Fields::new(record);
        while let Some(field) = fields.next()? {
            if let (1, Value::Bytes(features)) = field {
                self.columns.read(features, self.rows)?;
            }
        }
        self.columns.check_kinds()
    }
}
