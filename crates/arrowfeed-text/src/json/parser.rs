//! Conversion of JSON lines to batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Fields, Schema, SchemaRef};
use arrowfeed_source::format::project;
use arrowfeed_source::{FeedError, FeedErrorKind};
use memchr::memchr_iter;

use super::columns;
use super::tape::Tape;
use crate::group::Slice;

/// A parser of the values of selected keys into batches.
#[derive(Debug, Clone)]
pub(crate) struct JsonParser {
    /// The columns that can be read.
    whole: SchemaRef,
    schema: SchemaRef,
    /// Maximum number of lists and objects around a value.
    depth: usize,
    width: usize,
    /// Whether there are lists of structs. If so, each `{` of a record may be a row of all nested columns.
    has_lists_of_structs: bool,
}

impl JsonParser {
    /// Creates a parser of all columns of a schema. A value has at most `depth` lists and objects around it.
    ///
    /// # Errors
    /// JSON has no values of the type of a column.
    pub(super) fn new(schema: SchemaRef, depth: usize) -> Result<Self, FeedError> {
        for field in schema.fields() {
            if let Err(error) = columns::array(&Tape::default(), 0..0, field.data_type()) {
                let found = field.data_type();
                let message = format!("expected a type that JSON can represent, found {found}: {error}");
                return Err(FeedError::new(FeedErrorKind::Schema, message).in_field(field.name()));
            }
        }
        Ok(Self::of(schema.clone(), schema, depth))
    }

    fn of(whole: SchemaRef, schema: SchemaRef, depth: usize) -> Self {
        let width = schema.flattened_fields().len();
        let has_lists_of_structs = schema.fields().iter().any(|field| has_list_of_structs(field.data_type()));
        Self { whole, schema, depth, width, has_lists_of_structs }
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

    pub(crate) fn whole_schema(&self) -> &SchemaRef {
        &self.whole
    }

    pub(crate) fn with_columns(&self, columns: &[String]) -> Result<Self, FeedError> {
        let (schema, _) = project(&self.whole, columns)?;
        Ok(Self::of(self.whole.clone(), schema, self.depth))
    }

    /// Parses records into rows.
    pub(crate) fn parse(&self, records: Slice<'_>) -> Result<RecordBatch, ArrowError> {
        let tape = Tape::of(records, self.depth)
            .map_err(|_| ArrowError::JsonError("no JSON in each line".to_owned()))?;
        let rows = columns::objects(&tape, tape.rows().iter().copied(), self.schema.fields())?;
        if rows.null_count() > 0 {
            return Err(ArrowError::JsonError("no object in each line".to_owned()));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(self.schema.clone(), rows.columns().to_vec(), &options)
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether a record has valid values in these columns.
    pub(super) fn takes(&self, record: Slice<'_>, columns: Range<usize>) -> bool {
        self.some(columns).parse(record).is_ok()
    }

    /// Returns the parser with a range of its columns.
    fn some(&self, columns: Range<usize>) -> Self {
        let fields: Fields = self.schema.fields()[columns].to_vec().into();
        Self::of(self.whole.clone(), Arc::new(Schema::new(fields)), self.depth)
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
