//! The Arrow schema of an Avro schema, derived without a file.

use arrow_schema::SchemaRef;
use arrowfeed_source::FeedError;

use super::AvroSchema;
use crate::AvroOptions;
use crate::plan::DecodePlan;

impl AvroSchema {
    /// The schema of the batches that a reader with these options returns for a file with this schema.
    ///
    /// ```
    /// use arrowfeed_avro::{AvroSchema, AvroOptions};
    /// let schema = AvroSchema::parse(r#"{"type": "array", "items": "int"}"#)?;
    /// assert_eq!(schema.arrow_schema(&AvroOptions::default())?.field(0).name(), "value");
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    ///
    /// # Errors
    /// The options do not allow a plan, or a type is recursive.
    pub fn arrow_schema(&self, options: &AvroOptions) -> Result<SchemaRef, FeedError> {
        Ok(DecodePlan::compile(self, options)?.schema().clone())
    }

    /// Like [`arrow_schema`](Self::arrow_schema) for options without `columns`, but recursive types are no error: their
    /// columns are the last ones, and have the type List of Null. A reader cannot read such a column as a whole.
    ///
    /// ```
    /// use arrowfeed_avro::{AvroSchema, AvroOptions};
    /// let schema = AvroSchema::parse(
    ///     r#"{"type": "record", "name": "List", "fields": [
    ///         {"name": "tail", "type": ["null", "List"]}, {"name": "head", "type": "int"}]}"#,
    /// )?;
    /// let columns = schema.arrow_schema_of_all(&AvroOptions::default())?;
    /// let columns = columns.fields().iter().map(|field| format!("{} {}", field.name(), field.data_type()));
    /// assert!(columns.eq(["head Int32", "tail List(Null)"]));
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    ///
    /// # Errors
    /// The options do not allow a plan for another reason.
    pub fn arrow_schema_of_all(&self, options: &AvroOptions) -> Result<SchemaRef, FeedError> {
        DecodePlan::schema_of_all(self, options)
    }
}
