//! From records to a batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::FeedError;

use crate::feature::{Column, Fault, Feature, FeatureColumns, Unlisted};
use crate::wire::{Fields, Value};

/// Decodes messages of `tf.Example` into a batch.
///
/// A feature that a record has not, or has without a list, is null. An empty list is an empty list.
///
/// ```
/// use arrowfeed_tfrecord::example::{ExampleDecoder, Feature, Kind, Unlisted};
///
/// let features = [Feature { name: "n".to_owned(), kind: Kind::Int64 }];
/// let mut decoder = ExampleDecoder::new(&features, Unlisted::Check)?;
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
    /// A decoder whose batches have these columns.
    ///
    /// # Errors
    /// Two features have one name.
    pub fn new(features: &[Feature], unlisted: Unlisted) -> Result<Self, FeedError> {
        let columns = FeatureColumns::new(features, unlisted)?;
        let schema = Arc::new(Schema::new(columns.fields().collect::<Vec<_>>()));
        Ok(Self { schema, columns, rows: 0 })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Records so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Decodes a record. After an error, the batch is as it was before.
    ///
    /// # Errors
    /// The bytes are no message, or a feature has lists of another kind. The error names the row and the feature.
    pub fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        if let Err(fault) = self.read(record) {
            self.columns.clear(self.rows);
            return Err(self.columns.error(fault).in_record(self.rows as u64));
        }
        self.columns.close(self.rows);
        self.rows += 1;
        Ok(())
    }

    /// The batch of all records since the last one.
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
