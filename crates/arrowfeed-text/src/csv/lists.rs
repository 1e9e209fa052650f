//! Cells that become lists of one value, or of several values separated by a delimiter.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, StringArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, FieldRef};
use arrowfeed_values::{encoded, holds_texts};
use csv_core::{ReadFieldResult, ReaderBuilder, Terminator};

use super::dialect::CsvDialect;

/// Columns whose cells have several values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Multivalent {
    pub(super) columns: Vec<String>,
    /// The ASCII character between values.
    pub(super) delimiter: u8,
}

/// The item field of a list type; `None` for other types.
pub(super) fn item(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) => Some(item),
        _ => None,
    }
}

/// Whether text can be converted to the items of a list type.
pub(super) fn is_list_of_cells(data_type: &DataType) -> bool {
    item(data_type).is_some_and(|item| holds_texts(item.data_type()))
}

/// Calls `each` with the values of a cell. Line ends are characters of values.
pub(super) fn each_value(cell: &str, dialect: &CsvDialect, mut each: impl FnMut(&str)) {
    if cell.is_empty() {
        return;
    }
    if !cell.as_bytes().contains(&dialect.quote) && dialect.escape.is_none() {
        return cell.split(char::from(dialect.delimiter)).for_each(each);
    }
    let mut reader = ReaderBuilder::new()
        .delimiter(dialect.delimiter)
        .quote(dialect.quote)
        .escape(dialect.escape)
        .terminator(Terminator::Any(NO_BYTE_OF_UTF8))
        .build();
    // The reader needs room in the output even if it writes nothing.
    let (mut rest, mut value, mut len) = (cell.as_bytes(), vec![0; cell.len() + 1], 0);
    loop {
        let (result, read, written) = reader.read_field(rest, &mut value[len..]);
        rest = &rest[read..];
        len += written;
        match result {
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::Field { record_end } => {
                each(&String::from_utf8_lossy(&value[..len]));
                len = 0;
                if record_end {
                    return;
                }
            }
            // A value is never longer than its cell.
            ReadFieldResult::OutputFull | ReadFieldResult::End => return,
        }
    }
}

/// A record terminator that never occurs in UTF-8 text.
const NO_BYTE_OF_UTF8: u8 = 0xff;

/// Converts text to a list type. `multivalent` is the syntax of cells with several values; `None`: a cell is one value.
///
/// # Errors
/// A text is no value of the item type.
pub(super) fn of_texts(
    texts: &ArrayRef,
    data_type: &DataType,
    dialect: &CsvDialect,
    multivalent: Option<&CsvDialect>,
) -> Result<ArrayRef, ArrowError> {
    let Some(item) = item(data_type) else {
        return Err(ArrowError::CsvError(format!("expected a list type, found {data_type}")));
    };
    let texts = texts.as_string::<i32>();
    let (mut lengths, mut found) = (Vec::with_capacity(texts.len()), StringBuilder::new());
    for text in texts {
        let before = found.len();
        match (text, multivalent) {
            (None, _) => {}
            (Some(text), None) => found.append_value(text),
            (Some(text), Some(of_values)) => each_value(text, of_values, |value| found.append_value(value)),
        }
        lengths.push(found.len() - before);
    }
    let found: StringArray = found.finish();
    let values = of_type(&found, item.data_type(), dialect)?;
    let (item, nulls) = (item.clone(), texts.nulls().cloned());
    Ok(match data_type {
        DataType::List(_) => {
            Arc::new(ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), values, nulls)?)
        }
        _ => Arc::new(LargeListArray::try_new(item, OffsetBuffer::from_lengths(lengths), values, nulls)?),
    })
}

/// Converts texts to a type without nested values.
fn of_type(texts: &StringArray, data_type: &DataType, dialect: &CsvDialect) -> Result<ArrayRef, ArrowError> {
    match data_type {
        DataType::Dictionary(_, values) => encoded(&of_type(texts, values, dialect)?, data_type),
        DataType::RunEndEncoded(_, values) => {
            encoded(&of_type(texts, values.data_type(), dialect)?, data_type)
        }
        other => dialect.values(other, texts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CsvOptions;

    #[test]
    fn line_ends_and_delimiters_in_quotes_are_characters_of_values() {
        let values = |cell: &str, escape| {
            let options = CsvOptions { delimiter: b'|', escape, ..Default::default() };
            let dialect = CsvDialect::new(&options).unwrap();
            let mut found = Vec::new();
            each_value(cell, &dialect, |value| found.push(value.to_owned()));
            found
        };
        assert_eq!(values("", None), [""; 0]);
        assert_eq!(values("a|b\nc|", None), ["a", "b\nc", ""]);
        assert_eq!(values("a|\"b\"\nc|d", None), ["a", "b\nc", "d"]);
        assert_eq!(values("\n\"x|y\"|\"q\"\"r\"", None), ["\n\"x", "y\"", "q\"r"]);
        assert_eq!(values("\"x|y\"|é", None), ["x|y", "é"]);
        assert_eq!(values("a|\r\nb", Some(b'\\')), ["a", "\r\nb"]);
        assert_eq!(values("\"a\\\"|b\"|c", Some(b'\\')), ["a\"|b", "c"]);
    }
}
