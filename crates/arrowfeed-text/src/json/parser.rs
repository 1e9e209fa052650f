//! Conversion of JSON lines to batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use arrowfeed_source::format::named_columns;
use arrowfeed_source::{FeedError, FeedErrorKind};
use memchr::memchr_iter;

use super::integers::read_fields;
use crate::group::{Slice, first_wrong};

/// A parser of the values of selected keys into batches.
#[derive(Debug, Clone)]
pub(crate) struct JsonParser {
    /// The columns that can be read.
    whole: SchemaRef,
    schema: SchemaRef,
    /// The columns of `schema` with the types with which they are read.
    read: SchemaRef,
    width: usize,
    /// Whether there are lists of structs. If so, each `{` of a record may be a row of all nested columns.
    has_lists_of_structs: bool,
}

impl JsonParser {
    /// Creates a parser of all columns of a schema.
    ///
    /// # Errors
    /// JSON has no values of the type of a column.
    pub(super) fn new(schema: SchemaRef) -> Result<Self, FeedError> {
        let parser = Self::of(schema.clone(), schema);
        let takes = |columns| parser.some(columns).decoder(1).is_ok();
        let Some(wrong) = first_wrong(parser.schema.fields().len(), takes) else { return Ok(parser) };
        let field = parser.schema.field(wrong);
        let error = parser.some(wrong..wrong + 1).decoder(1).err();
        let error = error.map_or(String::new(), |error| format!(": {error}"));
        let message = format!("expected a type that JSON can represent, found {}{error}", field.data_type());
        Err(FeedError::new(FeedErrorKind::Schema, message).in_field(field.name()))
    }

    fn of(whole: SchemaRef, schema: SchemaRef) -> Self {
        let read = Schema::new(read_fields(schema.fields()));
        let width = read.flattened_fields().len();
        let has_lists_of_structs = read.fields().iter().any(|field| has_list_of_structs(field.data_type()));
        Self { whole, schema, read: Arc::new(read), width, has_lists_of_structs }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Number of fields of a record, including nested fields.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Maximum number of rows of any column that a record may become.
    pub(crate) fn most_rows(&self, record: &[u8]) -> usize {
        if self.has_lists_of_structs { memchr_iter(b'{', record).count() } else { 1 }
    }

    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        let columns = named_columns(&self.whole, columns)?;
        let schema = self.whole.project(&columns).map_err(|error| {
            FeedError::new(FeedErrorKind::Internal, "expected columns of the schema").with_source(error)
        })?;
        Ok(Self::of(self.whole.clone(), Arc::new(schema)))
    }

    fn decoder(&self, rows: usize) -> Result<arrow_json::reader::Decoder, ArrowError> {
        // With room for one more row, the decoder reads all bytes of the last line.
        let builder = ReaderBuilder::new(self.read.clone()).with_batch_size(rows + 1);
        builder.with_coerce_primitive(true).build_decoder()
    }

    /// Parses records into rows.
    pub(crate) fn parse(&self, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
        let mut decoder = self.decoder(records.len())?;
        for (row, line) in records.iter().enumerate() {
            let taken = decoder.decode(line)?;
            // The decoder accepts objects that span lines, and several objects in a line. JSON Lines does not.
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

    /// Whether a record has valid values in these columns.
    pub(super) fn takes(&self, record: Slice<'_>, columns: Range<usize>) -> bool {
        self.some(columns).parse(record).is_ok()
    }

    /// Returns the parser with a range of its columns.
    fn some(&self, columns: Range<usize>) -> Self {
        let fields: Fields = self.schema.fields()[columns].to_vec().into();
        Self::of(self.whole.clone(), Arc::new(Schema::new(fields)))
    }
}

fn has_list_of_structs(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            item.data_type().is_nested()
        }
        DataType::Map(..) => true,
        DataType::Struct(fields) => fields.iter().any(|field| has_list_of_structs(field.data_type())),
        _ => false,
    }
}

/// Casts text to integers in columns that were read as text.
fn of_type(column: &ArrayRef, field: &Field) -> Result<ArrayRef, ArrowError> {
    if column.data_type() == field.data_type() {
        return Ok(column.clone());
    }
    cast_with_options(column, field.data_type(), &CastOptions { safe: false, ..Default::default() })
}
