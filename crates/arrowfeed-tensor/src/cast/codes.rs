//! Symbols of an Avro enum to their codes: the indices of the symbols in the enum's list.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array};
use arrow_schema::DataType;
use arrowfeed_select::{compact, stored_bytes, take};

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
        let keys = dictionary.keys().slice(0, dictionary.len());
        if self.are_values_of(dictionary.values()) {
            return match self.shares_keys(to) {
                true => Ok(keys),
                false => numbers::converted(&Input { array: &keys, nulls: input.nulls }, to, false),
            };
        }
        // Of a large dictionary, only the values of the rows are looked up.
        let is_sparse = dictionary.values().len() > dictionary.len();
        let compacted = is_sparse.then(|| compact(input.array)).transpose();
        let compacted = compacted.map_err(|error| overflow(keys.len(), &error))?;
        let dictionary = compacted.as_ref().unwrap_or(input.array).as_any_dictionary();
        let (keys, values) = (dictionary.keys(), dictionary.values());
        // A value is unknown here if it is damaged, and is an error only if a row has it.
        let code = |value: usize| {
            let bytes = stored_bytes(values, value)?;
            self.codes.get(std::str::from_utf8(&bytes).ok()?).copied()
        };
        let codes: Int32Array = (0..values.len()).map(code).collect();
        let is_known = |value: usize| values.is_null(value) || codes.is_valid(value);
        if !(0..values.len()).all(is_known) {
            let mut positions = dictionary.normalized_keys().into_iter().enumerate();
            if let Some((position, key)) = positions.find(|(i, key)| input.is_valid(*i) && !is_known(*key)) {
                return Err(self.unknown(position, &stored_bytes(values, key).unwrap_or_default()));
            }
        }
        let codes = take(&codes, keys).map_err(|error| overflow(keys.len(), &error))?;
        let nulls = with_parents(input.nulls, &codes);
        numbers::converted(&Input { array: &codes, nulls: nulls.as_ref() }, to, false)
    }

    /// Whether each value of a dictionary is the symbol at its place.
    fn are_values_of(&self, values: &ArrayRef) -> bool {
        let is_symbol = |(slot, symbol): (usize, &String)| {
            stored_bytes(values, slot).is_some_and(|bytes| *bytes == *symbol.as_bytes())
        };
        values.len() <= self.symbols.len() && (0..values.len()).zip(&self.symbols).all(is_symbol)
    }

    #[cold]
    fn unknown(&self, position: usize, found: &[u8]) -> Unfit {
        let mut symbols: Vec<String> =
            self.symbols.iter().take(10).map(|symbol| format!("{symbol:?}")).collect();
        if self.symbols.len() > symbols.len() {
            symbols.push("…".to_owned());
        }
        let expected = format!("a symbol of the enum, one of [{}]", symbols.join(", "));
        let found = format!("{:?}", String::from_utf8_lossy(found));
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
