//! Errors that name the invalid value of a record.

use arrowfeed_source::field_path::field_path;
use arrowfeed_source::{FeedError, FeedErrorKind, thousands};

use super::parser::JsonParser;
use super::tape::{Element, Fault, Tape};
use crate::group::{Slice, first_wrong};

/// Maximum number of characters of a value in a message.
const MAX_CHARS: usize = 100;

/// Parses a record that is a JSON object.
///
/// # Errors
/// The record is not JSON, is another JSON value, or is nested more than `depth` deep.
pub(super) fn object(record: Slice<'_>, depth: usize) -> Result<Tape<'_>, FeedError> {
    let found = match Tape::of(record, depth) {
        Ok(tape) => match tape.rows().first() {
            Some(row) if matches!(tape.get(*row), Element::Object(_)) => return Ok(tape),
            row => shown_value(&tape, row.copied().unwrap_or_default()),
        },
        Err(Fault::Depth) => {
            let most = thousands(depth as u64);
            let message = format!("expected a JSON object nested at most {most} deep, found a deeper one");
            return Err(FeedError::limit_reached("skipped_depth", message));
        }
        Err(Fault::Syntax { reason, column }) => format!("{reason} at column {column}"),
        Err(Fault::Length) => "one of 4 GiB or more".to_owned(),
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
            return write_string(tape.string(index).unwrap_or_default(), out);
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

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars().take(MAX_CHARS) {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
}

fn shown_value(tape: &Tape<'_>, index: u32) -> String {
    let mut text = String::new();
    write(tape, index, &mut text);
    shortened(text)
}

impl JsonParser {
    /// Returns the error of a record that cannot be parsed: it is not a JSON object, or one of its values is invalid.
    pub(crate) fn explain(&self, record: Slice<'_>) -> FeedError {
        let tape = match object(record, self.depth()) {
            Ok(tape) => tape,
            Err(error) => return error,
        };
        let row = tape.rows()[0];
        let columns = self.schema().fields();
        let Some(column) = first_wrong(columns.len(), |columns| self.takes(record, columns)) else {
            let message = "expected a JSON object, found one that cannot be parsed";
            return FeedError::new(FeedErrorKind::CorruptBlock, message);
        };
        let field = &columns[column];
        let found =
            tape.value(row, field.name()).map_or("no value".to_owned(), |value| shown_value(&tape, value));
        let message = format!("expected a value of {}, found {found}", field.data_type());
        FeedError::new(FeedErrorKind::CorruptBlock, message).in_field(field_path([field.name()]))
    }
}
