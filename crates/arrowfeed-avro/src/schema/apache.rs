//! Schemas of the crate apache-avro.

use arrowfeed_source::{FeedError, FeedErrorKind};

use super::AvroSchema;

/// Parses the JSON of the schema, which has its names, aliases, defaults and attributes.
///
/// ```
/// use arrowfeed_avro::AvroSchema;
///
/// let schema = apache_avro::Schema::parse_str(r#"{"type": "array", "items": "long"}"#)?;
/// assert_eq!(AvroSchema::try_from(&schema)?.canonical(), schema.canonical_form());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl TryFrom<&apache_avro::Schema> for AvroSchema {
    type Error = FeedError;

    /// # Errors
    /// The schema violates a rule of the specification that apache-avro does not check, or exceeds a limit.
    fn try_from(schema: &apache_avro::Schema) -> Result<Self, FeedError> {
        let json = serde_json::to_string(schema).map_err(|error| {
            let message = format!("expected a schema with a form in JSON, found none: {error}");
            FeedError::new(FeedErrorKind::Schema, message)
        })?;
        Self::parse(&json)
    }
}
