//! Arrow schemas in JSON: `[{"name": "id", "type": "Int64", "nullable": false}]`.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed::source::quoted;
use serde::Deserialize;

use crate::error::Error;

/// Maximum number of parentheses in the text of a type: its parser recurses.
const MAX_DEPTH: usize = 64;

/// Columns, in order.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Columns(Vec<Column>);

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
        let field = |column: &Column| {
            let data_type = data_type(&column.data_type).ok_or_else(|| {
                let (name, found) = (&column.name, quoted(&column.data_type));
                let expected = "expected an Arrow type such as Int64, Timestamp(ms) or List(Utf8)";
                Error::options(format!("{option}: {name:?}: {expected}, found {found}"))
            })?;
            Ok(Field::new(&column.name, data_type, column.nullable))
        };
        let fields = self.0.iter().map(field).collect::<Result<Vec<_>, Error>>()?;
        Ok(Arc::new(Schema::new(fields)))
    }
}

/// `None`: the text is not that of a type, or is too deep.
fn data_type(text: &str) -> Option<DataType> {
    if text.matches('(').count() > MAX_DEPTH { None } else { text.parse().ok() }
}
