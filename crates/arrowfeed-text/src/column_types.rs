//! Types of some columns, which replace the inferred ones.

use std::collections::HashSet;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

/// Checks that types replace inferred ones.
///
/// # Errors
/// There are types and a schema, which has types of its own.
pub(crate) fn check(types: Option<&SchemaRef>, schema: Option<&SchemaRef>) -> Result<(), FeedError> {
    if types.is_none() || schema.is_none() {
        return Ok(());
    }
    let message = "expected either a schema or the types of some columns, found both";
    Err(FeedError::new(FeedErrorKind::Options, message))
}

/// The inferred schema with other types for the columns in `types`.
///
/// # Errors
/// No inferred column has the name of a column in `types`, or two columns in `types` have the same name.
pub(crate) fn replaced(inferred: &Schema, types: &Schema) -> Result<Schema, FeedError> {
    let mut fields = inferred.fields().to_vec();
    let mut seen = HashSet::new();
    for given in types.fields() {
        let name = quoted(given.name());
        if !seen.insert(given.name()) {
            let message = format!("types: expected different columns, found {name} more than once");
            return Err(FeedError::new(FeedErrorKind::Schema, message));
        }
        let Ok(column) = inferred.index_of(given.name()) else {
            let known: Vec<String> = fields.iter().map(|field| quoted(field.name())).collect();
            let message =
                format!("types: expected the column {name}, found the columns {}", known.join(", "));
            return Err(FeedError::new(FeedErrorKind::Schema, message));
        };
        let field = fields[column].as_ref().clone().with_data_type(given.data_type().clone());
        fields[column] = field.into();
    }
    Ok(Schema::new(fields))
}
