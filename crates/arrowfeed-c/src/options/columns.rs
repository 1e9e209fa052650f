//! Arrow schemas in JSON: `[{"name": "id", "type": "Int64", "nullable": false}]`.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed::source::quoted;
use serde::Deserialize;

use super::object::Object;
use crate::error::Error;

/// Maximum number of types around a type: the parser of types recurses.
const MAX_DEPTH: usize = 64;

/// Columns, in order.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(crate) struct Columns(Vec<Object<Column>>);

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    name: String,
    /// As arrow-rs writes types, such as `Int64` and `Timestamp(µs, "UTC")`.
    #[serde(rename = "type")]
    data_type: String,
    #[serde(default = "yes")]
    nullable: bool,
}

fn yes() -> bool {
    true
}

impl Columns {
    /// The schema. `option` is the name of the option.
    pub(crate) fn schema(&self, option: &str) -> Result<SchemaRef, Error> {
        let field = |Object(column): &Object<Column>| {
            let data_type = data_type(&column.data_type).map_err(|expected| {
                let (name, found) = (&column.name, quoted(&column.data_type));
                Error::options(format!("{option}: {name:?}: expected {expected}, found {found}"))
            })?;
            Ok(Field::new(&column.name, data_type, column.nullable))
        };
        let fields = self.0.iter().map(field).collect::<Result<Vec<_>, Error>>()?;
        Ok(Arc::new(Schema::new(fields)))
    }
}

/// The type of a text. The error is what was expected.
fn data_type(text: &str) -> Result<DataType, String> {
    if depth(text) > MAX_DEPTH {
        return Err(format!("an Arrow type that is at most {MAX_DEPTH} types deep"));
    }
    let expected = "an Arrow type such as Int64, Timestamp(ms) or List(Utf8)";
    text.parse().map_err(|_| expected.to_owned())
}

/// Maximum number of parentheses around a character that is not in quotes. A backslash escapes the next quote, as in the parser
/// of arrow-rs.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut quote, mut is_escaped) = (0_usize, 0, None, false);
    for character in text.chars() {
        match (quote, character) {
            (Some(_), '\\') => is_escaped = true,
            (Some(opened), found) if found == opened && is_escaped => is_escaped = false,
            (Some(opened), found) if found == opened => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => (quote, is_escaped) = (Some(character), false),
            (None, '(') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    deepest
}
