//! Errors that name the invalid value of a record.

use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind, thousands};
use serde_json::Value;

use super::parser::JsonParser;
use super::tape::{Element, Fault, Tape};
use crate::group::{Slice, first_wrong};

/// Maximum number of characters of a value in a message.
const MAX_CHARS: usize = 100;

/// Parses a line as a JSON object.
///
/// # Errors
/// The line is not JSON, or is another JSON value.
pub(super) fn object(line: &[u8]) -> Result<Value, FeedError> {
    // Without the line end, which a message would count.
    let end = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    let found = match serde_json::from_slice(&line[..end.map_or(0, |last| last + 1)]) {
        Ok(object @ Value::Object(_)) => return Ok(object),
        Ok(other) => shortened(other.to_string()),
        // A record is one line, and other parts of the message locate it.
        Err(error) => error.to_string().replace(" at line 1 column ", " at column "),
    };
    let message = format!("expected a JSON object, found {found}");
    Err(FeedError::new(FeedErrorKind::CorruptBlock, message))
}

/// A text, truncated if it is long.
fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Writes a value as JSON, without what follows after [`MAX_CHARS`].
fn write(tape: &Tape<'_>, index: u32, out: &mut String) {
    let (end, [first, last]) = match tape.get(index) {
        Element::Null => return out.push_str("null"),
        Element::Bool(value) => return out.push_str(if value { "true" } else { "false" }),
        Element::Number(span) => return out.push_str(tape.text(span)),
        Element::Text(_) | Element::Unescaped(_) => {
            return out.push_str(&Value::from(tape.string(index).unwrap_or_default()).to_string());
        }
        Element::List(end) => (end, ['[', ']']),
        Element::Object(end) => (end, ['{', '}']),
    };
    out.push(first);
    let (mut at, mut separators) = (index + 1, if first == '[' { ",," } else { ":," }.chars().cycle());
    // Each nested value writes a byte, so this bounds the recursion too.
    while at < end && out.len() <= MAX_CHARS * size_of::<char>() {
        write(tape, at, out);
        at = tape.after(at);
        out.extend(separators.next().filter(|_| at < end));
    }
    out.push(last);
}

fn shown_value(tape: &Tape<'_>, index: u32) -> String {
    let mut text = String::new();
    write(tape, index, &mut text);
    shortened(text)
}

impl JsonParser {
    /// Returns the error of a record that cannot be parsed: it is not a JSON object, or one of its values is invalid.
    pub(crate) fn explain(&self, record: Slice<'_>) -> FeedError {
        let wrong = |message| FeedError::new(FeedErrorKind::CorruptBlock, message);
        let unknown = || wrong("expected a JSON object, found one that cannot be parsed".to_owned());
        let tape = match self.tape(record) {
            Ok(tape) => tape,
            Err(Fault::Depth) => {
                let most = thousands(self.depth() as u64);
                let message =
                    format!("expected a JSON object nested at most {most} deep, found a deeper one");
                return FeedError::limit_reached("skipped_depth", message);
            }
            Err(Fault::Syntax | Fault::Length) => {
                return object(record.bytes()).err().unwrap_or_else(unknown);
            }
        };
        let Some(row) = tape.rows().first() else { return unknown() };
        if !matches!(tape.get(*row), Element::Object(_)) {
            return wrong(format!("expected a JSON object, found {}", shown_value(&tape, *row)));
        }
        let columns = self.schema().fields();
        let Some(column) = first_wrong(columns.len(), |columns| self.takes(record, columns)) else {
            return unknown();
        };
        let field = &columns[column];
        let found =
            tape.value(*row, field.name()).map_or("no value".to_owned(), |value| shown_value(&tape, value));
        let message = format!("expected a value of {}, found {found}", field.data_type());
        wrong(message).in_field(field_path([field.name()]))
    }
}
