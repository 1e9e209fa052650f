//! Lines of JSON to batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use arrowfeed_source::format::named_columns;
use arrowfeed_source::{FeedError, FeedErrorKind};

use super::integers::read_fields;
use crate::group::Slice;

/// Makes batches of the values of some keys.
#[derive(Debug, Clone)]
pub(crate) struct JsonParser {
    /// The columns that can be read.
    whole: SchemaRef,
    schema: SchemaRef,
    /// The same columns with the types in which they are read.
    read: SchemaRef,
    width: usize,
}

impl JsonParser {
    /// A parser of all columns of a schema.
    ///
    /// # Errors
    /// JSON has no values of the type of a column.
    pub(super) fn new(schema: SchemaRef) -> Result<Self, FeedError> {
        for field in schema.fields() {
            let alone = Self::of(schema.clone(), Arc::new(Schema::new(vec![field.clone()])));
            if let Err(error) = alone.decoder(1) {
                let expected = "expected a type whose values are JSON";
                let message = format!("{expected}, found {}: {error}", field.data_type());
                return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(field.name()));
            }
        }
        Ok(Self::of(schema.clone(), schema))
    }

    fn of(whole: SchemaRef, schema: SchemaRef) -> Self {
        let read = Schema::new(read_fields(schema.fields()));
        let width = read.flattened_fields().len();
        Self { whole, schema, read: Arc::new(read), width }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Fields of a record, nested ones included.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        let columns = named_columns(&self.whole, columns)?;
        let schema = self.whole.project(&columns).map_err(|error| {
            FeedError::new(FeedErrorKind::Internal, "expected columns of the schema").with_source(error)
        })?;
        Ok(Self::of(self.whole.clone(), Arc::new(schema)))
    }

    fn decoder(&self, rows: usize) -> Result<arrow_json::reader::Decoder, ArrowError> {
        // With room for one more row, the decoder looks at all bytes of the last line.
        let builder = ReaderBuilder::new(self.read.clone()).with_batch_size(rows + 1);
        builder.with_coerce_primitive(true).build_decoder()
    }

    /// The records as rows.
    pub(crate) fn parse(&self, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
        let mut decoder = self.decoder(records.len())?;
        for (row, line) in records.iter().enumerate() {
            let taken = decoder.decode(line)?;
            // Objects may go over several lines, and several may stand in one, for the decoder, and not in JSON lines.
            if taken != line.len() || decoder.len() != row + 1 || decoder.has_partial_record() {
                return Err(ArrowError::JsonError("no object for each line".to_owned()));
            }
        }
        let batch = decoder.flush()?.ok_or_else(|| ArrowError::JsonError("no record".to_owned()))?;
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(column, field)| of_type(column, field)).collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }

    /// Whether a record has a right value in a column.
    pub(super) fn takes(&self, record: Slice<'_>, column: &Arc<Field>) -> bool {
        let alone = Self::of(self.whole.clone(), Arc::new(Schema::new(vec![column.clone()])));
        alone.parse(record).is_ok()
    }
}

/// Texts of integers as integers.
fn of_type(column: &ArrayRef, field: &Field) -> Result<ArrayRef, ArrowError> {
    if column.data_type() == field.data_type() {
        return Ok(column.clone());
    }
    cast_with_options(column, field.data_type(), &CastOptions { safe: false, ..Default::default() })
}
