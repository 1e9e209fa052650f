//! The values of cells that `arrow-csv` does not convert exactly, or not by the options: texts that mean true or false, and numbers with a
//! decimal comma.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, StringArray};
use arrow_buffer::Buffer;
use arrow_schema::{ArrowError, DataType};
use arrowfeed_values::of_texts;

use super::dialect::CsvDialect;
use crate::inexact;

impl CsvDialect {
    /// Whether the values of a type are made of the texts of cells here, and not by `arrow-csv`.
    pub(super) fn is_made_of_texts(&self, data_type: &DataType) -> bool {
        inexact::is_cut(data_type)
            || self.decimal_comma && data_type.is_floating()
            || self.has_booleans() && data_type == &DataType::Boolean
    }

    /// The values of cells as numbers, booleans, dates or times.
    ///
    /// # Errors
    /// A cell is no value of the type; there are no values of the type.
    pub(super) fn values(&self, data_type: &DataType, texts: &StringArray) -> Result<ArrayRef, ArrowError> {
        match data_type {
            DataType::Boolean if self.has_booleans() => self.booleans(texts),
            number if self.decimal_comma && (number.is_floating() || number.is_decimal()) => {
                of_texts(number, &with_points(texts)?)
            }
            other => of_texts(other, texts),
        }
    }

    fn booleans(&self, texts: &StringArray) -> Result<ArrayRef, ArrowError> {
        let value = |text: &str| {
            self.boolean(text).ok_or_else(|| ArrowError::ParseError("no value of Boolean".to_owned()))
        };
        let values: Result<BooleanArray, _> = texts.iter().map(|text| text.map(value).transpose()).collect();
        Ok(Arc::new(values?))
    }

    /// Whether the dialect has texts that mean true or false.
    pub(super) fn has_booleans(&self) -> bool {
        !self.true_values.is_empty() || !self.false_values.is_empty()
    }

    /// The boolean of a text; `None` for other texts.
    pub(super) fn boolean(&self, text: &str) -> Option<bool> {
        let is_in = |texts: &[String]| texts.iter().any(|other| other == text);
        match () {
            () if is_in(&self.true_values) => Some(true),
            () if is_in(&self.false_values) => Some(false),
            () => arrowfeed_values::boolean(text),
        }
    }

    /// The text of a number with a point in place of the decimal comma. A text with a point becomes none of a number.
    pub(super) fn number<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.decimal_comma && text.contains([',', '.']) {
            true => text.chars().map(|character| swapped(character, ',', '.')).collect(),
            false => text.into(),
        }
    }
}

/// Exchanges two values.
fn swapped<T: PartialEq>(value: T, one: T, other: T) -> T {
    match () {
        () if value == one => other,
        () if value == other => one,
        () => value,
    }
}

/// The texts with commas and points exchanged.
fn with_points(texts: &StringArray) -> Result<StringArray, ArrowError> {
    let bytes: Vec<u8> = texts.value_data().iter().map(|byte| swapped(*byte, b',', b'.')).collect();
    StringArray::try_new(texts.offsets().clone(), Buffer::from_vec(bytes), texts.nulls().cloned())
}
