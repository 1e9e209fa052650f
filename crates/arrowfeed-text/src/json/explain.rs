//! Errors that name the invalid value of a record.

use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind};
use serde_json::Value;

use super::parser::JsonParser;
use crate::group::{Slice, first_wrong};

/// Maximum number of characters of a value in a message.
const MAX_CHARS: usize = 100;

/// Parses a line as a JSON object.
///
/// # Errors
/// The line is not JSON, or is another JSON value.
pub(super) fn object(line: &[u8]) -> Result<Value, FeedError> {
    let found = match serde_json::from_slice(line.trim_ascii_end()) {
        Ok(object @ Value::Object(_)) => return Ok(object),
        Ok(other) => shown(&other),
        // A record is one line, and other parts of the message locate it.
        Err(error) => error.to_string().replace(" at line 1 column ", " at column "),
    };
    let message = format!("expected a JSON object, found {found}");
    Err(FeedError::new(FeedErrorKind::CorruptBlock, message))
}

/// A value as JSON, truncated if it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl JsonParser {
    /// Returns the error of a record that cannot be parsed: it is not a JSON object, or one of its values is invalid.
    pub(crate) fn explain(&self, record: Slice<'_>) -> FeedError {
        let object = match object(record.bytes()) {
            Ok(object) => object,
            Err(error) => return error,
        };
        let wrong = |message| FeedError::new(FeedErrorKind::CorruptBlock, message);
        let columns = self.schema().fields();
        let Some(column) = first_wrong(columns.len(), |columns| self.takes(record, columns)) else {
            return wrong("expected a JSON object, found one that cannot be parsed".to_owned());
        };
        let field = &columns[column];
        let found = object.get(field.name()).map_or("no value".to_owned(), shown);
        let message = format!("expected a value of {}, found {found}", field.data_type());
        wrong(message).in_field(field_path([field.name()]))
    }
}
