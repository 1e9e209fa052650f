//! Symbols of an Avro enum to their codes: the indices of the symbols in the enum's list.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array};
use arrow_schema::DataType;
use arrowfeed_select::take;

use super::{Input, Unfit, numbers};
use crate::dtype::DType;
use crate::error::{ConversionError, ConversionErrorKind, count};
use crate::gather::overflow;
use crate::lists::with_parents;

/// The symbols of an enum, in the order of their codes.
#[derive(Debug)]
pub(super) struct Codes {
    symbols: Vec<String>,
    codes: HashMap<String, i32>,
    /// The type of the column's keys.
    keys: DataType,
}

/// What was expected, and what was found.
type Mismatch = (String, String);

impl Codes {
    /// `symbols` is the JSON list of symbols in the metadata of the field.
    pub(super) fn compile(from: &DataType, symbols: Option<&str>, to: DType) -> Result<Self, Mismatch> {
        let expected = || "the symbols of an enum in the field's metadata avro.enum.symbols".to_owned();
        let Some(json) = symbols else { return Err((expected(), format!("{from} without them"))) };
        let symbols: Vec<String> =
            serde_json::from_str(json).map_err(|_| (expected(), format!("the text {json:?}")))?;
        let codes: HashMap<String, i32> = symbols.iter().cloned().zip(0..).collect();
        if codes.len() < symbols.len() {
            return Err((expected(), "a symbol twice".to_owned()));
        }
        if !holds(to, symbols.len()) {
            let expected = format!("a type that holds the codes of {}", count(symbols.len(), "symbol"));
            return Err((expected, to.to_string()));
        }
        let keys = match from {
            DataType::Dictionary(keys, _) => keys.as_ref().clone(),
            other => other.clone(),
        };
        Ok(Self { symbols, codes, keys })
    }

    /// Whether the keys of a column are codes of the type `to`, if its dictionary is the list of symbols.
    pub(super) fn shares_keys(&self, to: DType) -> bool {
        self.keys == to.arrow_type()
    }

    /// The codes of the symbols. Fails at the first valid value that is not a symbol of the enum.
    pub(super) fn of(&self, input: &Input<'_>, to: DType) -> Result<ArrayRef, Unfit> {
        let dictionary = input.array.as_any_dictionary();
        let values: Vec<Option<&str>> = strings(dictionary.values());
        let keys = dictionary.keys().slice(0, dictionary.len());
        let are_codes = values.len() <= self.symbols.len()
            && values.iter().zip(&self.symbols).all(|(value, symbol)| *value == Some(symbol.as_str()));
        if are_codes {
            return match self.shares_keys(to) {
                true => Ok(keys),
                false => numbers::converted(&Input { array: &keys, nulls: input.nulls }, to, false),
            };
        }
        let codes = values.iter().map(|value| self.codes.get((*value)?).copied());
        let codes: ArrayRef = Arc::new(codes.collect::<Int32Array>());
        let is_known = |i: usize| values[i].is_none() || codes.is_valid(i);
        if !(0..values.len()).all(is_known) {
            let positions = dictionary.normalized_keys().into_iter().enumerate();
            let unknown = positions.into_iter().find(|(i, key)| input.is_valid(*i) && !is_known(*key));
            if let Some((position, key)) = unknown {
                return Err(self.unknown(position, values[key]));
            }
        }
        let codes = take(&codes, &keys).map_err(|error| overflow(keys.len(), &error))?;
        let nulls = with_parents(input.nulls, &codes);
        numbers::converted(&Input { array: &codes, nulls: nulls.as_ref() }, to, false)
    }

    #[cold]
    fn unknown(&self, position: usize, found: Option<&str>) -> Unfit {
        let mut symbols: Vec<String> =
            self.symbols.iter().take(10).map(|symbol| format!("{symbol:?}")).collect();
        if self.symbols.len() > symbols.len() {
            symbols.push("…".to_owned());
        }
        let expected = format!("a symbol of the enum, one of [{}]", symbols.join(", "));
        let found = format!("{:?}", found.unwrap_or_default());
        let error = ConversionError::new(ConversionErrorKind::Schema, expected, found);
        Unfit { position: Some(position), error }
    }
}

/// Whether the integer type holds the codes of this many symbols.
fn holds(to: DType, symbols: usize) -> bool {
    let bits = to.size().map_or(0, |bytes| bytes as u32 * 8);
    let signed = matches!(to, DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64);
    let codes = 1_u128 << (bits - u32::from(signed));
    symbols as u128 <= codes.min(1 << 31)
}

/// The values of a dictionary of strings.
fn strings(array: &ArrayRef) -> Vec<Option<&str>> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        DataType::Utf8View => array.as_string_view().iter().collect(),
        _ => Vec::new(),
    }
}
