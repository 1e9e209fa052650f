//! Cells that become lists: of one value, or of several with a character between them.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, StringArray};
use arrow_buffer::OffsetBuffer;
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_schema::{ArrowError, DataType, FieldRef};

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

/// The values of a cell.
pub(super) fn values(cell: &str, dialect: &CsvDialect) -> Result<Vec<String>, ArrowError> {
    if cell.is_empty() {
        return Ok(Vec::new());
    }
    if !cell.as_bytes().contains(&dialect.quote) && dialect.escape.is_none() {
        return Ok(cell.split(char::from(dialect.delimiter)).map(str::to_owned).collect());
    }
    dialect.texts(cell.as_bytes()).map_err(|error| ArrowError::CsvError(error.to_string()))
}

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
        lengths.push(match (text, dialect) {
            (None, _) => 0,
            (Some(text), None) => {
                found.append_value(text);
                1
            }
            (Some(text), Some(dialect)) => {
                let values = values(text, dialect)?;
                values.iter().for_each(|value| found.append_value(value));
                values.len()
            }
        });
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
