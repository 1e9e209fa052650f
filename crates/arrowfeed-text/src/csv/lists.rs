//! Cells that become lists: of one value, or of several with a character between them.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, StringArray};
use arrow_buffer::OffsetBuffer;
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_schema::{ArrowError, DataType, FieldRef};
use csv_core::{ReadFieldResult, ReaderBuilder, Terminator};

use super::dialect::CsvDialect;

/// Columns whose cells have several values.
///
/// A cell is a record of its own, whose values may be in quotes. Values that are empty are values too: texts, and no numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multivalent {
    /// Names of the columns. Their types are lists.
    pub columns: Vec<String>,
    /// The character between values, of ASCII.
    pub delimiter: u8,
}

/// What the lists of a type have; `None`: it is no list.
pub(super) fn item(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) => Some(item),
        _ => None,
    }
}

/// Whether texts can become values of a type of lists.
pub(super) fn is_list_of_cells(data_type: &DataType) -> bool {
    item(data_type).is_some_and(|item| {
        !item.data_type().is_nested() && can_cast_types(&DataType::Utf8, item.data_type())
    })
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
    // The reader asks for room even where it writes nothing.
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

/// What ends a record, where no byte of a text does.
const NO_BYTE_OF_UTF8: u8 = 0xff;

/// Texts as lists of a type. `dialect`: how a cell with several values is written; `None`: a cell is one value.
///
/// # Errors
/// A value is none of the type.
pub(super) fn of_texts(
    texts: &ArrayRef,
    data_type: &DataType,
    dialect: Option<&CsvDialect>,
) -> Result<ArrayRef, ArrowError> {
    let Some(item) = item(data_type) else {
        return Err(ArrowError::CsvError(format!("expected a type of lists, found {data_type}")));
    };
    let texts = texts.as_string::<i32>();
    let (mut lengths, mut found) = (Vec::with_capacity(texts.len()), StringBuilder::new());
    for text in texts {
        let before = found.len();
        match (text, dialect) {
            (None, _) => {}
            (Some(text), None) => found.append_value(text),
            (Some(text), Some(dialect)) => each_value(text, dialect, |value| found.append_value(value)),
        }
        lengths.push(found.len() - before);
    }
    let found: StringArray = found.finish();
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let values = cast_with_options(&found, item.data_type(), &options)?;
    let (item, nulls) = (item.clone(), texts.nulls().cloned());
    Ok(match data_type {
        DataType::List(_) => {
            Arc::new(ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), values, nulls)?)
        }
        _ => Arc::new(LargeListArray::try_new(item, OffsetBuffer::from_lengths(lengths), values, nulls)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_delimiters_in_quotes_are_characters_of_values() {
        let values = |cell: &str, escape| {
            let dialect = CsvDialect { delimiter: b'|', escape, ..Default::default() };
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
