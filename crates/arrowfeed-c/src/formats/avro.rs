//! Options of Avro in JSON.

use arrowfeed::avro::{ColumnEncoding, StringType, Unions};
use arrowfeed::{AvroOptions, AvroSchema};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Common;
use crate::error::Error;
use crate::options::ordered::Ordered;

/// The fields of [`AvroOptions`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Given {
    /// The schema, or its JSON as a string.
    reader_schema: Option<Value>,
    merge_schemas: bool,
    max_batch_bytes: Option<usize>,
    encoding: Encoding,
    string_type: Strings,
    unions: UnionName,
    fixed_lengths: Ordered<i32>,
    double_as_float: bool,
    raw: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Encoding {
    #[default]
    Native,
    Feature,
    Tfx,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Strings {
    #[default]
    Utf8,
    LargeUtf8,
    Utf8View,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum UnionName {
    #[default]
    Dense,
    Struct,
    Json,
}

pub(super) fn options(given: Given, common: Common) -> Result<AvroOptions, Error> {
    let Common { columns, exclude, limits } = common;
    let reader_schema = given.reader_schema.as_ref().map(schema).transpose()?;
    Ok(AvroOptions {
        columns,
        exclude,
        reader_schema,
        merge_schemas: given.merge_schemas,
        field_ids: None,
        max_batch_bytes: given.max_batch_bytes,
        encoding: match given.encoding {
            Encoding::Native => ColumnEncoding::Native,
            Encoding::Feature => ColumnEncoding::Feature,
            Encoding::Tfx => ColumnEncoding::Tfx,
        },
        string_type: match given.string_type {
            Strings::Utf8 => StringType::Utf8,
            Strings::LargeUtf8 => StringType::LargeUtf8,
            Strings::Utf8View => StringType::Utf8View,
        },
        unions: match given.unions {
            UnionName::Dense => Unions::Dense,
            UnionName::Struct => Unions::Struct,
            UnionName::Json => Unions::Json,
        },
        fixed_lengths: given.fixed_lengths.0.into_iter().collect(),
        double_as_float: given.double_as_float,
        raw: given.raw,
        limits,
    })
}

/// A string is the JSON text of a schema if it is a JSON value, and otherwise the name of a type.
fn schema(value: &Value) -> Result<AvroSchema, Error> {
    let text = match value {
        Value::String(text) if serde_json::from_str::<IgnoredAny>(text).is_ok() => text.clone(),
        value => value.to_string(),
    };
    Ok(AvroSchema::parse(&text)?)
}
