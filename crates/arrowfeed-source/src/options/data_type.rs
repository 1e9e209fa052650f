//! Arrow types in text, by the names of arrow-rs and of pyarrow.

use std::str::FromStr;

use arrow_schema::DataType;

/// Maximum number of types around a type in text: the parser of types recurses.
const MAX_TYPE_DEPTH: usize = 64;

/// The type of a text: `Int64`, `List(Utf8)`, `Timestamp(µs, "UTC")`, or a name of pyarrow such as `string` and `timestamp[us]`.
///
/// ```
/// use arrow_schema::{DataType, TimeUnit};
/// use arrowfeed_source::options::data_type;
///
/// assert_eq!(data_type("List(Utf8)"), Ok(DataType::new_list(DataType::Utf8, true)));
/// assert_eq!(data_type("timestamp[us]"), Ok(DataType::Timestamp(TimeUnit::Microsecond, None)));
/// assert_eq!(data_type("text").unwrap_err(), "an Arrow type such as Int64, Timestamp(ms) or List(Utf8)");
/// ```
///
/// # Errors
/// What was expected: the text is not a type, or the type is nested too deeply.
pub fn data_type(text: &str) -> Result<DataType, String> {
    if depth(text) > MAX_TYPE_DEPTH {
        return Err(format!("an Arrow type that is at most {MAX_TYPE_DEPTH} types deep"));
    }
    named(text).ok_or_else(|| "an Arrow type such as Int64, Timestamp(ms) or List(Utf8)".to_owned())
}

fn named(name: &str) -> Option<DataType> {
    if let Ok(data_type) = DataType::from_str(name) {
        return Some(data_type);
    }
    Some(match name {
        "bool" => DataType::Boolean,
        "string" => DataType::Utf8,
        "large_string" => DataType::LargeUtf8,
        "string_view" => DataType::Utf8View,
        "large_binary" => DataType::LargeBinary,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        // `int8` is `Int8`, `uint8` is `UInt8`, and `time32[s]` is `Time32(s)`.
        _ => {
            let (digits, unsigned) = match name.strip_prefix('u') {
                Some(signed) => (signed, "U"),
                None => (name, ""),
            };
            let (first, rest) = digits.split_at_checked(1)?;
            let text = format!("{unsigned}{}{rest}", first.to_ascii_uppercase());
            DataType::from_str(&text.replace('[', "(").replace(']', ")")).ok()?
        }
    })
}

/// Maximum number of parentheses around a character that is not in quotes. A backslash escapes the next quote, as in the parser
/// of arrow-rs.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut quote, mut is_escaped) = (0_usize, 0, None, false);
    for character in text.chars() {
        match (quote, character) {
            (Some(_), '\\') => is_escaped = true,
            (Some(opened), found) if found == opened && is_escaped => is_escaped = false,
            (Some(opened), found) if found == opened => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => (quote, is_escaped) = (Some(character), false),
            (None, '(') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use arrow_schema::TimeUnit;

    use super::*;

    #[test]
    fn names_are_those_of_pyarrow_and_of_columns() {
        let timestamp = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        let cases = [
            ("string", DataType::Utf8),
            ("Utf8", DataType::Utf8),
            ("bool", DataType::Boolean),
            ("int16", DataType::Int16),
            ("uint64", DataType::UInt64),
            ("float", DataType::Float32),
            ("float64", DataType::Float64),
            ("date32", DataType::Date32),
            ("time32[s]", DataType::Time32(TimeUnit::Second)),
            ("timestamp[us]", timestamp(None)),
            ("Timestamp(µs, \"UTC\")", timestamp(Some("UTC"))),
            ("decimal128(9, 2)", DataType::Decimal128(9, 2)),
            ("List(Utf8)", DataType::new_list(DataType::Utf8, true)),
        ];
        for (name, expected) in cases {
            assert_eq!(data_type(name), Ok(expected), "{name}");
        }
        for name in ["", "u", "text", "integer", "uint7", "ustring", "é"] {
            assert!(data_type(name).is_err(), "{name}");
        }
    }
}
