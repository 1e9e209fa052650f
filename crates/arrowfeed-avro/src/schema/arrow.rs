//! The Arrow schema of an Avro schema, derived without a file.

use arrow_schema::SchemaRef;
use arrowfeed_source::FeedError;

use super::AvroSchema;
use crate::ReadOptions;
use crate::plan::DecodePlan;

impl AvroSchema {
    /// The schema of the batches that a reader with these options returns for a file with this schema.
    ///
    /// ```
    /// use arrowfeed_avro::{AvroSchema, ReadOptions};
    /// let schema = AvroSchema::parse(r#"{"type": "array", "items": "int"}"#)?;
    /// assert_eq!(schema.arrow_schema(&ReadOptions::default())?.field(0).name(), "value");
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    ///
    /// # Errors
    /// The options do not allow a plan, or a type is recursive.
    pub fn arrow_schema(&self, options: &ReadOptions) -> Result<SchemaRef, FeedError> {
        Ok(DecodePlan::compile(self, options)?.schema().clone())
    }
}
