//! ASCII characters, such as the delimiter of CSV.

use serde::de::{Deserialize, Deserializer, Error};

use crate::quoted;

/// Parses one ASCII character, or `\t`, which shells and SQL do not replace by a tab.
///
/// # Errors
/// The text is not one ASCII character.
pub fn character<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    of_text(&String::deserialize(deserializer)?)
}

/// As [`character`], with null for none.
///
/// # Errors
/// The text is not one ASCII character.
pub fn optional_character<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    Option::<String>::deserialize(deserializer)?.map(|text| of_text(&text)).transpose()
}

fn of_text<E: Error>(text: &str) -> Result<u8, E> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [character] if character.is_ascii() => Ok(*character),
        _ => Err(E::custom(format_args!("expected one ASCII character, found {}", quoted(text)))),
    }
}
