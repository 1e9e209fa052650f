//! The public schema type.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrowfeed_source::{FeedError, Limits};

use super::graph::Graph;
use super::{canonical, fingerprint, json, normalise};

/// A valid Avro schema, parsed from text that violates no rule of the specification.
///
/// Cloning is cheap. Two schemas are equal when they describe the same types: names, fields with their aliases
/// and defaults, symbols, sizes and logical types. Documentation, other attributes and the layout of the text
/// do not count.
///
/// ```
/// use arrowfeed_avro::AvroSchema;
///
/// let schema = AvroSchema::parse(r#"{"type": "array", "items": {"type": "int", "logicalType": "date"}}"#)?;
/// assert_eq!(schema.canonical(), r#"{"type":"array","items":"int"}"#);
///
/// let error = AvroSchema::parse(r#"{"type": "array", "items": "bool"}"#).unwrap_err();
/// assert_eq!(error.to_string(), r#"expected a type, found the unknown name "bool": did you mean "boolean"?"#);
/// # Ok::<(), arrowfeed_avro::FeedError>(())
/// ```
#[derive(Clone)]
pub struct AvroSchema {
    json: Arc<str>,
    graph: Arc<Graph>,
    warnings: Arc<[String]>,
}

impl AvroSchema {
    /// Parses the JSON text of a schema within the default [`Limits`].
    ///
    /// Parts that the specification tells readers to ignore (a logical type that is unknown or does not fit, an enum
    /// default that is not a symbol) are ignored, each with one of the [`warnings`](Self::warnings). Defaults of
    /// fields are not checked, because a writer's defaults are never used.
    ///
    /// ```
    /// use arrowfeed_avro::{FeedErrorKind, AvroSchema};
    ///
    /// assert!(AvroSchema::parse(r#""string""#).is_ok());
    /// assert_eq!(AvroSchema::parse("string").unwrap_err().kind(), FeedErrorKind::Schema);
    /// ```
    pub fn parse(json: &str) -> Result<Self, FeedError> {
        Self::parse_with(json, &Limits::default())
    }

    /// Parses within `limits`: `schema_bytes`, `schema_depth`, `expanded_fields` for the number of types, and
    /// `decoded_block_bytes` for the largest fixed.
    pub(crate) fn parse_with(json: &str, limits: &Limits) -> Result<Self, FeedError> {
        let value = json::parse(json, limits)?;
        let (graph, warnings) = normalise::normalise(&value, limits)?;
        Ok(Self { json: json.into(), graph: Arc::new(graph), warnings: warnings.into() })
    }

    /// The original text.
    ///
    /// ```
    /// let schema = arrowfeed_avro::AvroSchema::parse(r#" {"type": "int"} "#)?;
    /// assert_eq!(schema.json(), r#" {"type": "int"} "#);
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The Parsing Canonical Form of the specification: full names, and only what decoding needs.
    ///
    /// It is a schema itself, with the same canonical form, except where the form cannot express the schema: a type without
    /// a namespace inside one with a namespace, and names with quotes, backslashes or control characters, which the form
    /// does not escape, as in Java.
    ///
    /// ```
    /// let schema = arrowfeed_avro::AvroSchema::parse(
    ///     r#"{"type": "enum", "namespace": "cards", "name": "Suit", "doc": "French", "symbols": ["C", "D"]}"#,
    /// )?;
    /// assert_eq!(schema.canonical(), r#"{"name":"cards.Suit","type":"enum","symbols":["C","D"]}"#);
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    pub fn canonical(&self) -> String {
        canonical::canonical(&self.graph)
    }

    /// The CRC-64-AVRO fingerprint of the canonical form.
    ///
    /// ```
    /// let schema = arrowfeed_avro::AvroSchema::parse(r#""int""#)?;
    /// assert_eq!(schema.fingerprint(), 0x7275_d51a_3f39_5c8f);
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    pub fn fingerprint(&self) -> u64 {
        fingerprint::fingerprint(self.canonical().as_bytes())
    }

    /// The ignored parts and their location: one line each for at most a hundred, then the number of the others.
    ///
    /// ```
    /// let schema = arrowfeed_avro::AvroSchema::parse(r#"{"type": "string", "logicalType": "date"}"#)?;
    /// assert_eq!(schema.warnings(), [r#"ignored the logical type "date" of string: expected int"#]);
    /// # Ok::<(), arrowfeed_avro::FeedError>(())
    /// ```
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The types of the schema.
    pub(crate) fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }
}

impl PartialEq for AvroSchema {
    fn eq(&self, other: &Self) -> bool {
        self.graph == other.graph
    }
}

impl fmt::Debug for AvroSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AvroSchema").field(&self.json).finish()
    }
}

/// Writes the original text.
impl fmt::Display for AvroSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.json)
    }
}

/// Parses a schema, or its JSON in a string. A string that is not JSON is the name of a type.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for AvroSchema {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text)
                if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() =>
            {
                text
            }
            value => value.to_string(),
        };
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl FromStr for AvroSchema {
    type Err = FeedError;

    fn from_str(json: &str) -> Result<Self, FeedError> {
        Self::parse(json)
    }
}

#[cfg(test)]
mod tests;
